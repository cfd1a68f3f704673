"""Many positions of one table: sorted by plane, each plane read once, on all threads.

Of the side that is not stored, every plane is found from many stored ones. If few planes are asked
for, these are read through the cache. If many are, the table is read family by family (see
`successors/families.py`), and each stored plane is decoded once for both sides to move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Codes
from unmove.kernels.locate import NOT_FOUND
from unmove.planes.layouts import of_kings
from unmove.store.source import cell_type
from unmove.successors.families import HeldSource, families_of, ranges_of
from unmove.values import SIDES, Side

if TYPE_CHECKING:
    from unmove.probe.table_cache import OpenTable

CELLS_A_TASK = 1 << 22
"""A thread reads so many cells at a time: memory for a thread is some ten times that."""

PLANES_A_SEARCH = 8
"""To search a plane takes at least so many others. If more than one of so many planes of the side
that is not stored is asked for, it is faster to decode all that is stored."""

LARGEST_FAMILY = 1 << 30
"""Bytes. Larger families (of endgames in which the other side has a man or none) are not held."""

ReadPlanes = Callable[[Side, NDArray[np.int64]], CellNumbers]


@dataclass(frozen=True)
class Asked:
    """Positions, and where they stand; out[i] is for the code of position i."""

    sides: NDArray[np.uint8]
    places: NDArray[np.int32]
    cells: NDArray[np.int32]
    out: Codes

    def wanted(self, side: Side) -> NDArray[np.int64]:
        """The places of the positions with one side to move, ascending."""
        here = self.places[(self.sides == side) & (self.places != NOT_FOUND)]
        return np.unique(here).astype(np.int64)

    def sorted(self, side: Side, keys: NDArray[np.int32] | None) -> Sorted:
        """The positions with one side to move, by keys[place]; by place without keys."""
        index = np.flatnonzero((self.sides == side) & (self.places != NOT_FOUND))
        places = self.places[index]
        by = places if keys is None else keys[places]
        order = np.argsort(by)
        return Sorted(self, side, index[order], by[order])


@dataclass(frozen=True)
class Sorted:
    """The positions with one side to move: index[i] has the key keys[i]; the keys ascend."""

    asked: Asked
    side: Side
    index: NDArray[np.int64]
    keys: NDArray[np.int32]

    def fill(self, first: int, stop: int, read: ReadPlanes, codes: Codes) -> None:
        """The codes of the positions whose keys are first .. stop - 1 are there."""
        a, b = np.searchsorted(self.keys, (first, stop))
        if a == b:
            return
        index = self.index[a:b]
        places, rows = np.unique(self.asked.places[index], return_inverse=True)
        planes = read(self.side, places.astype(np.int64))
        self.asked.out[index] = codes[planes[rows, self.asked.cells[index]]]


def fill_codes(table: OpenTable, asked: Asked) -> None:
    """The codes of all positions asked for are there."""
    wanted = [asked.wanted(side) for side in SIDES]
    searched = [side for side in SIDES if side not in table.file.sides]
    for side in searched:
        if len(wanted[side]) * PLANES_A_SEARCH > len(table.file.fold.stored):
            families = families_of(of_kings(table.layout), side, table.file.fold.stored)
            if _largest(table, families) <= LARGEST_FAMILY:
                _fill_by_families(table, asked, families)
                return
    for side in SIDES:
        _fill_by_places(table, asked.sorted(side, None), wanted[side])


def _largest(table: OpenTable, families: NDArray[np.int64]) -> int:
    """The bytes of the largest family."""
    _, sizes = np.unique(families, return_counts=True)
    cell = np.dtype(cell_type(len(table.palette))).itemsize
    return int(sizes.max()) * table.layout.cells * cell


def _fill_by_places(table: OpenTable, positions: Sorted, wanted: NDArray[np.int64]) -> None:
    """Plane after plane, through the cache; with one thread for each range if there are many."""
    at_once = max(1, CELLS_A_TASK // table.layout.cells)
    cuts = wanted[::at_once].tolist()
    bounds = [*cuts, len(table.file.fold.stored)]
    if len(cuts) <= 1:
        positions.fill(bounds[0], bounds[-1], table.planes, table.codes_by_number)
        return

    def task(i: int) -> None:
        positions.fill(bounds[i], bounds[i + 1], table.alone.planes, table.codes_by_number)

    for _ in table.pool.map(task, range(len(cuts))):
        pass


def _fill_by_families(table: OpenTable, asked: Asked, families: NDArray[np.int64]) -> None:
    """Family after family, both sides to move, a thread for each range of families."""
    order = np.argsort(families, kind="stable")
    keys = np.empty(len(order), np.int32)
    keys[order] = np.arange(len(order), dtype=np.int32)
    sides = [asked.sorted(side, keys) for side in SIDES]
    at_once = max(1, CELLS_A_TASK // table.layout.cells)

    def task(bounds: tuple[int, int]) -> None:
        places = np.sort(order[slice(*bounds)])
        held = HeldSource(table.file, table.alone.tables, table.alone.pool, places)
        for positions in sides:
            positions.fill(*bounds, held.planes, table.codes_by_number)

    for _ in table.pool.map(task, ranges_of(families[order], at_once)):
        pass
