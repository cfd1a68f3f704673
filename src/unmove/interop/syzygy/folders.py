"""Folders of Syzygy files: which files there are, and those that are open."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from unmove.errors import MissingSyzygyFile, NoOtherFiles, UnreadableFile
from unmove.interop.syzygy.file import SUFFIXES, SyzygyFile
from unmove.interop.syzygy.opened import OpenFiles
from unmove.interop.syzygy.unpacking import unpacked_where_it_pays
from unmove.kernels.syzygy.numbering import MOST_FILE_MEN
from unmove.material import Material, all_of

MOST_OPEN: Final = 400
"""Files that are open at a time; each needs a file descriptor, and a process often has 1,024."""


class SyzygyFolders:
    """Folders of Syzygy files, which are opened when they are needed. Safe to share."""

    def __init__(self, limit: int, *, verify: bool = False) -> None:
        self.limit = limit
        """The most bytes of unpacked values."""
        self.verify = verify
        """Whether the checksum of a file is computed when it is opened."""
        self.folders: list[Path] = []
        self._paths: dict[tuple[str, int], Path] = {}
        self._lock = threading.Lock()
        self.opened = OpenFiles()

    def add(self, folder: Path, kinds: Sequence[int]) -> int:
        """The files of a folder are known, behind those of folders before; returns how many."""
        try:
            names = {entry.name for entry in folder.iterdir()}
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NoOtherFiles("Syzygy", folder, "there is no such folder") from error
        except OSError as error:
            raise UnreadableFile(folder, error) from error
        found = 0
        for name in _names():
            for kind in kinds:
                if name + SUFFIXES[kind] in names:
                    self._paths.setdefault((name, kind), folder / (name + SUFFIXES[kind]))
                    found += 1
        self.folders.append(folder)
        return found

    def names(self, kind: int) -> list[str]:
        """The endgames that there are files of."""
        return [name for name, its_kind in self._paths if its_kind == kind]

    def close(self) -> None:
        """Nothing is open. A probe that another thread has begun is answered."""
        self.opened = OpenFiles()

    def unpack(self) -> None:
        """The values of sub-tables that were asked for often are unpacked, within the limit."""
        with self._lock:
            self.opened = unpacked_where_it_pays(self.opened, self.limit)

    def open(self, material: Material, kind: int, *, drop: bool) -> None:
        """The file is open. If there are many, others are closed, unless `drop` is False."""
        with self._lock:
            if self.opened.has(material, kind):
                return
            file = self.file(material, kind)
            if self.verify:
                file.verify()
            full = drop and len(self.opened.files) >= MOST_OPEN
            held = OpenFiles() if full else self.opened
            self.opened = held.plus(file)

    def file(self, material: Material, kind: int) -> SyzygyFile:
        """The file, opened once more; MissingSyzygyFile if there is none."""
        path = self._paths.get((material.name, kind))
        if path is None:
            folders = os.pathsep.join(map(str, self.folders))
            raise MissingSyzygyFile(material.name + SUFFIXES[kind], Path(folders))
        return SyzygyFile(path, material, kind)


@cache
def _names() -> tuple[str, ...]:
    """The names of all endgames that there can be files of."""
    return tuple(material.name for men in range(3, MOST_FILE_MEN + 1) for material in all_of(men))
