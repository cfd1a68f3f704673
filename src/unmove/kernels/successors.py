"""Moves into solved tables: what they bring into the cells of a plane.

For each cell of a plane, the *worth* of the best of its mover's moves among some ways: a small
number, larger where the mover likes it better, 0 where there is none. A move leads into a solved
table, the *target*, whose planes are loaded with the worth of their cells to the side that has just
moved there. So the worth of all moves is their maximum: no negation, and no test of legality,
because what is illegal behind a move is broken in the target and worth 0.

    king takes      the row (White) or column (Black) of the victim's square, spread around it
    man takes       the plane behind, where no king stands on the way
    pawn steps      the plane behind
    double step     the plane behind, unless a pawn beside it takes en passant to better effect
    king steps      the same plane, every cell from its neighbours
    piece moves     the plane behind, where no king stands on the way

The last two stay in the table. Solving does not need them; they find the side that is not stored.

A kernel asks for the planes it needs: where one is not loaded it marks it as wanted and goes on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PAWN
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scores import Scores
from unmove.kernels.solve.sources import rank_moved
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame

CELLS = 4096
KING = -1  # in place of a group that moves
NOBODY = -1  # in place of a group that loses a man
START = (1, 6)  # the ranks from which a pawn may step twice, by side


class Target(NamedTuple):
    """A solved table: the ways into it, where positions stand in it, the planes that are loaded.

    A way is a kind of move. Men keep their numbers in it; a promoted one gets the next number.
    `turned` is 1 if the table's sides are the other way round: there our White plays Black, and all
    men are seen with the ranks upside down.
    """

    mover: NDArray[np.int64]  # [way]: the group that moves, or KING
    victim: NDArray[np.int64]  # [way]: the group that loses a man, or NOBODY
    promotes: NDArray[np.int64]  # [way]: 1 if a pawn becomes a piece
    man_map: NDArray[np.int64]  # [way, i]: our man in the part of the target's i-th
    colours_swapped: int
    leaders: int  # groups that make up its lead
    first: NDArray[np.int64]  # [group]: its first man; one more entry closes the last group
    stride: NDArray[np.int64]  # [group]
    sets: NDArray[np.int64]  # [group]: how many sets of squares there are
    orbit: NDArray[np.int64]  # [rank of the lead's placement]
    symmetry: NDArray[np.int64]  # [rank of the lead's placement]
    slot: NDArray[np.int32]  # [plane]: where it is loaded, -1 if it is not
    wanted: NDArray[np.uint8]  # [plane]: set where a plane is missed
    score: Scores  # [slot, cell]


class MoveScratch(NamedTuple):
    """The scratch space of one thread."""

    squares: NDArray[np.int64]  # [man]: the plane at hand
    behind: NDArray[np.int64]  # [man]: the same after a move
    image: NDArray[np.int64]  # [man of the target]: the same as the target sees them
    free: NDArray[np.uint8]  # [square]: 1 where Black's king does not stand in the way
    plane: Scores  # [cell]: a plane behind a move, as seen here
    other: Scores  # [cell]
    row: Scores  # [8 + square + 8]: a row with a margin of zeros
    three: Scores  # [8 + square + 8]: likewise


LEFT = np.array([square % 8 != 0 for square in range(64)], np.uint8)  # has a square left of it
RIGHT = np.array([square % 8 != 7 for square in range(64)], np.uint8)


@inlined
def take_squares(plane: int, frame: Frame, scratch: MoveScratch) -> np.uint64:
    """scratch.squares = the men of a plane; returns the set of their squares."""
    occupied = NONE
    for man in range(frame.kinds.shape[0]):
        scratch.squares[man] = np.int64(frame.squares[plane, man])
        occupied |= bit(scratch.squares[man])
    return occupied


@inlined
def make_move(
    man: int, to: int, victim: int, promotes: bool, frame: Frame, scratch: MoveScratch
) -> None:
    """scratch.behind = the men after a move of `man`, or of a king, that takes `victim`, or nobody.

    A man that leaves its group, captured or promoted, leaves the seat of the group's first man
    empty, who takes over its own. The promoted man has the number after all others.
    """
    men = frame.kinds.shape[0]
    for i in range(men):
        scratch.behind[i] = scratch.squares[i]
    if man >= 0:
        scratch.behind[man] = to
        if promotes:
            scratch.behind[man] = scratch.squares[frame.first[frame.group[man]]]
            scratch.behind[men] = to
    if victim >= 0:
        scratch.behind[victim] = scratch.squares[frame.first[frame.group[victim]]]


@inlined
def find(way: int, target: Target, board: Geometry, scratch: MoveScratch) -> tuple[int, int]:
    """The target's plane of the men in scratch.behind, and the symmetry that brings them there.

    The plane is -1 for men that cannot stand like this.
    """
    groups = target.stride.shape[0]
    turn = 2 * target.colours_swapped  # ranks upside down
    lead = 0
    for group in range(min(target.leaders, groups)):
        first, stop = target.first[group], target.first[group + 1]
        for man in range(first, stop):
            scratch.image[man] = board.image[turn, scratch.behind[target.man_map[way, man]]]
        lead = lead * target.sets[group] + rank_moved(scratch.image, first, stop - first, -1, -1)
    if target.orbit[lead] < 0:
        return -1, 0
    symmetry = board.compose[turn, target.symmetry[lead]]
    plane = target.orbit[lead] * (target.stride[0] if groups else 1)
    for group in range(target.leaders, groups):
        first, stop = target.first[group], target.first[group + 1]
        for man in range(first, stop):
            scratch.image[man] = board.image[symmetry, scratch.behind[target.man_map[way, man]]]
        plane += rank_moved(scratch.image, first, stop - first, -1, -1) * target.stride[group]
    return plane, symmetry


@inlined
def reach(way: int, target: Target, board: Geometry, scratch: MoveScratch) -> tuple[int, int]:
    """The slot of the plane behind scratch.behind and its symmetry; -1 if there is none to read."""
    plane, symmetry = find(way, target, board, scratch)
    if plane < 0:
        return -1, 0
    slot: int = target.slot[plane]
    if slot < 0:
        target.wanted[plane] = 1
    return slot, symmetry


@inlined
def bring(slot: int, symmetry: int, target: Target, board: Geometry, out: Scores) -> None:
    """out = the plane in a slot, as seen from here."""
    if target.colours_swapped:
        for row in range(64):
            white = board.image[symmetry, row]
            for column in range(64):
                at = board.image[symmetry, column] * 64 + white
                out[row * 64 + column] = target.score[slot, at]
    elif symmetry == 0:
        for cell in range(CELLS):
            out[cell] = target.score[slot, cell]
    else:
        for row in range(64):
            white = board.image[symmetry, row] * 64
            for column in range(64):
                at = white + board.image[symmetry, column]
                out[row * 64 + column] = target.score[slot, at]


@inlined
def improve(plane: int, path: np.uint64, scratch: MoveScratch, score: Scores) -> None:
    """worth[plane] is at least what scratch.plane brings where no king stands on the path."""
    if path == NONE:
        for cell in range(CELLS):
            score[plane, cell] = max(score[plane, cell], scratch.plane[cell])
        return
    for column in range(64):
        scratch.free[column] = (path & bit(column)) == NONE
    for row in range(64):
        if path & bit(row):
            continue
        base = row * 64
        for column in range(64):
            brought = scratch.plane[base + column] * scratch.free[column]
            score[plane, base + column] = max(score[plane, base + column], brought)


@inlined
def king_brings(
    plane: int,
    square: int,
    mover: int,
    slot: int,
    symmetry: int,
    target: Target,
    board: Geometry,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] is at least what the mover's king gets by taking on `square`.

    Behind the capture it stands there: one row of the target's plane, or one column.
    """
    there = board.image[symmetry, square]
    by_row = (mover == 0) != (target.colours_swapped == 1)
    for other in range(64):
        at = board.image[symmetry, other]
        scratch.plane[other] = target.score[slot, there * 64 + at if by_row else at * 64 + there]
    around = board.king[square]
    while around:
        king = lowest(around)
        around &= around - ONE
        for other in range(64):
            cell = king * 64 + other if mover == 0 else other * 64 + king
            score[plane, cell] = max(score[plane, cell], scratch.plane[other])


