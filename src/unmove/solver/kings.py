"""The ground of chess: planes of king by king."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unmove.crew.crew import Crew
from unmove.kernels.legality import mark_legal
from unmove.kernels.settle import Escapes, Frontier, Ply, count, mark_moves, settle
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout
from unmove.solver.border import Border, Field
from unmove.solver.captures import CaptureBorder, neighbours
from unmove.solver.conversions import ConversionBorder, conversions
from unmove.solver.ground import Planes
from unmove.store.table import Library, Source
from unmove.values import Metric


class KingsGround:
    """See `Ground`."""

    stalemate_loses = False
    share = 8
    smallest = None

    def __init__(self, layout: Layout, crew: Crew) -> None:
        self.layout = layout
        self.frame = layout.frame
        self._crew = crew

    @property
    def planes(self) -> NDArray[np.int64]:
        """See `Ground`."""
        return self.frame.planes

    def legal(self) -> tuple[Planes, Planes]:
        """See `Ground`."""
        white, black = (
            self._crew.arena.zeros(f"legal {side}", (self.layout.count, 64), np.uint64)
            for side in (0, 1)
        )
        scratch, frame = self._crew.scratch, self.frame
        self._crew.each(
            len(frame.planes),
            lambda w, first, stop: mark_legal(
                first, stop, frame, geometry(), scratch[w], white, black
            ),
        )
        return white, black

    def count(self, planes: Planes) -> int:
        """See `Ground`; modulo symmetry."""
        tally = np.zeros((self._crew.workers, 1), np.int64)
        self._crew.each(
            len(self.planes),
            lambda w, first, stop: count(first, stop, self.frame, planes, tally[w]),
        )
        return int(tally.sum()) // self.share

    def frontier(self, name: str) -> Frontier:
        """See `Ground`."""
        layout, arena = self.layout, self._crew.arena
        keys = 64 ** max(len(layout.men) - 1, 0)
        return Frontier(
            arena.zeros(f"{name} planes", (layout.count, 64), np.uint64),
            arena.zeros(f"{name} live", (layout.count,), np.uint8),
            arena.zeros(f"{name} flags", (len(layout.groups), keys), np.uint64),
        )

    def settle(
        self,
        worker: int,
        first: int,
        stop: int,
        ply: Ply,
        front: Frontier,
        arrivals: Frontier,
        escapes: Escapes,
        unsettled: Planes,
        log: Planes,
        new: Frontier,
        tally: NDArray[np.int64],
    ) -> None:
        """See `Ground`."""
        settle(
            first,
            stop,
            ply,
            self.frame,
            geometry(),
            front,
            arrivals,
            escapes,
            self._crew.scratch[worker],
            unsettled,
            log,
            new,
            tally,
        )

    def moves_into(
        self,
        worker: int,
        first: int,
        stop: int,
        mover: int,
        front: Frontier,
        nothing: Frontier,
        unsettled: Planes,
        out: Frontier,
    ) -> None:
        """See `Ground`."""
        mark_moves(
            first,
            stop,
            mover,
            self.frame,
            geometry(),
            front,
            nothing,
            unsettled,
            self._crew.scratch[worker],
            out,
        )

    def borders(
        self, metric: Metric, draft: Source, library: Library
    ) -> Callable[[int, Field], Border]:
        """See `Ground`."""
        layout, crew = self.layout, self._crew
        if layout.material.has_pawns:
            known = conversions(layout, metric, draft, library, crew)
            return lambda winner, field: ConversionBorder(
                layout.frame.planes, winner, known, field, crew
            )
        near = neighbours(layout, metric, library)
        return lambda winner, field: CaptureBorder(layout, winner, near, field, crew)
