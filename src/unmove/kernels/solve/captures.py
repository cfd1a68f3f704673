"""Captures: EX into smaller endgames.

A smaller endgame is held without symmetry, one plane for each placement of the men that are left
(its *key*: their squares to base 64, in this endgame's order), so that a capture finds its plane
by arithmetic alone. `enter_positions` lays out chosen positions of a solved table like that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import (
    at,
    equal_cells,
    lowest,
    prefetch,
    undo_exchange,
    undo_mirror_files,
    undo_mirror_ranks,
)
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import SubtableSets, drop_word
from unmove.kernels.solve.pull import clear_frame
from unmove.kernels.solve.sources import key
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame
from unmove.values import WHITE, Side

OF_KING = -1  # in place of a path
FEW_VALUES = 16  # each of which is cheaper to look for by itself


class TableCells(NamedTuple):
    """A solved table, one side to move, as it comes out of its file."""

    values: NDArray[np.uint8] | NDArray[np.uint16]  # [plane, cell]: an index into the palette
    present: NDArray[np.uint8]  # [plane, index]: does the plane have such a cell?


@inlined
def king_takes(
    target: NDArray[np.uint64], square: int, mover: Side, board: Geometry, scratch: Scratch
) -> None:
    """scratch.frames[0] |= the positions from which the mover's king takes on `square`.

    `target` is the plane after the capture. There the king stands on `square`: one row of it
    (White's king), or one bit of each row (Black's), is spread to the squares around.
    """
    around = board.king[square]
    if mover == WHITE:
        word = target[square]
        while around:
            scratch.frames[0, lowest(around)] |= word
            around &= around - ONE
    else:
        shift = np.uint64(square)
        for row in range(64):
            scratch.frames[0, row] |= around & (NONE - ((target[row] >> shift) & ONE))


@inlined
def drop_king_takes(
    rows: np.uint64,
    target: NDArray[np.uint64],
    square: int,
    mover: Side,
    board: Geometry,
    scratch: Scratch,
) -> np.uint64:
    """scratch.new, of which some rows are filled, loses what `king_takes` saves.

    Returns the mask of the rows that are left. Most kings are not next to a man that they could
    take, so that of most targets nothing is read.
    """
    around = board.king[square]
    if mover == WHITE:
        follow = rows & around
        while follow:
            rows = drop_word(lowest(follow), rows, target[square], scratch.new)
            follow &= follow - ONE
    else:
        follow = rows
        while follow:
            row = lowest(follow)
            follow &= follow - ONE
            if scratch.new[0, row] & around and target[row] & bit(square):
                rows = drop_word(row, rows, around, scratch.new)
    return rows


@inlined
def man_takes(
    placement: np.int64,
    man: int,
    victim: int,
    men: int,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> np.int64:
    """The key of the plane after a man's capture of another, or -1 if it cannot be made."""
    origin, square = scratch.squares[man], scratch.squares[victim]
    if board.reach[at(frame.kinds[man]), at(origin)] & bit(square) == NONE:
        return np.int64(-1)
    between = board.between[at(origin), at(square)]
    for other in range(men):
        if between & bit(scratch.squares[other]):
            return np.int64(-1)
    return key(placement + ((square - origin) << 6 * (men - 1 - man)), men, victim)


@inlined
def drop_captures(
    rows: np.uint64,
    placement: np.int64,
    mover: Side,
    frame: Frame,
    board: Geometry,
    saving: SubtableSets,
    scratch: Scratch,
) -> np.uint64:
    """scratch.new, of which some rows are filled, loses what a capture into `saving` saves.

    Returns the mask of the rows that are left. The men stand at scratch.squares.
    """
    men = frame.kinds.shape[0]
    for victim in range(men):
        if frame.sides[victim] == mover:
            continue
        planes, square = saving.planes[frame.group[victim]], scratch.squares[victim]
        target = planes[key(placement, men, victim)]
        rows = drop_king_takes(rows, target, square, mover, board, scratch)
        for man in range(men):
            if frame.sides[man] != mover:
                continue
            after = man_takes(placement, man, victim, men, frame, board, scratch)
            if after < 0:
                continue
            path = board.path[scratch.squares[man], square]
            follow = rows
            while follow:
                row = lowest(follow)
                follow &= follow - ONE
                saved = planes[after, row] & board.clear[path, row]
                rows = drop_word(row, rows, saved, scratch.new)
    return rows


@inlined
def list_capture(
    half: int,
    after: np.int64,
    victim: int,
    path: int | np.int64,
    frame: Frame,
    targets: SubtableSets,
    everything: bool,
    scratch: Scratch,
) -> None:
    """There is one more capture to read, if its plane is live or `everything` is listed."""
    group = frame.group[victim]
    if everything or targets.live[at(group), at(after)]:
        i = scratch.captures[half]
        scratch.after[half, i], scratch.victim[half, i] = after, victim
        scratch.passes[half, i] = path
        scratch.captures[half] = i + 1
        prefetch(targets.planes, group * targets.planes.shape[1] + after)


