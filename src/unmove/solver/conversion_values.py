"""The best conversion of every cell, for slices with pawns; see `successors/evaluation.py`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet, Score, Scores
from unmove.kernels.scores import pick_alike, pick_any, pick_equal, survey, unblock
from unmove.kernels.sets import Conversions
from unmove.planes.layout import Layout
from unmove.planes.layouts import AnyLayout
from unmove.pool.workers import WorkerPool
from unmove.solver.subtable_values import NO_CONVERSIONS
from unmove.store.source import Source, TableLookup
from unmove.successors.evaluation import MoveScores
from unmove.successors.moves import zeroing_moves
from unmove.successors.scores import ScoreTable
from unmove.values import SIDES, Code, Level, Metric, Side, loss_code, opponent_of, win_code

_NO_PLANES = np.zeros(0, np.int64)


@dataclass
class ScoredConversions:
    """The score of the best conversion or pawn move of every cell of a layout, by mover."""

    score_table: ScoreTable
    score: list[Scores] = field(default_factory=list)
    listed: list[dict[Score, NDArray[np.int64]]] = field(default_factory=list)
    """By mover and score: the planes with such a cell."""
    leaving: list[PositionSet] = field(default_factory=list)
    """By mover: the cells where no pawn move beats every conversion; without it, all cells."""

    @classmethod
    def of(
        cls, score_table: ScoreTable, score: list[Scores], pool: WorkerPool
    ) -> ScoredConversions:
        """Those of a layout where every score is that of a conversion."""
        return cls(
            score_table, score, [_listed(each, len(score_table.codes), pool) for each in score]
        )


def conversions(
    layout: Layout, metric: Metric, partial: Source, tables: TableLookup, pool: WorkerPool
) -> ScoredConversions:
    """The conversions and pawn moves of both sides, scored; `partial` is the layout's own table."""
    scores = MoveScores(layout, layout.frame, metric, partial, tables, pool)
    subtables = [scores.subtables(zeroing_moves(layout, mover)) for mover in SIDES]
    score_table = scores.score_table([*subtables[0], *subtables[1]])
    result = ScoredConversions(score_table)
    for mover in SIDES:
        shape = layout.count, layout.cells
        score = Scores(pool.arena.zeros(f"scores {mover}", shape, score_table.kind))
        others = [table for table in subtables[mover] if not table.stays]
        scores.assess(mover, others, score_table, score)
        conversions = Scores(pool.arena.empty("scores of conversions", shape, score_table.kind))
        np.copyto(conversions, score)
        own = [table for table in subtables[mover] if table.stays]
        scores.assess(mover, own, score_table, score)
        result.score.append(score)
        result.leaving.append(_alike(layout, score, conversions, f"leaving {mover}", pool))
        result.listed.append(_listed(score, len(score_table.codes), pool))
    return result


def _alike(
    layout: Layout, score: Scores, other: Scores, name: str, pool: WorkerPool
) -> PositionSet:
    """The cells whose two scores are the same."""
    planes = layout.frame.planes
    alike = PositionSet(pool.arena.empty(name, (layout.count, layout.words), np.uint64))
    pool.for_ranges(
        len(planes),
        lambda _, first, stop: pick_alike(first, stop, planes, score, other, alike),
    )
    return alike


def _listed(score: Scores, count: int, pool: WorkerPool) -> dict[Score, NDArray[np.int64]]:
    """By score: the planes that have a cell of it. The score of no conversion is left out."""
    present = pool.arena.zeros("present", (len(score), count), np.uint8)
    pool.for_ranges(
        len(score), lambda _, first, stop: survey(Scores(score[first:stop]), present[first:stop])
    )
    listed = {Score(each): np.flatnonzero(present[:, each]) for each in range(1, count)}
    return {each: planes for each, planes in listed.items() if len(planes)}


class ConversionValues:
    """A `SubtableValues` for one winner."""

    def __init__(
        self, layout: AnyLayout, winner: Side, conversions: ScoredConversions, pool: WorkerPool
    ) -> None:
        self._winner = winner
        self._conversions = conversions
        self._pool = pool
        self.last = conversions.score_table.last
        codes = conversions.score_table.score
        self.arrivals = frozenset(
            (mover, code) for mover in SIDES for code in codes if len(self._planes(mover, code))
        )
        shape = layout.count, layout.words
        self._now = NO_CONVERSIONS._replace(
            live=pool.arena.zeros("arriving live", shape[:1], np.uint8),
            arriving=PositionSet(pool.arena.empty("arriving", shape, np.uint64)),
            blocked=PositionSet(pool.arena.empty("blocked", shape, np.uint64)),
        )
        if conversions.leaving:
            self._now = self._now._replace(leaving=conversions.leaving[winner])
        self._block(layout.frame.planes)

    def _block(self, planes: NDArray[np.int64]) -> None:
        """The loser's positions with any conversion are blocked."""
        score, blocked = self._conversions.score[opponent_of(self._winner)], self._now.blocked
        self._pool.for_ranges(
            len(planes), lambda _, first, stop: pick_any(first, stop, planes, score, blocked)
        )

    def standing(self) -> Conversions:
        """See `SubtableValues`."""
        return self._now

    def lost_at(self, level: Level) -> Conversions:
        """See `SubtableValues`."""
        return self._arrive(self._winner, win_code(level))

    def won_at(self, level: Level) -> Conversions:
        """See `SubtableValues`."""
        loser = opponent_of(self._winner)
        found = self._arrive(loser, loss_code(level))
        planes = self._planes(loser, loss_code(level))
        self._pool.for_ranges(
            len(planes),
            lambda _, first, stop: unblock(first, stop, planes, found.arriving, found.blocked),
        )
        return found

    def _arrive(self, mover: Side, code: Code) -> Conversions:
        """The mover's positions whose best conversion has this code."""
        planes = self._planes(mover, code)
        if (mover, code) not in self.arrivals:
            return self._now
        wanted = self._conversions.score_table.score[code]
        score, live, arriving = self._conversions.score[mover], self._now.live, self._now.arriving
        live[:] = 0
        self._pool.for_ranges(
            len(planes),
            lambda _, first, stop: pick_equal(first, stop, planes, score, wanted, live, arriving),
        )
        return self._now._replace(arrive=True)

    def _planes(self, mover: Side, code: Code) -> NDArray[np.int64]:
        """The planes with such positions."""
        score = self._conversions.score_table.score.get(code)
        return (
            _NO_PLANES if score is None else self._conversions.listed[mover].get(score, _NO_PLANES)
        )
