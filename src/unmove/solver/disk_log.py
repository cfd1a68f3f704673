"""The log of a table on the disk: every ply is a checkpoint, and bands of planes are assembled.

The planes of a part are cut into *bands*. What a ply settles on a band is a piece of its record in
the `LogFile`, four streams that `kernels/stretch.py` makes of the entries. So a band of the table
is assembled from its piece of every ply, and nothing else is in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.stretch import lengthen, shorten
from unmove.solver.backend import SolverBackend, mask_words
from unmove.solver.ply_log import PlyName, Settled
from unmove.store.encoder import Notes
from unmove.store.log_file import LogFile, LogRecord
from unmove.values import Code, Level, Side

BAND_CELLS = 1 << 25  # at most, or a plane: what is assembled at a time
NO_PART = -1  # the number of a record that belongs to no part
LEAST_BANDS = 64  # for threads to share, if there are as many planes


def bands_of(planes: int, cells: int) -> list[tuple[int, int]]:
    """How so many planes of so many cells are cut."""
    size = max(1, min(BAND_CELLS // cells, planes // LEAST_BANDS))
    return [(first, min(first + size, planes)) for first in range(0, planes, size)]


class DiskPly:
    """See `OpenPly`."""

    def __init__(self, log: DiskLog, ply: PlyName, record: LogRecord | None) -> None:
        self._log = log
        self._ply = ply
        self._record = record
        self._pieces: dict[int, bytes] = {}

    @property
    def known(self) -> Settled | None:
        """See `OpenPly`."""
        record = self._record
        return None if record is None else Settled(record["positions"], record["planes"])

    def entries(self, first: int) -> NDArray[np.uint64]:
        """See `OpenPly`."""
        if self._record is None or not self._record["planes"]:
            return np.zeros(0, np.uint64)
        return self._log.entries(self._record, self._log.band_at[first])

    def keep(self, worker: int, first: int, entries: NDArray[np.uint64]) -> None:
        """See `OpenPly`."""
        self._pieces[first] = LogFile.packed(piece_of(self._log.masks, entries))

    def close(self, settled: Settled) -> None:
        """See `OpenPly`."""
        if self._record is None:
            line = {**self._ply._asdict(), **settled._asdict(), "part": self._log.part}
            pieces = [self._pieces[first] for first, _ in self._log.ranges]
            kept = self._log.file.append(line, pieces if settled.planes else ())
            self._log.plies.append(kept)


class LogNotes(Notes):
    """Notes of an encoder in the log file of its table."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        self._found = {record["note"]: record for record in file.records if "note" in record}

    def recall(self, name: str) -> list[bytes] | None:
        """See `Notes`."""
        record = self._found.get(name)
        if record is None:
            return None
        return [self._file.read(record, i) for i in range(len(record["sizes"]))]

    def note(self, name: str, pieces: list[bytes]) -> None:
        """See `Notes`."""
        self._file.append({"part": NO_PART, "note": name}, [LogFile.packed(p) for p in pieces])


class DiskLog:
    """A `PlyLog`: the plies of one part in the log file of a table."""

    def __init__(self, file: LogFile, backend: SolverBackend, part: int) -> None:
        self.file = file
        self.part = part
        self.masks = mask_words(backend.layout)
        self.ranges: Sequence[tuple[int, int]] = self._cuts(backend)
        self.band_at = {first: band for band, (first, _) in enumerate(self.ranges)}
        self.plies = [r for r in file.records if r["part"] == part and "level" in r]
        """The records of the part's plies, oldest first."""
        self._known = {_name_of(record): record for record in self.plies}

    def _cuts(self, backend: SolverBackend) -> list[tuple[int, int]]:
        """The bands, as an earlier run has cut them."""
        for record in self.file.records:
            if record["part"] == self.part and "bands" in record:
                return [(int(first), int(stop)) for first, stop in record["bands"]]
        bands = bands_of(len(backend.planes), backend.layout.cells)
        self.file.append({"part": self.part, "bands": bands})
        return bands

    def open(self, ply: PlyName) -> DiskPly:
        """See `PlyLog`."""
        return DiskPly(self, ply, self._known.get(ply))

    def entries(self, record: LogRecord, band: int) -> NDArray[np.uint64]:
        """What a ply has settled on a band."""
        return entries_of(self.masks, self.file.read(record, band))


def _name_of(record: LogRecord) -> PlyName:
    return PlyName(
        Side(record["winner"]), Level(record["level"]), Side(record["mover"]), Code(record["code"])
    )


def piece_of(masks: int, entries: NDArray[np.uint64]) -> memoryview:
    """Entries as bytes: the sizes of four streams, and the streams."""
    words = len(entries)
    room = _streams(masks, np.array([words // (2 + masks), words, 8 * words]))  # never too little
    sizes = np.zeros(3, np.int64)
    marks, headers, kept, octets = room
    shorten(masks, entries, marks, headers, kept, octets, sizes)
    filled = zip(room, _lengths(masks, sizes), strict=True)
    parts: list[Any] = [sizes.astype("<i8"), *(stream[:length] for stream, length in filled)]
    return memoryview(b"".join(memoryview(part) for part in parts))


def entries_of(masks: int, piece: bytes) -> NDArray[np.uint64]:
    """The inverse of `piece_of`."""
    sizes = np.frombuffer(piece, "<i8", 3)
    at, streams = 24, []
    for stream in _streams(masks, sizes):
        streams.append(np.frombuffer(piece, stream.dtype, len(stream), at))
        at += stream.nbytes
    entries = np.empty(sizes[0] * (1 + masks) + sizes[1], np.uint64)
    marks, headers, kept, octets = streams
    lengthen(masks, marks, headers, kept, octets, entries)
    return entries


def _streams(masks: int, sizes: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Room for the streams of so many entries, words and bytes: see `shorten`."""
    kinds = np.uint64, np.uint32, np.uint8, np.uint8  # the first is aligned in a piece
    return [np.empty(n, kind) for n, kind in zip(_lengths(masks, sizes), kinds, strict=True)]


def _lengths(masks: int, sizes: NDArray[np.int64]) -> list[int]:
    """How long the streams of so many entries, words and bytes are."""
    entries, words, octets = sizes.tolist()
    return [entries * masks, entries, words, octets]
