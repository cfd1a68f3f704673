"""A folder of tables: which there are, and where a new one goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unmove.errors import BadMaterial, DamagedFile, MissingTable, StrayFile, UnwritableFolder
from unmove.material import Material, work_order
from unmove.store.atomic import remove_unfinished
from unmove.store.format import SUFFIX, table_name
from unmove.store.reader import TableFile
from unmove.values import Metric


def default_folder() -> Path:
    """$UNMOVE_DIR, or a folder of the user's own."""
    if chosen := os.environ.get("UNMOVE_DIR"):
        return Path(chosen)
    root = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(root) / "unmove" / "tables"


@dataclass(frozen=True)
class Folder:
    """Tables by name: `KQvKR.dtm.unmove`."""

    path: Path

    def file(self, material: Material, metric: Metric) -> Path:
        return self.path / table_name(material, metric)

    def changed(self) -> int:
        """When a file came or went last, as a number that then is another one; 0 without folder."""
        return self.path.stat().st_mtime_ns if self.path.is_dir() else 0

    def has(self, material: Material, metric: Metric) -> bool:
        return self.file(material, metric).is_file()

    def open(self, material: Material, metric: Metric) -> TableFile:
        """The table's file, open; MissingTable if it is not there, DamagedFile if another is."""
        path = self.file(material, metric)
        if not path.is_file():
            raise MissingTable(str(material), metric.value, self.path)
        file = TableFile(path)
        if (file.material, file.metric) != (material, metric):
            file.close()
            raise DamagedFile(path, f"holds {table_name(file.material, file.metric)}")
        return file

    def require(self, material: Material, metric: Metric) -> None:
        """The table and all that it leans on are there; MissingTable otherwise."""
        missing = [str(m) for m in work_order([material]) if not self.has(m, metric)]
        if missing:
            raise MissingTable(str(material), metric.value, self.path, missing)

    def tables(self) -> Iterator[tuple[Material, Metric]]:
        """All tables, each under the one name it is looked for; files of other names left out."""
        for path in self._files():
            table = _meant_by(path)
            if table is not None and self.file(*table) == path:
                yield table

    def strays(self) -> Iterator[StrayFile]:
        """What is wrong with the name of each file that ends like a table's and is left out."""
        for path in self._files():
            table = _meant_by(path)
            if table is None:
                yield StrayFile(path, "is not read: no table has this name")
            elif self.file(*table) != path:
                yield StrayFile(path, f"is not read: its table is called {table_name(*table)}")

    def _files(self) -> list[Path]:
        return sorted(path for path in self.path.glob(f"*{SUFFIX}") if path.is_file())

    def prepare(self) -> None:
        """The folder is there and can be written.

        A table half built stays, for the next run to go on with (see `checkpoint.py`).
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for journal in self.path.glob(f".*{SUFFIX}.journal"):
                if not journal.with_suffix(".part").exists():
                    journal.unlink(missing_ok=True)
            remove_unfinished(self.path, f"*{SUFFIX}")
            probe = self.path / f".write-test.{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise UnwritableFolder(self.path, error.strerror or str(error)) from error


def _meant_by(path: Path) -> tuple[Material, Metric] | None:
    """The table that a file's name means to a person: sides in any order, in any case."""
    try:
        name, metric = path.name.removesuffix(SUFFIX).split(".")
        return Material.parse(name), Metric(metric.lower())
    except (ValueError, BadMaterial):
        return None
