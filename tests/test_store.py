"""The file: written whole or not at all, and never believed when it is damaged."""

from __future__ import annotations

import errno
import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from unmove.errors import (
    DamagedFile,
    FileError,
    ForeignFile,
    NewerFormat,
    OutOfDisk,
    UnwritableFolder,
)
from unmove.material import Material
from unmove.store.folder import Folder
from unmove.store.format import HEAD, MAGIC
from unmove.store.reader import TableFile
from unmove.store.writer import write_table
from unmove.values import Metric

KQK = Material.parse("KQK")


@pytest.fixture
def copy(small_tables: Folder, tmp_path: Path) -> Path:
    """A copy of a small table, to be damaged."""
    return Path(shutil.copy(small_tables.file(KQK, Metric.DTM), tmp_path / "KQvK.dtm.unmove"))


def test_what_is_written_is_read(small_tables: Folder, tmp_path: Path) -> None:
    """A table written again has the same bytes, and the same cells when it is loaded."""
    with small_tables.open(KQK, Metric.DTM) as file:
        table, summary = file.load(), file.summary
    path = tmp_path / "again.unmove"
    write_table(path, table, summary)
    assert path.read_bytes() == small_tables.file(KQK, Metric.DTM).read_bytes()
    with TableFile(path) as file:
        again = file.load()
    assert all(np.array_equal(a, b) for a, b in zip(table.cells, again.cells, strict=True))


def test_a_large_palette_takes_two_bytes_a_cell(small_tables: Folder, tmp_path: Path) -> None:
    """More than 256 different codes are stored and read back."""
    with small_tables.open(KQK, Metric.DTM) as file:
        table, summary = file.load(), file.summary
    wide = table.__class__(
        KQK,
        Metric.DTM,
        np.arange(700),
        tuple(cells.astype(np.uint16) * 13 for cells in table.cells),  # type: ignore[arg-type]
    )
    path = tmp_path / "wide.unmove"
    write_table(path, wide, summary)
    with TableFile(path) as file:
        again = file.load()
    assert all(np.array_equal(a, b) for a, b in zip(wide.cells, again.cells, strict=True))


def test_every_flipped_bit_is_found_or_harmless(copy: Path) -> None:
    """A file with one bit changed is refused, or it still decodes to the same cells."""
    good = copy.read_bytes()
    with TableFile(copy) as file:
        cells = file.load().cells
    rng = random.Random(1)
    places = [*range(HEAD.size * 8), *(rng.randrange(len(good) * 8) for _ in range(400))]
    refused = 0
    for place in places:
        bad = bytearray(good)
        bad[place // 8] ^= 1 << place % 8
        copy.write_bytes(bytes(bad))
        try:
            with TableFile(copy) as file:
                found = file.load().cells
        except FileError:
            refused += 1
        else:
            assert all(np.array_equal(a, b) for a, b in zip(cells, found, strict=True))
    assert refused > len(places) * 0.9


@pytest.mark.parametrize("size", [0, 5, 40, 5000, -1])
def test_a_truncated_file_is_refused(copy: Path, size: int) -> None:
    """A file that ends early is called damaged, whatever is left of it."""
    copy.write_bytes(copy.read_bytes()[:size])
    with pytest.raises(DamagedFile, match=r"KQvK\.dtm\.unmove"):
        TableFile(copy)


def test_a_foreign_file_is_refused(copy: Path) -> None:
    """A file without our magic is not a table."""
    copy.write_bytes(b"\x89PNG" + copy.read_bytes()[4:])
    with pytest.raises(ForeignFile, match="not an unmove table"):
        TableFile(copy)


def test_a_newer_file_is_refused(copy: Path) -> None:
    """A file of a later format is not guessed at."""
    data = bytearray(copy.read_bytes())
    data[len(MAGIC)] = 99
    copy.write_bytes(bytes(data))
    with pytest.raises(NewerFormat, match="format 99"):
        TableFile(copy)


def test_a_damaged_block_is_named_when_it_is_read(copy: Path) -> None:
    """A file opens with a damaged block, and refuses when that block is touched."""
    data = bytearray(copy.read_bytes())
    with TableFile(copy) as file:
        offset, size, _ = file.footer.blocks[1]
    data[offset + size // 2] ^= 0xFF
    copy.write_bytes(bytes(data))
    with TableFile(copy) as file:
        file.block(0)
        with pytest.raises(DamagedFile, match="block 1"):
            file.block(1)


def test_a_full_disk_leaves_nothing_behind(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full the error says so and the folder is as it was."""
    with small_tables.open(KQK, Metric.DTM) as file:
        table, summary = file.load(), file.summary

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutOfDisk, match="Finished tables are intact"):
        write_table(tmp_path / "KQvK.dtm.unmove", table, summary)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A folder below a file cannot be made; the error names it."""
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(UnwritableFolder, match="--dir"):
        Folder(tmp_path / "file" / "tables").prepare()


def test_leavings_of_killed_runs_are_cleared(tmp_path: Path) -> None:
    """Temporary files of dead processes go; those of living ones stay."""
    dead = tmp_path / ".KQvK.dtm.unmove.999999999.tmp"
    alive = tmp_path / f".KQvK.dtm.unmove.{os.getpid()}.tmp"
    for path in (dead, alive):
        path.touch()
    Folder(tmp_path).prepare()
    assert not dead.exists()
    assert alive.exists()
