"""A folder of tables: which there are, and where a new one goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from unmove.errors import (
    BadMaterial,
    BadOption,
    DamagedFile,
    MissingTable,
    NoHome,
    NothingAsked,
    StrayFile,
    UnreadableFile,
    UnwritableFolder,
)
from unmove.material import Material, work_order
from unmove.planes.layouts import check_supported
from unmove.store.atomic import remove_unfinished
from unmove.store.format import SUFFIX, table_name
from unmove.store.reader import TableFile
from unmove.values import Metric

_Answer = TypeVar("_Answer")


def default_folder() -> Folder:
    """$UNMOVE_DIR, or a folder of the user's own; NoHome if there is neither."""
    if chosen := os.environ.get("UNMOVE_DIR", "").strip(os.pathsep):
        return Folder.named(chosen)
    root = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Folder.of(Path(root) / "unmove" / "tables")


@dataclass(frozen=True)
class Folder:
    """The tables of a folder, by name: `KQvKR.dtm.unmove`; and those of others, in this order."""

    path: Path
    """Where new tables go."""
    others: tuple[Path, ...] = ()

    @classmethod
    def named(cls, text: str) -> Folder:
        """The folders of a text such as `new:old`."""
        return cls.of([part for part in text.split(os.pathsep) if part])

    @classmethod
    def of(cls, folders: FolderPaths) -> Folder:
        """One folder, or several. `~` is the user's home; NoHome if there is none."""
        if isinstance(folders, Folder):
            return folders
        if isinstance(folders, (str, os.PathLike)):
            folders = [folders]
        if not isinstance(folders, Sequence) or isinstance(folders, bytes):
            raise BadOption("folder", repr(folders), "it is a path, or a list of paths")
        if not all(folders):
            raise BadOption("folder", repr(folders), "a path is not empty")
        if not folders:
            raise NothingAsked("Name at least one folder of tables.")
        first, *others = map(_at_home, folders)
        return cls(first, tuple(others))

    @property
    def paths(self) -> tuple[Path, ...]:
        return self.path, *self.others

    def plus(self, other: Folder) -> Folder:
        """The same folders, and those of `other` after them."""
        return Folder(self.path, (*self.others, *other.paths))

    def __str__(self) -> str:
        return os.pathsep.join(map(str, self.paths))

    def exists(self) -> bool:
        """Whether one of the folders is there."""
        return any(_answer(path, path.stat) is not None and path.is_dir() for path in self.paths)

    def file(self, material: Material, metric: Metric) -> Path:
        """Where the table goes when it is built."""
        return self.path / table_name(material, metric)

    def changed(self) -> int:
        """A number that changes when a table is added to one of the folders or removed."""
        return hash(tuple(_changed(path) for path in self.paths))

    def has(self, material: Material, metric: Metric) -> bool:
        """Whether there is a file of the table's name, readable or not."""
        return self._found(material, metric) is not None

    def built(self, material: Material) -> list[Metric]:
        """The metrics that a material has a table of; MissingTable if it has none."""
        found = [metric for metric in Metric if self.has(material, metric)]
        if not found:
            raise self.missing(material, Metric.DTM)
        return found

    def open(self, material: Material, metric: Metric) -> TableFile:
        """The table's file, open; MissingTable without one, DamagedFile if it is another's."""
        path = self.find(material, metric)
        try:
            file = TableFile(path)
        except UnreadableFile:
            self.find(material, metric)  # MissingTable if it was removed just now
            raise
        if (file.material, file.metric) != (material, metric):
            file.close()
            raise DamagedFile(path, f"holds {table_name(file.material, file.metric)}")
        return file

    def require(self, material: Material, metric: Metric) -> None:
        """The table and all its dependencies are there; MissingTable or TooManyMen otherwise."""
        check_supported(material)
        missing = [str(m) for m in work_order([material]) if not self.has(m, metric)]
        if missing:
            raise self.missing(material, metric, missing)

    def tables(self) -> Iterator[tuple[Material, Metric]]:
        """All tables; a file whose name is not the table's own is left out."""
        for path in self._files():
            table = _meant_by(path)
            if table is not None and path.name == table_name(*table):
                yield table

    def strays(self) -> Iterator[StrayFile]:
        """The files that end like a table's and are left out, with what is wrong with the name."""
        for path in self._files():
            table = _meant_by(path)
            if table is None:
                yield StrayFile(path, "is not read: no table has this name")
            elif path.name != table_name(*table):
                yield StrayFile(path, f"is not read: its table is called {table_name(*table)}")

    def _files(self) -> list[Path]:
        """The files that end like a table's, each name once; UnreadableFile for a closed folder."""
        names = {name: path for path in reversed(self.paths) for name in _listed(path)}
        return [names[name] / name for name in sorted(names)]

    def find(self, material: Material, metric: Metric) -> Path:
        """The first file of the table's name; MissingTable if there is none."""
        path = self._found(material, metric)
        if path is None:
            raise self.missing(material, metric)
        return path

    def _found(self, material: Material, metric: Metric) -> Path | None:
        """The first file of the table's name, or None; UnreadableFile for a closed folder."""
        for folder in self.paths:
            path = folder / table_name(material, metric)
            if _answer(folder, path.lstat) is not None:
                return path
        return None

    def missing(
        self, material: Material, metric: Metric, missing: Sequence[str] = ()
    ) -> MissingTable:
        """The error for tables that are not there; TooManyMen if they never can be."""
        check_supported(material)
        return MissingTable(str(material), metric.value, Path(str(self)), missing)

    def prepare(self) -> None:
        """The folder is there and can be written.

        What a stopped run has saved stays, for the next run to continue (see `log_file.py`).
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for journal in self.path.glob(f".*{SUFFIX}.journal"):
                if not journal.with_suffix(".log").exists():
                    journal.unlink(missing_ok=True)
            remove_unfinished(self.path, f"*{SUFFIX}")
            probe = self.path / f".write-test.{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise UnwritableFolder(self.path, error.strerror or str(error)) from error


FolderPaths = Folder | Path | str | Sequence[Path | str]
"""How a program names its folders."""


def _at_home(folder: Path | str) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise BadOption("folder", repr(folder), "it is a path, or a list of paths")
    try:
        return Path(folder).expanduser()
    except RuntimeError as error:
        raise NoHome(Path(folder)) from error


def _changed(folder: Path) -> int:
    """The folder's modification time in nanoseconds; 0 if there is no folder."""
    found = _answer(folder, folder.stat)
    return 0 if found is None else found.st_mtime_ns


def _listed(folder: Path) -> list[str]:
    files = _answer(folder, lambda: list(folder.iterdir())) or []
    names = (file.name for file in files)
    return [name for name in names if name.endswith(SUFFIX) and not name.startswith(".")]


def _answer(folder: Path, ask: Callable[[], _Answer]) -> _Answer | None:
    """The result of a system call, None if there is no such file; UnreadableFile if it fails."""
    try:
        return ask()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableFile(folder, error) from error


def _meant_by(path: Path) -> tuple[Material, Metric] | None:
    """The table that a file's name means to a person: either side first, in any case."""
    try:
        name, metric = path.name.removesuffix(SUFFIX).split(".")
        return Material.parse(name), Metric(metric.lower())
    except (ValueError, BadMaterial):
        return None
