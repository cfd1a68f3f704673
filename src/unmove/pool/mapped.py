"""Memory in files, for sets of positions that do not fit into what a process may take.

The files have no names, so nothing is left of them when the process ends, in whatever way. Their
room on the disk is taken at once: a map of a file that cannot grow any more kills the process.
"""

from __future__ import annotations

import mmap
import os
import shutil
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from unmove.errors import OutOfDisk, UnwritableFolder
from unmove.pool.arena import Arena
from unmove.pool.machine import resident_memory


class MappedArena(Arena):
    """An arena whose large arrays are files in `folder`, mapped into memory.

    The system keeps their pages as long as nobody else needs the room. This process gives back its
    own hold on them when it has more than `limit` bytes resident, which costs a page fault each.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        super().__init__()
        self._folder = folder
        self._limit = limit
        self._maps: WeakSet[mmap.mmap] = WeakSet()

    def large(self, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """See `Arena`. The file is gone with the array."""
        held = _mapped(self._folder, max(prod(shape) * np.dtype(kind).itemsize, 1))
        self._maps.add(held)
        return np.frombuffer(held, kind, prod(shape)).reshape(shape)

    def relieve(self) -> None:
        """See `Arena`."""
        if resident_memory() > self._limit and hasattr(mmap, "MADV_DONTNEED"):
            for held in list(self._maps):
                held.madvise(mmap.MADV_DONTNEED)


def _mapped(folder: Path, size: int) -> mmap.mmap:
    """A file of so many bytes, all zero; OutOfDisk if there is no room for it."""
    try:
        with TemporaryFile(dir=folder) as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
            return mmap.mmap(file.fileno(), size)
    except OSError as error:
        free = shutil.disk_usage(folder).free if folder.is_dir() else 0
        if free < size:
            raise OutOfDisk(folder, size, free) from error
        raise UnwritableFolder(folder, error.strerror or str(error)) from error
