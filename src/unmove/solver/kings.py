"""The solver backend of chess: planes of king by king."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmove.kernels.arrays import PositionSet
from unmove.kernels.legality import mark_legal
from unmove.kernels.sets import Frontier, Ply, PlyOutput
from unmove.kernels.solve.settle import count, settle
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import empty_frontier, empty_sides
from unmove.solver.capture_values import CaptureValues, capture_subtables
from unmove.solver.conversion_values import ConversionValues, conversions
from unmove.solver.subtable_values import ArrivalBuffers, SubtableValues
from unmove.store.source import Source, TableLookup
from unmove.values import Metric, Side


class KingsBackend:
    """See `SolverBackend`."""

    stalemate_loses = False
    share = 8
    smallest = None

    def __init__(self, layout: Layout, pool: WorkerPool) -> None:
        self.layout = layout
        self.planes = layout.frame.planes
        self._frame = layout.frame
        self._pool = pool
        keys = 64 ** max(len(layout.men) - 1, 0)
        self._flags = len(layout.groups), keys

    def legal(self) -> tuple[PositionSet, PositionSet]:
        """See `SolverBackend`."""
        white, black = empty_sides(self.layout, self._pool.arena, "legal")
        self._pool.for_ranges(
            len(self.planes),
            lambda worker, first, stop: mark_legal(
                first, stop, self._frame, geometry(), self._pool.scratch[worker], white, black
            ),
        )
        return white, black

    def count(self, planes: PositionSet) -> int:
        """See `SolverBackend`; modulo symmetry."""
        tally = np.zeros((self._pool.workers, 1), np.int64)
        self._pool.for_ranges(
            len(self.planes),
            lambda worker, first, stop: count(first, stop, self._frame, planes, tally[worker]),
        )
        return int(tally.sum()) // self.share

    def frontier(self, name: str) -> Frontier:
        """See `SolverBackend`."""
        count = self.layout.count
        return empty_frontier(self.layout, self._pool.arena, name, self._flags, count)

    def nothing(self) -> Frontier:
        """See `SolverBackend`."""
        return empty_frontier(self.layout, self._pool.arena, "nothing", self._flags, 0)

    def settle(self, worker: int, first: int, stop: int, ply: Ply, out: PlyOutput) -> None:
        """See `SolverBackend`."""
        settle(first, stop, ply, self._frame, geometry(), self._pool.scratch[worker], out)

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[Side, ArrivalBuffers], SubtableValues]:
        """See `SolverBackend`."""
        layout, pool = self.layout, self._pool
        if layout.material.has_pawns:
            best = conversions(layout, metric, partial, tables, pool)
            return lambda winner, buffers: ConversionValues(
                self.planes, winner, best, buffers, pool
            )
        near = capture_subtables(layout, metric, tables)
        return lambda winner, buffers: CaptureValues(layout, winner, near, buffers, pool)
