"""Moves into solved tables: what they score in the cells of a plane of courts.

As in `kernels/successors.py`, each cell keeps the *score* of its mover's best move, and a cell that
is not legal after a move has score 0. A cell of the target is found by adding two numbers: one for
the configuration on our rows, one for that on our bits, each as it is after the move and as the
target sees it. So a capture is two lists, of rows and of bits, and every pair of them is a cell.

    attacker takes attacker     all rows, all bits
    attacker takes court man    on the victim's side, those that have the victim
    court man takes attacker    on the mover's side, the moves that land there
    no capture                  the same without a victim

For an attacker's move both lists are divided by how many men of the court stand on its path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import CHARIOT, NOWHERE
from unmove.kernels.arrays import Scores
from unmove.kernels.bits import NONE
from unmove.kernels.courts.legality import screens_missing
from unmove.kernels.courts.pull import is_occupied, mirror_men, rank_moved
from unmove.kernels.intrinsics import popcount
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.successors import NO_VICTIM
from unmove.planes.court_geometry import MOST_TARGETS, NO_SQUARES, CourtGeometry
from unmove.planes.court_layout import CourtAxes, CourtFrame
from unmove.values import Side

DEFENDER = -2  # in place of a group that loses a man: an advisor or elephant is taken
ROW_AXIS, BIT_AXIS = 0, 1


class CourtTarget(NamedTuple):
    """The solved table after the captures of one kind of man, or after moves that take nobody."""

    victim: int  # the group that loses a man, DEFENDER or NO_VICTIM
    place: NDArray[np.int64]  # [square]: where a defender that is taken stands, numbered; else -1
    man_map: NDArray[np.int64]  # [man of the target]: its number here
    colours_swapped: int  # 1 if the sides are exchanged there, and the board upside down
    axes: CourtAxes  # of the target
    rows: NDArray[np.int64]  # [mirrored, place, row]: what our row adds to the cell; -1: no cell
    bits: NDArray[np.int64]  # [mirrored, place, bit]: likewise
    score: Scores  # [plane, cell]


class CourtMoveScratch(NamedTuple):
    """The scratch space of one thread. The last three are lists of rows or bits, by axis."""

    squares: NDArray[np.int64]  # [man]: the attackers of the plane at hand
    moved: NDArray[np.int64]  # [man]: the same after a move
    image: NDArray[np.int64]  # [man of the target]: the same as the target sees them
    spots: NDArray[np.int64]  # [i]
    listed: NDArray[np.int64]  # [axis, men on the path]: how many are listed
    here: NDArray[np.int64]  # [axis, men on the path, i]: a row or bit
    there: NDArray[np.int64]  # [axis, men on the path, i]: what it adds to the target's cell


class CourtScoring(NamedTuple):
    """What it takes to score the moves of some planes into one target."""

    frame: CourtFrame
    board: CourtGeometry
    target: CourtTarget
    scratch: CourtMoveScratch
    score: Scores  # [plane, cell]: the best so far


@kernel
def find_court_plane(scoring: CourtScoring) -> tuple[int, int]:
    """The target's plane of the men in scratch.moved, and whether the mirror maps them onto it."""
    _, board, target, scratch, _ = scoring
    axes = target.axes
    for man in range(axes.kinds.shape[0]):
        square = scratch.moved[target.man_map[man]]
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
def move_attacker(
    man: int, to: int, victim: int, frame: CourtFrame, scratch: CourtMoveScratch
) -> None:
    """scratch.moved = the attackers after `man` (or none) has moved and taken `victim` (or none).

    A capture frees the number of the group's first man, who takes over the number of the victim.
    """
    for i in range(frame.sides.shape[0]):
        scratch.moved[i] = scratch.squares[i]
    if man >= 0:
        scratch.moved[man] = to
    if victim >= 0:
        scratch.moved[victim] = scratch.squares[frame.axes.first[frame.group[victim]]]


@inlined
def list_configuration(
    axis: int, crowd: int, here: int, there: int, scratch: CourtMoveScratch
) -> None:
    """One more row or bit is listed; `crowd` of its men stand on the path."""
    i = scratch.listed[axis, crowd]
    scratch.here[axis, crowd, i] = here
    scratch.there[axis, crowd, i] = there
    scratch.listed[axis, crowd] = i + 1


@kernel
def list_standing(
    plane: int, axis: int, mirrored: int, place: int, path: int, scoring: CourtScoring
) -> None:
    """Listed are the configurations that can stay, or stay without their man in this place.

    They are divided by how many of their men stand on the path, none or one.
    """
    frame, board, target, scratch, _ = scoring
    side = frame.row_side if axis == ROW_AXIS else 1 - frame.row_side
    court = frame.rows if axis == ROW_AXIS else frame.bits
    adds = target.rows if axis == ROW_AXIS else target.bits
    on_path, attackers = board.half[path, side], frame.occupied[plane, side]
    scratch.listed[axis, 0] = scratch.listed[axis, 1] = 0
    for i in range(court.king.shape[0]):
        there = adds[mirrored, place, i]
        crowd = popcount(court.occupied[i] & on_path)
        if there >= 0 and crowd < 2 and court.occupied[i] & attackers == NONE:
            list_configuration(axis, crowd, i, there, scratch)


