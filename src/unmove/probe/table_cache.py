"""The open tables of a folder, with a cache of their planes."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unmove.errors import MissingTable
from unmove.kernels.locate import look_up, mark_places
from unmove.material import Material
from unmove.pool.arena import Fresh
from unmove.pool.workers import WorkerPool
from unmove.probe.plane_cache import PlaneCache
from unmove.probe.positions import Map, map_of
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.source import CellArray, cell_type
from unmove.successors.file_source import CELLS_AT_ONCE, FileSource
from unmove.values import Metric

PATIENCE = 2  # cells of a plane that are searched for before all of it is answered
AS_STORED = (2, 3)  # in place of a side to move: as it is stored, conversions only marked
SEARCHED = (4, 5)  # in place of a side to move: pairs of cell and code


class OpenTable(FileSource):
    """A table that answers for positions, its planes cached."""

    def __init__(self, file: TableFile, tables: TableCache) -> None:
        metric = file.metric
        super().__init__(file, lambda material: tables.table(material, metric), tables.pool)
        self._cache = tables.cache
        self._codes = file.palette.astype(np.uint16)

    @cached_property
    def map(self) -> Map:
        return map_of(self.layout, self.file.fold)

    def find(self, squares: list[int]) -> tuple[int, int]:
        """The place and the cell of one position; the place is NOWHERE if there is no such."""
        places, cells = np.empty(1, np.int32), np.empty(1, np.int32)
        self.map.seek(np.array([squares], np.uint8), places, cells)
        return int(places[0]), int(cells[0])

    def code(self, side: int, place: int, cell: int) -> int | None:
        """The code of one position.

        None if it is better searched for, and told to `remember`: it is not stored, and to answer
        its whole plane pays only for one that is asked for again and again.
        """
        plane = self._cache.get(self.file, side, place)
        if plane is not None:
            return int(self._codes[plane[cell]])
        if side in self.file.sides:
            number = int(self._stored_plane(side, place)[cell])
            if number < len(self.palette):
                return int(self._codes[number])
        searched = self._searched_cells(side, place)
        if cell not in searched and len(searched) >= PATIENCE:
            return int(self._codes[self.planes(side, np.array([place]))[0][cell]])
        return searched.get(cell)

    def remember(self, side: int, place: int, cell: int, code: int) -> None:
        """The code was searched for."""
        searched = {**self._searched_cells(side, place), cell: code}
        rows = np.array([list(searched.items())], np.uint16)
        self._cache.put(self.file, SEARCHED[side], np.array([place]), rows)

    def _searched_cells(self, side: int, place: int) -> dict[int, int]:
        """The codes of the cells of a plane that were searched for, in the cache like planes."""
        rows = self._cache.get(self.file, SEARCHED[side], place)
        return {} if rows is None else dict(rows.tolist())

    def _stored_plane(self, side: int, place: int) -> CellArray:
        """A stored plane as it is, conversions only marked."""
        plane = self._cache.get(self.file, AS_STORED[side], place)
        if plane is None:
            places = np.array([place])
            planes = self.stored(side, places)
            self._cache.put(self.file, AS_STORED[side], places, planes)
            plane = planes[0]
        return plane

    def codes(self, squares: NDArray[np.uint8], sides: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """The codes of many positions; BROKEN where there is no such."""
        found = len(squares)
        places, cells = np.empty(found, np.int32), np.empty(found, np.int32)
        pool = self._pool
        pool.for_ranges(found, lambda _, a, b: self.map.seek(squares[a:b], places[a:b], cells[a:b]))
        out = np.zeros(found, np.uint16)
        for side in (0, 1):
            asked = np.zeros(len(self.file.fold.kept), np.uint8)
            mark_places(side, sides, places, asked)
            wanted = np.flatnonzero(asked)
            at_once = max(1, CELLS_AT_ONCE // self.layout.cells)
            for first in range(0, len(wanted), at_once):
                some = wanted[first : first + at_once]
                self._fill(side, some, sides, places, cells, out)
        return out

    def _fill(
        self,
        side: int,
        some: NDArray[np.int64],
        sides: NDArray[np.uint8],
        places: NDArray[np.int32],
        cells: NDArray[np.int32],
        out: NDArray[np.uint16],
    ) -> None:
        """`out` has the codes of the positions asked for that stand in some places."""
        planes = self.planes(side, some)
        slot = np.full(len(self.file.fold.kept), -1, np.int32)
        slot[some] = np.arange(len(some), dtype=np.int32)

        def task(_: int, first: int, stop: int) -> None:
            some = slice(first, stop)
            asked = sides[some], places[some], cells[some]
            look_up(side, *asked, slot, planes, self._codes, out[some])

        self._pool.for_ranges(len(out), task)

    def planes(self, side: int, places: NDArray[np.int64]) -> CellArray:
        """See `FileSource`."""
        out: CellArray = np.empty((len(places), self.layout.cells), cell_type(len(self.palette)))
        missing = []
        for i, place in enumerate(places.tolist()):
            plane = self._cache.get(self.file, side, place)
            if plane is None:
                missing.append(i)
            else:
                out[i] = plane
        if missing:
            found = super().planes(side, places[missing])
            self._cache.put(self.file, side, places[missing], found)
            out[missing] = found
        return out


class TableCache:
    """The tables of a folder, opened when they are asked for.

    Safe from any thread, and in a process that is forked off at any moment: what other threads were
    at, locks and half-filled caches, is made anew there.
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
        """Nothing is open, and no thread left; what is asked for again is opened again.

        A file that another thread reads from at this moment is closed when it has done.
        """
        with self._lock:
            tables, self._tables = self._tables, {}
        for table in tables.values():
            self.cache.drop(table.file)
        self.pool.end_threads()

    def start_afresh(self) -> None:
        """No other thread has a lock: none came along into this process."""
        self._lock = threading.RLock()
        self.cache.start_afresh()

    def table(self, material: Material, metric: Metric) -> OpenTable:
        """An open table; MissingTable if it, or one that it leans on, is not there."""
        key = material, metric
        table = self._tables.get(key)
        if table is not None:
            return table
        with self._lock:
            if key not in self._tables:
                self._check_presence(material, metric)
                self._tables[key] = OpenTable(self.folder.open(material, metric), self)
            return self._tables[key]

    def _check_presence(self, material: Material, metric: Metric) -> None:
        """The table and all it leans on are there; MissingTable otherwise.

        What is missing is looked for again only when the folder has changed. NoSuchMetric and
        TooManyMen tell what no folder will have.
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
