"""A sub-table's values as a Syzygy file holds them: symbols, codes, blocks and their index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.huffman import CanonicalCode, canonical_code
from unmove.interop.syzygy.pairing import VALUE, Grammar
from unmove.kernels.syzygy.packing import MOST_BLOCK_VALUES, CodeTable, cut_blocks, write_blocks
from unmove.kernels.syzygy.pairing import count_symbols

LEAF_MARK: Final = 0xFFF
"""In place of the right half of a symbol that stands for one value."""
BLOCKS_AN_ENTRY: Final = 4
"""An entry of the index is for 2 to this power blocks or more."""


@dataclass(frozen=True)
class PackedValues:
    """A sub-table that is ready for its file, but for the flags of its header."""

    header: bytes
    """What follows the flags."""
    index: bytes
    lengths: bytes
    data: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        """The bytes that it takes in a file."""
        return 1 + len(self.header) + len(self.index) + len(self.lengths) + len(self.data)


@dataclass(frozen=True)
class SingleValue:
    """A sub-table all of whose entries have one value."""

    value: int

    @property
    def nbytes(self) -> int:
        """The bytes that it takes in a file."""
        return 2


@dataclass(frozen=True)
class _BlockCuts:
    """The cuts of a sequence into blocks of 2 ** exponent bytes."""

    exponent: int
    starts: NDArray[np.int64]
    lengths: NDArray[np.uint16]

    @property
    def cost(self) -> int:
        """Bytes: the blocks and their lengths."""
        return len(self.lengths) * (2 + (1 << self.exponent))


def packed(
    sequence: NDArray[np.uint16], grammar: Grammar, size: int, exponents: Sequence[int]
) -> PackedValues:
    """The symbols of a sequence, which stand for `size` values, in blocks of the best size.

    The exponents of two of possible sizes in bytes are tried until the sum grows.
    """
    counts = np.zeros(grammar.symbols, np.int64)
    count_symbols(sequence, counts)
    code = canonical_code(counts)
    number = np.argsort(code.order)
    renumbered = number.astype(np.uint16)[sequence]
    book = _code_table(grammar, code, number)
    blocks = _best_blocks(renumbered, book, exponents)
    count, room = len(blocks.lengths), 1 << blocks.exponent
    data = np.zeros(count * room, np.uint8)
    write_blocks(0, count, renumbered, blocks.starts, book, room, data)
    bits, index, lengths = _index_of(blocks.lengths, size)
    header = b"".join(
        [
            pack("<BBBI", blocks.exponent, bits, len(lengths) - count, count),
            pack("<BB", code.longest, code.shortest),
            code.first.astype("<u2").tobytes(),
            pack("<H", grammar.symbols),
            _symbol_table(grammar, code, number),
        ]
    )
    return PackedValues(header, index, lengths.tobytes(), data)


def _code_table(grammar: Grammar, code: CanonicalCode, number: NDArray[np.int64]) -> CodeTable:
    """The codes by the new numbers of symbols."""
    order = code.order
    last = np.arange(len(order))
    bits = code.bits
    for symbol in np.flatnonzero(bits).tolist():
        inner = int(order[symbol])
        while grammar.right[inner] != VALUE:
            inner = int(grammar.left[inner])
            beginning = number[inner]
            if bits[last[beginning]] == 0 or bits[symbol] < bits[last[beginning]]:
                last[beginning] = symbol
    return CodeTable(code.codes, bits, grammar.values[order], last)


def _best_blocks(
    sequence: NDArray[np.uint16], book: CodeTable, exponents: Sequence[int]
) -> _BlockCuts:
    """The blocks of the first size after which a further one takes more bytes."""
    best = None
    for exponent in exponents:
        blocks = _cut(sequence, book, exponent)
        if best is not None and blocks.cost >= best.cost:
            break
        best = blocks
    if best is None:
        raise ValueError("no size of blocks is given")
    return best


def _cut(sequence: NDArray[np.uint16], book: CodeTable, exponent: int) -> _BlockCuts:
    room = 8 << exponent
    bits = int(book.bits[sequence].sum())
    values = int(book.values[sequence].sum())
    most = 2 + bits // (room - int(book.bits.max())) + values // (MOST_BLOCK_VALUES - 256)
    starts, lengths = np.zeros(most + 2, np.int64), np.zeros(most + 1, np.uint16)
    count = cut_blocks(sequence, book, room, starts, lengths)
    return _BlockCuts(exponent, starts[: count + 1], lengths[:count])


def _symbol_table(grammar: Grammar, code: CanonicalCode, number: NDArray[np.int64]) -> bytes:
    """Three bytes a symbol: its halves, of 12 bits each."""
    left, right = grammar.left[code.order], grammar.right[code.order]
    leaf = right == VALUE
    left = np.where(leaf, left, number[left])
    right = np.where(leaf, LEAF_MARK, number[right])
    table = np.stack([left & 255, left >> 8 | (right & 15) << 4, right >> 4], axis=1)
    return table.astype(np.uint8).tobytes()


def _index_of(lengths: NDArray[np.uint16], size: int) -> tuple[int, bytes, NDArray[np.uint16]]:
    """The exponent of its span, the index, and the lengths, of blocks that pad the end, too."""
    bits = (size // len(lengths)).bit_length() + BLOCKS_AN_ENTRY
    while bits > 1 and 1 << (bits - 1) > size:
        bits -= 1
    middles = (np.arange(-(-size >> bits)) << bits) + (1 << (bits - 1))
    missing = max(0, int(middles[-1]) + 1 - size)
    padding = np.full(-(-missing // MOST_BLOCK_VALUES), MOST_BLOCK_VALUES - 1, np.uint16)
    padded = np.concatenate([lengths, padding])
    ends = np.cumsum(padded.astype(np.int64) + 1)
    block = np.searchsorted(ends, middles, side="right")
    entries = np.zeros(len(middles), np.dtype([("block", "<u4"), ("offset", "<u2")]))
    entries["block"] = block
    entries["offset"] = middles - (ends[block] - padded[block] - 1)
    return bits, entries.tobytes(), padded.astype("<u2")
