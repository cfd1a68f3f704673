"""What a move was worth beside the others there were, and the marks that tell it.

    mark   PGN   the move is
    °      $8    the only legal one
    □      $7    the only one that keeps the outcome: every other one wins less, or loses
    !      $1    the only best one: others keep the outcome, but win slower or lose faster

□ is what Lichess and others show for $7, "only move". A move has the first mark that fits, or none.
By DTZ the outcome is that under the 50-move rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from unmove.probe.tablebase import RankedMove
from unmove.values import Metric, Outcome, Outcome50, moves_of, preference, result_of, value_of


@dataclass(frozen=True)
class Mark:
    """A sign for people, a numeric annotation glyph for PGN, and what both say of a move."""

    sign: str
    glyph: int
    meaning: str


FORCED: Final = Mark("°", 8, "the only legal move")
ONLY: Final = Mark("□", 7, "the only move that keeps the outcome")
BEST: Final = Mark("!", 1, "the only best move, others keep the outcome")
MARKS: Final = (FORCED, ONLY, BEST)


@dataclass(frozen=True)
class Judgement:
    """A move that was made, and the best there was: itself, if none is better."""

    made: RankedMove[Any]
    best: RankedMove[Any]
    mark: Mark | None
    metric: Metric

    @property
    def keeps(self) -> bool:
        """Whether the best outcome is kept."""
        return self.result_of(self.made) == self.result_of(self.best)

    def result_of(self, move: RankedMove[Any]) -> Outcome | Outcome50:
        return result_of(move.codes[self.metric], self.metric)


def judge(ranked: Sequence[RankedMove[Any]], made: RankedMove[Any], metric: Metric) -> Judgement:
    """The judgement on one of all the moves of a position, which stand best first."""
    worth = preference(made.codes[metric])
    best = ranked[0] if preference(ranked[0].codes[metric]) > worth else made
    return Judgement(made, best, _mark(ranked, made, metric), metric)


def distance(code: int, metric: Metric) -> str:
    """`mate in 12`, in moves of the winner; nothing for a draw."""
    value = value_of(code, metric)
    return "" if value is None else f"{metric.goal} in {moves_of(value)}"


def _mark(ranked: Sequence[RankedMove[Any]], made: RankedMove[Any], metric: Metric) -> Mark | None:
    others = [other.codes[metric] for other in ranked if other.move != made.move]
    own = made.codes[metric]
    if not others:
        return FORCED
    if all(result_of(other, metric) < result_of(own, metric) for other in others):
        return ONLY
    if all(preference(other) < preference(own) for other in others):
        return BEST
    return None
