"""A written Syzygy file is compared with the table it was made of, entry by entry.

The file is decoded as any reader does it. It is right if it has the values that were packed, as
their digest tells, and if it means by each of them what the tokens beside it allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.interop.syzygy.distances import DECISIVE, stored_value
from unmove.interop.syzygy.entries import Entries, digest_of, value_type
from unmove.interop.syzygy.file import MAPPED, SyzygyFile
from unmove.interop.syzygy.subtables import EncodedSubtable
from unmove.interop.syzygy.tokens import ALLOWED, OUTCOME_KINDS
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.comparing import read_shorts
from unmove.kernels.syzygy.decode import unpack, value_at
from unmove.kernels.syzygy.numbering import NUMBERING_COLUMNS, PLACEMENTS
from unmove.values import DRAW, Code, outcome50_of

MOST_VALUE: Final = 1 << 12
LOOKED_UP: Final = 1 << 12
"""So many entries of a sub-table are looked up one by one, through its index."""


class WrittenFile:
    """A file that was just written, reopened."""

    def __init__(self, file: SyzygyFile, made: Sequence[EncodedSubtable]) -> None:
        self._file = file
        self._made = made

    def check(self, number: int, codes: Sequence[Code]) -> None:
        """The sub-table of this number holds what the tokens allow; DamagedFile otherwise."""
        row, made = self._file.rows[number], self._made[number]
        allowed = outcomes_allowed()
        if self._file.distances:
            allowed = self._distances_allowed(row, codes)
            if (row[tables.DISTANCE_FLAGS] ^ made.flags) & tables.SECOND_SIDE:
                raise DamagedFile(self._file.path, "has distances of another side to move")
        if (row[:NUMBERING_COLUMNS] != made.descriptor.numbering).any():
            raise DamagedFile(self._file.path, "numbers its positions in another way")
        self._check_values(row, made.entries)
        wrong = made.entries.forbidden(allowed)
        if wrong:
            raise DamagedFile(self._file.path, f"differs from its table in {wrong:,} entries")

    def _check_values(self, row: NDArray[np.int64], entries: Entries) -> None:
        """All values are those that were packed; DamagedFile otherwise."""
        only = int(row[tables.ONLY_VALUE])
        if only >= 0:
            same = entries.values.tolist() == [only]
        else:
            values = np.empty(row[PLACEMENTS], value_type(distances=self._file.distances))
            if not unpack(row, np.zeros(row[tables.SYMBOLS], np.int32), values):
                raise DamagedFile(self._file.path, "cannot be decoded")
            same = digest_of(values) == entries.digest
            if same and not _are_found(row, values):
                raise DamagedFile(self._file.path, "has an index that leads to other values")
        if not same:
            raise DamagedFile(self._file.path, "does not hold the values that were packed")

    def _distances_allowed(
        self, row: NDArray[np.int64], codes: Sequence[Code]
    ) -> NDArray[np.bool_]:
        """[token, value]: whether the value stands for the code of the token."""
        flags = int(row[tables.DISTANCE_FLAGS])
        allowed = np.ones((len(codes), MOST_VALUE), np.bool_)
        for token, code in enumerate(codes):
            if code > DRAW:
                meant = self._meant(row, DECISIVE.index(outcome50_of(code)))
                allowed[token] = meant == stored_value(code, flags)
        return allowed

    def _meant(self, row: NDArray[np.int64], outcome: int) -> NDArray[np.int64]:
        """[value]: what it stands for in a class of distances; -1 for nothing."""
        if not row[tables.DISTANCE_FLAGS] & MAPPED:
            return np.arange(MOST_VALUE)
        first, stop = row[tables.MAP_FIRST + outcome : tables.MAP_FIRST + outcome + 2].tolist()
        meant = np.full(MOST_VALUE, -1, np.int64)
        read_shorts(row[tables.MAPS] + 2 * first, meant[: stop - first])
        return meant


def _are_found(row: NDArray[np.int64], values: NDArray[Any]) -> bool:
    """Whether single values are found where they stand, by way of the index of blocks."""
    numbers = np.linspace(0, len(values) - 1, min(LOOKED_UP, len(values))).astype(int).tolist()
    return all(value_at(number, row) == values[number] for number in numbers)


def outcomes_allowed() -> NDArray[np.bool_]:
    """[token, value]: whether a file may hold an outcome in place of the token."""
    return np.array(
        [[bool(mask >> n & 1) for n in range(OUTCOME_KINDS)] for mask in ALLOWED.tolist()]
    )
