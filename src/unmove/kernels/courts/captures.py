"""Moves into solved tables: what they bring into the cells of a plane of courts.

As in `kernels/successors.py`, each cell keeps the *worth* of its mover's best move, and what is
illegal behind a move is worth 0 there. A cell of the target is found by adding two numbers: one
for the configuration that is on our rows, one for that on our bits, each as it is after the move
and as the target sees it. So a capture is two lists, of rows and of bits, and every pair of them
is a cell.

    attacker takes attacker     all rows, all bits
    attacker takes court man    on the victim's side, those that have the victim
    court man takes attacker    on the mover's side, the moves that land there
    no capture                  the same without a victim

Behind an attacker's move both lists are kept apart by how many of the court stand on its path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import CHARIOT, NOWHERE
from unmove.kernels.bits import NONE
from unmove.kernels.courts.legality import screens_missing
from unmove.kernels.courts.pull import is_occupied, mirror_men, rank_moved
from unmove.kernels.intrinsics import popcount
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scores import Scores
from unmove.planes.court_geometry import MOST_TARGETS, NO_SQUARES, CourtGeometry
from unmove.planes.court_layout import CourtAxes, CourtFrame
from unmove.planes.courts import CourtMen

NOBODY = -1  # in place of a group that loses a man
DEFENDER = -2  # an advisor or elephant is taken
ROWS, BITS = 0, 1


class CourtTarget(NamedTuple):
    """A solved table behind the captures of one kind of man, or behind moves that take nobody."""

    victim: int  # the group that loses a man, DEFENDER or NOBODY
    place: NDArray[np.int64]  # [square]: where a defender that is taken stands, numbered; else -1
    man_map: NDArray[np.int64]  # [man of the target]: our man in its part
    colours_swapped: (
        int  # 1 if the table's sides are the other way round, and the board upside down
    )
    axes: CourtAxes  # of the target
    rows: NDArray[np.int64]  # [mirrored, place, row]: what our row adds to the cell; -1 if nothing
    bits: NDArray[np.int64]  # [mirrored, place, bit]: likewise
    score: Scores  # [plane, cell]


class CourtMoveScratch(NamedTuple):
    """The scratch space of one thread."""

    squares: NDArray[np.int64]  # [man]: the attackers of the plane at hand
    behind: NDArray[np.int64]  # [man]: the same after a move
    image: NDArray[np.int64]  # [man of the target]: the same as the target sees them
    spots: NDArray[np.int64]  # [i]
    listed: NDArray[np.int64]  # [rows or bits, men on the path]: how many are listed
    here: NDArray[np.int64]  # [rows or bits, men on the path, i]: a row or bit
    there: NDArray[np.int64]  # [rows or bits, men on the path, i]: what it adds to the cell behind


@kernel
def find(target: CourtTarget, board: CourtGeometry, scratch: CourtMoveScratch) -> tuple[int, int]:
    """The target's plane of the men in scratch.behind, and whether the mirror brings them there."""
    axes = target.axes
    for man in range(axes.kinds.shape[0]):
        square = scratch.behind[target.man_map[man]]
        scratch.image[man] = board.flip[square] if target.colours_swapped else square
    plane, mirrored = 0, 0
    for group in range(axes.first.shape[0] - 1):
        rank = rank_moved(scratch.image, group, -1, -1, axes, board, scratch.spots)
        if group == 0:
            mirrored = axes.mirrored[rank]
            rank = axes.orbit[rank]
            if mirrored:
                mirror_men(0, axes, board, scratch.image)
        plane += rank * axes.stride[group]
    return plane, mirrored


@inlined
def make_move(man: int, to: int, victim: int, frame: CourtFrame, scratch: CourtMoveScratch) -> None:
    """scratch.behind = the attackers after `man` (or none) has moved and taken `victim` (or none).

    The seat that is empty behind a capture is that of the group's first man, who takes over the
    victim's.
    """
    for i in range(frame.sides.shape[0]):
        scratch.behind[i] = scratch.squares[i]
    if man >= 0:
        scratch.behind[man] = to
    if victim >= 0:
        scratch.behind[victim] = scratch.squares[frame.axes.first[frame.group[victim]]]


@inlined
def list_one(axis: int, crowd: int, here: int, there: int, scratch: CourtMoveScratch) -> None:
    i = scratch.listed[axis, crowd]
    scratch.here[axis, crowd, i] = here
    scratch.there[axis, crowd, i] = there
    scratch.listed[axis, crowd] = i + 1


@kernel
def list_standing(
    axis: int,
    court: CourtMen,
    adds: NDArray[np.int64],
    mirrored: int,
    place: int,
    path: np.uint64,
    occupied: np.uint64,
    scratch: CourtMoveScratch,
) -> None:
    """The configurations that can stay, or stay without their man in this place.

    Apart by how many of them stand on the path, none or one.
    """
    scratch.listed[axis, 0] = scratch.listed[axis, 1] = 0
    for at in range(court.king.shape[0]):
        there = adds[mirrored, place, at]
        crowd = popcount(court.occupied[at] & path)
        if there >= 0 and crowd < 2 and court.occupied[at] & occupied == NONE:
            list_one(axis, crowd, at, there, scratch)


