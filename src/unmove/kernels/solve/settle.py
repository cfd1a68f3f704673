"""One ply of retrograde analysis, over a range of planes.

    a win:   W = EX(newly lost)                     & unsettled     some move leads into a loss
    a loss:  L = EX(newly won) & ~EX(not won)       & unsettled     no move leads elsewhere

Both start from the positions the frontier can be reached from; a loss must then survive the
test that no move escapes (the complement trick of Wendroff et al., 1993: no move counters). The
cheapest refutation comes first: conversions that are known as a set; the king; captures; the men;
the lead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, bit
from unmove.kernels.intrinsics import popcount, prefetch
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import (
    MOVING,
    UNITS,
    Ply,
    PlyOutput,
    drop,
    drop_blocked,
    keep_standing,
    keep_unsettled,
    note_converted,
    or_entry,
    record,
)
from unmove.kernels.solve.captures import pull_captures
from unmove.kernels.solve.pull import clear_frame, pull_elsewhere, pull_here, pull_king
from unmove.kernels.solve.sources import list_sources, raise_flags
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame

ROWS = 64  # words of a plane


@inlined
def arrive(plane: int, ply: Ply, frame: Frame, board: Geometry, scratch: Scratch) -> bool:
    """scratch.frames[0] |= the positions with a conversion that decides now; False without one.

    scratch.arrived has the same.
    """
    arriving = ply.conversions.arriving
    if ply.conversions.live.shape[0]:
        if ply.conversions.live[plane] == 0:
            return False
        for row in range(ROWS):
            scratch.frames[0, row] |= arriving[plane, row]
    elif not pull_captures(ply.mover, frame, board, ply.conversions.targets, False, scratch):
        return False
    for row in range(ROWS):
        scratch.arrived[0, row] = scratch.frames[0, row]
    return True


@inlined
def candidates(plane: int, ply: Ply, frame: Frame, board: Geometry, scratch: Scratch) -> np.uint64:
    """scratch.new = unsettled positions with a move into the frontier or an arriving conversion.

    Reads scratch.squares. Returns a word that is zero when there is nothing.
    """
    listed = list_sources(plane, ply, True, frame, board, scratch)
    here = ply.front.at[plane]
    scratch.has_arrived[0] = False
    if listed == 0 and here == 0 and not (ply.conversions.arrive or ply.late_arrive):
        return NONE
    prefetch(ply.unsettled, plane)
    clear_frame(scratch, 0)
    if ply.conversions.arrive:
        scratch.has_arrived[0] = arrive(plane, ply, frame, board, scratch)
    if scratch.listed[0]:
        pull_here(0, ply, True, board, scratch)
    if listed > scratch.listed[0]:
        pull_elsewhere(ply, True, board, scratch)
    if here:
        for row in range(ROWS):
            scratch.new[0, row] = NONE
        or_entry(plane, ROWS, ply.front, scratch.new)
        pull_king(scratch.new, 0, ply.mover, scratch)
    return keep_unsettled(plane, ROWS, ply, scratch.frames, scratch.new)


@inlined
def survives(plane: int, ply: Ply, frame: Frame, board: Geometry, scratch: Scratch) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left."""
    left = drop_blocked(plane, ROWS, ply, scratch.frames, scratch.new)
    if left == NONE:
        return NONE
    clear_frame(scratch, 0)
    pull_king(ply.unwon, plane, ply.mover, scratch)
    left = drop(ROWS, scratch.new, scratch.frames, 0)
    if left == NONE:
        return NONE
    if ply.conversions.saving.live.shape[0]:
        clear_frame(scratch, 0)
        if pull_captures(ply.mover, frame, board, ply.conversions.saving, True, scratch):
            left = drop(ROWS, scratch.new, scratch.frames, 0)
            if left == NONE:
                return NONE
    listed = list_sources(plane, ply, False, frame, board, scratch)
    if scratch.listed[0]:
        clear_frame(scratch, 0)
        pull_here(0, ply, False, board, scratch)
        left = drop(ROWS, scratch.new, scratch.frames, 0)
        if left == NONE:
            return NONE
    if listed > scratch.listed[0]:
        clear_frame(scratch, 0)
        pull_elsewhere(ply, False, board, scratch)
        left = drop(ROWS, scratch.new, scratch.frames, 0)
    return left


@inlined
def on_mirrors(planes: NDArray[np.uint64], at: int, plane: int, frame: Frame) -> int:
    """The cells of planes[at], seen as `plane`, that a symmetry maps onto themselves.

    See Layout._shares: their kings stand on a mirror.
    """
    cells = 0
    for i in range(2):
        diagonal = frame.mirrors[plane, i]
        if diagonal:
            for row in range(ROWS):
                if diagonal & bit(row):
                    cells += popcount(planes[at, row] & diagonal)
    return cells


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
    of a position, modulo symmetry.
    """
    men = frame.kinds.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        out.new.at[plane] = 0
        for man in range(men):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        if ply.whose == MOVING:
            left = candidates(plane, ply, frame, board, scratch)
        else:
            left = keep_standing(plane, ROWS, ply, scratch.new)
        if left and ply.universal:
            left = survives(plane, ply, frame, board, scratch)
        if left == NONE:
            continue
        cells = record(plane, ROWS, scratch.new, ply, out)
        cells += on_mirrors(scratch.new, 0, plane, frame)
        out.tally[UNITS] += cells * frame.share[plane]
        raise_flags(1 - ply.mover, frame, scratch, out.new.flags)
        if not ply.universal and scratch.has_arrived[0]:
            note_converted(plane, ROWS, scratch.new, scratch.arrived, ply, out)


@kernel
def count(
    first: int, stop: int, frame: Frame, planes: NDArray[np.uint64], tally: NDArray[np.int64]
) -> None:
    """tally[0] += the positions on frame.planes[first:stop] of a set, in eighths."""
    for i in range(first, stop):
        plane = frame.planes[i]
        cells = on_mirrors(planes, plane, plane, frame)
        for row in range(ROWS):
            cells += popcount(planes[plane, row])
        tally[0] += cells * frame.share[plane]
