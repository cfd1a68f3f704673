"""A Syzygy file, mapped into memory and checked: its sub-tables as rows for the kernels.

All that is read once is checked here: sizes, descriptors, codes, symbols and maps. What is read at
each probe (the index, the lengths of blocks, the data) lies inside the file, and its numbers are
tested by the kernels.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile, ForeignFile, UnreadableFile
from unmove.interop.syzygy.checksum import TRAILER, checksum, has_known_checksum, own_digest
from unmove.interop.syzygy.codebook import LONGEST_CODE, NO_RIGHT_HALF, Codebook
from unmove.interop.syzygy.descriptors import Descriptor, files_of, size_of
from unmove.interop.syzygy.materials import is_symmetric
from unmove.kernels.syzygy import numbering, tables
from unmove.material import Material
from unmove.values import SIDES

SUFFIXES: Final = (".rtbw", ".rtbz")
"""Of files of outcomes and of distances, in the order of `tables.OUTCOMES`, `tables.DISTANCES`."""
SYZYGY_MAGIC: Final = (b"\x71\xe8\x23\x5d", b"\xd7\x66\x0c\xa5")

SPLIT: Final = 1  # bits of the first flags: the material is not symmetric
WITH_PAWNS: Final = 2
MAPPED: Final = 2  # bits of a sub-table's flags: values are entries of maps
WIDE_MAPS: Final = 16  # maps have 16 bits an entry
ONE_VALUE: Final = 128

LARGEST_BLOCK: Final = 16  # bits of the size of a block; readers agree on 10
LONGEST_SPAN: Final = 31
MOST_OUTCOME: Final = 4
LOW_BYTE: Final = 255  # what counts of an outcome


@dataclass(frozen=True)
class Packed:
    """How a sub-table with several values is packed, and where its parts are in the file."""

    block_bits: int
    span_bits: int
    padding: int
    blocks: int
    codebook: Codebook


class SyzygyFile:
    """An open file. Reading is safe from any number of threads, as long as the object lives.

    DamagedFile if it cannot be one of its name.
    """

    def __init__(self, path: Path, material: Material, kind: int) -> None:
        self.path, self.material, self.kind = path, material, kind
        self._data = np.frombuffer(_mapped(path), np.uint8)
        self._at = 0
        self.codebooks: dict[int, Codebook] = {}
        """[row]: the codebook of a sub-table that has several values."""
        self._maps: list[NDArray[np.uint16]] = []
        if self._data[:4].tobytes() != SYZYGY_MAGIC[kind]:
            raise ForeignFile(path, f"is no {SUFFIXES[kind]} file of Syzygy")
        try:
            self.rows = self._rows()
        except ValueError as error:
            raise DamagedFile(path, f"is damaged: {error}") from error

    def verify(self) -> None:
        """Every byte is what was written; DamagedFile otherwise.

        That is not known of a file that is too large for `checksum`, unless we wrote it.
        """
        data, trailer = self._data[:-TRAILER], self._data[-TRAILER:].tobytes()
        known = has_known_checksum(len(self._data))
        if known and trailer not in (checksum(data), own_digest(data)):
            raise DamagedFile(self.path, "is damaged (its checksum is wrong)")

    @property
    def distances(self) -> bool:
        """Whether it has distances, not outcomes."""
        return self.kind == tables.DISTANCES

    @cached_property
    def sides(self) -> int:
        """How many sides to move each file of pawns has."""
        return 1 if self.distances or is_symmetric(self.material) else 2

    @cached_property
    def short(self) -> NDArray[np.bool_]:
        """[side to move, is it a win?]: whether a distance may be one ply short.

        It is where some sub-table counts in pairs of plies. Only one side to move is stored; the
        wins of the other one are counted from its losses. If both sides have the same men, each
        side to move is stored as the other one.
        """
        short = np.zeros((len(SIDES), 2), np.bool_)
        for flags in self.rows[:, tables.DISTANCE_FLAGS].tolist():
            stored = 1 if flags & tables.SECOND_SIDE else 0
            for win, exact in ((0, tables.LOSSES_IN_PLIES), (1, tables.WINS_IN_PLIES)):
                if flags & exact:
                    continue
                short[stored, win] = True
                other = win if is_symmetric(self.material) else 1 - win
                short[1 - stored, other] = True
        return short

    def _rows(self) -> NDArray[np.int64]:
        if len(self._data) % 64 != TRAILER:
            raise ValueError("its size is none that such a file has")
        expected = SPLIT * (not is_symmetric(self.material))
        expected |= WITH_PAWNS * self.material.has_pawns
        if self._bytes(5)[4] & (SPLIT | WITH_PAWNS) != expected:
            raise ValueError("it is of another endgame than its name says")
        descriptors = self._descriptors()
        rows = np.zeros((len(descriptors), tables.ROW_WIDTH), np.int64)
        rows[:, tables.ONLY_VALUE] = -1
        for row, descriptor in zip(rows, descriptors, strict=True):
            row[: numbering.NUMBERING_COLUMNS] = descriptor.numbering
            row[tables.LISTED_MEN : tables.LISTED_MEN + len(descriptor.men)] = descriptor.men
        packed = [self._header(row) for row in rows]
        if self.distances:
            self._read_maps(rows)
        self._place_parts(rows, packed)
        return rows

    def _descriptors(self) -> list[Descriptor]:
        """The descriptors of all sub-tables, in their order."""
        found = []
        for file in files_of(self.material):
            data = self._bytes(size_of(self.material)).tobytes()
            for side in SIDES[: self.sides]:
                found.append(Descriptor.from_bytes(data, self.material, side, file))
        self._at += self._at & 1
        return found

    def _header(self, row: NDArray[np.int64]) -> Packed | None:
        """The header of a sub-table; None if it has a single value."""
        flags, second = self._bytes(2).tolist()
        row[tables.DISTANCE_FLAGS] = flags
        if flags & ONE_VALUE:
            row[tables.ONLY_VALUE] = self._single(second)
            return None
        span_bits, padding = self._bytes(2).tolist()
        (blocks,) = self._bytes(4).view("<u4").tolist()
        longest, shortest = self._bytes(2).tolist()
        if not 1 <= shortest <= longest <= LONGEST_CODE:
            raise ValueError("it has codes of impossible lengths")
        if second > LARGEST_BLOCK or not 1 <= span_bits <= LONGEST_SPAN:
            raise ValueError("it has blocks of an impossible size")
        first = self._bytes(2 * (longest - shortest + 1)).view("<u2").astype(np.int64)
        (symbols,) = self._bytes(2).view("<u2").tolist()
        if not 0 < symbols <= 0xFFF:
            raise ValueError("it has an impossible number of symbols")
        mask = NO_RIGHT_HALF if self.distances else LOW_BYTE
        codebook = Codebook(first, shortest, self._bytes(3 * symbols), mask)
        if not self.distances and (codebook.values > MOST_OUTCOME).any():
            raise ValueError("it has an outcome that is none")
        self._at += self._at & 1
        return Packed(second, span_bits, padding, blocks, codebook)

    def _single(self, value: int) -> int:
        """The value of all placements of a sub-table."""
        if self.distances:
            return 0
        if value > MOST_OUTCOME:
            raise ValueError("it has an outcome that is none")
        return value

    def _read_maps(self, rows: NDArray[np.int64]) -> None:
        """The maps of distances, one for each outcome: +2, -2, +1, -1."""
        for row in rows:
            if not row[tables.DISTANCE_FLAGS] & MAPPED:
                continue
            wide = bool(row[tables.DISTANCE_FLAGS] & WIDE_MAPS)
            self._at += self._at & 1 if wide else 0
            kind, size = ("<u2", 2) if wide else ("<u1", 1)
            lists = []
            for _ in range(4):
                (count,) = self._bytes(size).view(kind).tolist()
                lists.append(self._bytes(size * count).view(kind).astype(np.uint16))
            entries = np.concatenate([*lists, np.zeros(1, np.uint16)])
            self._maps.append(entries)
            row[tables.MAPS] = entries.ctypes.data
            bounds = np.cumsum([0, *map(len, lists)])
            row[tables.MAP_FIRST : tables.MAP_FIRST + 5] = bounds
        self._at += self._at & 1

    def _place_parts(self, rows: NDArray[np.int64], packed: list[Packed | None]) -> None:
        """The rows say where their index, the lengths of blocks and the data are."""
        parts = [(row, part) for row, part in zip(rows, packed, strict=True) if part is not None]
        self.codebooks = {i: part.codebook for i, part in enumerate(packed) if part is not None}
        for row, part in parts:
            row[tables.BLOCK_BITS], row[tables.SPAN_BITS] = part.block_bits, part.span_bits
            row[tables.REAL_BLOCKS] = part.blocks
            row[tables.BLOCKS] = part.blocks + part.padding
            row[tables.SYMBOLS] = part.codebook.symbols
            row[tables.CODEBOOK] = part.codebook.address
            entries = -(-int(row[numbering.PLACEMENTS]) >> part.span_bits)
            row[tables.INDEX] = self._area(6 * entries)
        for row, part in parts:
            row[tables.LENGTHS] = self._area(2 * (part.blocks + part.padding))
        for row, part in parts:
            self._at += -self._at % 64
            row[tables.BLOCK_DATA] = self._area(part.blocks << part.block_bits)
        if self._at > len(self._data) - TRAILER:
            raise ValueError("it is truncated")

    def _area(self, size: int) -> int:
        """The address of so many bytes, which are all in the file."""
        return self._bytes(size).ctypes.data

    def _bytes(self, size: int) -> NDArray[np.uint8]:
        """The next bytes."""
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise ValueError("it is truncated")
        self._at += size
        return found


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file
        raise DamagedFile(path, "is empty") from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableFile(path, error) from error
    if hasattr(mmap, "MADV_RANDOM"):
        data.madvise(mmap.MADV_RANDOM)
    return data
