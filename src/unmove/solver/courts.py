"""The ground of xiangqi: planes of court by court."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmove.answers.crossings import Crossing, brings, cross, material_behind, victims
from unmove.answers.moves import Scale
from unmove.crew.crew import Crew
from unmove.kernels.courts.legality import mark_legal
from unmove.kernels.courts.scratch import court_scratch
from unmove.kernels.courts.settle import settle_courts
from unmove.kernels.settle import Frontier
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layouts import of_courts
from unmove.planes.terrain import terrain
from unmove.solver.border import Border, Field
from unmove.solver.conversions import ConversionBorder, Conversions
from unmove.solver.ground import Planes, empty_frontier, empty_sides
from unmove.store.table import Library, Source, planes_of
from unmove.values import Metric


class CourtsGround:
    """See `Ground`. Positions that are mirror images of one another are counted each."""

    stalemate_loses = True
    share = 1
    smallest = 16
    settle = staticmethod(settle_courts)

    def __init__(self, layout: CourtLayout, crew: Crew) -> None:
        self.layout = layout
        self.frame = layout.frame
        self.board = terrain()
        self.scratch = [court_scratch(layout.words) for _ in range(crew.workers)]
        self._crew = crew

    @staticmethod
    def mark_moves(*_: object) -> None:
        """See `Ground`."""
        raise AssertionError("xiangqi has no 50-move rule")

    def legal(self) -> tuple[Planes, Planes]:
        """See `Ground`."""
        white, black = empty_sides(self.layout, self._crew.arena, "legal")
        self._crew.each(
            len(self.frame.planes),
            lambda _, first, stop: mark_legal(first, stop, self.frame, self.board, white, black),
            self.smallest,
        )
        return white, black

    def count(self, planes: Planes) -> int:
        """See `Ground`."""
        return int(np.bitwise_count(planes).sum(axis=1, dtype=np.int64) @ self.frame.weight)

    def frontier(self, name: str) -> Frontier:
        """See `Ground`."""
        return empty_frontier(self.layout, self._crew.arena, name, (0, 0))

    def borders(
        self, metric: Metric, draft: Source, library: Library
    ) -> Callable[[int, Field], Border]:
        """See `Ground`."""
        known = captures(self.layout, metric, library, self._crew)
        return lambda winner, field: ConversionBorder(
            self.frame.planes, winner, known, field, self._crew
        )


def captures(layout: CourtLayout, metric: Metric, library: Library, crew: Crew) -> Conversions:
    """The worth of the best capture of every cell, by mover."""
    behind = [
        (mover, victim, library(material_behind(layout, victim).canonical()))
        for mover in (0, 1)
        for victim in victims(layout, mover)
    ]
    scale = Scale({code for _, _, table in behind for code in brings(table.palette, metric)})
    shape = layout.count, layout.cells
    worth = [crew.arena.zeros(f"worth {mover}", shape, scale.kind) for mover in (0, 1)]
    for mover, victim, table in behind:
        theirs = of_courts(table.layout)
        crossing = Crossing(layout, victim, theirs)
        side = (1 - mover) ^ crossing.turned
        cells = planes_of(table, side, np.arange(theirs.count))
        meaning = [scale.worth[code] for code in brings(table.palette, metric)]
        cross(crossing, mover, cells, meaning, scale, crew, worth[mover])
    return Conversions.of(scale, worth, crew)
