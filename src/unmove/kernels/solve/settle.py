"""One ply of retrograde analysis, over a range of planes.

    a win:   W = EX(newly lost)                     & open      some move leads into a loss
    a loss:  L = EX(newly won) & ~EX(not won)       & open      no move leads elsewhere

Both start from the positions the frontier can be reached from; a loss must then survive the
test that no move escapes (the complement trick of Wendroff et al., 1993: no move counters). The
cheapest refutation comes first: conversions, known as a set; the king; the men; the lead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.intrinsics import popcount, prefetch
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import Scratch
from unmove.kernels.solve.pull import clear_frame, pull_elsewhere, pull_here, pull_king
from unmove.kernels.solve.sources import NONE, bit, list_sources, raise_flags
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame


class Frontier(NamedTuple):
    """The positions settled in one ply, all of one side to move."""

    planes: NDArray[np.uint64]  # [plane, row]; what stands in a plane that is not live is stale
    live: NDArray[np.uint8]  # [plane]: has it something new?
    flags: NDArray[np.uint64]  # [group, key]: the same as seen by the men who move into it


class Escapes(NamedTuple):
    """What saves a loser: positions not (yet) won by the opponent."""

    planes: NDArray[np.uint64]  # [plane, row]: legal, the opponent to move, and not won by him
    blocked: NDArray[np.uint64]  # [plane, row]: the loser has a conversion that does not lose yet


class Ply(NamedTuple):
    """What one ply reads, writes and stands for. Each thread owns the planes it is given."""

    mover: int
    universal: int  # 1: all moves must lead into the frontier's set (a loss), 0: one must (a win)
    next_mover: int  # who will read the new frontier


@inlined
def keep(scratch: Scratch, wanted: NDArray[np.uint64], plane: int) -> np.uint64:
    """scratch.new &= wanted[plane]; returns a word that is zero when nothing is left."""
    left = NONE
    for row in range(64):
        word = scratch.new[0, row] & wanted[plane, row]
        scratch.new[0, row] = word
        left |= word
    return left


@inlined
def drop(scratch: Scratch, saved: NDArray[np.uint64], plane: int) -> np.uint64:
    """scratch.new &= ~saved[plane]; returns a word that is zero when nothing is left."""
    left = NONE
    for row in range(64):
        word = scratch.new[0, row] & ~saved[plane, row]
        scratch.new[0, row] = word
        left |= word
    return left


@inlined
def candidates(
    plane: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    front: Frontier,
    arrivals: Frontier,
    unsettled: NDArray[np.uint64],
    scratch: Scratch,
) -> np.uint64:
    """scratch.new = unsettled positions with a move into the frontier or an arriving conversion.

    Returns a word that is zero when there is nothing.
    """
    listed = list_sources(plane, mover, frame, board, front.planes, front.flags, True, scratch)
    if listed == 0 and front.live[plane] == 0 and arrivals.live[plane] == 0:
        return NONE
    prefetch(unsettled, plane)
    clear_frame(scratch, 0)
    if listed:
        if scratch.listed[0]:
            pull_here(front.planes, board, scratch)
        if listed > scratch.listed[0]:
            pull_elsewhere(front.planes, board, scratch)
    if front.live[plane]:
        pull_king(front.planes, plane, mover, scratch)
    for row in range(64):
        scratch.new[0, row] = scratch.frames[0, row]
    if arrivals.live[plane]:
        for row in range(64):
            scratch.new[0, row] |= arrivals.planes[plane, row]
    return keep(scratch, unsettled, plane)


@inlined
def survives(
    plane: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    escapes: Escapes,
    scratch: Scratch,
) -> np.uint64:
    """scratch.new loses every position from which some move escapes; zero when none is left."""
    if drop(scratch, escapes.blocked, plane) == NONE:
        return NONE
    clear_frame(scratch, 0)
    pull_king(escapes.planes, plane, mover, scratch)
    left = drop(scratch, scratch.frames, 0)
    if left == NONE:
        return NONE
    listed = list_sources(
        plane, mover, frame, board, escapes.planes, escapes.planes, False, scratch
    )
    if scratch.listed[0]:
        clear_frame(scratch, 0)
        pull_here(escapes.planes, board, scratch)
        left = drop(scratch, scratch.frames, 0)
        if left == NONE:
            return NONE
    if listed > scratch.listed[0]:
        clear_frame(scratch, 0)
        pull_elsewhere(escapes.planes, board, scratch)
        left = drop(scratch, scratch.frames, 0)
    return left


@inlined
def count_cells(planes: NDArray[np.uint64], at: int, plane: int, frame: Frame) -> int:
    """The positions in planes[at], seen as `plane`, modulo symmetry and in eighths.

    See Layout._shares: cells whose kings stand on a mirror are their own images.
    """
    cells = 0
    for row in range(64):
        cells += popcount(planes[at, row])
    for i in range(2):
        diagonal = frame.mirrors[plane, i]
        if diagonal:
            for row in range(64):
                if diagonal & bit(row):
                    cells += popcount(planes[at, row] & diagonal)
    eighths: int = cells * frame.share[plane]
    return eighths


@inlined
def log_new(plane: int, scratch: Scratch, log: NDArray[np.uint64], end: int) -> int:
    """Appends an entry to the log: the plane, a mask of its non-zero rows, those rows.

    Returns the log's new end. Bits go out in sequence; writing each to its place in the result
    would cost a cache miss a row, a third of all time.
    """
    rows = NONE
    words = end + 2
    for row in range(64):
        if scratch.new[0, row]:
            rows |= bit(row)
            log[words] = scratch.new[0, row]
            words += 1
    log[end] = np.uint64(plane)
    log[end + 1] = rows
    return words


@kernel
def settle(
    first: int,
    stop: int,
    ply: Ply,
    frame: Frame,
    board: Geometry,
    front: Frontier,
    arrivals: Frontier,
    escapes: Escapes,
    scratch: Scratch,
    unsettled: NDArray[np.uint64],
    log: NDArray[np.uint64],
    new: Frontier,
    tally: NDArray[np.int64],
) -> None:
    """Finds what is settled in this ply on the planes frame.planes[first:stop].

    Writes those planes of `unsettled` and `new`. Private to the caller's thread must be new.flags,
    the log, and the tally: positions in eighths, live planes, and the log's end, in words.
    """
    men = frame.kinds.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        new.live[plane] = 0
        for man in range(men):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        left = candidates(plane, ply.mover, frame, board, front, arrivals, unsettled, scratch)
        if left and ply.universal:
            left = survives(plane, ply.mover, frame, board, escapes, scratch)
        if left == NONE:
            continue
        for row in range(64):
            new.planes[plane, row] = scratch.new[0, row]
            unsettled[plane, row] &= ~scratch.new[0, row]
        tally[2] = log_new(plane, scratch, log, tally[2])
        new.live[plane] = 1
        raise_flags(ply.next_mover, frame, board, scratch, new.flags)
        tally[0] += count_cells(scratch.new, 0, plane, frame)
        tally[1] += 1


@kernel
def count(
    first: int, stop: int, frame: Frame, planes: NDArray[np.uint64], tally: NDArray[np.int64]
) -> None:
    """tally[0] += the positions on frame.planes[first:stop] of a set, in eighths."""
    for i in range(first, stop):
        plane = frame.planes[i]
        tally[0] += count_cells(planes, plane, plane, frame)


@kernel
def note_arrivals(
    first: int,
    stop: int,
    planes: NDArray[np.int64],
    place: NDArray[np.int64],
    new: Frontier,
    arrivals: Frontier,
    out: NDArray[np.uint64],
) -> None:
    """out[place[plane]] also has what is new and arrives, on planes[first:stop]."""
    for i in range(first, stop):
        plane = planes[i]
        if new.live[plane] and arrivals.live[plane]:
            for row in range(out.shape[1]):
                out[place[plane], row] |= new.planes[plane, row] & arrivals.planes[plane, row]


@kernel
def mark_moves(
    first: int,
    stop: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    front: Frontier,
    nothing: Frontier,
    unsettled: NDArray[np.uint64],
    scratch: Scratch,
    out: Frontier,
) -> None:
    """out = what is unsettled and has a move into the frontier, on frame.planes[first:stop]."""
    men = frame.kinds.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        for man in range(men):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        found = candidates(plane, mover, frame, board, front, nothing, unsettled, scratch)
        out.live[plane] = found != NONE
        for row in range(64):
            out.planes[plane, row] = scratch.new[0, row] if found else NONE
