"""The log of a table on the disk: every ply is a checkpoint, and bands of planes are assembled.

The planes of a part are cut into *bands*. What a ply settles on a band is a piece of its record in
the `LogFile`, which `kernels/pieces.py` makes of the entries. So a band of the table
is assembled from its piece of every ply, and nothing else is in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.pieces import BYTES_AT_ONCE, lengthen, shorten
from unmove.solver.backend import SolverBackend, mask_words
from unmove.solver.ply_log import Gathered, PlyName, Settled
from unmove.store.encoder import Notes
from unmove.store.log_file import LogFile, LogRecord
from unmove.values import Code, Level, Side

BAND_CELLS = 1 << 25  # at most, or a plane: what is assembled at a time
HEAD = 16  # bytes before the words of a piece
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

    def close(self, settled: Settled) -> Gathered:
        """See `OpenPly`."""
        if self._record is None:
            pieces = [self._pieces[first] for first, _ in self._log.ranges]
            self._log.append(self._ply, settled, pieces)
        return Gathered(settled)


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

    def append(self, ply: PlyName, settled: Settled, pieces: Sequence[bytes]) -> None:
        """A ply is logged, with the packed piece of each band."""
        line = {**ply._asdict(), **settled._asdict(), "part": self.part}
        self.plies.append(self.file.append(line, pieces if settled.planes else ()))

    @property
    def known(self) -> dict[PlyName, Settled]:
        """What plies have brought that an earlier run has logged."""
        return {
            ply: Settled(record["positions"], record["planes"])
            for ply, record in self._known.items()
        }

    def pieces(self, ply: PlyName) -> list[bytes]:
        """Of a known ply the piece of each band; none if it has settled nothing."""
        record = self._known[ply]
        return [self.file.read(record, band) for band in range(len(record["sizes"]))]

    def entries(self, record: LogRecord, band: int) -> NDArray[np.uint64]:
        """What a ply has settled on a band."""
        return entries_of(self.masks, self.file.read(record, band))


def _name_of(record: LogRecord) -> PlyName:
    return PlyName(
        Side(record["winner"]), Level(record["level"]), Side(record["mover"]), Code(record["code"])
    )


def piece_of(masks: int, entries: NDArray[np.uint64]) -> memoryview:
    """Entries as bytes, see `kernels/pieces.py`; until the thread makes its next piece.

    First come the numbers of words and of entries.
    """
    words = len(entries)
    piece = _THREAD.room(HEAD + words * (1 + entries.itemsize) + BYTES_AT_ONCE)
    kept, octets = piece[HEAD : HEAD + words], piece[HEAD + words :]
    number, size = shorten(masks, entries, kept, octets)
    piece[:HEAD].view("<i8")[:] = words, number
    end = HEAD + words + size
    piece[end : end + BYTES_AT_ONCE] = 0
    return piece[: end + BYTES_AT_ONCE].data


def entries_of(masks: int, piece: bytes) -> NDArray[np.uint64]:
    """The inverse of `piece_of`."""
    words, number = np.frombuffer(piece, "<i8", 2).tolist()
    kept = np.frombuffer(piece, np.uint8, words, HEAD)
    octets = np.frombuffer(piece, np.uint8, offset=HEAD + words)
    entries = np.empty(words, np.uint64)
    lengthen(masks, number, kept, octets, entries)
    return entries


class _ThreadRoom(threading.local):
    """Memory for pieces, of each thread: pages that nobody has used before cost time."""

    def __init__(self) -> None:
        self._room = np.empty(0, np.uint8)

    def room(self, size: int) -> NDArray[np.uint8]:
        """So many bytes with anything in them, the same as before where they suffice."""
        if len(self._room) < size:
            self._room = np.empty(size, np.uint8)
        return self._room[:size]


_THREAD = _ThreadRoom()
