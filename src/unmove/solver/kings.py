"""The ground of chess: planes of king by king."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmove.kernels.legality import mark_legal
from unmove.kernels.solve.settle import Frontier, count, mark_moves, settle
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout
from unmove.pool.workers import SMALLEST_SHARED, WorkerPool
from unmove.solver.backend import PositionSet, empty_frontier, empty_sides
from unmove.solver.capture_values import CaptureValues, capture_subtables
from unmove.solver.conversion_values import ConversionValues, conversions
from unmove.solver.subtable_values import ArrivalBuffers, SubtableValues
from unmove.store.table import Source, TableLookup
from unmove.values import Metric


class KingsBackend:
    """See `SolverBackend`."""

    stalemate_loses = False
    share = 8
    smallest = SMALLEST_SHARED
    settle = staticmethod(settle)
    mark_moves = staticmethod(mark_moves)

    def __init__(self, layout: Layout, pool: WorkerPool) -> None:
        self.layout = layout
        self.frame = layout.frame
        self.board = geometry()
        self.scratch = pool.scratch
        self._pool = pool

    def legal(self) -> tuple[PositionSet, PositionSet]:
        """See `SolverBackend`."""
        white, black = empty_sides(self.layout, self._pool.arena, "legal")
        self._pool.for_ranges(
            len(self.frame.planes),
            lambda w, first, stop: mark_legal(
                first, stop, self.frame, self.board, self.scratch[w], white, black
            ),
        )
        return white, black

    def count(self, planes: PositionSet) -> int:
        """See `SolverBackend`; modulo symmetry."""
        tally = np.zeros((self._pool.workers, 1), np.int64)
        self._pool.for_ranges(
            len(self.frame.planes),
            lambda w, first, stop: count(first, stop, self.frame, planes, tally[w]),
        )
        return int(tally.sum()) // self.share

    def frontier(self, name: str) -> Frontier:
        """See `SolverBackend`."""
        keys = 64 ** max(len(self.layout.men) - 1, 0)
        flags = len(self.layout.groups), keys
        return empty_frontier(self.layout, self._pool.arena, name, flags)

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[int, ArrivalBuffers], SubtableValues]:
        """See `SolverBackend`."""
        layout, pool = self.layout, self._pool
        if layout.material.has_pawns:
            known = conversions(layout, metric, partial, tables, pool)
            return lambda winner, field: ConversionValues(
                layout.frame.planes, winner, known, field, pool
            )
        near = capture_subtables(layout, metric, tables)
        return lambda winner, field: CaptureValues(layout, winner, near, field, pool)
