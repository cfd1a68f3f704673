"""One ply of retrograde analysis over a range of planes of courts; see `kernels/solve/settle.py`.

The cheapest refutation of a loss comes first: captures, known as a set; the court on the rows or
on the bits; the attackers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE
from unmove.kernels.courts.pull import drop_bits, pull_attackers, pull_rows, push_bits
from unmove.kernels.courts.scratch import CourtScratch
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.sets import (
    MOVING,
    UNITS,
    Ply,
    PlyOutput,
    drop,
    drop_blocked,
    keep_standing,
    keep_unsettled,
    or_entry,
    record,
)
from unmove.planes.court_geometry import CourtGeometry
from unmove.planes.court_layout import CourtFrame


@inlined
def clear(frames: NDArray[np.uint64]) -> None:
    """frames[0] is empty."""
    for word in range(frames.shape[1]):
        frames[0, word] = NONE


@inlined
def candidates(
    plane: int, ply: Ply, frame: CourtFrame, board: CourtGeometry, scratch: CourtScratch
) -> np.uint64:
    """scratch.new = the unsettled positions with a move into the frontier or an arriving capture.

    Reads scratch.squares. Returns a word that is zero when there is nothing.
    """
    words, here = scratch.new.shape[1], ply.front.at[plane]
    clear(scratch.frames)
    found = pull_attackers(plane, ply, True, frame, board, scratch)
    if ply.conversions.arrive and ply.conversions.live[plane]:
        found = True
        for word in range(words):
            scratch.frames[0, word] |= ply.conversions.arriving[plane, word]
    if here:
        clear(scratch.new)
        or_entry(plane, words, ply.front, scratch.new)
        if ply.mover == frame.row_side:
            pull_rows(plane, 0, frame, scratch.new, scratch)
        else:
            push_bits(plane, frame, scratch)
    elif not (found or ply.late_arrive):
        return NONE
    return keep_unsettled(plane, words, ply, scratch.frames, scratch.new)


@inlined
def survives(
    plane: int, ply: Ply, frame: CourtFrame, board: CourtGeometry, scratch: CourtScratch
) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left."""
    words = scratch.new.shape[1]
    left = drop_blocked(plane, words, ply, scratch.frames, scratch.new)
    if left == NONE:
        return NONE
    if ply.mover == frame.row_side:
        clear(scratch.frames)
        pull_rows(plane, plane, frame, ply.unwon, scratch)
        left = drop(words, scratch.new, scratch.frames, 0)
    else:
        left = drop_bits(plane, frame, ply.unwon, scratch)
    if left == NONE:
        return NONE
    clear(scratch.frames)
    if pull_attackers(plane, ply, False, frame, board, scratch):
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
        out.new.at[plane] = 0
        for man in range(frame.sides.shape[0]):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        if ply.whose == MOVING:
            left = candidates(plane, ply, frame, board, scratch)
        else:
            left = keep_standing(plane, words, ply, scratch.new)
        if left and ply.universal:
            left = survives(plane, ply, frame, board, scratch)
        if left:
            settled = record(plane, words, scratch.new, ply, out)
            out.tally[UNITS] += settled * frame.weight[plane]
