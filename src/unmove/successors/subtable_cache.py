"""The tables of a folder as sources: small ones loaded into memory, large ones read from files."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from unmove.errors import MissingDependency, MissingTable
from unmove.material import Material
from unmove.pool.arena import Fresh
from unmove.pool.machine import free_memory
from unmove.pool.workers import WorkerPool
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.source import Source, TableLookup, cell_type
from unmove.store.table import Table
from unmove.successors.file_source import FileSource
from unmove.values import Metric

LOADED_BYTES = 400 << 20
"""What loaded tables may take together; the least recently used go first."""

SHARE_OF_MEMORY = 2
"""One of so many parts of the free memory may go to a table that is read as a whole."""


class SubtableCache:
    """A context; `of` gives a `TableLookup`. It works with its own threads or those of a pool."""

    def __init__(self, folder: Folder, threads: int = 1, pool: WorkerPool | None = None) -> None:
        self._folder = folder
        self.pool = pool.with_arena(Fresh()) if pool else WorkerPool(threads, Fresh())
        self._files: dict[tuple[Material, Metric], TableFile] = {}
        self._loaded: OrderedDict[tuple[Material, Metric], Table] = OrderedDict()

    def __enter__(self) -> SubtableCache:
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.__exit__(*error)
        for file in self._files.values():
            file.close()

    def of(self, metric: Metric) -> TableLookup:
        """Finds the tables of a metric; MissingDependency for one that is not there."""
        return lambda material: self._table(material, metric)

    def load(self, material: Material, metric: Metric) -> Table:
        """A whole table, in memory."""
        return self.file_source(material, metric).load()

    def whole(self, material: Material, metric: Metric) -> Source:
        """A table for somebody who will read all of it.

        Loading finds the side that is not stored once, and so is faster than reading; a table that
        would take too much of the free memory is read as it goes.
        """
        source = self.file_source(material, metric)
        return source.load() if _bytes(source) <= free_memory() // SHARE_OF_MEMORY else source

    def file_source(self, material: Material, metric: Metric) -> FileSource:
        """A table's file as a source; MissingDependency if it is not there."""
        key = material, metric
        try:
            if key not in self._files:
                self._files[key] = self._folder.open(material, metric)
        except MissingTable as error:
            raise MissingDependency(str(material), metric.value) from error
        return FileSource(self._files[key], self.of(metric), self.pool)

    def _table(self, material: Material, metric: Metric) -> Source:
        key = material, metric
        if key not in self._loaded:
            source = self.file_source(material, metric)
            if _bytes(source) > LOADED_BYTES // 4:
                return source
            self._loaded[key] = source.load()
            while sum(table.nbytes for table in self._loaded.values()) > LOADED_BYTES:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(key)
        return self._loaded[key]


def _bytes(source: Source) -> int:
    """The memory that all cells of a source take, both sides to move."""
    cell = np.dtype(cell_type(len(source.palette))).itemsize
    return 2 * source.layout.count * source.layout.cells * cell
