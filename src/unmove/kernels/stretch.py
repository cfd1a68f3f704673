"""Stretches: what a ply settles, packed; and the cells that stretches fill.

The entries of a stretch are the planes on which something is settled, ascending. For planes of W
words (64 in chess) an entry is

    +--------+--------+-----+----------+--------+--------+-----
    | header | mask 0 | ... | mask M-1 | word i | word j | ...       M = ceil(W / 64)
    +--------+--------+-----+----------+--------+--------+-----

Bit b of mask m says that word 64 m + b of the plane is not zero. Just these words follow, in order.
Bit c of word i is the cell 64 i + c. The header is the number of the plane in the part's padded
layout. If bit CONVERTED is set, the entry repeats those positions of the entry before it that a
conversion wins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import filled_words, lowest, popcount
from unmove.kernels.jit import inlined, kernel

CONVERTED = 63
ONES, SEVENS = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)


@inlined
def plane_of(header: np.uint64) -> np.int64:
    """The plane of an entry."""
    return np.int64(header & ~bit(CONVERTED))


@inlined
def write_entry(
    header: np.uint64, words: int, found: NDArray[np.uint64], log: NDArray[np.uint64], end: int
) -> int:
    """The log has an entry more: found[0], of so many words. Returns its new end."""
    masks: int = (words + 63) // 64
    log[end] = header
    at = end + 1 + masks
    for mask in range(masks):
        base = 64 * mask
        follow = NONE
        if words - base >= 64:
            follow = filled_words(found, mask)
        else:
            for i in range(words - base):
                follow |= np.uint64(found[0, base + i] != NONE) << np.uint64(i)
        log[end + 1 + mask] = follow
        while follow:
            log[at] = found[0, base + lowest(follow)]
            follow &= follow - ONE
            at += 1
    return at


@inlined
def entry_end(at: int, masks: int, log: NDArray[np.uint64]) -> int:
    """Where the entry at `at` ends."""
    end = at + 1 + masks
    for mask in range(masks):
        end += popcount(log[at + 1 + mask])
    return end


@kernel
def skip(
    first: int,
    masks: int,
    log: NDArray[np.uint64],
    ends: NDArray[np.int64],
    cursors: NDArray[np.int64],
) -> None:
    """cursors[i] = the first entry of stretch i whose plane is not below `first`; see `replay`."""
    for stretch in range(ends.shape[0]):
        at = cursors[stretch]
        while at < ends[stretch] and plane_of(log[at]) < first:
            at = entry_end(at, masks, log)
        cursors[stretch] = at


@kernel
def replay(
    stop: int,
    masks: int,
    place: NDArray[np.int64],
    log: NDArray[np.uint64],
    ends: NDArray[np.int64],
    numbers: NDArray[np.int64],
    cursors: NDArray[np.int64],
    cells: CellNumbers,
    converted: PositionSet,
) -> None:
    """cells[place[plane]] and converted[place[plane]] have all entries of planes below `stop`.

    Stretch i ends at ends[i], and its cells get numbers[i]. cursors[i], its first entry that is not
    replayed yet, moves on.
    """
    for stretch in range(ends.shape[0]):
        at = cursors[stretch]
        number = numbers[stretch]
        while at < ends[stretch]:
            plane = plane_of(log[at])
            if plane >= stop:
                break
            target = place[plane]
            marks = log[at] >> np.uint64(CONVERTED)
            words = at + 1 + masks
            for mask in range(masks):
                follow = log[at + 1 + mask]
                while follow:
                    row = 64 * mask + lowest(follow)
                    follow &= follow - ONE
                    word = log[words]
                    words += 1
                    if marks:
                        converted[target, row] |= word
                        continue
                    while word:
                        cells[target, row * 64 + lowest(word)] = number
                        word &= word - ONE
            at = words
        cursors[stretch] = at


@kernel
def lay_out(places: NDArray[np.int64], legal: PositionSet, cells: CellNumbers) -> None:
    """cells[places[i]] = 1 (draw) for the cells of legal[i], 0 (broken) for the others."""
    for i in range(places.shape[0]):
        for row in range(legal.shape[1]):
            word = legal[i, row]
            for column in range(64):
                cells[places[i], row * 64 + column] = (word >> np.uint64(column)) & ONE


@inlined
def filled_bytes(word: np.uint64) -> np.uint64:
    """1 in each byte that is not zero: its highest bit is set, or 127 added to the rest sets it."""
    return np.uint64(((((word & SEVENS) + SEVENS) | word) >> np.uint64(7)) & ONES)
