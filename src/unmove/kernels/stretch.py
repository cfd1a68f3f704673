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
BYTE = np.uint64(0xFF)
ONES, SEVENS = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)
GATHER = np.uint64(0x0102040810204080)  # bit 8k of a factor becomes bit 56 + k of the product


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


@kernel
def shorten(
    masks: int,
    log: NDArray[np.uint64],
    marks: NDArray[np.uint64],
    headers: NDArray[np.uint32],
    kept: NDArray[np.uint8],
    octets: NDArray[np.uint8],
    sizes: NDArray[np.int64],
) -> None:
    """The entries of a log as four streams, each alike in itself, which compress better.

    headers[i] is twice the way from the plane of the entry before, and one more if CONVERTED is
    set. The masks follow one another in `marks`. kept[j] has a bit for each byte of word j that is
    not zero, and these bytes follow one another in `octets`. The streams have room for all, and
    sizes = entries, words after masks, and their bytes that are not zero.
    """
    at = entry = 0
    word_number = octet = NONE  # without a sign, as an index is quicker
    before = np.int64(0)
    while at < log.shape[0]:
        end = entry_end(at, masks, log)
        plane = plane_of(log[at])
        headers[entry] = np.uint64(plane - before) << ONE | log[at] >> np.uint64(CONVERTED)
        before = plane
        for mask in range(masks):
            marks[entry * masks + mask] = log[at + 1 + mask]
        for i in range(at + 1 + masks, end):
            word = log[i]
            filled = filled_bytes(word)
            kept[word_number] = (filled * GATHER) >> np.uint64(56)
            word_number += ONE
            while filled:
                octets[octet] = word >> np.uint64(lowest(filled)) & BYTE
                filled &= filled - ONE
                octet += ONE
        entry += 1
        at = end
    sizes[0], sizes[1], sizes[2] = entry, np.int64(word_number), np.int64(octet)


@kernel
def lengthen(
    masks: int,
    marks: NDArray[np.uint64],
    headers: NDArray[np.uint32],
    kept: NDArray[np.uint8],
    octets: NDArray[np.uint8],
    log: NDArray[np.uint64],
) -> None:
    """The inverse of `shorten`."""
    at = word_number = octet = 0
    plane = np.int64(0)
    for entry in range(headers.shape[0]):
        plane += np.int64(headers[entry] >> ONE)
        log[at] = np.uint64(plane) | (headers[entry] & ONE) << np.uint64(CONVERTED)
        at += 1
        words = 0
        for mask in range(masks):
            log[at] = marks[entry * masks + mask]
            words += popcount(log[at])
            at += 1
        for _ in range(words):
            mark = np.uint64(kept[word_number])
            word = NONE
            while mark:
                word |= np.uint64(octets[octet]) << np.uint64(8 * lowest(mark))
                mark &= mark - ONE
                octet += 1
            log[at] = word
            word_number += 1
            at += 1
