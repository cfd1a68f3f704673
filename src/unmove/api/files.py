"""Answers for the files of tables: which there are, what one holds, whether they are sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from unmove.api.turns import LongestWins
from unmove.errors import (
    BadOption,
    DamagedFile,
    FileError,
    MissingTable,
    NoTables,
    StrayFile,
)
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.store.digest import values_digest
from unmove.store.folder import Folder, FolderPaths
from unmove.store.reader import TableFile
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


@dataclass(frozen=True)
class CheckedFile:
    """A file and what is wrong with it."""

    file: Path
    material: Material | None
    """None for a stray file, whose name is no table's."""
    metric: Metric | None
    """None for a stray file."""
    error: FileError | None
    """None for a sound file."""

    @classmethod
    def stray(cls, error: StrayFile) -> CheckedFile:
        return cls(error.path, None, None, error)


@dataclass(frozen=True)
class ListedFile(CheckedFile):
    """A file of a folder."""

    men: int | None
    """None for a stray file."""
    positions: int | None
    """Legal positions, both sides to move; None if the file cannot be read."""
    bytes: int
    """The size of the file."""


@dataclass(frozen=True)
class TableInfo:
    """What the file of a table says of itself."""

    file: Path
    material: Material
    metric: Metric
    bytes: int
    """The size of the file."""
    positions: int
    """Legal positions, both sides to move."""
    bits_a_position: float
    """The size of the file in bits, divided by the positions."""
    stored: str
    """The sides to move that are stored: `white`, `black` or `both`."""
    coder: str
    """How blocks are compressed."""
    planes: int
    """Planes that are stored."""
    blocks: int
    """Blocks that the planes are compressed in."""
    legal: tuple[int, ...]
    """Legal positions with White (Red) to move, and with Black to move."""
    max_moves: LongestWins
    """Moves of the winner."""
    values: str
    """The digest of all values."""
    made_by: str
    """The program that wrote the file."""


def list_tables(folder: FolderPaths) -> list[ListedFile]:
    """The tables of a folder by men and name, and then its stray files."""
    folder, listed = Folder.of(folder), []
    for material, metric in folder.tables():
        with suppress(MissingTable, FileNotFoundError):  # removed by somebody else meanwhile
            listed.append(_listed(folder, material, metric))
    listed.sort(key=lambda row: (row.men, str(row.material), row.metric))
    for error in folder.strays():
        size = error.path.lstat().st_size
        listed.append(ListedFile(error.path, None, None, error, None, None, size))
    return listed


def _listed(folder: Folder, material: Material, metric: Metric) -> ListedFile:
    path = folder.find(material, metric)
    error, positions, size = None, None, path.lstat().st_size
    try:
        with folder.open(material, metric) as file:
            positions, size = sum(file.summary.legal), file.size
    except FileError as found:
        error = found
    return ListedFile(path, material, metric, error, material.men, positions, size)


def info(path: Path | str) -> TableInfo:
    """What a file says of itself; BadOption if there is no such file."""
    path = Path(path)
    with suppress(PermissionError):  # which opening the file will report
        if not path.is_file():
            raise BadOption("file", path, "there is no such file")
    with TableFile(path) as file:
        meta, summary = file.meta, file.summary
        positions = sum(summary.legal)
        return TableInfo(
            file=path,
            material=meta.material,
            metric=meta.metric,
            bytes=file.size,
            positions=positions,
            bits_a_position=round(8 * file.size / max(1, positions), 4),
            stored=meta.stored,
            coder=meta.coder,
            planes=meta.planes,
            blocks=meta.blocks,
            legal=summary.legal,
            max_moves=LongestWins.of(summary, meta.metric),
            values=meta.values,
            made_by=meta.made_by,
        )


@dataclass(frozen=True)
class FileCheck:
    """What is to be checked: tables by name, and files that have no table's name."""

    folder: Folder
    tables: Sequence[tuple[Material, Metric]]
    strays: Sequence[StrayFile]

    @classmethod
    def of(cls, folder: FolderPaths, names: Sequence[Material | str] = ()) -> FileCheck:
        """All tables of the wanted endgames, or all files of the folder if none is wanted.

        MissingTable for an endgame without a table, NoTables if there is nothing to check.
        """
        folder = Folder.of(folder)
        wanted = [Material.as_written(name).canonical() for name in names]
        tables = [key for key in folder.tables() if not wanted or key[0] in wanted]
        strays = [] if wanted else list(folder.strays())
        for material in wanted:
            if material not in [found for found, _ in tables]:
                raise folder.missing(material, Metric.DTM)
        if not tables and not strays:
            raise NoTables(Path(str(folder)), "there is nothing to check")
        return cls(folder, tables, strays)

    def run(self, *, values: bool = False, threads: int = 1) -> Iterator[CheckedFile]:
        """A verdict on each table, in order, and then on each stray file.

        `values`: every value of both sides is evaluated and compared with the digest, too.
        """
        with WorkerPool(threads) as pool:
            for material, metric in self.tables:
                path, error = self.folder.find(material, metric), None
                try:
                    _check(self.folder, material, metric, values, pool)
                except FileError as found:
                    error = found
                yield CheckedFile(path, material, metric, error)
        yield from map(CheckedFile.stray, self.strays)


def _check(
    folder: Folder, material: Material, metric: Metric, values: bool, pool: WorkerPool
) -> None:
    """Every byte, block and, if asked for, value of a table is right; a FileError otherwise."""
    with folder.open(material, metric) as file:
        file.check(pool.map)
        if not values:
            return
        with SubtableCache(folder, pool.workers) as subtables:
            digest = values_digest(subtables.whole(material, metric), file.fold)
        if digest != file.meta.values:
            raise DamagedFile(file.path, "has other values than it was written with")
