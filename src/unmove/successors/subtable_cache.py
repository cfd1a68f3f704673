"""The tables of a folder as sources: small ones loaded into memory, large ones read from files."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from unmove.errors import MissingDependency, MissingTable
from unmove.kernels.arrays import CellNumbers
from unmove.kernels.scores import translate
from unmove.material import Material
from unmove.pool.arena import Arena, Fresh
from unmove.pool.machine import free_memory
from unmove.pool.mapped import MappedArena
from unmove.pool.workers import WorkerPool
from unmove.store.folder import Folder
from unmove.store.kept_planes import KeptPlanes
from unmove.store.reader import TableFile
from unmove.store.source import PALETTE, MapFunction, Source, TableLookup, cell_type, planes_of
from unmove.store.table import Table
from unmove.successors.file_source import DecodedSource, FileSource
from unmove.values import Metric, Side

LOADED_BYTES = 400 << 20
"""What loaded tables may take together; the least recently used go first. Who reads a whole table
that does not fit into memory reads the smaller ones again and again, and may load more of them."""

TAKEN_AT_ONCE = 1024  # planes

SHARE_OF_MEMORY = 2
"""One of so many parts of the free memory may go to a table that is read as a whole."""


class SubtableCache:
    """A context; `of` gives a `TableLookup`. Any number of threads may look tables up.

    It works with its own threads, or with those of the pool that a look-up is given.
    """

    def __init__(self, folder: Folder, threads: int = 1) -> None:
        self._folder = folder
        self.pool = WorkerPool(threads, Fresh())
        self._lock = RLock()
        self._loaded_limit = LOADED_BYTES
        self._files: dict[tuple[Material, Metric], TableFile] = {}
        self._loaded: OrderedDict[tuple[Material, Metric], Table] = OrderedDict()
        self._kept: dict[tuple[Material, Metric], dict[Side, KeptPlanes[CellNumbers]]] = {}

    def __enter__(self) -> SubtableCache:
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.__exit__(*error)
        for file in self._files.values():
            file.close()

    def of(self, metric: Metric, pool: WorkerPool | None = None) -> TableLookup:
        """Finds the tables of a metric; MissingDependency for one that is not there."""
        reading = pool.with_arena(Fresh()) if pool else self.pool
        return lambda material: self._table(material, metric, reading)

    def load(self, material: Material, metric: Metric) -> Table:
        """A whole table, in memory."""
        return self.file_source(material, metric).load()

    def whole(self, material: Material, metric: Metric) -> Source:
        """A table for somebody who will read all of it.

        Loading finds the side that is not stored once, and so is faster than reading. Of a table
        that would take too much of the free memory, only what is stored is decoded: into memory, or
        into files of the folder for temporary files; if these have no room, it is read as it goes.
        """
        source, room = self.file_source(material, metric), free_memory() // SHARE_OF_MEMORY
        if _bytes(source) <= room:
            return source.load()
        needed = _stored_bytes(source)
        arena = Arena()
        if needed > room:
            try:
                scratch = Path(gettempdir())
                if needed > disk_usage(scratch).free:
                    return source
            except OSError:  # there is no folder for temporary files
                return source
            arena = MappedArena(scratch, room)
        return DecodedSource(source.file, self.of_a_large_table(metric), self.pool, arena)

    def fits(self, material: Material, metric: Metric) -> bool:
        """Whether `whole` would load a table, both sides to move, into memory."""
        return _bytes(self.file_source(material, metric)) <= free_memory() // SHARE_OF_MEMORY

    def of_a_large_table(self, metric: Metric, pool: WorkerPool | None = None) -> TableLookup:
        """`of`, for somebody who reads all of a large table: more small tables are loaded."""
        room = free_memory() // SHARE_OF_MEMORY
        self._loaded_limit = max(self._loaded_limit, room // 2)
        return self.of(metric, pool)

    def file_source(
        self, material: Material, metric: Metric, pool: WorkerPool | None = None
    ) -> FileSource:
        """A table's file as a source; MissingDependency if it is not there."""
        key = material, metric
        try:
            with self._lock:
                if key not in self._files:
                    self._files[key] = self._folder.open(material, metric)
        except MissingTable as error:
            raise MissingDependency(str(material), metric.value) from error
        return FileSource(self._files[key], self.of(metric, pool), pool or self.pool)

    def keep(
        self,
        solved: Source,
        planes: Mapping[Side, NDArray[np.int64]],
        room: int,
        run: MapFunction = map,
    ) -> None:
        """Of a table that was just solved and published, these planes are kept in memory.

        They are not if they take more than `room` bytes together with those of other tables.
        """
        if not planes:
            return
        key = solved.layout.material, solved.metric
        source = self.file_source(*key)
        numbers, cells = _renumbered(solved, source), solved.layout.cells
        with self._lock:
            held = sum(each.nbytes for kept in self._kept.values() for each in kept.values())
            wanted = sum(map(len, planes.values())) * cells * numbers.itemsize
            if held + wanted > room:
                return
            self._kept[key] = {}
            for side, some in planes.items():
                rows = CellNumbers(np.empty((len(some), cells), numbers.dtype))
                starts = range(0, len(some), TAKEN_AT_ONCE)
                for _ in run(partial(_take, solved, side, some, numbers, rows), starts):
                    pass
                self._kept[key][side] = KeptPlanes(some, rows, taken=True)

    def forget(self, material: Material, metric: Metric) -> None:
        """No plane of a table is kept any more."""
        with self._lock:
            self._kept.pop((material, metric), None)

    def _table(self, material: Material, metric: Metric, pool: WorkerPool) -> Source:
        key = material, metric
        source = self.file_source(material, metric, pool)
        with self._lock:
            if key in self._kept:
                return PartlyKept(source, self._kept[key])
            if key not in self._loaded:
                if _bytes(source) > self._loaded_limit // 4:
                    return source
                self._loaded[key] = source.load()
                while sum(table.nbytes for table in self._loaded.values()) > self._loaded_limit:
                    self._loaded.popitem(last=False)
            self._loaded.move_to_end(key)
            return self._loaded[key]


