"""Small Syzygy files, made from our tables in plain Python: every value is stored as it is.

Values of three men are coded in two ways that readers must know: runs of equal values as pairs of
pairs with codes of Huffman's, or each value with a code of the same length.
"""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.codebook import NO_RIGHT_HALF
from unmove.interop.syzygy.descriptors import Descriptor, files_of
from unmove.interop.syzygy.file import SUFFIXES, SYZYGY_MAGIC
from unmove.interop.syzygy.materials import file_material, is_symmetric
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.numbering import squares_of
from unmove.probe.bulk import Values

BLOCK_BITS = 6
BLOCK = 8 << BLOCK_BITS  # bits
LOSSES_AND_WINS_IN_PLIES = 12


class Tables(Protocol):
    """Our tables, or what has other values in their place."""

    def probe_many(self, name: Any, squares: Any, turns: Any, metric: str, /) -> Values: ...


def write(
    folder: Path,
    name: str,
    kind: int,
    ours: Tables,
    *,
    runs: bool = False,
    pairs: bool = False,
) -> Path:
    """The file of an endgame is in the folder; with `pairs` it counts in pairs of plies."""
    material = file_material(name)
    sides = 1 if kind == tables.DISTANCES or is_symmetric(material) else 2
    descriptors = [Descriptor.usual(material, file) for file in files_of(material)]
    flags = (not is_symmetric(material)) | 2 * material.has_pawns | material.men << 4
    head = SYZYGY_MAGIC[kind] + bytes([flags])
    for descriptor in descriptors:
        head += descriptor.to_bytes(descriptor if sides == 2 else None)
    parts = [
        packed(values_of(descriptor, side, kind, ours, pairs=pairs), kind, runs=runs, pairs=pairs)
        for descriptor in descriptors
        for side in range(sides)
    ]
    head += b"\0" * (len(head) % 2)
    head += b"".join(part[0] for part in parts)
    head += b"".join(part[1] for part in parts)
    head += b"".join(part[2] for part in parts)
    for part in parts:
        head += b"\0" * (-len(head) % 64) + part[3]
    path = folder / (material.name + SUFFIXES[kind])
    path.write_bytes(head + b"\0" * (-len(head) % 64) + b"unmove test file")
    return path


def values_of(
    descriptor: Descriptor, side: int, kind: int, ours: Tables, *, pairs: bool = False
) -> NDArray[np.int64]:
    """[number]: what a file has for a placement, one side to move."""
    squares = np.empty((descriptor.size, descriptor.material.men), np.int64)
    squares_of(descriptor.numbering, 0, squares)
    rows = np.empty(squares.shape, np.uint8)
    rows[:, descriptor.men] = squares
    turns = np.full(len(rows), side, np.uint8)
    found = ours.probe_many(descriptor.material, rows, turns, "dtz")
    outcomes = np.where(found.legal, found.outcome50, 0).astype(np.int64)
    if kind == tables.OUTCOMES:
        return outcomes + 2
    return np.where(outcomes == 0, 0, stored_plies(found, outcomes, pairs=pairs))


def stored_plies(
    found: Values, outcomes: NDArray[np.int64], *, pairs: bool = False
) -> NDArray[np.int64]:
    """Our distances as files have them; in pairs where the 50-move rule makes it a draw."""
    plies = np.maximum(np.abs(found.plies.astype(np.int64)), 1) - 1
    return plies // 2 if pairs else np.where(np.abs(outcomes) == 1, plies // 2, plies)


def packed(
    values: NDArray[np.int64], kind: int, *, runs: bool, pairs: bool = False
) -> tuple[bytes, bytes, bytes, bytes]:
    """The header, index, lengths of blocks and data of a sub-table."""
    flags = LOSSES_AND_WINS_IN_PLIES if kind == tables.DISTANCES and not pairs else 0
    if (values == values[0]).all() and (values[0] == 0 or kind == tables.OUTCOMES):
        return bytes([flags | 128, values[0]]), b"", b"", b""
    kinds = np.unique(values).tolist()
    symbols = [(value, NO_RIGHT_HALF) for value in kinds]
    sizes = [1] * len(kinds)
    stream = np.searchsorted(kinds, values)
    lengths = [max(1, (len(kinds) - 1).bit_length())] * len(kinds)
    if runs:
        symbols, sizes, stream = with_runs(symbols, stream.tolist())
        lengths = code_lengths(stream.tolist(), len(symbols))
    order = sorted(range(len(symbols)), key=lambda symbol: -lengths[symbol])
    place = {symbol: number for number, symbol in enumerate(order)}
    table = b""
    for left, right in (symbols[symbol] for symbol in order):
        entry = left if right == NO_RIGHT_HALF else place[left]
        entry |= (right if right == NO_RIGHT_HALF else place[right]) << 12
        table += entry.to_bytes(3, "little")
    most, least = max(lengths), min(lengths)
    first = [sum(length > bits for length in lengths) for bits in range(least, most + 1)]
    codes = codes_of([lengths[symbol] for symbol in order])
    if runs:
        text = {symbol: f"{codes[place[symbol]]:0{lengths[symbol]}b}" for symbol in place}
        blocks, counts = in_blocks(stream.tolist(), sizes, text)
    else:
        blocks, counts = in_equal_blocks(stream, most)
    index, span_bits, padding = sparse_index(counts, len(values))
    header = bytes([flags, BLOCK_BITS, span_bits, padding]) + len(blocks).to_bytes(4, "little")
    header += bytes([most, least]) + np.array([*first, len(symbols)], "<u2").tobytes() + table
    header += b"\0" * (len(header) % 2)
    stored = np.array([*(n - 1 for n in counts), *[65535] * padding], "<u2").tobytes()
    return header, index, stored, b"".join(blocks)


