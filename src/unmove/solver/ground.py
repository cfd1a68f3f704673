"""What the loop needs of a layout: its planes as sets, one ply over a range of them, a border.

`kings.py` has the ground of chess, `courts.py` that of xiangqi; the loop is the same on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.settle import Escapes, Frontier, Ply
from unmove.planes.layouts import AnyLayout
from unmove.solver.border import Border, Field
from unmove.store.table import Library, Source
from unmove.values import Metric

Planes = NDArray[np.uint64]


class Ground(Protocol):
    """A layout, or a part of one, with the kernels that work on it."""

    @property
    def stalemate_loses(self) -> bool: ...

    @property
    def share(self) -> int:
        """How many of what `settle` counts make a position."""

    @property
    def smallest(self) -> int | None:
        """From how many planes on threads share them; None: as usual."""

    @property
    def layout(self) -> AnyLayout: ...

    @property
    def planes(self) -> NDArray[np.int64]:
        """The planes on which no two men overlap, ascending."""

    def legal(self) -> tuple[Planes, Planes]:
        """The legal positions, by side to move."""

    def count(self, planes: Planes) -> int:
        """The positions of a set."""

    def frontier(self, name: str) -> Frontier:
        """An empty one, in the arena under this name."""

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
        """See `kernels.settle.settle`."""

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
        """See `kernels.settle.mark_moves`."""

    def borders(
        self, metric: Metric, draft: Source, library: Library
    ) -> Callable[[int, Field], Border]:
        """How to make the border for a winner, given the sets it writes to."""