@inlined
def is_last(square: int, mover: int) -> bool:
    """Whether a pawn of the mover becomes a piece on this square."""
    return square >= 56 if mover == 0 else square < 8


@inlined
def king_takes(
    plane: int,
    way: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the captures of one group's men by the king."""
    prey = target.victim[way]
    for victim in range(frame.first[prey], frame.first[prey + 1]):
        make_move(-1, -1, victim, False, frame, scratch)
        slot, symmetry = reach(way, target, board, scratch)
        if slot >= 0:
            square = scratch.squares[victim]
            king_brings(plane, square, mover, slot, symmetry, target, board, scratch, score)


@inlined
def man_takes(
    plane: int,
    occupied: np.uint64,
    way: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the captures of one group's men by another's."""
    group, prey = target.mover[way], target.victim[way]
    promotes = target.promotes[way] == 1
    for man in range(frame.first[group], frame.first[group + 1]):
        origin, kind = scratch.squares[man], frame.kinds[man]
        for victim in range(frame.first[prey], frame.first[prey + 1]):
            square = scratch.squares[victim]
            if board.reach[kind, origin] & bit(square) == NONE:
                continue
            if board.between[origin, square] & occupied:
                continue
            if kind >= PAWN and is_last(square, mover) != promotes:
                continue
            make_move(man, square, victim, promotes, frame, scratch)
            slot, symmetry = reach(way, target, board, scratch)
            if slot >= 0:
                bring(slot, symmetry, target, board, scratch.plane)
                improve(plane, board.between[origin, square], scratch, score)


@inlined
def pawn_steps(
    plane: int,
    occupied: np.uint64,
    way: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the single steps of one group's pawns, promotions among them or not."""
    group = target.mover[way]
    promotes = target.promotes[way] == 1
    for man in range(frame.first[group], frame.first[group + 1]):
        to = scratch.squares[man] + (8 if mover == 0 else -8)
        if occupied & bit(to) or is_last(to, mover) != promotes:
            continue
        make_move(man, to, -1, promotes, frame, scratch)
        slot, symmetry = reach(way, target, board, scratch)
        if slot >= 0:
            bring(slot, symmetry, target, board, scratch.plane)
            improve(plane, NONE, scratch, score)


@inlined
def piece_moves(
    plane: int,
    occupied: np.uint64,
    way: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the moves of one group's pieces that take nothing."""
    group = target.mover[way]
    for man in range(frame.first[group], frame.first[group + 1]):
        origin = scratch.squares[man]
        squares = board.reach[frame.kinds[man], origin] & ~occupied
        while squares:
            to = lowest(squares)
            squares &= squares - ONE
            if board.between[origin, to] & occupied:
                continue
            make_move(man, to, -1, False, frame, scratch)
            slot, symmetry = reach(way, target, board, scratch)
            if slot >= 0:
                bring(slot, symmetry, target, board, scratch.plane)
                improve(plane, board.between[origin, to], scratch, score)


@inlined
def rows_step(plane: int, board: Geometry, scratch: MoveScratch, score: Scores) -> None:
    """worth[plane] counts the steps of White's king, from row to row of scratch.plane."""
    for row in range(64):
        around = board.king[row]
        while around:
            other = lowest(around) * 64
            around &= around - ONE
            for column in range(64):
                at = row * 64 + column
                score[plane, at] = max(score[plane, at], scratch.plane[other + column])


@inlined
def columns_step(plane: int, scratch: MoveScratch, score: Scores) -> None:
    """worth[plane] counts the steps of Black's king, along the rows of scratch.plane.

    One rank is eight cells from the next: a step leads beside a cell, or to one of the three of the
    ranks above and below it.
    """
    for row in range(64):
        base = row * 64
        for column in range(64):
            scratch.row[8 + column] = scratch.plane[base + column]
        for column in range(64):
            beside = max(
                scratch.row[7 + column] * LEFT[column], scratch.row[9 + column] * RIGHT[column]
            )
            score[plane, base + column] = max(score[plane, base + column], beside)
            scratch.three[8 + column] = max(scratch.row[8 + column], beside)
        for column in range(64):
            away = max(scratch.three[column], scratch.three[16 + column])
            score[plane, base + column] = max(score[plane, base + column], away)


@inlined
def king_steps(
    plane: int,
    way: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the steps of the king that take nothing."""
    make_move(-1, -1, -1, False, frame, scratch)
    slot, symmetry = reach(way, target, board, scratch)
    if slot < 0:
        return
    bring(slot, symmetry, target, board, scratch.plane)
    if mover == 0:
        rows_step(plane, board, scratch, score)
    else:
        columns_step(plane, scratch, score)


@kernel
def convert(
    first: int,
    stop: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the mover's moves into one target, double steps left out.

    For the planes frame.planes[first:stop], which the caller owns; target.wanted may be shared.
    """
    for i in range(first, stop):
        plane = frame.planes[i]
        occupied = take_squares(plane, frame, scratch)
        for way in range(target.mover.shape[0]):
            group, takes = target.mover[way], target.victim[way] != NOBODY
            if group == KING and takes:
                king_takes(plane, way, mover, frame, board, target, scratch, score)
            elif group == KING:
                king_steps(plane, way, mover, frame, board, target, scratch, score)
            elif takes:
                man_takes(plane, occupied, way, mover, frame, board, target, scratch, score)
            elif frame.kinds[frame.first[group]] >= PAWN:
                pawn_steps(plane, occupied, way, mover, frame, board, target, scratch, score)
            else:
                piece_moves(plane, occupied, way, frame, board, target, scratch, score)


@inlined
def answer_en_passant(scratch: MoveScratch, stalemate: int) -> None:
    """scratch.plane = the worth of a double step that can be answered en passant by scratch.other.

    The opponent chooses what is worse for the mover; without any other move he has no choice.
    """
    for cell in range(CELLS):
        plain, answer = scratch.plane[cell], scratch.other[cell]
        if plain != 0 and answer != 0 and (plain == stalemate or answer < plain):
            scratch.plane[cell] = answer


@kernel
def step_twice(
    first: int,
    stop: int,
    mover: int,
    frame: Frame,
    board: Geometry,
    target: Target,
    answered: Target,
    stalemate: int,
    scratch: MoveScratch,
    score: Scores,
) -> None:
    """worth[plane] counts the mover's double steps, en passant and all.

    `target` is that of the step (one way, into slices of this table), `answered` that of the
    capture en passant behind it, with the mover to move again. A plane worth `stalemate` is a draw
    only because the opponent, were there no en passant, could not move.
    """
    group = target.mover[0]
    ahead = 8 if mover == 0 else -8
    men = frame.kinds.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        occupied = take_squares(plane, frame, scratch)
        for man in range(frame.first[group], frame.first[group + 1]):
            origin = scratch.squares[man]
            middle, to = origin + ahead, origin + 2 * ahead
            if origin >> 3 != START[mover] or occupied & (bit(middle) | bit(to)):
                continue
            make_move(man, to, -1, False, frame, scratch)
            slot, symmetry = reach(0, target, board, scratch)
            if slot >= 0:
                bring(slot, symmetry, target, board, scratch.plane)
            for pawn in range(men):
                beside = scratch.squares[pawn]
                if frame.kinds[pawn] < PAWN or frame.sides[pawn] == mover:
                    continue
                if beside >> 3 != to >> 3 or abs(beside - to) != 1:
                    continue
                make_move(pawn, middle, man, False, frame, scratch)
                there, seen = reach(0, answered, board, scratch)
                if there >= 0:
                    bring(there, seen, answered, board, scratch.other)
                    answer_en_passant(scratch, stalemate)
            if slot >= 0:
                improve(plane, bit(middle), scratch, score)
