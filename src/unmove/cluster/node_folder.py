"""The folder of a node: the tables that it makes, and those that it was sent, up to a limit."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

from unmove.cluster.messages import TaskOrder
from unmove.cluster.parcels import Digest, digest_of, put_together
from unmove.errors import UnreadableFile
from unmove.solver.keeping import TableName
from unmove.store.folder import Folder
from unmove.store.format import SUFFIX, table_name


class NodeFolder:
    """Tables on a node. Any number of processes may use it: files appear whole, or not."""

    def __init__(self, order: TaskOrder) -> None:
        root = order.rules.folder or user_cache_path("unmove", appauthor=False) / "nodes"
        self._limit = order.rules.cache
        self.shared = (order.target.path / order.mark).exists()
        """Whether the node sees the folder of the build."""
        self._target = order.target
        name = sha256(str(order.target).encode()).hexdigest()[:16]
        others = order.target.paths if self.shared else ()
        self.folder = Folder(root.expanduser() / name, others)
        self.folder.prepare()

    def lacking(self, tables: Mapping[TableName, Digest]) -> list[TableName]:
        """Of these tables those that are not here. A file with another digest is removed."""
        return [name for name, digest in tables.items() if not self._has(name, digest)]

    def take(self, name: TableName, chunks: Iterable[bytes]) -> None:
        """The table is here."""
        put_together(self.folder.file(*name), chunks)

    def trim(self, needed: Collection[TableName]) -> None:
        """What was not used for longest is removed, until the rest is within the limit."""
        kept = {table_name(*name) for name in needed}
        files = [p for p in self.folder.path.glob(f"*{SUFFIX}") if not p.name.startswith(".")]
        found = [(stat.st_mtime, stat.st_size, path) for path, stat in _stats(files)]
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._limit:
                return
            if path.name not in kept:
                path.unlink(missing_ok=True)
                total -= size

    def _has(self, name: TableName, digest: Digest) -> bool:
        """Whether the table is here. Its time is that of its last use."""
        own = self.folder.file(*name)
        with suppress(UnreadableFile):
            if digest_of(own) == digest:
                with suppress(OSError):
                    os.utime(own)
                return True
        own.unlink(missing_ok=True)
        return self.shared and self._target.has(*name)


def _stats(files: Iterable[Path]) -> list[tuple[Path, os.stat_result]]:
    """The files that are still there, with what the system tells of them."""
    found = []
    for path in files:
        with suppress(FileNotFoundError):
            found.append((path, path.stat()))
    return found
