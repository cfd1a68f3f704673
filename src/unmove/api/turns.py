"""Parts of records: something for each side to move, and the longest wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from unmove.store.summary import Summary
from unmove.values import Metric

_Each = TypeVar("_Each")


@dataclass(frozen=True)
class ByTurn(Generic[_Each]):
    """Something with White (Red) to move, and with Black to move."""

    wtm: _Each
    btm: _Each


@dataclass(frozen=True)
class LongestWins:
    """The longest wins of each side in moves of the winner; None where there is no win."""

    white_wins: ByTurn[int | None]
    black_wins: ByTurn[int | None]

    @classmethod
    def of(cls, summary: Summary, metric: Metric) -> LongestWins:
        return cls(**{name: ByTurn(**row) for name, row in summary.max_moves(metric).items()})