@kernel
def list_moving(plane: int, axis: int, mirrored: int, square: int, scoring: CourtScoring) -> None:
    """Listed are the configurations with a move to a square (to any, if it is NOWHERE)."""
    frame, _, target, scratch, _ = scoring
    side = frame.row_side if axis == ROW_AXIS else 1 - frame.row_side
    court = frame.rows if axis == ROW_AXIS else frame.bits
    adds = target.rows if axis == ROW_AXIS else target.bits
    attackers = frame.occupied[plane, side]
    scratch.listed[axis, 0] = 0
    for i in range(court.king.shape[0]):
        for move in range(court.start[i], court.start[i + 1]):
            if square != NOWHERE and court.landing[move] != square:
                continue
            if court.gate[move] & attackers == NONE:
                list_configuration(axis, 0, i, adds[mirrored, 0, court.to[move]], scratch)


@kernel
def improve_cells(
    plane: int, on_rows: int, on_bits: int, source: int, scoring: CourtScoring
) -> None:
    """score[plane] is at least what the target's plane has for every listed row and bit.

    The lists are those with `on_rows` and `on_bits` men on the path.
    """
    frame, _, target, scratch, score = scoring
    for i in range(scratch.listed[ROW_AXIS, on_rows]):
        base = scratch.here[ROW_AXIS, on_rows, i] * frame.words * 64
        there = scratch.there[ROW_AXIS, on_rows, i]
        for k in range(scratch.listed[BIT_AXIS, on_bits]):
            cell = base + scratch.here[BIT_AXIS, on_bits, k]
            scored = target.score[source, there + scratch.there[BIT_AXIS, on_bits, k]]
            score[plane, cell] = max(score[plane, cell], scored)


@inlined
def man_on(square: int, group: int, frame: CourtFrame, scratch: CourtMoveScratch) -> int:
    """The man of a group that stands on the square, or NO_VICTIM."""
    for man in range(frame.axes.first[group], frame.axes.first[group + 1]):
        if scratch.squares[man] == square:
            return man
    return NO_VICTIM


@kernel
def score_attacker_moves(plane: int, man: int, scoring: CourtScoring) -> None:
    """score[plane] is at least what the moves of one attacker into the target score."""
    frame, board, target, scratch, _ = scoring
    kind, origin = frame.axes.kinds[man], scratch.squares[man]
    for i in range(MOST_TARGETS):
        to = board.targets[kind, origin, i]
        if to == NOWHERE:
            return
        place, victim = 0, NO_VICTIM
        if target.victim == DEFENDER:
            place = target.place[to]
        elif target.victim != NO_VICTIM:
            victim = man_on(to, target.victim, frame, scratch)
            place = 0 if victim >= 0 else -1
        if place < 0 or (victim < 0 and is_occupied(plane, to, frame.occupied)):
            continue
        path = board.path[kind, origin, to]
        manner = CHARIOT if target.victim == NO_VICTIM else kind  # a cannon jumps to capture only
        missing = screens_missing(plane, manner, path, frame.occupied, board)
        if missing < 0:
            continue
        move_attacker(man, to, victim, frame, scratch)
        source, mirrored = find_court_plane(scoring)
        list_standing(plane, ROW_AXIS, mirrored, place, path, scoring)
        list_standing(plane, BIT_AXIS, mirrored, place, path, scoring)
        for on_rows in range(missing + 1):
            improve_cells(plane, on_rows, missing - on_rows, source, scoring)


@kernel
def score_court_moves(plane: int, mover: Side, victim: int, scoring: CourtScoring) -> None:
    """score[plane] is at least what the moves of the mover's court score that take `victim`.

    The victim is an attacker, or NO_VICTIM.
    """
    frame, scratch = scoring.frame, scoring.scratch
    move_attacker(-1, -1, victim, frame, scratch)
    source, mirrored = find_court_plane(scoring)
    square = scratch.squares[victim] if victim >= 0 else NOWHERE
    moving, standing = ROW_AXIS, BIT_AXIS
    if mover != frame.row_side:
        moving, standing = BIT_AXIS, ROW_AXIS
    list_moving(plane, moving, mirrored, square, scoring)
    list_standing(plane, standing, mirrored, 0, NO_SQUARES, scoring)
    improve_cells(plane, 0, 0, source, scoring)


@kernel
def score_moves_of_courts(first: int, stop: int, mover: Side, scoring: CourtScoring) -> None:
    """score[plane] is at least what the mover's moves into the target score.

    For the planes frame.planes[first:stop], which the caller owns.
    """
    frame, _, target, scratch, _ = scoring
    for i in range(first, stop):
        plane = frame.planes[i]
        for man in range(frame.sides.shape[0]):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
        for man in range(frame.sides.shape[0]):
            if frame.sides[man] == mover:
                score_attacker_moves(plane, man, scoring)
        if target.victim == NO_VICTIM:
            score_court_moves(plane, mover, NO_VICTIM, scoring)
        elif target.victim >= 0:
            group = target.victim
            for victim in range(frame.axes.first[group], frame.axes.first[group + 1]):
                score_court_moves(plane, mover, victim, scoring)
