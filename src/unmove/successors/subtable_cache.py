"""The tables of a folder, opened as they are asked for: loaded if they are small, else read."""

from __future__ import annotations

from collections import OrderedDict

from unmove.errors import MissingDependency, MissingTable
from unmove.material import Material
from unmove.pool.arena import Fresh
from unmove.pool.workers import WorkerPool
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.table import Source, Table, TableLookup
from unmove.successors.file_source import FileSource
from unmove.values import Metric

LOADED_BYTES = 400 << 20
"""What loaded tables may take together; the least recently used go first."""


class SubtableCache:
    """A context; `of` is a `TableLookup`. It works with its own threads or those of a pool."""

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
        """The tables of a metric; MissingDependency for one that is not there."""
        return lambda material: self._table(material, metric)

    def load(self, material: Material, metric: Metric) -> Table:
        """A whole table."""
        return self.answers(material, metric).load()

    def _table(self, material: Material, metric: Metric) -> Source:
        key = material, metric
        if key not in self._loaded:
            answers = self.answers(material, metric)
            if answers.layout.count * answers.layout.cells * 2 > LOADED_BYTES // 4:
                return answers
            self._loaded[key] = answers.load()
            while sum(_bytes(table) for table in self._loaded.values()) > LOADED_BYTES:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(key)
        return self._loaded[key]

    def answers(self, material: Material, metric: Metric) -> FileSource:
        """A table's file as a source; MissingDependency if it is not there."""
        key = material, metric
        try:
            if key not in self._files:
                self._files[key] = self._folder.open(material, metric)
        except MissingTable as error:
            raise MissingDependency(str(material), metric.value) from error
        return FileSource(self._files[key], self.of(metric), self.pool)


def _bytes(table: Table) -> int:
    return sum(cells.nbytes for cells in table.cells)
