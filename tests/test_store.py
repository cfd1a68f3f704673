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
    OlderFormat,
    OutOfDisk,
    TableBusy,
    UnwritableFolder,
)
from unmove.material import Material
from unmove.planes.layout import Layout
from unmove.store.folder import Folder
from unmove.store.format import HEAD, MAGIC
from unmove.store.reader import TableFile
from unmove.store.summary import Summary
from unmove.store.table import PALETTE, Table
from unmove.store.writer import TableWriter, write_table
from unmove.values import Metric

KQK = Material.parse("KQK")
KPK = Material.parse("KPK")


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
        np.array([*PALETTE, *range(700)]),
        tuple(cells.astype(np.uint16) * 13 for cells in table.cells),  # type: ignore[arg-type]
    )
    assert int(wide.cells[0].max()) > 255
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
        before, size = file.footer.blocks[:2]
    data[HEAD.size + before + size // 2] ^= 0xFF
    copy.write_bytes(bytes(data))
    with TableFile(copy) as file:
        file.block(0)
        with pytest.raises(DamagedFile, match="block 1"):
            file.block(1)


def test_a_full_disk_is_told(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full the error says so, and no table is there that is not whole."""
    with small_tables.open(KQK, Metric.DTM) as file:
        table, summary = file.load(), file.summary

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutOfDisk, match="Finished tables are intact"):
            write_table(tmp_path / "KQvK.dtm.unmove", table, summary)
    assert list(Folder(tmp_path).tables()) == []
    write_table(tmp_path / "KQvK.dtm.unmove", table, summary)
    assert [path.name for path in tmp_path.iterdir()] == ["KQvK.dtm.unmove"]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A folder below a file cannot be made; the error names it."""
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(UnwritableFolder, match="--dir"):
        Folder(tmp_path / "file" / "tables").prepare()


def test_a_journal_without_its_file_is_cleared(tmp_path: Path) -> None:
    """What a run leaves that was killed just after publishing goes; a table half built stays."""
    names = [".KQvK.dtm.unmove.journal", ".KRvK.dtm.unmove.journal", ".KRvK.dtm.unmove.part"]
    for name in names:
        (tmp_path / name).touch()
    Folder(tmp_path).prepare()
    assert sorted(path.name for path in tmp_path.iterdir()) == names[1:]


def _written(path: Path, small_tables: Folder, parts: int) -> tuple[Table, Summary]:
    """A table of six parts, with only so many of them written, and not published."""
    with small_tables.open(KPK, Metric.DTM) as file:
        table, summary = file.load(), file.summary
    layout = table.layout
    with TableWriter(path, layout, Metric.DTM) as writer:
        writer.begin()
        for first, stop in layout.parts[:parts]:
            writer.add((table.cells[0][first:stop], table.cells[1][first:stop]), {"upto": stop})
    return table, summary


@pytest.mark.parametrize("harm", ["none", "torn journal", "torn file", "flipped bit", "foreign"])
def test_an_unfinished_file_is_gone_on_with(
    small_tables: Folder, tmp_path: Path, harm: str
) -> None:
    """Whole parts are recovered up to the first bad one, and the file gets the same bytes."""
    path = tmp_path / "KPvK.dtm.unmove"
    table, summary = _written(path, small_tables, 4)
    part, journal = (tmp_path / f".KPvK.dtm.unmove.{end}" for end in ("part", "journal"))
    data, lines = part.read_bytes(), journal.read_bytes()
    expected = 3
    if harm == "none":
        expected = 4
    elif harm == "torn journal":
        journal.write_bytes(lines[:-10])
    elif harm == "torn file":
        part.write_bytes(data[:-10])
    elif harm == "flipped bit":
        part.write_bytes(data[:-10] + bytes([data[-10] ^ 1]) + data[-9:])
    else:
        journal.write_bytes(lines.replace(b"KPvK", b"KQvK"))
        expected = 0
    layout = table.layout
    with TableWriter(path, layout, Metric.DTM) as writer:
        found = list(writer.recovered())
        assert [note["upto"] for _, note in found] == [s for _, s in layout.parts[:expected]]
        for (first, stop), (cells, _) in zip(layout.parts, found, strict=False):
            for side in (0, 1):
                assert np.array_equal(cells[side], table.cells[side][first:stop])
        for first, stop in layout.parts[expected:]:
            writer.add((table.cells[0][first:stop], table.cells[1][first:stop]), {})
        writer.publish(table.palette.tolist(), summary)
    assert path.read_bytes() == small_tables.file(KPK, Metric.DTM).read_bytes()


def test_one_run_at_a_time_writes_a_table(small_tables: Folder, tmp_path: Path) -> None:
    """A second writer of the same table is refused while the first is at work."""
    path = tmp_path / "KPvK.dtm.unmove"
    layout = Layout(KPK)
    with TableWriter(path, layout, Metric.DTM), pytest.raises(TableBusy, match="Another run"):
        TableWriter(path, layout, Metric.DTM)
    with TableWriter(path, layout, Metric.DTM):
        pass


def test_an_older_file_is_refused(copy: Path) -> None:
    """A file of an earlier format is not guessed at; a build makes it anew."""
    data = bytearray(copy.read_bytes())
    data[len(MAGIC)] = 0
    copy.write_bytes(bytes(data))
    with pytest.raises(OlderFormat, match="format 0"):
        TableFile(copy)
