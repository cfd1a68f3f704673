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

from unmove.kernels.bits import NONE, ONE
from unmove.kernels.intrinsics import at, filled_words, lowest, popcount, prefetch, prefetch_word
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import FRAMES, Scratch
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
from unmove.kernels.solve.captures import drop_captures, list_captures, pull_captures
from unmove.kernels.solve.pull import (
    clear_frame,
    drop_king,
    drop_listed,
    pull_elsewhere,
    pull_here,
    pull_king,
    pull_king_entry,
)
from unmove.kernels.solve.sources import list_sources, put_men, raise_flags
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame
from unmove.values import BLACK

ROWS = 64  # words of a plane
FAR = 16  # planes ahead
FEW = 16  # rows, of which each is cheaper to look at by itself than the whole plane


@inlined
def arrive(
    plane: int,
    lists: int,
    ply: Ply,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> bool:
    """scratch.frames[0] |= the positions with a conversion that decides now; False without one.

    scratch.arrived has the same. The captures that decide are listed.
    """
    conversions = ply.conversions
    if conversions.live.shape[0]:
        if conversions.live[plane] == 0:
            return False
        for row in range(ROWS):
            scratch.frames[0, row] |= conversions.arriving[plane, row]
    elif not pull_captures(lists // FRAMES, ply.mover, frame, board, conversions.targets, scratch):
        return False
    for row in range(ROWS):
        scratch.arrived[0, row] = scratch.frames[0, row]
    return True


@inlined
def look_ahead(
    plane: int, lists: int, ply: Ply, frame: Frame, board: Geometry, scratch: Scratch
) -> int:
    """Lists what `candidates` will read for a plane; returns how much there is.

    So the memory has the time of a whole plane to bring it.
    """
    prefetch_word(frame.moves, (plane + FAR) * frame.kinds.shape[0])
    here = np.int64(ply.front.at[at(plane)])
    placement = put_men(plane, frame, scratch)
    listed = list_sources(plane, placement, lists, ply, True, frame, board, scratch)
    scratch.captures[lists // FRAMES] = 0
    if ply.conversions.arrive and ply.conversions.live.shape[0] == 0:
        targets = ply.conversions.targets
        list_captures(placement, lists // FRAMES, ply.mover, frame, board, targets, False, scratch)
    if here == 0:
        return listed
    prefetch_word(ply.front.words, here)
    return listed + 1


@inlined
def candidates(
    plane: int,
    lists: int,
    listed: int,
    ply: Ply,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> np.uint64:
    """scratch.new = unsettled positions with a move into the frontier or an arriving conversion.

    The lists have what `look_ahead` has found. Reads scratch.squares. Returns a word that is zero
    when there is nothing.
    """
    prefetch(ply.unsettled, plane)
    clear_frame(scratch, 0)
    if ply.conversions.arrive:
        scratch.has_arrived[0] = arrive(plane, lists, ply, frame, board, scratch)
        if listed == 0 and not (scratch.has_arrived[0] or ply.late_arrive):
            return NONE
    here = np.int64(ply.front.at[at(plane)])
    if scratch.listed[at(lists)]:
        pull_here(0, lists, ply, True, board, scratch)
    if listed > scratch.listed[lists] + (here != 0):
        pull_elsewhere(lists, ply, True, board, scratch)
    if here:
        if popcount(ply.front.words[at(here)]) <= FEW:
            pull_king_entry(here, ply.mover, ply.front.words, board, scratch)
        else:
            for row in range(ROWS):
                scratch.new[0, row] = NONE
            or_entry(plane, ROWS, ply.front, scratch.new)
            pull_king(scratch.new, 0, ply.mover, scratch)
    return keep_unsettled(plane, ROWS, ply, scratch.frames, scratch.new)


@inlined
def drop_frame(scratch: Scratch) -> np.uint64:
    """scratch.new loses what is in scratch.frames[0]; returns the mask of the rows left."""
    drop(ROWS, scratch.new, scratch.frames, 0)
    rows: np.uint64 = filled_words(scratch.new, 0)
    return rows


@inlined
def survives(
    plane: int,
    placement: np.int64,
    lists: int,
    ply: Ply,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left.

    Where few rows are left, only these are read of other planes.
    """
    if drop_blocked(plane, ROWS, ply, scratch.frames, scratch.new) == NONE:
        return NONE
    rows = filled_words(scratch.new, 0)
    if ply.mover == BLACK and popcount(rows) <= FEW:
        rows = drop_king(rows, plane, ply.unwon, scratch)
    else:
        clear_frame(scratch, 0)
        pull_king(ply.unwon, plane, ply.mover, scratch)
        rows = drop_frame(scratch)
    saving = ply.conversions.saving
    if rows and saving.live.shape[0]:
        if popcount(rows) <= FEW:
            rows = drop_captures(rows, placement, ply.mover, frame, board, saving, scratch)
        else:
            half = lists // FRAMES
            clear_frame(scratch, 0)
            list_captures(placement, half, ply.mover, frame, board, saving, True, scratch)
            if pull_captures(half, ply.mover, frame, board, saving, scratch):
                rows = drop_frame(scratch)
    if rows == NONE:
        return NONE
    listed = list_sources(plane, placement, lists, ply, False, frame, board, scratch)
    if scratch.listed[lists]:
        if popcount(rows) <= FEW:
            rows = drop_listed(rows, lists, ply.unwon, board, scratch)
        else:
            clear_frame(scratch, 0)
            pull_here(0, lists, ply, False, board, scratch)
            rows = drop_frame(scratch)
    if rows and listed > scratch.listed[lists]:
        clear_frame(scratch, 0)
        pull_elsewhere(lists, ply, False, board, scratch)
        rows = drop_frame(scratch)
    return rows


@inlined
def on_mirrors(planes: NDArray[np.uint64], i: int, plane: int, frame: Frame) -> int:
    """The cells of planes[i], seen as `plane`, that a symmetry maps onto themselves.

    See Layout._shares: their kings stand on a mirror.
    """
    cells = 0
    for mirror in range(2):
        diagonal = frame.mirrors[at(plane), mirror]
        rows = diagonal
        while rows:
            cells += popcount(planes[at(i), lowest(rows)] & diagonal)
            rows &= rows - ONE
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
    moving = ply.whose == MOVING
    known_as_set = ply.conversions.arrive and ply.conversions.live.shape[0] > 0
    arrive_anywhere = known_as_set or ply.late_arrive
    ahead = 0
    for i in range(first - 1, stop):
        lists = FRAMES * (i & 1)
        listed = ahead
        if moving and i + 1 < stop:
            ahead = look_ahead(frame.planes[i + 1], FRAMES - lists, ply, frame, board, scratch)
        if i < first:
            continue
        plane = frame.planes[i]
        out.new.at[at(plane)] = 0
        captured = scratch.captures[lists // FRAMES]
        if moving and listed == 0 and captured == 0 and not arrive_anywhere:
            continue
        placement = put_men(plane, frame, scratch)
        scratch.has_arrived[0] = False
        if moving:
            left = candidates(plane, lists, listed, ply, frame, board, scratch)
        else:
            left = keep_standing(plane, ROWS, ply, scratch.new)
        if left and ply.universal:
            left = survives(plane, placement, lists, ply, frame, board, scratch)
        if left == NONE:
            continue
        cells = record(plane, ROWS, scratch.new, ply, out)
        cells += on_mirrors(scratch.new, 0, plane, frame)
        out.tally[UNITS] += cells * frame.share[plane]
        raise_flags(placement, 1 - ply.mover, frame, scratch, out.new.flags)
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
