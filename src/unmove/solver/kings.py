"""The ground of chess: planes of king by king."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmove.crew.crew import SMALLEST_SHARED, Crew
from unmove.kernels.legality import mark_legal
from unmove.kernels.settle import Frontier, count, mark_moves, settle
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout
from unmove.solver.border import Border, Field
from unmove.solver.captures import CaptureBorder, neighbours
from unmove.solver.conversions import ConversionBorder, conversions
from unmove.solver.ground import Planes, empty_frontier, empty_sides
from unmove.store.table import Library, Source
from unmove.values import Metric


class KingsGround:
    """See `Ground`."""

    stalemate_loses = False
    share = 8
    smallest = SMALLEST_SHARED
    settle = staticmethod(settle)
    mark_moves = staticmethod(mark_moves)

    def __init__(self, layout: Layout, crew: Crew) -> None:
        self.layout = layout
        self.frame = layout.frame
        self.board = geometry()
        self.scratch = crew.scratch
        self._crew = crew

    def legal(self) -> tuple[Planes, Planes]:
        """See `Ground`."""
        white, black = empty_sides(self.layout, self._crew.arena, "legal")
        self._crew.each(
            len(self.frame.planes),
            lambda w, first, stop: mark_legal(
                first, stop, self.frame, self.board, self.scratch[w], white, black
            ),
        )
        return white, black

    def count(self, planes: Planes) -> int:
        """See `Ground`; modulo symmetry."""
        tally = np.zeros((self._crew.workers, 1), np.int64)
        self._crew.each(
            len(self.frame.planes),
            lambda w, first, stop: count(first, stop, self.frame, planes, tally[w]),
        )
        return int(tally.sum()) // self.share

    def frontier(self, name: str) -> Frontier:
        """See `Ground`."""
        keys = 64 ** max(len(self.layout.men) - 1, 0)
        flags = len(self.layout.groups), keys
        return empty_frontier(self.layout, self._crew.arena, name, flags)

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
