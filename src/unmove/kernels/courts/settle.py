"""One ply of retrograde analysis over a range of planes of courts; see `kernels/solve/settle.py`.

The cheapest refutation of a loss comes first: captures, known as a set; the court on the rows or
on the bits; the attackers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.pull import drop_bits, pull_attackers, pull_rows, push_bits
from unmove.kernels.courts.scratch import CourtScratch
from unmove.kernels.intrinsics import popcount
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.solve.settle import Escapes, Frontier, Ply
from unmove.kernels.solve.sources import NONE, bit
from unmove.planes.court_geometry import CourtGeometry
from unmove.planes.court_layout import CourtFrame


@inlined
def clear(scratch: CourtScratch) -> None:
    """scratch.frames[0] is empty."""
    for word in range(scratch.new.shape[1]):
        scratch.frames[0, word] = NONE


@inlined
def drop(scratch: CourtScratch, saved: NDArray[np.uint64], plane: int) -> np.uint64:
    """scratch.new &= ~saved[plane]; returns a word that is zero when nothing is left."""
    left = NONE
    for word in range(scratch.new.shape[1]):
        kept = scratch.new[0, word] & ~saved[plane, word]
        scratch.new[0, word] = kept
        left |= kept
    return left


@inlined
def candidates(
    plane: int,
    mover: int,
    frame: CourtFrame,
    board: CourtGeometry,
    front: Frontier,
    arrivals: Frontier,
    unsettled: NDArray[np.uint64],
    scratch: CourtScratch,
) -> np.uint64:
    """scratch.new = the unsettled positions with a move into the frontier or an arriving capture.

    Returns a word that is zero when there is nothing.
    """
    clear(scratch)
    found = pull_attackers(plane, mover, frame, board, front.planes, front.live, scratch)
    if not found and front.live[plane] == 0 and arrivals.live[plane] == 0:
        return NONE
    if front.live[plane]:
        if mover == frame.row_side:
            pull_rows(plane, frame, front.planes, scratch)
        else:
            push_bits(plane, frame, front.planes, scratch)
    if arrivals.live[plane]:
        for word in range(scratch.new.shape[1]):
            scratch.frames[0, word] |= arrivals.planes[plane, word]
    left = NONE
    for word in range(scratch.new.shape[1]):
        kept = scratch.frames[0, word] & unsettled[plane, word]
        scratch.new[0, word] = kept
        left |= kept
    return left


@inlined
def survives(
    plane: int,
    mover: int,
    frame: CourtFrame,
    board: CourtGeometry,
    escapes: Escapes,
    scratch: CourtScratch,
) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left."""
    left = drop(scratch, escapes.blocked, plane)
    if left == NONE:
        return NONE
    if mover == frame.row_side:
        clear(scratch)
        pull_rows(plane, frame, escapes.planes, scratch)
        left = drop(scratch, scratch.frames, 0)
    else:
        left = drop_bits(plane, frame, escapes.planes, scratch)
    if left == NONE:
        return NONE
    clear(scratch)
    if pull_attackers(plane, mover, frame, board, escapes.planes, frame.apart, scratch):
        left = drop(scratch, scratch.frames, 0)
    return left


@inlined
def log_new(plane: int, scratch: CourtScratch, log: NDArray[np.uint64], end: int) -> int:
    """Appends an entry to the log: the plane, masks of its non-zero words, those words.

    Returns the log's new end.
    """
    size = scratch.new.shape[1]
    masks: int = (size + 63) // 64
    log[end] = np.uint64(plane)
    for i in range(masks):
        log[end + 1 + i] = NONE
    at = end + 1 + masks  # where the next word goes
    for word in range(size):
        if scratch.new[0, word]:
            log[end + 1 + (word >> 6)] |= bit(word & 63)
            log[at] = scratch.new[0, word]
            at += 1
    return at


@kernel
def settle_courts(
    first: int,
    stop: int,
    ply: Ply,
    frame: CourtFrame,
    board: CourtGeometry,
    front: Frontier,
    arrivals: Frontier,
    escapes: Escapes,
    scratch: CourtScratch,
    unsettled: NDArray[np.uint64],
    log: NDArray[np.uint64],
    new: Frontier,
    tally: NDArray[np.int64],
) -> None:
    """Finds what is settled in this ply on the planes frame.planes[first:stop].

    Writes those planes of `unsettled` and `new`. Private to the caller's thread must be the log and
    the tally: placements, mirror images too, live planes, and the log's end, in words.
    """
    for i in range(first, stop):
        plane = frame.planes[i]
        new.live[plane] = 0
        for man in range(frame.sides.shape[0]):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        left = candidates(plane, ply.mover, frame, board, front, arrivals, unsettled, scratch)
        if left and ply.universal:
            left = survives(plane, ply.mover, frame, board, escapes, scratch)
        if left == NONE:
            continue
        settled = 0
        for word in range(scratch.new.shape[1]):
            bits = scratch.new[0, word]
            new.planes[plane, word] = bits
            unsettled[plane, word] &= ~bits
            settled += popcount(bits)
        tally[2] = log_new(plane, scratch, log, tally[2])
        new.live[plane] = 1
        tally[0] += settled * frame.weight[plane]
        tally[1] += 1
