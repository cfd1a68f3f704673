"""One ply of retrograde analysis, over a range of planes.

    a win:   W = EX(newly lost)                     & unsettled     some move leads into a loss
    a loss:  L = EX(newly won) & ~EX(not won)       & unsettled     no move leads elsewhere

Both start from the positions the frontier can be reached from; a loss must then survive the
test that no move escapes (the complement trick of Wendroff et al., 1993: no move counters). The
cheapest refutation comes first: conversions, known as a set; the king; the men; the lead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, bit
from unmove.kernels.intrinsics import popcount, prefetch
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import UNITS, Escapes, Ply, PlyOutput, drop, keep_unsettled, record
from unmove.kernels.solve.pull import clear_frame, pull_elsewhere, pull_here, pull_king
from unmove.kernels.solve.sources import list_sources, raise_flags
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame
from unmove.values import Side

ROWS = 64  # words of a plane


@inlined
def candidates(plane: int, ply: Ply, frame: Frame, board: Geometry, scratch: Scratch) -> np.uint64:
    """scratch.new = unsettled positions with a move into the frontier or an arriving conversion.

    Reads scratch.squares. Returns a word that is zero when there is nothing.
    """
    front = ply.front
    listed = list_sources(plane, ply.mover, frame, board, front.planes, front.flags, True, scratch)
    if listed == 0 and front.live[plane] == 0 and ply.arrivals.live[plane] == 0:
        return NONE
    prefetch(ply.unsettled, plane)
    clear_frame(scratch, 0)
    if listed:
        if scratch.listed[0]:
            pull_here(front.planes, board, scratch)
        if listed > scratch.listed[0]:
            pull_elsewhere(front.planes, board, scratch)
    if front.live[plane]:
        pull_king(front.planes, plane, ply.mover, scratch)
    return keep_unsettled(plane, ROWS, ply, scratch.frames, scratch.new)


@inlined
def survives(
    plane: int,
    mover: Side,
    frame: Frame,
    board: Geometry,
    escapes: Escapes,
    scratch: Scratch,
) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left."""
    if drop(ROWS, scratch.new, escapes.blocked, plane) == NONE:
        return NONE
    clear_frame(scratch, 0)
    pull_king(escapes.planes, plane, mover, scratch)
    left = drop(ROWS, scratch.new, scratch.frames, 0)
    if left == NONE:
        return NONE
    listed = list_sources(
        plane, mover, frame, board, escapes.planes, escapes.planes, False, scratch
    )
    if scratch.listed[0]:
        clear_frame(scratch, 0)
        pull_here(escapes.planes, board, scratch)
        left = drop(ROWS, scratch.new, scratch.frames, 0)
        if left == NONE:
            return NONE
    if listed > scratch.listed[0]:
        clear_frame(scratch, 0)
        pull_elsewhere(escapes.planes, board, scratch)
        left = drop(ROWS, scratch.new, scratch.frames, 0)
    return left


@inlined
def count_cells(planes: NDArray[np.uint64], at: int, plane: int, frame: Frame) -> int:
    """The positions in planes[at], seen as `plane`, modulo symmetry and in eighths.

    See Layout._shares: cells whose kings stand on a mirror are their own images.
    """
    cells = 0
    for row in range(ROWS):
        cells += popcount(planes[at, row])
    for i in range(2):
        diagonal = frame.mirrors[plane, i]
        if diagonal:
            for row in range(ROWS):
                if diagonal & bit(row):
                    cells += popcount(planes[at, row] & diagonal)
    eighths: int = cells * frame.share[plane]
    return eighths


@kernel
def settle(
    first: int,
    stop: int,
    ply: Ply,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
    out: PlyOutput,
) -> None:
    """Finds what is settled in this ply on the planes frame.planes[first:stop].

    Writes those planes of `unsettled` and of the new frontier. The units of the tally are eighths
    of a position.
    """
    men = frame.kinds.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        out.new.live[plane] = 0
        for man in range(men):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        left = candidates(plane, ply, frame, board, scratch)
        if left and ply.universal:
            left = survives(plane, ply.mover, frame, board, ply.escapes, scratch)
        if left == NONE:
            continue
        record(plane, ROWS, scratch.new, ply, out)
        raise_flags(1 - ply.mover, frame, board, scratch, out.new.flags)
        out.tally[UNITS] += count_cells(scratch.new, 0, plane, frame)


@kernel
def count(
    first: int, stop: int, frame: Frame, planes: NDArray[np.uint64], tally: NDArray[np.int64]
) -> None:
    """tally[0] += the positions on frame.planes[first:stop] of a set, in eighths."""
    for i in range(first, stop):
        plane = frame.planes[i]
        tally[0] += count_cells(planes, plane, plane, frame)
