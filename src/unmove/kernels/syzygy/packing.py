"""Symbols become bits, in blocks of so many bytes, each of which begins with a new symbol.

The last symbol of a block may stand for more values than the block has: readers ignore what is
left over. So a symbol that does not fit may give way to one with a shorter code that begins with
it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel

MOST_BLOCK_VALUES: Final = 1 << 16
"""The values of a block, at most: its length is stored in two bytes, less one."""


class CodeTable(NamedTuple):
    """The codes of symbols."""

    code: NDArray[np.uint32]  # [symbol]
    bits: NDArray[np.int64]  # [symbol]: the length of its code
    values: NDArray[np.int64]  # [symbol]: how many values it stands for
    last: NDArray[np.int64]  # [symbol]: the symbol of the shortest code that begins with it


@kernel
def cut_blocks(
    sequence: NDArray[Any],
    book: CodeTable,
    room: int,
    starts: NDArray[np.int64],
    lengths: NDArray[np.uint16],
) -> int:
    """Blocks of `room` bits take the sequence from left to right; returns how many there are.

    starts[block] is its first symbol, and one more entry closes the last one. lengths[block] is the
    number of its values, less one.
    """
    blocks, used, values = 0, 0, 0
    for i in range(sequence.shape[0]):
        symbol = np.int64(sequence[i])
        fits = values + book.values[symbol] <= MOST_BLOCK_VALUES
        if values == 0:
            starts[blocks] = i
        if not fits or used + book.bits[book.last[symbol]] > room:
            lengths[blocks] = np.uint16(values - 1)
            blocks += 1
            starts[blocks] = i
            used, values = 0, 0
        used += book.bits[symbol]
        values += book.values[symbol]
        if used > room:  # a shorter code closes the block
            lengths[blocks] = np.uint16(values - 1)
            blocks += 1
            used, values = 0, 0
    if values > 0:
        lengths[blocks] = np.uint16(values - 1)
        blocks += 1
    starts[blocks] = sequence.shape[0]
    return blocks


@inlined
def put_bits(out: NDArray[np.uint8], base: int, at: int, code: np.int64, bits: int) -> None:
    """The bits of a code follow bit `at` of the bytes from `base` on, the highest first."""
    for i in range(bits):
        if code >> (bits - 1 - i) & 1:
            place = at + i
            out[base + (place >> 3)] |= np.uint8(128 >> (place & 7))


@kernel
def write_blocks(
    first: int,
    stop: int,
    sequence: NDArray[Any],
    starts: NDArray[np.int64],
    book: CodeTable,
    size: int,
    out: NDArray[np.uint8],
) -> None:
    """The bytes of blocks first .. stop - 1, of `size` bytes each, are in `out`, which is zero."""
    for block in range(first, stop):
        at = 0
        for i in range(starts[block], starts[block + 1]):
            symbol = np.int64(sequence[i])
            if at + book.bits[symbol] > 8 * size:
                symbol = book.last[symbol]
            bits = book.bits[symbol]
            put_bits(out, block * size, at, np.int64(book.code[symbol]), bits)
            at += bits
