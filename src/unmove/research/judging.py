"""A move judged beside the other legal ones, and the marks that tell the judgement.

    mark   PGN   the move is
    °      $8    the only legal one
    □      $7    the only one that keeps the outcome: every other one wins less, or loses
    !      $1    the only best one: others keep the outcome, but win slower or lose faster

□ is what Lichess and others show for $7, "only move". A move has the first mark that fits, or none.
The caller says which outcome is meant: that of a metric (by DTZ under the 50-move rule), or that
under the rule whatever the metric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from unmove.probe.answer import RankedMove
from unmove.values import (
    Code,
    Metric,
    Outcome,
    Outcome50,
    moves_of,
    preference,
    result_of,
    value_of,
)

ResultOf = Callable[[RankedMove[Any]], Outcome | Outcome50]
"""Gives the outcome of a move that is meant."""


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

_STANDINGS = {  # by the word of an outcome
    "win": "won",
    "cursed win": "won, but for the 50-move rule",
    "draw": "a draw",
    "blessed loss": "lost, but for the 50-move rule",
    "loss": "lost",
}


@dataclass(frozen=True)
class Judgement:
    """A move that was made, and the best there was: itself, if none is better."""

    made: RankedMove[Any]
    best: RankedMove[Any]
    mark: Mark | None
    metric: Metric
    result_of: ResultOf

    @property
    def keeps(self) -> bool:
        """Whether the best outcome is kept."""
        return self.result_of(self.made) == self.result_of(self.best)


def judge(
    ranked: Sequence[RankedMove[Any]],
    made: RankedMove[Any],
    metric: Metric,
    result: ResultOf | None = None,
) -> Judgement:
    """The judgement on one of all the moves of a position, which stand best first.

    A better outcome goes before a better distance. The outcome is that of the metric unless another
    one is given.
    """
    result = result or partial(_by_metric, metric)

    def score(move: RankedMove[Any]) -> tuple[int, int]:
        return result(move), preference(move.codes[metric])

    best = ranked[0] if score(ranked[0]) > score(made) else made
    return Judgement(made, best, _mark(ranked, made, score), metric, result)


def by_rule(ranked: Sequence[RankedMove[Any]]) -> ResultOf:
    """The outcome under the 50-move rule if it is known of all moves, else that without."""
    if any(move.outcome50 is None for move in ranked):
        return lambda move: move.outcome
    return lambda move: move.outcome if move.outcome50 is None else move.outcome50


def distance(code: Code, metric: Metric) -> str:
    """`mate in 12`, in moves of the winner; nothing for a draw."""
    value = value_of(code, metric)
    return "" if value is None else f"{metric.goal} in {moves_of(value)}"


def sentence(judgement: Judgement) -> str:
    """The judgement on a move, for the person who made it."""
    made, best, metric = judgement.made, judgement.best, judgement.metric
    now = _STANDINGS[judgement.result_of(made).word]
    far = distance(made.codes[metric], metric)
    standing = f"{now}, {far}" if far else now
    if not judgement.keeps:
        lost = judgement.result_of(best).word
        return f"That lets the {lost} slip: now {standing}. Best was {with_distance(best, metric)}."
    if best is not made:
        return f"Still {standing}; best was {with_distance(best, metric)}."
    remark = f" It was {judgement.mark.meaning}." if judgement.mark in (FORCED, ONLY) else ""
    praise = ", the best there is" if far and judgement.mark is not FORCED else ""
    return f"Still {standing}{praise}.{remark}"


def with_distance(move: RankedMove[Any], metric: Metric) -> str:
    """A move and what it leads to."""
    return f"{move.san}, {distance(move.codes[metric], metric) or 'a draw'}"


def _by_metric(metric: Metric, move: RankedMove[Any]) -> Outcome | Outcome50:
    return result_of(move.codes[metric], metric)


def _mark(
    ranked: Sequence[RankedMove[Any]],
    made: RankedMove[Any],
    score: Callable[[RankedMove[Any]], tuple[int, int]],
) -> Mark | None:
    """The mark of a move, by the scores of all moves: outcome, then distance."""
    others = [score(other) for other in ranked if other.move != made.move]
    own = score(made)
    if not others:
        return FORCED
    if all(other[0] < own[0] for other in others):
        return ONLY
    if all(other < own for other in others):
        return BEST
    return None
