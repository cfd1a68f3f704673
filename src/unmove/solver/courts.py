"""The solver backend of xiangqi: planes of court by court."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet, Scores
from unmove.kernels.courts.legality import mark_legal_courts
from unmove.kernels.courts.scratch import court_scratch
from unmove.kernels.courts.settle import settle_courts
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import Frontier, Ply, PlyOutput
from unmove.planes.court_geometry import court_geometry
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layouts import of_courts
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import empty_frontier
from unmove.solver.conversion_values import ConversionValues, ScoredConversions
from unmove.solver.subtable_values import SubtableValues
from unmove.store.source import Source, TableLookup, planes_of
from unmove.successors.courts import (
    CourtSubtable,
    assess_courts,
    backed_up,
    material_after,
    victims,
)
from unmove.successors.scores import ScoreTable
from unmove.values import SIDES, Metric, Side, opponent_of, swapped_if


class CourtsBackend:
    """See `SolverBackend`. A position and its mirror image are counted as two."""

    stalemate_loses = True
    share = 1
    smallest = 16

    def __init__(self, layout: CourtLayout, pool: WorkerPool) -> None:
        self.layout = layout
        self.planes = layout.frame.planes
        self._frame = layout.frame
        self._scratch = [court_scratch(layout.words) for _ in range(pool.workers)]
        self._pool = pool

    def mark_legal(self, white: PositionSet, black: PositionSet) -> None:
        """See `SolverBackend`."""
        self._pool.for_ranges(
            len(self.planes),
            lambda _, first, stop: mark_legal_courts(
                first, stop, self._frame, court_geometry(), white, black
            ),
            self.smallest,
        )

    def legal_on(
        self, planes: NDArray[np.int64], scratch: Scratch
    ) -> tuple[PositionSet, PositionSet]:
        """See `SolverBackend`."""
        shape = len(planes), self.layout.words
        white, black = (PositionSet(np.zeros(shape, np.uint64)) for _ in SIDES)
        frame = self.layout.frame_of(planes)
        mark_legal_courts(0, len(planes), frame, court_geometry(), white, black)
        return white, black

    def count(self, planes: PositionSet) -> int:
        """See `SolverBackend`."""
        cells = np.bitwise_count(planes[self.planes]).sum(axis=1, dtype=np.int64)
        return int(cells @ self._frame.weight[self.planes])

    def frontier(self, name: str, spare: int = 0) -> Frontier:
        """See `SolverBackend`."""
        room = len(self.planes) + spare
        return empty_frontier(self.layout, self._pool.arena, name, (0, 0), room)

    def nothing(self) -> Frontier:
        """See `SolverBackend`."""
        return empty_frontier(self.layout, self._pool.arena, "nothing", (0, 0), 0)

    def settle(self, worker: int, first: int, stop: int, ply: Ply, out: PlyOutput) -> None:
        """See `SolverBackend`."""
        board = court_geometry()
        settle_courts(first, stop, ply, self._frame, board, self._scratch[worker], out)

    def raise_again(
        self, worker: int, planes: NDArray[np.int64], side: Side, new: Frontier
    ) -> None:
        """See `SolverBackend`."""

    def announce(self, side: Side, raised: NDArray[np.uint64], new: Frontier) -> None:
        """See `SolverBackend`. There are no flags: attackers look at the frontier itself."""

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[Side], SubtableValues]:
        """See `SolverBackend`."""
        best = captures(self.layout, metric, tables, self._pool)
        return lambda winner: ConversionValues(self.layout, winner, best, self._pool)


def captures(
    layout: CourtLayout, metric: Metric, tables: TableLookup, pool: WorkerPool
) -> ScoredConversions:
    """The score of the best capture of every cell, by mover."""
    subtables = [
        (mover, victim, tables(material_after(layout, victim).canonical()))
        for mover in SIDES
        for victim in victims(layout, mover)
    ]
    score_table = ScoreTable(
        {code for _, _, table in subtables for code in backed_up(table.palette, metric)}
    )
    shape = layout.count, layout.cells
    score = [
        Scores(pool.arena.zeros(f"scores {mover}", shape, score_table.kind)) for mover in SIDES
    ]
    for mover, victim, table in subtables:
        theirs = of_courts(table.layout)
        subtable = CourtSubtable(layout, victim, theirs)
        side = swapped_if(subtable.colours_swapped, opponent_of(mover))
        cells = planes_of(table, side, np.arange(theirs.count))
        lookup = [score_table.score[code] for code in backed_up(table.palette, metric)]
        assess_courts(subtable, mover, cells, lookup, score_table, pool, score[mover])
    return ScoredConversions.of(score_table, score, pool)
