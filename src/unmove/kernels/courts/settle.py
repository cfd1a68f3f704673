"""One ply of retrograde analysis over a range of planes of courts; see `kernels/solve/settle.py`.

The cheapest refutation of a loss comes first: captures, known as a set; the court on the rows or
on the bits; the attackers.
"""

from __future__ import annotations

import numpy as np

from unmove.kernels.bits import NONE
from unmove.kernels.courts.pull import drop_bits, pull_attackers, pull_rows, push_bits
from unmove.kernels.courts.scratch import CourtScratch
from unmove.kernels.intrinsics import popcount
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.sets import UNITS, Escapes, Ply, PlyOutput, drop, keep_unsettled, record
from unmove.planes.court_geometry import CourtGeometry
from unmove.planes.court_layout import CourtFrame
from unmove.values import Side


@inlined
def clear(scratch: CourtScratch) -> None:
    """scratch.frames[0] is empty."""
    for word in range(scratch.new.shape[1]):
        scratch.frames[0, word] = NONE


@inlined
def candidates(
    plane: int, ply: Ply, frame: CourtFrame, board: CourtGeometry, scratch: CourtScratch
) -> np.uint64:
    """scratch.new = the unsettled positions with a move into the frontier or an arriving capture.

    Reads scratch.squares. Returns a word that is zero when there is nothing.
    """
    front = ply.front
    clear(scratch)
    found = pull_attackers(plane, ply.mover, frame, board, front.planes, front.live, scratch)
    if not found and front.live[plane] == 0 and ply.arrivals.live[plane] == 0:
        return NONE
    if front.live[plane]:
        if ply.mover == frame.row_side:
            pull_rows(plane, frame, front.planes, scratch)
        else:
            push_bits(plane, frame, front.planes, scratch)
    return keep_unsettled(plane, scratch.new.shape[1], ply, scratch.frames, scratch.new)


@inlined
def survives(
    plane: int,
    mover: Side,
    frame: CourtFrame,
    board: CourtGeometry,
    escapes: Escapes,
    scratch: CourtScratch,
) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left."""
    words = scratch.new.shape[1]
    left = drop(words, scratch.new, escapes.blocked, plane)
    if left == NONE:
        return NONE
    if mover == frame.row_side:
        clear(scratch)
        pull_rows(plane, frame, escapes.planes, scratch)
        left = drop(words, scratch.new, scratch.frames, 0)
    else:
        left = drop_bits(plane, frame, escapes.planes, scratch)
    if left == NONE:
        return NONE
    clear(scratch)
    if pull_attackers(plane, mover, frame, board, escapes.planes, frame.apart, scratch):
        left = drop(words, scratch.new, scratch.frames, 0)
    return left


@kernel
def settle_courts(
    first: int,
    stop: int,
    ply: Ply,
    frame: CourtFrame,
    board: CourtGeometry,
    scratch: CourtScratch,
    out: PlyOutput,
) -> None:
    """Finds what is settled in this ply on the planes frame.planes[first:stop].

    Writes those planes of `unsettled` and of the new frontier. The units of the tally are
    placements: a position and its mirror image are two.
    """
    words = scratch.new.shape[1]
    for i in range(first, stop):
        plane = frame.planes[i]
        out.new.live[plane] = 0
        for man in range(frame.sides.shape[0]):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        left = candidates(plane, ply, frame, board, scratch)
        if left and ply.universal:
            left = survives(plane, ply.mover, frame, board, ply.escapes, scratch)
        if left == NONE:
            continue
        record(plane, words, scratch.new, ply, out)
        settled = 0
        for word in range(words):
            settled += popcount(scratch.new[0, word])
        out.tally[UNITS] += settled * frame.weight[plane]
