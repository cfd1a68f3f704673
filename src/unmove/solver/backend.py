"""What the loop needs of a layout: its planes as sets, one ply over a range of them, conversions.

`kings.py` has the backend of chess, `courts.py` that of xiangqi; the loop is the same on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet
from unmove.kernels.sets import Frontier, Ply, PlyOutput
from unmove.planes.layouts import AnyLayout
from unmove.pool.arena import Arena
from unmove.solver.subtable_values import ArrivalBuffers, SubtableValues
from unmove.store.source import Source, TableLookup
from unmove.values import SIDES, Metric, Side

MaybeFrontier = Frontier | None
"""None if it is empty."""


class SolverBackend(Protocol):
    """A layout, or a part of one, with the kernels that work on it."""

    @property
    def layout(self) -> AnyLayout: ...

    @property
    def planes(self) -> NDArray[np.int64]:
        """The planes on which no two men overlap, ascending. Ranges are ranges of these."""

    @property
    def stalemate_loses(self) -> bool: ...

    @property
    def share(self) -> int:
        """So many units of a tally are one position."""

    @property
    def smallest(self) -> int | None:
        """From how many planes on threads share them; None if the pool decides."""

    def legal(self) -> tuple[PositionSet, PositionSet]:
        """The legal positions, by side to move."""

    def count(self, planes: PositionSet) -> int:
        """The positions of a set."""

    def frontier(self, name: str) -> Frontier:
        """A frontier with nothing in it, in the arena under this name."""

    def nothing(self) -> Frontier:
        """The empty frontier. No plane of it is live, so it has none."""

    def settle(self, worker: int, first: int, stop: int, ply: Ply, out: PlyOutput) -> None:
        """What a ply settles on planes[first:stop] is in the output and no longer unsettled."""

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[Side, ArrivalBuffers], SubtableValues]:
        """How to make the values of conversions for a winner, given the sets they are written to.

        `partial` is the table that is being solved.
        """


def empty_frontier(
    layout: AnyLayout, arena: Arena, name: str, flags: tuple[int, int], planes: int
) -> Frontier:
    """An empty frontier with so many flags and so many planes, all of the layout or none."""
    return Frontier(
        PositionSet(arena.zeros(f"{name} planes", (planes, layout.words), np.uint64)),
        arena.zeros(f"{name} live", (layout.count,), np.uint8),
        arena.zeros(f"{name} flags", flags, np.uint64),
    )


def empty_sides(layout: AnyLayout, arena: Arena, name: str) -> tuple[PositionSet, PositionSet]:
    """An empty set for each side to move."""
    shape = layout.count, layout.words
    white, black = (PositionSet(arena.zeros(f"{name} {side}", shape, np.uint64)) for side in SIDES)
    return white, black
