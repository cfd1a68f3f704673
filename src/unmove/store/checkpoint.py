"""The solved parts of a table, on the disk, from which a later run continues.

Until a table is published, the file `.KRPvKR.dtm.unmove.part` holds the planes of its finished
parts. A journal next to it has a line for each time that parts were saved: a checksum and JSON.
What follows the last whole line is cut off. The file is locked, which tells other runs that this
one is at work on the table.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Sequence
from io import FileIO
from itertools import accumulate, pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.errors import TableBusy
from unmove.material import Material
from unmove.store.source import MapFunction
from unmove.store.writer import explained
from unmove.values import Metric

CHECKPOINT_VERSION = 4
PLANES_A_FRAME = 64


class Checkpoint:
    """The parts of a table that are saved. A context, which holds the table's lock."""

    def __init__(self, path: Path, material: Material, metric: Metric) -> None:
        self._part = path.with_name(f".{path.name}.part")
        self._journal = path.with_name(f".{path.name}.journal")
        self._title = {
            "version": CHECKPOINT_VERSION,
            "material": str(material),
            "metric": metric.value,
        }
        self._lines: list[dict[str, Any]] = []
        self._file = self._opened(material, metric)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._lines:
            self.discard()
        self._file.close()

    def recovered(self) -> Iterator[tuple[list[NDArray[Any]], int, dict[str, Any]]]:
        """What was saved: planes, how many parts they are, the note. Exhaust it before `save`."""
        for line in self._journalled():
            try:
                planes = self._read(line["frames"], line["checksum"], line["kinds"])
                parts, note = int(line["parts"]), dict(line["note"])
            except (ValueError, KeyError, TypeError, OSError):
                break
            self._lines.append(line)
            yield planes, parts, note
        self._cut()

    def save(
        self,
        planes: Sequence[NDArray[Any]],
        parts: int,
        note: dict[str, Any],
        run: MapFunction = map,
    ) -> None:
        """The next parts are on the disk, with a note for a later run.

        There may be several arrays of planes; a row of an array is a plane.
        """

        def packed(some: NDArray[Any]) -> bytes:
            return zstandard.ZstdCompressor(1, write_checksum=True).compress(some.tobytes())

        frames = [
            each[first : first + PLANES_A_FRAME]
            for each in planes
            for first in range(0, len(each), PLANES_A_FRAME)
        ]
        try:
            self._file.seek(self._end())
            sizes, checksum = [], 0
            for data in run(packed, frames):
                self._write(data)
                sizes.append(len(data))
                checksum = zlib.crc32(data, checksum)
            os.fsync(self._file.fileno())
            line = {
                "frames": sizes,
                "checksum": checksum,
                "kinds": [(each.dtype.str, *each.shape) for each in planes],
                "parts": parts,
                "note": note,
            }
            with self._journal.open("a", encoding="utf-8") as journal:
                journal.write(_journal_line(line))
            self._lines.append(line)
        except OSError as error:
            self._file.truncate(self._end())
            raise explained(error, self._part.parent, planes[0].nbytes) from error

    def discard(self) -> None:
        """Nothing is saved."""
        self._lines = []
        self._journal.unlink(missing_ok=True)
        if os.name == "nt":  # where an open file cannot be removed
            self._file.close()
        self._part.unlink(missing_ok=True)

    def _opened(self, material: Material, metric: Metric) -> FileIO:
        """The file, locked until it is closed or the process ends in whatever way.

        It is opened again if another run removed it before we locked it.
        """
        from filelock import lock_descriptor  # imported here: it takes longer than a small table

        while True:
            try:
                file = FileIO(self._part, "r+", opener=_created)
            except OSError as error:
                raise explained(error, self._part.parent, 0) from error
            if not lock_descriptor(file.fileno(), blocking=False):
                file.close()
                raise TableBusy(str(material), metric.value)
            if os.fstat(file.fileno()).st_nlink:
                return file
            file.close()

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]

    def _cut(self) -> None:
        """File and journal end with the last whole line."""
        self._file.truncate(self._end())
        lines = [self._title, *self._lines]
        self._journal.write_text("".join(_journal_line(line) for line in lines), "utf-8")

    def _end(self) -> int:
        return sum(sum(line["frames"]) for line in self._lines)

    def _journalled(self) -> list[dict[str, Any]]:
        """The lines of the journal up to the first that is torn."""
        found: list[Any] = []
        try:
            for line in self._journal.read_bytes().splitlines():
                checksum, text = line.split(b" ", 1)
                if int(checksum, 16) != zlib.crc32(text):
                    break
                found.append(json.loads(text))
        except (OSError, ValueError):
            pass
        return found[1:] if found and found[0] == self._title else []

    def _read(self, sizes: list[int], checksum: int, kinds: list[Any]) -> list[NDArray[Any]]:
        """The planes of a line, checked; ValueError if they are not what was written."""
        self._file.seek(self._end())
        data = self._file.read(sum(sizes)) or b""
        if zlib.crc32(data) != checksum:
            raise ValueError("the planes are not what was written")
        bounds = pairwise(accumulate(sizes, initial=0))
        frames = [zstandard.ZstdDecompressor().decompress(data[a:b]) for a, b in bounds]
        saved, planes = b"".join(frames), []
        for kind, *shape in kinds:
            planes.append(np.frombuffer(saved, kind, prod(shape)).reshape(shape))
            saved = saved[planes[-1].nbytes :]
        return planes


def _created(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _journal_line(line: dict[str, Any]) -> str:
    text = json.dumps(line)
    return f"{zlib.crc32(text.encode()):08x} {text}\n"
