"""A whole table, walked some planes at a time, with both sides to move at the same placements.

A file may store one side to move only; the other one is found by a search of one ply. A question
about stored sides alone reads the file as it goes. Any other reads a source of the whole table.

A name that has the weaker side first (KRvKQ) is taken as it is written: White has the rook. Sides,
squares, boards and statistics are those of the name as it is written. Planes and cells are those of
the table, with the stronger side as White.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unmove.games.boards import AnyBoard, board_of, exchanged, mirrored
from unmove.kernels.arrays import CellNumbers, Codes
from unmove.material import Material
from unmove.planes.layouts import AnyLayout, of_kings
from unmove.pool.arena import Fresh
from unmove.pool.workers import WorkerPool
from unmove.probe.positions import PositionMap, position_map_of, spread
from unmove.research.choices import MoveCounter, counter_of
from unmove.store.source import Source, planes_of
from unmove.successors.families import HeldSource, families_of, ranges_of
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric, Side, swapped_if

CELLS_A_CHUNK = 1 << 22  # fixed, because samples are drawn chunk by chunk
BOARDS_AT_ONCE = 1024

_Result = TypeVar("_Result")
ReportFraction = Callable[[float], None]
"""Is told the part done, up to 1.0."""


@dataclass(frozen=True)
class Chunk:
    """Some planes of a table: cells[side] are numbers in its palette, for the sides asked for.

    images[i]: how many positions a cell of planes[i] stands for (see `PositionMap`).
    """

    number: int
    planes: NDArray[np.int64]
    cells: dict[Side, CellNumbers]
    chosen: NDArray[np.bool_]
    """[plane, cell]: whether it is the one that stands for all images of a position."""
    images: NDArray[np.int64]


@dataclass(frozen=True)
class CellPlaces:
    """Positions: index[i] is plane * cells + cell, mirrored[i] tells a mirror image apart."""

    index: NDArray[np.int64]
    mirrored: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.index)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> CellPlaces:
        return CellPlaces(self.index[keep], self.mirrored[keep])


class Scan:
    """One table of a folder, which can be walked any number of times."""

    def __init__(self, subtables: SubtableCache, material: Material, metric: Metric) -> None:
        self._subtables = subtables
        self.material, self.metric = material, metric
        self._file_source = subtables.file_source(material.canonical(), metric)
        self.file = self._file_source.file
        self._colours_swapped = material != self.file.material
        self.summary = self.file.summary_as(material)

    @property
    def layout(self) -> AnyLayout:
        return self.file.layout

    @property
    def codes(self) -> Codes:
        """By number in a cell: its code."""
        return Codes(self.file.palette.astype(np.uint16))

    @cached_property
    def source(self) -> Source:
        """The whole table, either side to move: in memory if it fits."""
        return self._subtables.whole(self.file.material, self.metric)

    @cached_property
    def _map(self) -> PositionMap:
        return position_map_of(self.layout, self.file.fold)

    def counter(self, side: Side) -> MoveCounter:
        """Counts the moves of positions with one side to move."""
        tables = self._subtables.of(self.metric)
        return counter_of(self.source, self._stored(side), tables, self._subtables.pool)

    def each(
        self, sides: Collection[Side], function: Callable[[Chunk], _Result], report: ReportFraction
    ) -> Iterator[_Result]:
        """The function's result for each chunk, in order, worked out on all threads."""
        pool = self._subtables.pool
        planes = self.file.fold.stored
        size = max(1, CELLS_A_CHUNK // self.layout.cells)
        starts = range(0, len(planes), size)
        for i in range(0, len(starts), pool.workers):
            some = [
                self._chunk(number, np.arange(first, min(first + size, len(planes))), sides)
                for number, first in enumerate(starts[i : i + pool.workers], start=i)
            ]
            yield from pool.map(function, some)
            report((i + len(some)) / len(starts))

    def each_in_any_order(
        self, sides: Collection[Side], function: Callable[[Chunk], _Result], report: ReportFraction
    ) -> Iterator[_Result]:
        """`each`, for somebody who does not care which positions come first.

        A table that does not fit into memory is read family by family, so that little is held.
        """
        searched = {self._stored(side) for side in sides}.difference(self.file.sides)
        if not searched or self._subtables.fits(self.file.material, self.metric):
            yield from self.each(sides, function, report)
            return
        stored, pool, reading = self.file.fold.stored, self._subtables.pool, WorkerPool(1, Fresh())
        tables = self._subtables.of_a_large_table(self.metric, reading)
        families = families_of(of_kings(self.layout), searched.pop(), stored)
        order = np.argsort(families, kind="stable")

        def work(bounds: tuple[int, int]) -> _Result:
            places = np.sort(order[slice(*bounds)])
            source = HeldSource(self.file, tables, reading, places)
            cells = {side: source.planes(self._stored(side), places) for side in sides}
            return function(self._chunk_of(0, places, cells))

        ranges = list(ranges_of(families[order], max(1, CELLS_A_CHUNK // self.layout.cells)))
        for i in range(0, len(ranges), pool.workers):
            yield from pool.map(work, ranges[i : i + pool.workers])
            report(ranges[min(i + pool.workers, len(ranges)) - 1][1] / len(stored))

    def places(
        self, chunk: Chunk, where: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], CellPlaces]:
        """The positions of some cells of a chunk; mirror images follow each other.

        Also, for each position, the number of its cell among those cells.
        """
        rows, cells = np.nonzero(where)
        which, second = spread(chunk.images[rows])
        index = chunk.planes[rows] * self.layout.cells + cells
        return which, CellPlaces(index[which], second)

    def squares(self, places: CellPlaces) -> NDArray[np.uint8]:
        """[i]: where the men stand, in the order of the material's name."""
        squares = self._map.squares_at(*np.divmod(places.index, self.layout.cells))
        images = places.mirrored
        squares[images] = mirrored(squares[images], self.material.game)
        return exchanged(squares, self.file.material) if self._colours_swapped else squares

    def boards(self, side: Side, places: CellPlaces) -> Iterator[AnyBoard]:
        """The positions, with `side` to move."""
        for first in range(0, len(places), BOARDS_AT_ONCE):
            some = places.where(np.arange(first, min(first + BOARDS_AT_ONCE, len(places))))
            for squares in self.squares(some).tolist():
                yield board_of(self.material, squares, side)

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """See `PositionMap`."""
        return self._map.symmetries

    def _stored(self, side: Side) -> Side:
        """What a side of the name is in the table."""
        return swapped_if(self._colours_swapped, side)

    def _chunk(self, number: int, places: NDArray[np.int64], sides: Collection[Side]) -> Chunk:
        planes = self.file.fold.stored[places]
        stored = {side: self._stored(side) for side in sides}
        if set(stored.values()) <= set(self.file.sides):
            cells = {side: self._file_source.planes(own, places) for side, own in stored.items()}
        else:
            cells = {side: planes_of(self.source, own, planes) for side, own in stored.items()}
        return self._chunk_of(number, places, cells)

    def _chunk_of(
        self, number: int, places: NDArray[np.int64], cells: dict[Side, CellNumbers]
    ) -> Chunk:
        planes = self.file.fold.stored[places]
        chosen, images = self._map.representative(planes), self._map.images(planes)
        return Chunk(number, planes, cells, chosen, images)
