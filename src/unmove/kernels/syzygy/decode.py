"""The values of a Syzygy sub-table: one at a time, or all.

Huffman codes of symbols fill blocks of bytes; a symbol is a value or a pair of symbols. Every
number that is read is tested before it is used, so that a file with any bytes in it leads to a
value or to DAMAGED, after a bounded time.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.syzygy.numbering import PLACEMENTS
from unmove.kernels.syzygy.raw import bits_at, byte_at, long_at, short_at, word_at
from unmove.kernels.syzygy.tables import (
    BASE,
    BLOCK_BITS,
    BLOCK_DATA,
    BLOCKS,
    CODEBOOK,
    FIRST_SYMBOL,
    INDEX,
    LENGTHS,
    ONLY_VALUE,
    REAL_BLOCKS,
    SHORTEST_CODES,
    SPAN_BITS,
    SYMBOL_RECORDS,
    SYMBOLS,
    UNPACKED,
    WIDE,
)

DAMAGED: Final = -1
MOST_BLOCK_STEPS: Final = 1 << 16
"""Blocks between an entry of the index and the block of a value; 32 in files of the generator."""

LEFT_MASK: Final = np.uint64(0xFFF)
RIGHT_SHIFT: Final = np.uint64(12)
LENGTH_SHIFT: Final = np.uint64(24)


@inlined
def record_of(symbol: int, codebook: int) -> np.uint64:
    """What the codebook has about a symbol."""
    return np.uint64(word_at(codebook + 8 * (SYMBOL_RECORDS + symbol)))


@inlined
def length_of(record: np.uint64) -> int:
    """How many values a symbol stands for."""
    return int(np.int64(record >> LENGTH_SHIFT))


@inlined
def left_of(record: np.uint64) -> int:
    """The first half of a symbol, or the value of a single one."""
    return int(np.int64(record & LEFT_MASK))


@inlined
def right_of(record: np.uint64) -> int:
    """The second half of a symbol."""
    return int(np.int64(record >> RIGHT_SHIFT & LEFT_MASK))


@inlined
def next_code(bits: np.uint64, codebook: int) -> tuple[int, int]:
    """The length of the code that the bits begin with, and its symbol, which may not exist."""
    length = byte_at(codebook + 8 * SHORTEST_CODES + np.int64(bits >> np.uint64(56)))
    while bits < word_at(codebook + 8 * (BASE + length)):
        length += 1
    above = (bits - word_at(codebook + 8 * (BASE + length))) >> np.uint64(64 - length)
    return length, int(np.int64(word_at(codebook + 8 * (FIRST_SYMBOL + length)) + above))


@inlined
def block_of(number: int, row: NDArray[np.int64]) -> tuple[int, int]:
    """The block that holds a value, and its place in it; DAMAGED without one."""
    span = row[SPAN_BITS]
    entry = row[INDEX] + 6 * (number >> span)
    block = long_at(entry)
    place = short_at(entry + 4) + (number & ((1 << span) - 1)) - (1 << (span - 1))
    blocks, lengths = row[BLOCKS], row[LENGTHS]
    for _ in range(MOST_BLOCK_STEPS):
        if place < 0:
            block -= 1
        if block < 0 or block >= blocks:
            break
        length = 1 + short_at(lengths + 2 * block)
        if place < 0:
            place += length
        elif place < length:
            return (block if block < row[REAL_BLOCKS] else DAMAGED), place
        else:
            place -= length
            block += 1
    return DAMAGED, 0


@inlined
def value_in_block(block: int, place: int, row: NDArray[np.int64]) -> int:
    """The value at a place of a block."""
    codebook, symbols = row[CODEBOOK], row[SYMBOLS]
    data, end, bit = row[BLOCK_DATA] + (block << row[BLOCK_BITS]), 8 << row[BLOCK_BITS], 0
    while bit < end:
        bits = np.uint64(bits_at(data + (bit >> 3))) << np.uint64(bit & 7)
        length, symbol = next_code(bits, codebook)
        if symbol >= symbols:
            return DAMAGED
        record = record_of(symbol, codebook)
        values = length_of(record)
        if place >= values:
            place -= values
            bit += length
            continue
        while values > 1:
            left = record_of(left_of(record), codebook)
            values = length_of(left)
            if place < values:
                record = left
            else:
                place -= values
                record = record_of(right_of(record), codebook)
                values = length_of(record)
        return left_of(record)
    return DAMAGED


@kernel
def value_at(number: int, row: NDArray[np.int64]) -> int:
    """The value of a placement by its number; DAMAGED if the file has none."""
    if row[ONLY_VALUE] >= 0:
        return int(row[ONLY_VALUE])
    if number < 0 or number >= row[PLACEMENTS]:
        return DAMAGED
    if row[UNPACKED] != 0:
        if row[WIDE]:
            return int(short_at(row[UNPACKED] + 2 * number))
        return int(byte_at(row[UNPACKED] + number))
    block, place = block_of(number, row)
    if block == DAMAGED:
        return DAMAGED
    return value_in_block(block, place, row)


@inlined
def expand(symbol: int, codebook: int, out: NDArray[Any], first: int, stop: int) -> int:
    """out[first:] = the values of a symbol, but none from `stop` on; returns where they end.

    A pair is walked down to its first value again and again: depths are small.
    """
    whole = length_of(record_of(symbol, codebook))
    for i in range(min(whole, stop - first)):
        record, place = record_of(symbol, codebook), i
        while length_of(record) > 1:
            left = record_of(left_of(record), codebook)
            if place < length_of(left):
                record = left
            else:
                place -= length_of(left)
                record = record_of(right_of(record), codebook)
        out[first + i] = left_of(record)
    return min(first + whole, stop)


@kernel
def unpack(row: NDArray[np.int64], starts: NDArray[np.int32], out: NDArray[Any]) -> bool:
    """out = all values of a sub-table, which has several; False if the file is damaged.

    `starts` is room for a number a symbol: where its values are in `out` already, plus 1. So most
    symbols are copied.
    """
    codebook, symbols, size = row[CODEBOOK], row[SYMBOLS], row[PLACEMENTS]
    starts[:] = 0
    first = 0
    for block in range(row[REAL_BLOCKS]):
        stop = first + 1 + short_at(row[LENGTHS] + 2 * block)
        data, end, bit = row[BLOCK_DATA] + (block << row[BLOCK_BITS]), 8 << row[BLOCK_BITS], 0
        if stop > size:
            return False
        while first < stop:
            if bit >= end:
                return False
            bits = np.uint64(bits_at(data + (bit >> 3))) << np.uint64(bit & 7)
            length, symbol = next_code(bits, codebook)
            if symbol >= symbols:
                return False
            bit += length
            values = length_of(record_of(symbol, codebook))
            known = starts[symbol] - 1
            if known >= 0 and first + values <= stop:
                for i in range(values):
                    out[first + i] = out[known + i]
                first += values
                continue
            begin, first = first, expand(symbol, codebook, out, first, stop)
            if first - begin == values and begin < (1 << 31) - 1:
                starts[symbol] = begin + 1
    return bool(first == size)
