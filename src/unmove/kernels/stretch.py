"""Stretches: what a ply settles, packed; and the cells that stretches fill.

The format of their entries is drawn in `solver/ply_log.py`: a plane, masks of its words that are
not zero, those words. `write_entry` writes an entry, `skip` and `replay` read many, for planes of
any number of words. The stretches of one log follow one another without a gap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import lowest, popcount
from unmove.kernels.jit import inlined, kernel


@inlined
def write_entry(
    plane: int, words: int, found: NDArray[np.uint64], log: NDArray[np.uint64], end: int
) -> int:
    """The log has an entry more: found[0], of so many words. Returns its new end.

    Bits go out in sequence. To write the value of each to its place in the table instead would cost
    a cache miss a word, a third of all time.
    """
    masks: int = (words + 63) // 64
    log[end] = np.uint64(plane)
    at = end + 1 + masks
    for mask in range(masks):
        base = 64 * mask
        follow = NONE
        for i in range(min(64, words - base)):
            if found[0, base + i]:
                follow |= bit(i)
                log[at] = found[0, base + i]
                at += 1
        log[end + 1 + mask] = follow
    return at


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
        while at < ends[stretch] and np.int64(log[at]) < first:
            following = 0
            for mask in range(masks):
                following += popcount(log[at + 1 + mask])
            at += 1 + masks + following
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
) -> None:
    """cells[place[plane]] is written from all entries of planes below `stop`.

    Stretch i ends at ends[i], and its cells get numbers[i]. cursors[i], its first entry that is not
    replayed yet, moves on.
    """
    for stretch in range(ends.shape[0]):
        at = cursors[stretch]
        number = numbers[stretch]
        while at < ends[stretch]:
            plane = np.int64(log[at])
            if plane >= stop:
                break
            target = place[plane]
            words = at + 1 + masks
            for mask in range(masks):
                follow = log[at + 1 + mask]
                while follow:
                    base = (64 * mask + lowest(follow)) * 64
                    follow &= follow - ONE
                    word = log[words]
                    words += 1
                    while word:
                        cells[target, base + lowest(word)] = number
                        word &= word - ONE
            at = words
        cursors[stretch] = at


@kernel
def lay_out(
    planes: NDArray[np.int64],
    legal: NDArray[np.uint64],
    cells: CellNumbers,
) -> None:
    """cells[i] = 1 (draw) for the legal cells of planes[i], 0 (broken) for the others."""
    for i in range(planes.shape[0]):
        for row in range(legal.shape[1]):
            word = legal[planes[i], row]
            for column in range(64):
                cells[i, row * 64 + column] = (word >> np.uint64(column)) & ONE