class PartlyKept:
    """A `Source`, some of whose planes are kept in memory."""

    def __init__(self, source: Source, kept: Mapping[Side, KeptPlanes[CellNumbers]]) -> None:
        self._source = source
        self._kept = kept
        self.layout, self.metric, self.palette = source.layout, source.metric, source.palette

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        if side in self._kept and self._kept[side].has(wanted):
            return self._kept[side].read(wanted, out)
        return self._source.read(side, wanted, out)


def _renumbered(solved: Source, published: Source) -> CellNumbers:
    """[number in a cell of the one]: the number of the same code in a cell of the other."""
    first = len(PALETTE)
    place = {code: i for i, code in enumerate(published.palette.tolist()) if i >= first}
    numbers = [*range(first), *(place[code] for code in solved.palette[first:].tolist())]
    return CellNumbers(np.array(numbers, cell_type(len(published.palette))))


def _take(
    solved: Source,
    side: Side,
    planes: NDArray[np.int64],
    numbers: CellNumbers,
    rows: CellNumbers,
    first: int,
) -> None:
    """The rows of some planes from the first on are those of the solved table, renumbered."""
    here = slice(first, first + TAKEN_AT_ONCE)
    translate(planes_of(solved, side, planes[here]), numbers, CellNumbers(rows[here]))


def _stored_bytes(source: FileSource) -> int:
    """The memory that the cells of the stored planes take."""
    cell = np.dtype(cell_type(len(source.palette))).itemsize
    planes = len(source.file.fold.stored) * len(source.file.sides)
    return planes * source.layout.cells * cell


def _bytes(source: Source) -> int:
    """The memory that all cells of a source take, both sides to move."""
    cell = np.dtype(cell_type(len(source.palette))).itemsize
    return 2 * source.layout.count * source.layout.cells * cell
