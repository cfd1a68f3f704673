"""From sets and logs of sets to one number a cell, as files hold it.

A plane is any number of words; cell 64 * word + bit. An entry of a log is a plane, some words whose
bits say which words of the plane follow, and those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.intrinsics import lowest, popcount
from unmove.kernels.jit import kernel

ONE = np.uint64(1)


@kernel
def lay_out(
    planes: NDArray[np.int64],
    legal: NDArray[np.uint64],
    cells: NDArray[np.uint8] | NDArray[np.uint16],
) -> None:
    """cells[i] = 1 (draw) for the legal cells of planes[i], else 0 (broken)."""
    for i in range(planes.shape[0]):
        for row in range(legal.shape[1]):
            word = legal[planes[i], row]
            for column in range(64):
                cells[i, row * 64 + column] = (word >> np.uint64(column)) & ONE


@kernel
def skip(
    first: int,
    masks: int,
    log: NDArray[np.uint64],
    ends: NDArray[np.int64],
    cursors: NDArray[np.int64],
) -> None:
    """cursors[ply] = the first entry of the ply of a plane not below `first`; see `replay`."""
    for ply in range(ends.shape[0]):
        at = cursors[ply]
        while at < ends[ply] and np.int64(log[at]) < first:
            following = 0
            for mask in range(masks):
                following += popcount(log[at + 1 + mask])
            at += 1 + masks + following
        cursors[ply] = at


@kernel
def replay(
    stop: int,
    masks: int,
    place: NDArray[np.int64],
    log: NDArray[np.uint64],
    ends: NDArray[np.int64],
    values: NDArray[np.int64],
    cursors: NDArray[np.int64],
    cells: NDArray[np.uint8] | NDArray[np.uint16],
) -> None:
    """cells[place[plane]] is written from all log entries of planes below `stop`.

    The log has a stretch for each ply, up to ends[ply], its planes ascending; values[ply] is what
    its positions are worth. cursors[ply], the first entry not yet replayed, moves on. An entry has
    so many masks.
    """
    for ply in range(ends.shape[0]):
        at = cursors[ply]
        value = values[ply]
        while at < ends[ply]:
            plane = np.int64(log[at])
            if plane >= stop:
                break
            target = place[plane]
            words = at + 1 + masks
            for mask in range(masks):
                rows = log[at + 1 + mask]
                while rows:
                    base = (64 * mask + lowest(rows)) * 64
                    rows &= rows - ONE
                    word = log[words]
                    words += 1
                    while word:
                        cells[target, base + lowest(word)] = value
                        word &= word - ONE
            at = words
        cursors[ply] = at


@kernel
def survey(values: NDArray[np.uint8] | NDArray[np.uint16], present: NDArray[np.uint8]) -> None:
    """present[plane, v] = 1 where values[plane] has a cell with the number v. Else it stays 0."""
    for plane in range(values.shape[0]):
        for cell in range(values.shape[1]):
            present[plane, values[plane, cell]] = 1