def with_runs(
    symbols: list[tuple[int, int]], stream: list[int]
) -> tuple[list[tuple[int, int]], list[int], NDArray[np.int64]]:
    """Symbols for 2, 4, ... 256 equal values, how long each is, and the values in them."""
    singles = len(symbols)
    symbols, sizes = list(symbols), [1] * singles
    run: dict[tuple[int, int], int] = {(symbol, 1): symbol for symbol in range(singles)}
    for symbol in range(singles):
        for size in (2, 4, 8, 16, 32, 64, 128, 256):
            run[symbol, size] = len(symbols)
            symbols.append((run[symbol, size // 2],) * 2)
            sizes.append(size)
    found: list[int] = []
    at = 0
    values = np.array(stream)
    ends = [*(np.flatnonzero(np.diff(values)) + 1).tolist(), len(stream)]
    for end in ends:
        while at < end:
            size = min(256, 1 << (end - at).bit_length() - 1)
            found.append(run[stream[at], size])
            at += size
    return symbols, sizes, np.array(found)


def code_lengths(stream: list[int], symbols: int) -> list[int]:
    """How many bits the code of each symbol has; every symbol has one."""
    often, tie = Counter(stream), count()
    lengths = [0] * symbols
    heap = [(often[symbol] + 1, next(tie), [symbol]) for symbol in range(symbols)]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, _, mine), (b, _, others) = heapq.heappop(heap), heapq.heappop(heap)
        for symbol in mine + others:
            lengths[symbol] += 1
        heapq.heappush(heap, (a + b, next(tie), mine + others))
    return lengths


def codes_of(lengths: list[int]) -> list[int]:
    """The code of each symbol; the lengths descend."""
    code, before, codes = 0, lengths[0], list[int]()
    for length in lengths:
        code >>= before - length
        before = length
        codes.append(code)
        code += 1
    return codes


def in_blocks(
    stream: list[int], sizes: list[int], text: dict[int, str]
) -> tuple[list[bytes], list[int]]:
    """The codes one after the other in blocks, and how many values each block has."""
    blocks: list[str] = []
    counts: list[int] = []
    some, room, values = list[str](), BLOCK, 0
    for symbol in stream:
        code = text[symbol]
        if len(code) > room:
            blocks.append("".join(some))
            counts.append(values)
            some, room, values = [], BLOCK, 0
        some.append(code)
        room -= len(code)
        values += sizes[symbol]
    blocks.append("".join(some))
    counts.append(values)
    return [int(bits.ljust(BLOCK, "0"), 2).to_bytes(BLOCK // 8, "big") for bits in blocks], counts


def in_equal_blocks(codes: NDArray[np.int64], width: int) -> tuple[list[bytes], list[int]]:
    """The same for codes of so many bits, each of which is a value."""
    each = BLOCK // width
    last = -(-len(codes) // each)
    padded = np.zeros(last * each, np.int64)
    padded[: len(codes)] = codes
    bits = (padded[:, None] >> np.arange(width - 1, -1, -1) & 1).astype(np.uint8)
    blocks = np.zeros((last, BLOCK), np.uint8)
    blocks[:, : each * width] = bits.reshape(last, -1)
    data = [block.tobytes() for block in np.packbits(blocks, axis=1)]
    return data, [*[each] * (last - 1), len(codes) - each * (last - 1)]


def sparse_index(counts: list[int], size: int) -> tuple[bytes, int, int]:
    """The index, the bits of its span, and how many blocks are missing for its last entry."""
    span_bits = (size // len(counts)).bit_length() + 4
    while span_bits > 1 and 1 << (span_bits - 1) > size:
        span_bits -= 1
    starts = np.concatenate([[0], np.cumsum(counts)])
    entries = b""
    padding = 0
    for number in range(-(-size >> span_bits)):
        middle = (number << span_bits) + (1 << (span_bits - 1))
        if middle < size:
            block = int(np.searchsorted(starts, middle, side="right")) - 1
            offset = middle - int(starts[block])
        else:
            block, offset = len(counts) + (middle - size) // 65536, (middle - size) % 65536
            padding = max(padding, block + 1 - len(counts))
        entries += block.to_bytes(4, "little") + offset.to_bytes(2, "little")
    return entries, span_bits, padding
