"""The log of a solve, on the disk, from which a later run continues.

Until a table is published, the file `.KRPvKR.dtm.unmove.log` holds pieces of bytes, each a
zstandard frame. A journal next to it has a line for each record: a checksum and JSON, which says
what the record is, and the sizes and checksums of its pieces. What follows the last whole record is
cut off. The file is locked, which tells other runs that this one is at work on the table.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import zstandard

from unmove.errors import TableBusy
from unmove.material import Material
from unmove.store.writer import explained
from unmove.values import Metric
from unmove.version import __version__

LOG_VERSION = 2
HASH_LOG = 11  # bits of a hash: 8 kB
SYNC_AFTER = 60.0  # seconds after which what was written is forced onto the disk

LogRecord = dict[str, Any]
"""What JSON can hold. The log adds `at`, where the first piece is, and the `sizes` and `checksums`
of the pieces."""


class DamagedLog(Exception):
    """A piece of a record is not what was written. Nobody but a build sees it."""

    def __init__(self, record: LogRecord) -> None:
        super().__init__(record)
        self.record = record


class LogFile:
    """Records of a table's solve, oldest first. A context, which holds the table's lock.

    Any number of threads may read while one appends.
    """

    def __init__(self, path: Path, material: Material, metric: Metric) -> None:
        self.path = path.with_name(f".{path.name}.log")
        self._journal = path.with_name(f".{path.name}.journal")
        self._title = {
            "version": LOG_VERSION,
            "program": __version__,  # another one may cut, learn and encode in another way
            "material": str(material),
            "metric": metric.value,
        }
        self._lock = Lock()
        self._synced = monotonic()
        self._file = self._opened(material, metric)
        self.records: list[LogRecord] = self._journalled()
        try:
            self._cut()
        except OSError as error:
            self._file.close()
            raise explained(error, self.path.parent, 0) from error

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *error: object) -> None:
        if not self.records:
            self.discard()
        self._file.close()

    @staticmethod
    def packed(data: bytes | memoryview) -> bytes:
        """A piece, compressed; any thread may do it."""
        return _THREAD.compressor.compress(data)

    @staticmethod
    def unpacked(piece: bytes) -> bytes:
        """The inverse of `packed`."""
        return zstandard.ZstdDecompressor().decompress(piece)

    def append(self, record: LogRecord, pieces: Sequence[bytes] = ()) -> LogRecord:
        """There is one more record. `pieces` are packed. Returns it as it is kept."""
        try:
            end = self._end()
            with self._lock:
                self._file.seek(end)
                sizes = [self._write(piece) for piece in pieces]
            checksums = [zlib.crc32(piece) for piece in pieces]
            kept = {**record, "at": end, "sizes": sizes, "checksums": checksums}
            with self._journal.open("a", encoding="utf-8") as journal:
                journal.write(_journal_line(kept))
                if monotonic() - self._synced >= SYNC_AFTER:
                    os.fsync(self._file.fileno())
                    os.fsync(journal.fileno())
                    self._synced = monotonic()
        except OSError as error:
            with suppress(OSError):  # a folder that is gone has nothing to cut
                self._cut()
            raise explained(error, self.path.parent, sum(map(len, pieces))) from error
        self.records.append(kept)
        return kept

    def read(self, record: LogRecord, piece: int) -> bytes:
        """What was packed as a piece of a record; DamagedLog if it is something else."""
        at, size = record["at"] + sum(record["sizes"][:piece]), record["sizes"][piece]
        with self._lock:
            self._file.seek(at)
            data = self._file.read(size) or b""
        if zlib.crc32(data) != record["checksums"][piece]:
            raise DamagedLog(record)
        return self.unpacked(data)

    def cut(self, record: LogRecord) -> None:
        """The record and all that came after it are forgotten."""
        self.records = self.records[: self.records.index(record)]
        self._cut()

    def discard(self) -> None:
        """Nothing is kept."""
        self.records = []
        self._journal.unlink(missing_ok=True)
        if os.name == "nt":  # where an open file cannot be removed
            self._file.close()
        self.path.unlink(missing_ok=True)

    def _opened(self, material: Material, metric: Metric) -> FileIO:
        """The file, locked until it is closed or the process ends in whatever way.

        It is opened again if another run removed it before we locked it.
        """
        from filelock import lock_descriptor  # imported here: it takes longer than a small table

        while True:
            try:
                file = FileIO(self.path, "r+", opener=_created)
            except OSError as error:
                raise explained(error, self.path.parent, 0) from error
            if not lock_descriptor(file.fileno(), blocking=False):
                file.close()
                raise TableBusy(str(material), metric.value)
            if os.fstat(file.fileno()).st_nlink:
                return file
            file.close()

    def _write(self, data: bytes) -> int:
        size, left = len(data), memoryview(data)
        while left:
            left = left[self._file.write(left) :]
        return size

    def _cut(self) -> None:
        """File and journal end with the last whole record.

        A journal with records is only ever shortened, which needs no room and cannot lose them.
        """
        self._file.truncate(self._end())
        lines = "".join(_journal_line(line) for line in [self._title, *self.records]).encode()
        there = self._journal.read_bytes() if self._journal.exists() else b""
        if not there.startswith(lines):
            self._journal.write_bytes(lines)
        elif len(there) > len(lines):
            os.truncate(self._journal, len(lines))

    def _end(self) -> int:
        """Where the pieces of the last record end."""
        return self.records[-1]["at"] + sum(self.records[-1]["sizes"]) if self.records else 0

    def _journalled(self) -> list[LogRecord]:
        """The lines of the journal up to the first that is torn, or whose pieces are not there."""
        found: list[LogRecord] = []
        size = os.fstat(self._file.fileno()).st_size
        try:
            for line in self._journal.read_bytes().splitlines():
                checksum, text = line.split(b" ", 1)
                if int(checksum, 16) != zlib.crc32(text):
                    break
                record = json.loads(text)
                if found and record["at"] + sum(record["sizes"]) > size:
                    break
                found.append(record)
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return found[1:] if found and found[0] == self._title else []


class _ThreadCompressor(threading.local):
    """Every thread has one of its own, which no two may use at a time."""

    def __init__(self) -> None:
        # A small table of what was seen before stays in the nearest cache. A larger one finds no
        # more in these streams.
        quick = zstandard.ZstdCompressionParameters.from_level(1, hash_log=HASH_LOG)
        self.compressor = zstandard.ZstdCompressor(compression_params=quick)


_THREAD = _ThreadCompressor()


def _created(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _journal_line(line: LogRecord) -> str:
    text = json.dumps(line)
    return f"{zlib.crc32(text.encode()):08x} {text}\n"
