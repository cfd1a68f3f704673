"""What tables say of one position, or of one move: a code for each metric, and what follows.

Values are seen by the side to move, or by the side that makes the move; `values.py` has the signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import chess

from unmove.games import xiangqi_board
from unmove.values import (
    Code,
    Metric,
    Outcome,
    Outcome50,
    Value,
    outcome50_of,
    outcome_of,
    value_of,
)

_Move = TypeVar("_Move", chess.Move, xiangqi_board.Move, covariant=True)


class Evaluated:
    """Has a code for each metric that is built, at least one, and a half-move clock."""

    codes: dict[Metric, Code]
    clock: int

    @property
    def outcome(self) -> Outcome:
        """The outcome without the 50-move rule."""
        return outcome_of(next(iter(self.codes.values())))

    @property
    def outcome50(self) -> Outcome50 | None:
        """The outcome under the 50-move rule and with the clock; None when DTZ is not built."""
        code = self.codes.get(Metric.DTZ)
        return None if code is None else outcome50_of(code, self.clock)

    def value(self, metric: Metric | str) -> Value | None:
        """Signed plies; None for a draw, or when the metric is not built."""
        code = self.codes.get(Metric.of(metric))
        return None if code is None else value_of(code, Metric.of(metric))

    @property
    def dtm(self) -> Value | None:
        """Signed plies to mate; None for a draw, or when DTM is not built."""
        return self.value(Metric.DTM)

    @property
    def dtc(self) -> Value | None:
        """Signed plies to conversion or mate; None for a draw, or when DTC is not built."""
        return self.value(Metric.DTC)

    @property
    def dtz(self) -> Value | None:
        """Signed plies to zeroing or mate; None for a draw, or when DTZ is not built."""
        return self.value(Metric.DTZ)


@dataclass(frozen=True)
class Answer(Evaluated):
    """The value of a position. `clock` is its half-move clock."""

    codes: dict[Metric, Code]
    clock: int = 0


@dataclass(frozen=True)
class RankedMove(Evaluated, Generic[_Move]):
    """A move and its value to the side that makes it, this move included.

    `codes` has the metrics that are built; `clock` is the half-move clock before the move.
    """

    move: _Move
    san: str
    """The move as people write it: SAN, or WXF in xiangqi."""
    codes: dict[Metric, Code]
    clock: int = 0