@inlined
def list_captures(
    placement: np.int64,
    half: int,
    mover: Side,
    frame: Frame,
    board: Geometry,
    targets: SubtableSets,
    everything: bool,
    scratch: Scratch,
) -> None:
    """Lists the captures into `targets` of the men at scratch.squares.

    Without `everything`, only those into live planes.
    """
    men = frame.kinds.shape[0]
    scratch.captures[half] = 0
    for victim in range(men):
        if frame.sides[victim] == mover:
            continue
        after = key(placement, men, victim)
        list_capture(half, after, victim, OF_KING, frame, targets, everything, scratch)
        for man in range(men):
            if frame.sides[man] != mover:
                continue
            after = man_takes(placement, man, victim, men, frame, board, scratch)
            if after >= 0:
                path = np.int64(board.path[scratch.squares[man], scratch.squares[victim]])
                list_capture(half, after, victim, path, frame, targets, everything, scratch)


@inlined
def pull_captures(
    half: int,
    mover: Side,
    frame: Frame,
    board: Geometry,
    targets: SubtableSets,
    scratch: Scratch,
) -> bool:
    """scratch.frames[0] |= where the men at scratch.squares have a listed capture into `targets`.

    Returns whether any is listed.
    """
    for i in range(scratch.captures[half]):
        victim, after = scratch.victim[half, i], scratch.after[half, i]
        group, path = frame.group[victim], scratch.passes[half, i]
        if path == OF_KING:
            king_takes(targets.planes[group, after], scratch.squares[victim], mover, board, scratch)
        else:
            for row in range(64):
                scratch.frames[0, row] |= targets.planes[group, after, row] & board.clear[path, row]
    return bool(scratch.captures[half])


@inlined
def turn_all_ways(scratch: Scratch) -> None:
    """scratch.frames[symmetry] = the image, under that symmetry, of scratch.frames[0]."""
    for symmetry in range(1, 8):
        clear_frame(scratch, symmetry)
    undo_exchange(scratch.frames, 4, 0)
    undo_mirror_ranks(scratch.frames, 2, 0)
    undo_mirror_ranks(scratch.frames, 6, 4)
    for symmetry in range(0, 8, 2):
        undo_mirror_files(scratch.frames, symmetry + 1, symmetry)


@inlined
def pick(plane: int, cells: TableCells, chosen: NDArray[np.uint8], scratch: Scratch) -> bool:
    """scratch.frames[0] = the cells of a plane whose value is chosen; False if there is none."""
    values = np.int64(0)
    for index in range(chosen.shape[0]):
        values += np.int64(chosen[index] & cells.present[plane, index])
    if values == 0:
        return False
    if values <= FEW_VALUES:
        clear_frame(scratch, 0)
        for index in range(chosen.shape[0]):
            if chosen[index] & cells.present[plane, index]:
                for row in range(64):
                    scratch.frames[0, row] |= equal_cells(cells.values, plane * 64 + row, index)
        return True
    for row in range(64):
        word = NONE
        for column in range(64):
            word |= np.uint64(chosen[cells.values[plane, row * 64 + column]]) << np.uint64(column)
        scratch.frames[0, row] = word
    return True


@kernel
def remove_positions(
    first: int, stop: int, group: int, removed: SubtableSets, out: SubtableSets
) -> None:
    """The keys first .. stop-1 of a group lose what `removed` has on live planes."""
    for number in range(first, stop):
        if removed.live[group, number]:
            for row in range(64):
                out.planes[group, number, row] &= ~removed.planes[group, number, row]


@kernel
def enter_positions(
    first: int,
    stop: int,
    frame: Frame,
    board: Geometry,
    cells: TableCells,
    chosen: NDArray[np.uint8],
    orders: NDArray[np.int64],
    scratch: Scratch,
    planes: NDArray[np.uint64],
    live: NDArray[np.uint8],
) -> int:
    """planes[key] = the chosen positions of a smaller endgame, in all its images.

    `frame` is the smaller endgame's, of whose planes frame.planes[first:stop] are entered. Planes
    that are images of one another, which two threads may enter at a time, write the same words.
    orders[i] is one way to see its men as the men that are left here: the numbers of its men, in
    order of the key. Returns how many of its planes had any.
    """
    men = frame.kinds.shape[0]
    entered = 0
    for i in range(first, stop):
        plane = frame.planes[i]
        if not pick(plane, cells, chosen, scratch):
            continue
        entered += 1
        turn_all_ways(scratch)
        for symmetry in range(8):
            for man in range(men):
                scratch.image[man] = board.image[symmetry, np.int64(frame.squares[plane, man])]
            for order in range(orders.shape[0]):
                number = 0
                for man in range(men):
                    number = number * 64 + scratch.image[orders[order, man]]
                live[number] = 1
                for row in range(64):
                    planes[number, row] = scratch.frames[symmetry, row]
    return entered
