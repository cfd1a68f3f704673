"""A written Syzygy file is compared with the table it was made of, entry by entry.

The file is decoded as any reader does it. Which value belongs to which position is found by the
walk that the writer takes, and for a sample of all numbers by a probe of each position.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.interop.syzygy.descriptors import Descriptor
from unmove.interop.syzygy.distances import DECISIVE, stored_value
from unmove.interop.syzygy.file import MAPPED, SyzygyFile
from unmove.interop.syzygy.tokens import ALLOWED, OUTCOME_KINDS
from unmove.interop.syzygy.walks import TokenField
from unmove.kernels.locate import locate
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.comparing import count_forbidden, read_shorts
from unmove.kernels.syzygy.decode import unpack
from unmove.kernels.syzygy.numbering import PLACEMENTS, squares_of
from unmove.values import DRAW, Code, outcome50_of

RANGES: Final = 64
PROBED: Final = 1 << 10
"""In so many ranges of so many numbers, positions are looked up by the squares of their men."""
MOST_VALUE: Final = 1 << 12


class WrittenFile:
    """A file that was just written, open."""

    def __init__(self, path: Path, file: SyzygyFile, descriptors: Sequence[Descriptor]) -> None:
        self._path = path
        self._file = file
        self._descriptors = descriptors

    def check(self, number: int, field: TokenField, allowed: NDArray[np.bool_]) -> None:
        """The sub-table of this number holds what the tokens allow; DamagedFile otherwise."""
        descriptor = self._descriptors[number]
        values = self._values(number)
        wrong = count_forbidden(field.ordered(descriptor), values, allowed)
        for first in np.linspace(0, max(0, descriptor.size - PROBED), RANGES).astype(int).tolist():
            stop = min(first + PROBED, descriptor.size)
            probed = probed_tokens(field, descriptor, first, stop)
            wrong += int((~allowed[probed, values[first:stop]]).sum())
        if wrong:
            raise DamagedFile(self._path, f"differs from its table in {wrong:,} entries")

    def distances_allowed(self, number: int, codes: Sequence[Code]) -> NDArray[np.bool_]:
        """[token, value]: whether the value stands for the code of the token."""
        row = self._file.rows[number]
        flags = int(row[tables.DISTANCE_FLAGS])
        allowed = np.ones((len(codes), MOST_VALUE), np.bool_)
        for token, code in enumerate(codes):
            if code > DRAW:
                meant = self._meant(row, DECISIVE.index(outcome50_of(code)))
                allowed[token] = meant == stored_value(code, flags)
        return allowed

    def side(self, number: int) -> int:
        """The side to move of a sub-table of distances."""
        return int(self._file.rows[number, tables.DISTANCE_FLAGS]) & tables.SECOND_SIDE

    def _meant(self, row: NDArray[np.int64], outcome: int) -> NDArray[np.int64]:
        """[value]: what it stands for in a class of distances; -1 for nothing."""
        if not row[tables.DISTANCE_FLAGS] & MAPPED:
            return np.arange(MOST_VALUE)
        first, stop = row[tables.MAP_FIRST + outcome : tables.MAP_FIRST + outcome + 2].tolist()
        meant = np.full(MOST_VALUE, -1, np.int64)
        read_shorts(row[tables.MAPS] + 2 * first, meant[: stop - first])
        return meant

    def _values(self, number: int) -> NDArray[Any]:
        """All values of a sub-table; DamagedFile if it cannot be decoded."""
        row = self._file.rows[number]
        if row[tables.ONLY_VALUE] >= 0:
            return np.full(row[PLACEMENTS], row[tables.ONLY_VALUE], np.uint8)
        values = np.empty(row[PLACEMENTS], np.uint16 if self._file.distances else np.uint8)
        if not unpack(row, np.zeros(row[tables.SYMBOLS], np.int32), values):
            raise DamagedFile(self._path, "cannot be decoded")
        return values


def outcomes_allowed() -> NDArray[np.bool_]:
    """[token, value]: whether a file may hold an outcome in place of the token."""
    return np.array(
        [[bool(mask >> n & 1) for n in range(OUTCOME_KINDS)] for mask in ALLOWED.tolist()]
    )


def probed_tokens(field: TokenField, descriptor: Descriptor, first: int, stop: int) -> NDArray[Any]:
    """The tokens of a range of numbers, found by the squares of their men."""
    count = stop - first
    squares = np.empty((count, len(descriptor.pieces)), np.int64)
    squares_of(descriptor.numbering, first, squares)
    rows, cells = np.empty(count, np.int32), np.empty(count, np.int32)
    named = np.empty(squares.shape, np.uint8)
    named[:, descriptor.men] = squares
    locate(named, field.chart, rows, cells)
    found: NDArray[Any] = field.values[rows, cells]
    return found
