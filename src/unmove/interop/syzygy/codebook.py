"""The symbols of a sub-table and their codes, checked, as the decoder reads them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.syzygy import tables

NO_RIGHT_HALF: Final = 0xFFF
"""In place of the right half of a symbol that is a value and no pair."""
LONGEST_CODE: Final = 32
LONGEST_SYMBOL: Final = 256


class Codebook:
    """The words that `kernels/syzygy/decode.py` reads, and how many symbols there are.

    first[i]: the first symbol of codes of shortest + i bits. data: three bytes a symbol. mask: the
    bits that count of a value. ValueError for codes that are none, and for symbols without an end.
    """

    def __init__(
        self,
        first: NDArray[np.int64],
        shortest: int,
        data: NDArray[np.uint8],
        mask: int = NO_RIGHT_HALF,
    ) -> None:
        bytes_ = data.astype(np.int64).reshape(-1, 3)
        left = bytes_[:, 0] | (bytes_[:, 1] & 15) << 8
        right = bytes_[:, 1] >> 4 | bytes_[:, 2] << 4
        lengths = _lengths(left, right)
        left = np.where(right == NO_RIGHT_HALF, left & mask, left)
        self.symbols = len(left)
        self.values = left[right == NO_RIGHT_HALF]
        """The values of single symbols."""
        self.words = np.zeros(tables.SYMBOL_RECORDS + self.symbols, np.uint64)
        base = _bases(first, shortest)
        stop = shortest + len(first)
        self.words[tables.BASE + shortest : tables.BASE + stop] = base
        self.words[tables.FIRST_SYMBOL + shortest : tables.FIRST_SYMBOL + stop] = first
        records = left | np.where(right == NO_RIGHT_HALF, 0, right) << 12 | lengths << 24
        self.words[tables.SYMBOL_RECORDS :] = records
        tops = np.arange(1, 257, dtype=np.uint64) * np.uint64(1 << 56) - np.uint64(1)
        fits = tops[:, None] >= base[None, :]
        beginning = self.words[tables.SHORTEST_CODES : tables.SYMBOL_RECORDS].view(np.uint8)
        beginning[:] = shortest + fits.argmax(axis=1)

    @property
    def address(self) -> int:
        """Where the words stand."""
        return self.words.ctypes.data


def _bases(first: NDArray[np.int64], shortest: int) -> NDArray[np.uint64]:
    """[length - shortest]: the first code, its bits at the top of a word."""
    bases: list[int] = [0]
    for longer, one in zip(first[::-1].tolist(), first[-2::-1].tolist(), strict=False):
        if one < longer:
            raise ValueError("it has codes in no order")
        bases.append((bases[-1] + one - longer) // 2)
    bases.reverse()
    if any(base >> (shortest + i) for i, base in enumerate(bases)):
        raise ValueError("it has more codes than there can be")
    return np.array([base << (64 - shortest - i) for i, base in enumerate(bases)], np.uint64)


def _lengths(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """[symbol]: how many values it stands for."""
    single = right == NO_RIGHT_HALF
    pairs = np.flatnonzero(~single)
    halves = np.stack([left[pairs], right[pairs]], axis=1)
    if (halves >= len(left)).any():
        raise ValueError("it has pairs of symbols that do not exist")
    lengths: NDArray[np.int64] = single.astype(np.int64)
    while len(pairs):
        parts = lengths[halves]
        known = (parts > 0).all(axis=1)
        if not known.any():
            raise ValueError("it has symbols without an end")
        lengths[pairs[known]] = parts[known].sum(axis=1)
        pairs, halves = pairs[~known], halves[~known]
    if (lengths > LONGEST_SYMBOL).any():
        raise ValueError("it has symbols that are too long")
    return lengths
