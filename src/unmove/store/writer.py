"""Writing a table: part by part as it is solved, reopened, checked, and only then to its own name.

Until then it is a file `.KRPvKR.dtm.unmove.part` with a journal beside it, a line of JSON for each
part that is written. A run that was killed finds them and goes on after the last whole part; what
comes behind it is cut off. So the finished file has the same bytes, interrupted or not.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from unmove.errors import DamagedFile, OutOfDisk, TableBusy, UnwritableFolder
from unmove.planes.layout import Layout
from unmove.store.format import HEAD, MAGIC, VERSION, Footer
from unmove.store.reader import TableFile, blocks_of, unpack
from unmove.store.summary import Summary
from unmove.store.table import CellArray, Run, Table
from unmove.values import Metric

LEVEL = 1  # zstandard: on blocks this short higher levels are slower and hardly smaller

Sides = tuple[CellArray, CellArray]
"""The cells of a part, [plane, cell], by side to move."""


class TableWriter:
    """A table on its way to the disk. A context: it holds the table's lock."""

    def __init__(self, path: Path, layout: Layout, metric: Metric) -> None:
        self.path = path
        self.layout = layout
        self.metric = metric
        self._blocks = blocks_of(layout)
        self._part = path.with_name(f".{path.name}.part")
        self._journal = path.with_name(f".{path.name}.journal")
        self._directory: list[int] = []
        self._title = {"version": VERSION, "material": layout.material.name, "metric": metric.value}
        self._lines: list[dict[str, Any]] = []
        self._file = self._opened()

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def recovered(self) -> Iterator[tuple[Sides, dict[str, Any]]]:
        """The parts that are written already, each with its note. To be exhausted before `add`."""
        for line in self._journalled():
            part = len(self._lines)
            try:
                cells = self._read(part, line["blocks"])
                note = line["note"]
            except (ValueError, KeyError, TypeError, OSError):
                break
            self._accept(line)
            yield cells, note
        self._cut()

    def begin(self) -> None:
        """Nothing is written yet; what an earlier run has left is dropped."""
        self._lines, self._directory = [], []
        self._cut()

    def add(self, cells: Sides, note: dict[str, Any], run: Run = map) -> None:
        """The next part is written, with a note that a later run will be told."""

        def packed(block: tuple[int, int, int]) -> bytes:
            side, first, stop = block
            numbers = cells[side][first:stop]
            if numbers.itemsize > 1 and int(numbers.max()) < 256:
                numbers = numbers.astype(np.uint8)
            data = numbers.tobytes()
            return zstandard.ZstdCompressor(LEVEL, write_checksum=True).compress(data)

        try:
            sizes = []
            for data in run(packed, self._blocks.of_part(len(self._lines))):
                self._write(data)
                sizes.append(len(data))
            line = {"blocks": sizes, "note": note}
            with self._journal.open("a", encoding="utf-8") as journal:
                journal.write(json.dumps(line) + "\n")
            self._accept(line)
        except OSError as error:
            self._file.truncate(self._end())
            raise self._explained(error) from error

    def publish(self, palette: list[int], summary: Summary, threads: int = 1) -> None:
        """The table is at its path, whole, checked and on the disk; or nothing changed there."""
        text = Footer(
            material=self.layout.material.name,
            metric=self.metric.value,
            planes=self._blocks.planes,
            palette=palette,
            blocks=self._directory,
            legal=summary.legal,
            histogram=summary.histogram,
            longest=summary.longest,
        ).to_bytes()
        try:
            end = self._end()
            self._write(text)
            self._file.seek(0)
            self._write(HEAD.pack(MAGIC, VERSION, end, len(text), zlib.crc32(text)))
            os.fsync(self._file.fileno())
            with TableFile(self._part) as written:
                written.check(threads)
            self._part.replace(self.path)
            self._journal.unlink()
            _sync_folder(self.path.parent)
        except DamagedFile:
            self._part.unlink()
            self._journal.unlink()
            raise
        except OSError as error:
            raise self._explained(error) from error

    def _opened(self) -> FileIO:
        try:
            self._part.touch()
            file = FileIO(self._part, "r+")
        except OSError as error:
            raise self._explained(error) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise TableBusy(self.layout.material.name, self.metric.value) from None
        return file

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]

    def _cut(self) -> None:
        """File and journal end with the last whole part."""
        self._file.truncate(self._end())
        self._file.seek(self._end())
        lines = [self._title, *self._lines]
        self._journal.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    def _end(self) -> int:
        """Where the next block goes."""
        return HEAD.size + sum(self._directory)

    def _accept(self, line: dict[str, Any]) -> None:
        self._lines.append(line)
        self._directory += [int(size) for size in line["blocks"]]

    def _journalled(self) -> list[dict[str, Any]]:
        """The lines of the journal up to the first that is torn."""
        found: list[Any] = []
        try:
            for line in self._journal.read_bytes().splitlines():
                found.append(json.loads(line))
        except (OSError, ValueError):
            pass
        return found[1:] if found and found[0] == self._title else []

    def _read(self, part: int, sizes: list[int]) -> Sides:
        """The cells of a part, checked; ValueError if they are not what was written."""
        sides: tuple[list[CellArray], list[CellArray]] = ([], [])
        blocks = self._blocks.of_part(part)
        offset = self._end()
        for (side, first, stop), size in zip(blocks, sizes, strict=True):
            data = os.pread(self._file.fileno(), size, offset)
            sides[side].append(unpack(data, stop - first))
            offset += size
        white, black = (np.concatenate(side) for side in sides)
        return white, black

    def _explained(self, error: OSError) -> OutOfDisk | UnwritableFolder:
        folder = self.path.parent
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return OutOfDisk(folder, self.layout.count * 1024, shutil.disk_usage(folder).free)
        return UnwritableFolder(folder, error.strerror or str(error))


def write_table(path: Path, table: Table, summary: Summary, threads: int = 1) -> None:
    """The table is at `path`, whole, checked and on the disk; or nothing has changed there."""
    layout = table.layout
    stride = layout.strides[0]
    with TableWriter(path, layout, table.metric) as writer, ThreadPoolExecutor(threads) as pool:
        writer.begin()
        for first, stop in layout.parts:
            planes = slice(first * stride, stop * stride)
            writer.add((table.cells[0][planes], table.cells[1][planes]), {}, pool.map)
        writer.publish(table.palette.tolist(), summary, threads)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