@kernel
def list_moving(
    axis: int,
    court: CourtMen,
    adds: NDArray[np.int64],
    mirrored: int,
    square: int,
    occupied: np.uint64,
    scratch: CourtMoveScratch,
) -> None:
    """The configurations with a move that lands on a square (on any, if it is NOWHERE)."""
    scratch.listed[axis, 0] = 0
    for at in range(court.king.shape[0]):
        for move in range(court.start[at], court.start[at + 1]):
            if square != NOWHERE and court.landing[move] != square:
                continue
            if court.gate[move] & occupied == NONE:
                list_one(axis, 0, at, adds[mirrored, 0, court.to[move]], scratch)


@kernel
def spread(
    plane: int,
    on_rows: int,
    on_bits: int,
    source: int,
    frame: CourtFrame,
    target: CourtTarget,
    scratch: CourtMoveScratch,
    score: Scores,
) -> None:
    """worth[plane] is at least what the target has for every listed row and bit."""
    for i in range(scratch.listed[ROWS, on_rows]):
        base = scratch.here[ROWS, on_rows, i] * frame.words * 64
        behind = scratch.there[ROWS, on_rows, i]
        for k in range(scratch.listed[BITS, on_bits]):
            cell = base + scratch.here[BITS, on_bits, k]
            brought = target.score[source, behind + scratch.there[BITS, on_bits, k]]
            score[plane, cell] = max(score[plane, cell], brought)


@inlined
def man_on(square: int, group: int, frame: CourtFrame, scratch: CourtMoveScratch) -> int:
    """The man of a group that stands on the square, or NOBODY."""
    for man in range(frame.axes.first[group], frame.axes.first[group + 1]):
        if scratch.squares[man] == square:
            return man
    return NOBODY


@kernel
def attacker_moves(
    plane: int,
    man: int,
    frame: CourtFrame,
    board: CourtGeometry,
    target: CourtTarget,
    scratch: CourtMoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the moves of one attacker into the target."""
    kind, origin, row_side = frame.axes.kinds[man], scratch.squares[man], frame.row_side
    for i in range(MOST_TARGETS):
        to = board.targets[kind, origin, i]
        if to == NOWHERE:
            return
        place, victim = 0, NOBODY
        if target.victim == DEFENDER:
            place = target.place[to]
        elif target.victim != NOBODY:
            victim = man_on(to, target.victim, frame, scratch)
            place = 0 if victim >= 0 else -1
        if place < 0 or (victim < 0 and is_occupied(plane, to, frame.occupied)):
            continue
        path = board.path[kind, origin, to]
        manner = CHARIOT if target.victim == NOBODY else kind  # only who captures jumps
        missing = screens_missing(plane, manner, path, frame.occupied, board)
        if missing < 0:
            continue
        make_move(man, to, victim, frame, scratch)
        source, mirrored = find(target, board, scratch)
        rows, bits = board.half[path, row_side], board.half[path, 1 - row_side]
        full, empty = frame.occupied[plane, row_side], frame.occupied[plane, 1 - row_side]
        list_standing(ROWS, frame.rows, target.rows, mirrored, place, rows, full, scratch)
        list_standing(BITS, frame.bits, target.bits, mirrored, place, bits, empty, scratch)
        for on_rows in range(missing + 1):
            spread(plane, on_rows, missing - on_rows, source, frame, target, scratch, score)


@kernel
def court_moves(
    plane: int,
    mover: int,
    victim: int,
    frame: CourtFrame,
    board: CourtGeometry,
    target: CourtTarget,
    scratch: CourtMoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the moves of the mover's court that take `victim` (or nobody)."""
    make_move(-1, -1, victim, frame, scratch)
    source, mirrored = find(target, board, scratch)
    square = scratch.squares[victim] if victim >= 0 else NOWHERE
    none = board.half[NO_SQUARES, 0]
    rows, bits = frame.occupied[plane, frame.row_side], frame.occupied[plane, 1 - frame.row_side]
    if mover == frame.row_side:
        list_moving(ROWS, frame.rows, target.rows, mirrored, square, rows, scratch)
        list_standing(BITS, frame.bits, target.bits, mirrored, 0, none, bits, scratch)
    else:
        list_standing(ROWS, frame.rows, target.rows, mirrored, 0, none, rows, scratch)
        list_moving(BITS, frame.bits, target.bits, mirrored, square, bits, scratch)
    spread(plane, 0, 0, source, frame, target, scratch, score)


@kernel
def convert_courts(
    first: int,
    stop: int,
    mover: int,
    frame: CourtFrame,
    board: CourtGeometry,
    target: CourtTarget,
    scratch: CourtMoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the mover's moves into one target.

    For the planes frame.planes[first:stop], which the caller owns.
    """
    for i in range(first, stop):
        plane = frame.planes[i]
        for man in range(frame.sides.shape[0]):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        for man in range(frame.sides.shape[0]):
            if frame.sides[man] == mover:
                attacker_moves(plane, man, frame, board, target, scratch, score)
        if target.victim == NOBODY:
            court_moves(plane, mover, NOBODY, frame, board, target, scratch, score)
        elif target.victim >= 0:
            for victim in range(
                frame.axes.first[target.victim], frame.axes.first[target.victim + 1]
            ):
                court_moves(plane, mover, victim, frame, board, target, scratch, score)
