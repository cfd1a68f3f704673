"""The solver backend of chess: planes of king by king."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet
from unmove.kernels.legality import mark_legal
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import Frontier, Ply, PlyOutput
from unmove.kernels.solve.settle import count, settle
from unmove.kernels.solve.sources import raise_again, turn_flags
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import empty_frontier
from unmove.solver.capture_values import CaptureValues, capture_room, capture_subtables
from unmove.solver.conversion_values import ConversionValues, conversions
from unmove.solver.subtable_values import SubtableValues
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
        self._lead = None if layout.material.has_pawns or not layout.men else layout.men[0].side

    def mark_legal(self, white: PositionSet, black: PositionSet) -> None:
        """See `SolverBackend`."""
        self._pool.for_ranges(
            len(self.planes),
            lambda worker, first, stop: mark_legal(
                first, stop, self._frame, geometry(), self._pool.scratch[worker], white, black
            ),
        )

    def legal_on(
        self, planes: NDArray[np.int64], scratch: Scratch
    ) -> tuple[PositionSet, PositionSet]:
        """See `SolverBackend`."""
        white, black = (PositionSet(np.empty((len(planes), 64), np.uint64)) for _ in range(2))
        frame = self.layout.frame_of(planes)
        mark_legal(0, len(planes), frame, geometry(), scratch, white, black)
        return white, black

    def count(self, planes: PositionSet) -> int:
        """See `SolverBackend`; modulo symmetry."""
        tally = np.zeros((self._pool.workers, 1), np.int64)
        self._pool.for_ranges(
            len(self.planes),
            lambda worker, first, stop: count(first, stop, self._frame, planes, tally[worker]),
        )
        return int(tally.sum()) // self.share

    def frontier(self, name: str, spare: int = 0) -> Frontier:
        """See `SolverBackend`."""
        room = len(self.planes) + spare
        return empty_frontier(self.layout, self._pool.arena, name, self._flags, room)

    def nothing(self) -> Frontier:
        """See `SolverBackend`."""
        return empty_frontier(self.layout, self._pool.arena, "nothing", self._flags, 0)

    def settle(self, worker: int, first: int, stop: int, ply: Ply, out: PlyOutput) -> None:
        """See `SolverBackend`."""
        settle(first, stop, ply, self._frame, geometry(), self._pool.scratch[worker], out)

    def raise_again(
        self, worker: int, planes: NDArray[np.int64], side: Side, new: Frontier
    ) -> None:
        """See `SolverBackend`."""
        frame = self._frame._replace(planes=planes)
        raise_again(0, len(planes), side, frame, self._pool.scratch[worker], new)

    def announce(self, side: Side, raised: NDArray[np.uint64], new: Frontier) -> None:
        """See `SolverBackend`."""
        np.bitwise_or.reduce(raised, axis=0, out=new.flags)
        if self._lead != side:
            return
        once, frame = new.flags[0].copy(), self._frame
        self._pool.for_ranges(
            len(once),
            lambda worker, first, stop: turn_flags(
                first, stop, frame, geometry(), self._pool.scratch[worker], once, new.flags[0]
            ),
        )

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[Side], SubtableValues]:
        """See `SolverBackend`."""
        layout, pool = self.layout, self._pool
        if layout.material.has_pawns:
            best = conversions(layout, metric, partial, tables, pool)
            return lambda winner: ConversionValues(layout, winner, best, pool)
        near, room = capture_subtables(layout, metric, tables), capture_room(layout, pool.arena)
        return lambda winner: CaptureValues(layout, winner, near, room, pool)
