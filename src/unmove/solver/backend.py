"""What the loop needs of a layout: its planes as sets, one ply over a range of them, a border.

`kings.py` has the ground of chess, `courts.py` that of xiangqi; the loop is the same on both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.solve.settle import Frontier
from unmove.planes.layouts import AnyLayout
from unmove.pool.arena import Arena
from unmove.solver.subtable_values import ArrivalBuffers, SubtableValues
from unmove.store.table import Source, TableLookup
from unmove.values import Metric

PositionSet = NDArray[np.uint64]


class SolverBackend(Protocol):
    """A layout, or a part of one, with the kernels that work on it and what they are handed."""

    @property
    def stalemate_loses(self) -> bool: ...

    @property
    def share(self) -> int:
        """How many of what the kernels count make a position."""

    @property
    def smallest(self) -> int:
        """From how many planes on threads share them."""

    @property
    def settle(self) -> Callable[..., None]:
        """A kernel; see `kernels.settle.settle`."""

    @property
    def mark_moves(self) -> Callable[..., None]:
        """A kernel; see `kernels.settle.mark_moves`. Only the 50-move rule asks for it."""

    @property
    def layout(self) -> AnyLayout: ...

    @property
    def frame(self) -> Any:
        """The layout as its kernels see it; `frame.planes` are those without overlaps."""

    @property
    def board(self) -> Any:
        """The tables of the board."""

    @property
    def scratch(self) -> Sequence[Any]:
        """[worker]: scratch space."""

    def legal(self) -> tuple[PositionSet, PositionSet]:
        """The legal positions, by side to move."""

    def count(self, planes: PositionSet) -> int:
        """The positions of a set."""

    def frontier(self, name: str) -> Frontier:
        """An empty one, in the arena under this name."""

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[int, ArrivalBuffers], SubtableValues]:
        """How to make the border for a winner, given the sets it writes to."""


def empty_frontier(layout: AnyLayout, arena: Arena, name: str, flags: tuple[int, int]) -> Frontier:
    """An empty frontier with so many flags."""
    return Frontier(
        arena.zeros(f"{name} planes", (layout.count, layout.words), np.uint64),
        arena.zeros(f"{name} live", (layout.count,), np.uint8),
        arena.zeros(f"{name} flags", flags, np.uint64),
    )


def empty_sides(layout: AnyLayout, arena: Arena, name: str) -> tuple[PositionSet, PositionSet]:
    """An empty set for each side to move."""
    shape = layout.count, layout.words
    white, black = (arena.zeros(f"{name} {side}", shape, np.uint64) for side in (0, 1))
    return white, black
