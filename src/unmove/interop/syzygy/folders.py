"""Folders of Syzygy files: which files there are, and those that are open."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
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
        self._kinds: list[Sequence[int]] = []
        self._paths: dict[tuple[str, int], Path] = {}
        self._lock = threading.Lock()
        self.opened = OpenFiles()

    def add(self, folder: Path, kinds: Sequence[int]) -> int:
        """The files of a folder are known, behind those of folders before; returns how many."""
        found = _files_in(folder, kinds)
        self._paths = found | self._paths
        self.folders.append(folder)
        self._kinds.append(kinds)
        return len(found)

    def look_again(self) -> None:
        """Nothing is open, and the files are those that the folders have now."""
        paths: dict[tuple[str, int], Path] = {}
        for folder, kinds in zip(self.folders, self._kinds, strict=True):
            with suppress(NoOtherFiles):  # a folder that is gone has none
                paths = _files_in(folder, kinds) | paths
        with self._lock:
            self._paths, self.opened = paths, OpenFiles()

    def names(self, kind: int) -> list[str]:
        """The endgames that there are files of."""
        return [name for name, its_kind in self._paths if its_kind == kind]

    def files(self) -> list[tuple[Material, int, Path]]:
        """All files: the endgame, the kind, and where it is."""
        return [(Material.parse(name), kind, path) for (name, kind), path in self._paths.items()]

    def close(self) -> None:
        """Nothing is open. A probe that another thread has begun is answered."""
        with self._lock:
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
            full = drop and len(self.opened.files) >= MOST_OPEN
            held = OpenFiles() if full else self.opened
            self.opened = held.plus(file)

    def opened_file(self, material: Material, kind: int) -> SyzygyFile:
        """The file, which is kept open if it was; MissingSyzygyFile if there is none."""
        held = self.opened.files
        found = (file for file in held if (file.material, file.kind) == (material, kind))
        return next(found, None) or self.file(material, kind)

    def file(self, material: Material, kind: int) -> SyzygyFile:
        """The file, opened once more; MissingSyzygyFile if there is none."""
        try:
            file = SyzygyFile(self.path(material, kind), material, kind)
        except FileNotFoundError as error:  # it was there when the folder was looked through
            raise self._missing(material, kind) from error
        if self.verify:
            file.verify()
        return file

    def path(self, material: Material, kind: int) -> Path:
        """Where the file is; MissingSyzygyFile if there is none."""
        path = self._paths.get((material.name, kind))
        if path is None:
            raise self._missing(material, kind)
        return path

    def _missing(self, material: Material, kind: int) -> MissingSyzygyFile:
        folders = os.pathsep.join(map(str, self.folders))
        return MissingSyzygyFile(material.name + SUFFIXES[kind], Path(folders))


def _files_in(folder: Path, kinds: Sequence[int]) -> dict[tuple[str, int], Path]:
    """The files of some kinds that a folder has, by endgame and kind."""
    try:
        names = {entry.name for entry in folder.iterdir()}
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoOtherFiles("Syzygy", folder, "there is no such folder") from error
    except OSError as error:
        raise UnreadableFile(folder, error) from error
    return {
        (name, kind): folder / (name + SUFFIXES[kind])
        for name in _names()
        for kind in kinds
        if name + SUFFIXES[kind] in names
    }


@cache
def _names() -> tuple[str, ...]:
    """The names of all endgames that there can be files of."""
    return tuple(material.name for men in range(3, MOST_FILE_MEN + 1) for material in all_of(men))
