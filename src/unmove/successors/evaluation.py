"""The score of the best move into solved tables, for every cell of some planes of king by king.

Captures, pawn moves, promotions and captures that promote lead into a solved table or slice. So
does a quiet move once the other side's values are known. `kernels/successors.py` makes the moves,
a plane at a time. What a cell keeps is the `score` of its best move (see `scores.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PAWN, SQUARES
from unmove.kernels.arrays import Scores
from unmove.kernels.scratch import MOST_MEN
from unmove.kernels.successors import (
    MoveScratch,
    Scoring,
    Target,
    score_double_steps,
    score_moves,
)
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Frame, Layout, Man
from unmove.pool.workers import WorkerPool
from unmove.store.source import STALEMATE, Source, TableLookup
from unmove.successors.moves import MoveKind
from unmove.successors.scores import ScoreTable
from unmove.successors.subtables import Subtable, subtables
from unmove.values import Metric, Side, opponent_of


class MoveScores:
    """Scores the moves on the planes of a frame of a layout, whose own table is `own`."""

    def __init__(
        self,
        layout: Layout,
        frame: Frame,
        metric: Metric,
        own: Source,
        tables: TableLookup,
        pool: WorkerPool,
    ) -> None:
        self.layout = layout
        self.frame = frame
        self.metric = metric
        self.own = own
        self.tables = tables
        self.pool = pool

    def subtables(self, moves: Iterable[MoveKind]) -> list[Subtable]:
        """The tables that moves of these kinds lead into."""
        return subtables(self.layout, moves, self.metric, self.own, self.tables)

    def score_table(self, subtables: Iterable[Subtable]) -> ScoreTable:
        """The scores of all codes that moves into these tables can have."""
        return ScoreTable(
            {code for table in subtables for code in (*table.backed_up(), *table.backed_up_twice())}
        )

    def score(self, mover: Side, moves: Iterable[MoveKind]) -> tuple[ScoreTable, Scores]:
        """A score table, and by it the score of the best of the mover's moves, [plane, cell]."""
        targets = self.subtables(moves)
        score_table = self.score_table(targets)
        score = score_table.zeros((len(self.frame.planes), CELLS))
        self.assess(mover, targets, score_table, score)
        return score_table, score

    def assess(
        self, mover: Side, targets: Sequence[Subtable], score_table: ScoreTable, score: Scores
    ) -> None:
        """score[plane] is raised to the best of the mover's moves into these tables."""
        scratch = [_scratch(score_table) for _ in range(self.pool.workers)]
        work = _Assessment(self.frame, mover, score_table, scratch, self.pool, score)
        for subtable in targets:
            work.convert(subtable)
        for subtable in targets:
            if subtable.stays and subtable.zeroes:
                taken = self._captures_en_passant(int(subtable.target.mover[0]), mover)
                work.step_twice(subtable, taken or subtable)

    def _captures_en_passant(self, pawns: int, mover: Side) -> Subtable | None:
        """The table that the capture of the mover's pawn by a pawn leads into; None without one."""
        takers = [
            group
            for group, (man, _) in enumerate(self.layout.groups)
            if man == Man(PAWN, opponent_of(mover))
        ]
        return self.subtables([MoveKind(takers[0], pawns)])[0] if takers else None


@dataclass(frozen=True)
class _Assessment:
    """One mover's moves on the planes of a frame. `score` is written, and scratch by each worker.

    Each kernel runs twice over a subtable: on a plan, to learn which planes it will read, and on
    the subtable with these planes loaded.
    """

    frame: Frame
    mover: Side
    score_table: ScoreTable
    scratch: Sequence[MoveScratch]
    pool: WorkerPool
    score: Scores

    def convert(self, subtable: Subtable) -> None:
        """The mover's moves into a table are scored, double steps left out."""
        plan = subtable.plan(self.score_table)
        self._convert(plan)
        wanted = _marked(plan)
        if len(wanted):
            self._convert(self._loaded(subtable, wanted))

    def step_twice(self, subtable: Subtable, taken: Subtable) -> None:
        """Double steps into this table are scored, the captures en passant into `taken` weighed."""
        plan, plan_taken = subtable.plan(self.score_table), taken.plan(self.score_table)
        self._step_twice(plan, plan_taken)
        wanted, wanted_taken = _marked(plan), _marked(plan_taken)
        if not len(wanted):
            return
        target = self._loaded(subtable, wanted, stalemate=True)
        target_taken = taken.plan(self.score_table)
        if len(wanted_taken):
            target_taken = taken.loaded(
                wanted_taken,
                self.mover,
                self.score_table.of(taken.backed_up_twice()),
                self.score_table,
                self.pool,
                "en passant",
            )
        self._step_twice(target, target_taken)

    def _loaded(
        self, subtable: Subtable, wanted: NDArray[np.int64], *, stalemate: bool = False
    ) -> Target:
        """The planes after a move of the mover; `stalemate`: with that told from other draws."""
        lookup = self.score_table.of(subtable.backed_up())
        if stalemate:
            lookup[STALEMATE] = self.score_table.stalemate
        return subtable.loaded(wanted, opponent_of(self.mover), lookup, self.score_table, self.pool)

    def _convert(self, target: Target) -> None:
        self.pool.for_ranges(
            len(self.frame.planes),
            lambda worker, first, stop: score_moves(
                first, stop, self.mover, self._scoring(worker, target)
            ),
        )

    def _step_twice(self, target: Target, taken: Target) -> None:
        stalemate = self.score_table.stalemate
        self.pool.for_ranges(
            len(self.frame.planes),
            lambda worker, first, stop: score_double_steps(
                first, stop, self.mover, self._scoring(worker, target), taken, stalemate
            ),
        )

    def _scoring(self, worker: int, target: Target) -> Scoring:
        return Scoring(self.frame, geometry(), target, self.scratch[worker], self.score)


def _marked(plan: Target) -> NDArray[np.int64]:
    """The planes that the kernel marked as those it would read."""
    return np.flatnonzero(plan.wanted)


def _scratch(score_table: ScoreTable) -> MoveScratch:
    """Scratch space for one worker."""
    return MoveScratch(
        squares=np.zeros(MOST_MEN, np.int64),
        moved=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        free=score_table.zeros((SQUARES,)),
        plane=score_table.zeros((CELLS,)),
        other=score_table.zeros((CELLS,)),
        row=score_table.zeros((8 + SQUARES + 8,)),
        three=score_table.zeros((8 + SQUARES + 8,)),
    )
