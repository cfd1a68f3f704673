"""What the loop needs of a layout: its planes as sets, one ply over a range of them, conversions.

`kings.py` has the backend of chess, `courts.py` that of xiangqi; the loop is the same on both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import Frontier, Ply, PlyOutput
from unmove.planes.layouts import AnyLayout
from unmove.pool.arena import Arena
from unmove.solver.subtable_values import SubtableValues
from unmove.store.source import Source, TableLookup
from unmove.values import Metric, Side

Ranges = Sequence[tuple[int, int]] | None
"""How workers share planes; None if the pool decides."""

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

    def mark_legal(self, white: PositionSet, black: PositionSet) -> None:
        """On `planes` the sets hold the legal positions with White and with Black to move."""

    def legal_on(
        self, planes: NDArray[np.int64], scratch: Scratch
    ) -> tuple[PositionSet, PositionSet]:
        """The same for some of `planes`, numbered from 0."""

    def count(self, planes: PositionSet) -> int:
        """The positions of a set."""

    def frontier(self, name: str, spare: int = 0) -> Frontier:
        """A frontier with nothing in it, in the arena under this name.

        It has room for the longest entries of all planes, and of so many more.
        """

    def nothing(self) -> Frontier:
        """The empty frontier, without room."""

    def settle(self, worker: int, first: int, stop: int, ply: Ply, out: PlyOutput) -> None:
        """What a ply settles on planes[first:stop] is in the output and no longer unsettled."""

    def raise_again(
        self, worker: int, planes: NDArray[np.int64], side: Side, new: Frontier
    ) -> None:
        """The flags of a frontier that was not settled here are raised for these planes."""

    def announce(self, side: Side, raised: NDArray[np.uint64], new: Frontier) -> None:
        """The flags of a new frontier are those that workers raised, for the men of `side`."""

    def subtable_values(
        self, metric: Metric, partial: Source, tables: TableLookup
    ) -> Callable[[Side], SubtableValues]:
        """How to make the values of conversions for a winner.

        `partial` is the table that is being solved.
        """


def longest_entry(layout: AnyLayout) -> int:
    """The most words that a ply settles on a plane, those that a conversion wins listed again."""
    return 2 * (1 + mask_words(layout) + layout.words)


def mask_words(layout: AnyLayout) -> int:
    """How many masks an entry has."""
    return -(-layout.words // 64)


def empty_frontier(
    layout: AnyLayout, arena: Arena, name: str, flags: tuple[int, int], planes: int
) -> Frontier:
    """An empty frontier with so many flags, and room for entries of so many planes."""
    return Frontier(
        arena.scattered(f"{name} words", planes * longest_entry(layout), np.uint64),
        arena.zeros(f"{name} at", (layout.count,), np.uint32),
        arena.zeros(f"{name} flags", flags, np.uint64),
    )
