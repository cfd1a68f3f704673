"""A whole table, walked some planes at a time, with both sides to move at the same placements.

A file stores one side to move; the other one is found by a ply of search, for which all of the
table is in memory. A question about a stored side alone reads the file as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unmove.answers.shelves import Shelves
from unmove.material import Material
from unmove.planes.layouts import AnyLayout
from unmove.probe.positions import Map, map_of
from unmove.research.choices import Counter, counter_of
from unmove.store.summary import Summary
from unmove.store.table import CellArray, Table
from unmove.values import Metric

CELLS_A_CHUNK = 1 << 22  # fixed, because samples are drawn chunk by chunk

T = TypeVar("T")
Report = Callable[[float], None]
"""Is told the part done, up to 1.0."""


@dataclass(frozen=True)
class Chunk:
    """Some planes of a table: cells[side] are numbers in its palette, for the sides asked for."""

    number: int
    planes: NDArray[np.int64]
    cells: dict[int, CellArray]
    chosen: NDArray[np.bool_]
    """[plane, cell]: of the images of a position, one."""


class Scan:
    """One table of a folder, to be walked as often as wanted."""

    def __init__(self, shelves: Shelves, material: Material, metric: Metric) -> None:
        self._shelves = shelves
        self.material, self.metric = material, metric
        self._answers = shelves.answers(material, metric)
        self.file = self._answers.file

    @property
    def layout(self) -> AnyLayout:
        return self.file.layout

    @property
    def summary(self) -> Summary:
        return self.file.summary

    @property
    def codes(self) -> NDArray[np.uint16]:
        """By number in a cell: its code."""
        return self.file.palette.astype(np.uint16)

    @cached_property
    def table(self) -> Table:
        """All of it, in memory."""
        return self._answers.load()

    @cached_property
    def _map(self) -> Map:
        return map_of(self.layout, self.file.fold)

    def counter(self, side: int) -> Counter:
        """What counts the choices of positions with one side to move."""
        smaller = self._shelves.of(self.metric)
        return counter_of(self.table, side, smaller, self._shelves.crew)

    def each(
        self, sides: Collection[int], function: Callable[[Chunk], T], report: Report
    ) -> Iterator[T]:
        """What the function makes of each chunk, in order, on all threads."""
        crew = self._shelves.crew
        planes = self.file.fold.kept
        size = max(1, CELLS_A_CHUNK // self.layout.cells)
        starts = range(0, len(planes), size)
        for i in range(0, len(starts), crew.workers):
            some = [
                self._chunk(number, np.arange(first, min(first + size, len(planes))), sides)
                for number, first in enumerate(starts[i : i + crew.workers], start=i)
            ]
            yield from crew.map(function, some)
            report((i + len(some)) / len(starts))

    def _chunk(self, number: int, places: NDArray[np.int64], sides: Collection[int]) -> Chunk:
        planes = self.file.fold.kept[places]
        if set(sides) <= set(self.file.sides):
            cells = {side: self._answers.planes(side, places) for side in sides}
        else:
            cells = {side: self.table.cells[side][planes] for side in sides}
        return Chunk(number, planes, cells, self._map.representative(planes))
