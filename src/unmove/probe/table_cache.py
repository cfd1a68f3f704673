"""The open tables of a folder, with a cache of their planes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection
from functools import cached_property, partial
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile, MissingTable
from unmove.games.boards import AnyBoard
from unmove.kernels.arrays import CellNumbers, Codes
from unmove.material import Material
from unmove.pool.arena import Fresh
from unmove.pool.workers import WorkerPool
from unmove.probe.begun import NOT_IN_FILE, BegunPlanes
from unmove.probe.many import Asked, fill_codes
from unmove.probe.one_ply import OnePly, SearchBoard
from unmove.probe.plane_cache import Layer, PlaneCache
from unmove.probe.positions import PositionMap, position_map_of
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.source import empty_planes
from unmove.successors.file_source import FileSource
from unmove.values import Code, Metric, Side

MOST_SEARCHED_CELLS = 8
"""So many cells of a plane are searched one by one. At the next one the plane is evaluated, which
pays only for planes that are probed again and again."""

MOST_PLANES_TOGETHER, PLANES_AT_ONCE = 2048, 64
"""Of a table of so few planes, so many are evaluated together: moves from one lead to many others,
and each of these is decoded once. Of a file with both sides to move a search reads little."""

MOST_SEARCHED_TOGETHER, MOST_SEARCHED_OF_ONE = 32, 3
"""That happens after so many searches of their cells, or of those of one of them: random positions
rarely meet a plane twice, the positions of a game tree often do."""

OpenLookup = Callable[[Material], "OpenTable"]
"""Finds the table of a canonical material."""

_VALUES, _AS_STORED, _SEARCHED = Layer  # looked up once: a member of an enumeration takes a while


class OpenTable(FileSource):
    """A table that is probed by positions. Its planes are cached."""

    def __init__(
        self, file: TableFile, tables: OpenLookup, pool: WorkerPool, cache: PlaneCache
    ) -> None:
        super().__init__(file, tables, pool)
        self.tables = tables
        """The smaller endgames, which work with the same threads."""
        self._cache = cache
        self.codes_by_number = Codes(file.palette.astype(np.uint16))
        """[number in a cell]: its code."""
        self._begun = BegunPlanes(file, cache)

    @property
    def pool(self) -> WorkerPool:
        """The threads that it works with."""
        return self._pool

    @cached_property
    def alone(self) -> OpenTable:
        """The same table, worked on by the calling thread alone: one of several that do so.

        A task of a pool that waited for others of the same pool might wait forever.
        """
        tables = self.tables  # and not this table, or it would hold itself

        def lookup(material: Material) -> OpenTable:
            return tables(material).alone

        return OpenTable(self.file, lookup, WorkerPool(1, Fresh()), self._cache)

    @cached_property
    def one_ply(self) -> OnePly:
        """Finds what the file has no values for; in a table of chess."""
        return OnePly(self)

    @cached_property
    def map(self) -> PositionMap:
        """Where positions stand in this table."""
        return position_map_of(self.layout, self.file.fold)

    def find(self, squares: list[int]) -> tuple[int, int]:
        """The place and the cell of one position; the place is NOT_FOUND if it has none."""
        return self.find_each([squares])[0]

    def find_each(self, squares: list[list[int]]) -> list[tuple[int, int]]:
        """The same of some positions."""
        places, cells = self._sought(np.array(squares, np.uint8))
        return list(zip(places.tolist(), cells.tolist(), strict=True))

    def _sought(self, squares: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The places and cells of some positions."""
        places, cells = np.empty((2, len(squares)), np.int32)
        self.map.seek(squares, places, cells)
        return places, cells

    @cached_property
    def _planes_at_once(self) -> int:
        """So many planes in a row are evaluated together."""
        few = self._stored_planes <= MOST_PLANES_TOGETHER and self.file.meta.second is None
        return PLANES_AT_ONCE if few else 1

    def _is_due(self, searched: Collection[int], key: int) -> bool:
        """Whether planes with these searched cells are evaluated before a cell is searched."""
        if self._planes_at_once == 1:
            return len(searched) >= MOST_SEARCHED_CELLS
        plane = key // self.layout.cells
        of_one = sum(other // self.layout.cells == plane for other in searched)
        return len(searched) >= MOST_SEARCHED_TOGETHER or of_one >= MOST_SEARCHED_OF_ONE

    @cached_property
    def _stored_planes(self) -> int:
        return len(self.file.fold.stored)

    def code(self, side: Side, place: int, cell: int, search: Callable[[], Code]) -> Code:
        """The code of one position.

        `search` finds it by its moves. It is called if the file has no value for the cell, unless
        the value is known from an earlier search or from an evaluation of the whole plane.
        """
        code = self._begun.code(side, place, cell)
        if code == NOT_IN_FILE:
            code = self._remembered(side, place, cell)
        if code == NOT_IN_FILE:
            code = search()
            self._remember(side, place, cell, code)
        return code

    def codes_of(
        self,
        side: Side,
        squares: NDArray[np.uint8],
        check: Callable[[int], None],
        slowly: SearchBoard,
    ) -> list[Code]:
        """The codes of some positions, those without one in the file found in one search.

        `check` raises what is wrong with the i-th position, before it is searched. BROKEN for what
        is no position.
        """
        places, cells = (each.tolist() for each in self._sought(squares))
        codes, searched = self._begun.codes(side, places, cells), []
        for i, (place, cell) in enumerate(zip(places, cells, strict=True)):
            if codes[i] == NOT_IN_FILE:
                codes[i] = self._remembered(side, place, cell)
            if codes[i] == NOT_IN_FILE:
                check(i)
                searched.append(i)
        if searched:
            found = self.one_ply.codes(side, squares[searched], slowly)
            for i, code in zip(searched, found, strict=True):
                codes[i] = code
                self._remember(side, places[i], cells[i], code)
        return codes

    def _remembered(self, side: Side, place: int, cell: int) -> Code:
        """The code of a cell that was searched before, NOT_IN_FILE if it was not.

        Planes that have been searched often are evaluated.
        """
        first, key = self._searched_key(place, cell)
        searched = self._searched_cells(side, first)
        if key in searched or not self._is_due(searched, key):
            return searched.get(key, NOT_IN_FILE)
        places = np.arange(first, min(first + self._planes_at_once, self._stored_planes))
        number = self.planes(side, places)[place - first, cell]
        return Code(int(self.codes_by_number[number]))

    def _remember(self, side: Side, place: int, cell: int, code: Code) -> None:
        """The code of a cell that was searched is found again."""
        first, key = self._searched_key(place, cell)
        searched = self._searched_cells(side, first)
        searched[key] = code
        pairs = np.array([list(searched.items())], np.int32)
        self._cache.put(self.file, _SEARCHED, side, np.array([first]), pairs)

    def known(self, side: Side, squares: NDArray[np.uint8]) -> list[Code]:
        """The codes of positions: NOT_IN_FILE where there is none, BROKEN for what is no position.

        Nothing is searched, and no plane is decoded further than it must be.
        """
        places, cells = self._sought(squares)
        return self._begun.codes(side, places.tolist(), cells.tolist())

    def knows(self, side: Side, place: int, cell: int) -> bool:
        """Whether the code of a position is found without decoding a plane, most likely."""
        layer = _AS_STORED if side in self.file.sides else _VALUES
        if self._cache.has(self.file, layer, side, place):
            return True
        first, key = self._searched_key(place, cell)
        return layer == _VALUES and key in self._searched_cells(side, first)

    def _searched_key(self, place: int, cell: int) -> tuple[int, int]:
        """The first of the planes that are evaluated together, and the cell among theirs."""
        number = place % self._planes_at_once
        return place - number, number * self.layout.cells + cell

    def _searched_cells(self, side: Side, first: int) -> dict[int, Code]:
        """The codes of the cells that were searched one by one, from this place on."""
        pairs = self._cache.get(self.file, _SEARCHED, side, first)
        return {} if pairs is None else dict(pairs.tolist())

    def no_value(self, board: AnyBoard) -> DamagedFile:
        """The error for a legal board that the file has no value for."""
        return DamagedFile(self.file.path, f"has no value for {board.fen()}")

    def codes(self, squares: NDArray[np.uint8], sides: NDArray[np.uint8]) -> Codes:
        """The codes of many positions; BROKEN for what is no position."""
        count = len(squares)
        places, cells = np.empty(count, np.int32), np.empty(count, np.int32)
        pool = self._pool
        pool.for_ranges(count, lambda _, a, b: self.map.seek(squares[a:b], places[a:b], cells[a:b]))
        out = Codes(np.zeros(count, np.uint16))
        fill_codes(self, Asked(sides, places, cells, out))
        return out

    def planes(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """See `FileSource`; what is in the cache is not evaluated again."""
        out = empty_planes(self, len(places))
        missing = []
        for i, place in enumerate(places.tolist()):
            plane = self._cache.get(self.file, _VALUES, side, place)
            if plane is None:
                missing.append(i)
            else:
                out[i] = plane
        if missing:
            evaluated = super().planes(side, places[missing])
            self._cache.put(self.file, _VALUES, side, places[missing], evaluated)
            out[missing] = evaluated
        return out


class TableCache:
    """The tables of a folder, opened when they are first probed.

    Safe from any thread. A process that is forked off at any moment begins with an empty, unlocked
    cache, whatever other threads were doing.
    """

    def __init__(self, folder: Folder, cache_bytes: int, threads: int) -> None:
        self.folder = folder
        self.cache = PlaneCache(cache_bytes)
        self.pool = WorkerPool(threads, Fresh())
        self._tables: dict[tuple[Material, Metric], OpenTable] = {}
        self._missed: dict[tuple[Material, Metric], tuple[int, MissingTable]] = {}
        self._lock = threading.RLock()
        _LIVE.add(self)

    def close(self) -> None:
        """All files are closed and all threads ended; a later probe opens tables again.

        A file that another thread is reading is closed when that thread is done.
        """
        with self._lock:
            tables, self._tables = self._tables, {}
        for table in tables.values():
            self.cache.drop(table.file)
        self.pool.end()

    def start_afresh(self) -> None:
        """Everything is unlocked: no other thread came along into this process."""
        self._lock = threading.RLock()
        self.cache.start_afresh()

    def table(self, material: Material, metric: Metric) -> OpenTable:
        """An open table; MissingTable if it, or one that it depends on, is not there."""
        key = material, metric
        table = self._tables.get(key)
        if table is not None:
            return table
        with self._lock:
            if key not in self._tables:
                self._check_presence(material, metric)
                file = self.folder.open(material, metric)
                lookup = partial(self.table, metric=metric)
                self._tables[key] = OpenTable(file, lookup, self.pool, self.cache)
            return self._tables[key]

    def _check_presence(self, material: Material, metric: Metric) -> None:
        """The table and all it depends on are there; MissingTable otherwise.

        A missing table is looked for again only when the folder has changed. NoSuchMetric and
        TooManyMen are raised for what no folder will ever have.
        """
        material.game.require(metric)
        changed = self.folder.changed()
        stamp, missed = self._missed.get((material, metric), (None, None))
        if missed is not None and stamp == changed:
            raise missed.with_traceback(None)
        try:
            self.folder.require(material, metric)
        except MissingTable as error:
            self._missed[material, metric] = changed, error
            raise


_LIVE: WeakSet[TableCache] = WeakSet()


def _after_fork() -> None:
    for tables in list(_LIVE):
        tables.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
