"""Moves into solved tables: what they score in the cells of a plane.

For each cell of a plane, the *score* of the best of its mover's moves among some kinds of moves: a
small number, larger where the mover likes it better, 0 where there is no such move. A move leads
into a solved table, the *target*. Its planes are loaded as scores, seen by the side that has just
moved there. So the score of several moves is their maximum. There is no negation, and no test of
legality: a cell that is not legal after the move is broken in the target and has score 0.

    king takes      the row (White) or column (Black) of the victim's square, spread around it
    man takes       the plane after the move, where no king stands on the path
    pawn steps      the plane after the move
    double step     the plane after the move, unless a pawn beside it takes en passant to better
                    effect
    king steps      the same plane, every cell from the cells one step away
    piece moves     the plane after the move, where no king stands on the path

The last two stay in the table. Solving does not need them; they find the side that is not stored.

A kernel asks for the planes it needs: where one is not loaded it marks it as wanted and goes on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PAWN
from unmove.kernels.arrays import Scores
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.solve.sources import rank_moved
from unmove.planes.geometry import Geometry
from unmove.planes.layout import CELLS, Frame
from unmove.values import WHITE, Side

KING_GROUP = -1  # in place of a group that moves: the king
NO_VICTIM = -1  # in place of a group, or a man, that is captured
PAWN_HOME = (1, 6)  # the ranks from which a pawn may step twice, by side


class Target(NamedTuple):
    """A solved table: the moves into it, where positions stand in it, the planes that are loaded.

    Men keep their numbers in a move; a promoted man gets the next number.
    If the colours are swapped, our White plays Black there, and all men are seen with the ranks
    upside down.
    """

    mover: NDArray[np.int64]  # [move kind]: the group that moves, or KING_GROUP
    victim: NDArray[np.int64]  # [move kind]: the group that loses a man, or NO_VICTIM
    promotes: NDArray[np.int64]  # [move kind]: 1 if a pawn becomes a piece
    man_map: NDArray[np.int64]  # [move kind, i]: the number here of the target's i-th man
    colours_swapped: int
    leaders: int  # groups that make up its lead
    first: NDArray[np.int64]  # [group]: its first man; one more entry closes the last group
    stride: NDArray[np.int64]  # [group]
    sets: NDArray[np.int64]  # [group]: how many sets of squares there are
    orbit: NDArray[np.int64]  # [rank of the lead's placement]
    symmetry: NDArray[np.int64]  # [rank of the lead's placement]
    slot: NDArray[np.int32]  # [plane]: where it is loaded, -1 if it is not
    wanted: NDArray[np.uint8]  # [plane]: set where a plane is needed and not loaded
    score: Scores  # [slot, cell]


class MoveScratch(NamedTuple):
    """The scratch space of one thread."""

    squares: NDArray[np.int64]  # [man]: the plane at hand
    moved: NDArray[np.int64]  # [man]: the same after a move
    image: NDArray[np.int64]  # [man of the target]: the same as the target sees them
    free: NDArray[np.uint8]  # [square]: 1 where Black's king does not stand on the path
    plane: Scores  # [cell]: a plane of the target, as seen here
    other: Scores  # [cell]
    row: Scores  # [8 + square + 8]: a row with a margin of zeros
    three: Scores  # [8 + square + 8]: likewise


class Scoring(NamedTuple):
    """What it takes to score the moves of some planes into one target."""

    frame: Frame
    board: Geometry
    target: Target
    scratch: MoveScratch
    score: Scores  # [plane, cell]: the best so far


class ManMove(NamedTuple):
    """A move, wherever the kings stand. A king's move has no man and no square."""

    man: int  # -1 for a king
    to: int
    victim: int  # a man, or NO_VICTIM
    promotes: bool


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
def make_move(move: ManMove, frame: Frame, scratch: MoveScratch) -> None:
    """scratch.moved = the men after a move.

    A man leaves its group when it is captured or promoted. Then the number of the group's first man
    is free: the first man takes over the number of the one that left. A promoted man has the number
    after all others.
    """
    men = frame.kinds.shape[0]
    for i in range(men):
        scratch.moved[i] = scratch.squares[i]
    if move.man >= 0:
        scratch.moved[move.man] = move.to
        if move.promotes:
            scratch.moved[move.man] = scratch.squares[frame.first[frame.group[move.man]]]
            scratch.moved[men] = move.to
    if move.victim >= 0:
        scratch.moved[move.victim] = scratch.squares[frame.first[frame.group[move.victim]]]


@inlined
def find_plane(
    move_kind: int, target: Target, board: Geometry, scratch: MoveScratch
) -> tuple[int, int]:
    """The target's plane of the men in scratch.moved, and the symmetry that maps them onto it.

    The plane is -1 for men that cannot stand like this.
    """
    groups = target.stride.shape[0]
    flip = 2 * target.colours_swapped  # the symmetry that turns the ranks upside down, or none
    lead = 0
    for group in range(min(target.leaders, groups)):
        first, stop = target.first[group], target.first[group + 1]
        for man in range(first, stop):
            scratch.image[man] = board.image[flip, scratch.moved[target.man_map[move_kind, man]]]
        lead = lead * target.sets[group] + rank_moved(scratch.image, first, stop - first, -1, -1)
    if target.orbit[lead] < 0:
        return -1, 0
    symmetry = board.compose[flip, target.symmetry[lead]]
    plane = target.orbit[lead] * (target.stride[0] if groups else 1)
    for group in range(target.leaders, groups):
        first, stop = target.first[group], target.first[group + 1]
        for man in range(first, stop):
            scratch.image[man] = board.image[
                symmetry, scratch.moved[target.man_map[move_kind, man]]
            ]
        plane += rank_moved(scratch.image, first, stop - first, -1, -1) * target.stride[group]
    return plane, symmetry


@inlined
def find_slot(
    move_kind: int, target: Target, board: Geometry, scratch: MoveScratch
) -> tuple[int, int]:
    """The slot of the plane of scratch.moved, and its symmetry; -1 if there is none to read.

    A plane that is not loaded is marked as wanted.
    """
    plane, symmetry = find_plane(move_kind, target, board, scratch)
    if plane < 0:
        return -1, 0
    slot: int = target.slot[plane]
    if slot < 0:
        target.wanted[plane] = 1
    return slot, symmetry


@inlined
def copy_plane(slot: int, symmetry: int, target: Target, board: Geometry, out: Scores) -> None:
    """out = the plane in a slot, as seen from here."""
    if target.colours_swapped:
        for row in range(64):
            white = board.image[symmetry, row]
            for column in range(64):
                cell = board.image[symmetry, column] * 64 + white
                out[row * 64 + column] = target.score[slot, cell]
    elif symmetry == 0:
        for cell in range(CELLS):
            out[cell] = target.score[slot, cell]
    else:
        for row in range(64):
            white = board.image[symmetry, row] * 64
            for column in range(64):
                cell = white + board.image[symmetry, column]
                out[row * 64 + column] = target.score[slot, cell]


@inlined
def improve(plane: int, path: np.uint64, scratch: MoveScratch, score: Scores) -> None:
    """score[plane] is at least scratch.plane, in the cells where no king stands on the path."""
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
            scored = scratch.plane[base + column] * scratch.free[column]
            score[plane, base + column] = max(score[plane, base + column], scored)


@inlined
def score_move(
    plane: int, move_kind: int, move: ManMove, path: np.uint64, scoring: Scoring
) -> None:
    """score[plane] is at least what a man's move scores, where no king stands on its path."""
    _, board, target, scratch, score = scoring
    make_move(move, scoring.frame, scratch)
    slot, symmetry = find_slot(move_kind, target, board, scratch)
    if slot >= 0:
        copy_plane(slot, symmetry, target, board, scratch.plane)
        improve(plane, path, scratch, score)


@inlined
def score_king_capture(
    plane: int, square: int, mover: Side, slot: int, symmetry: int, scoring: Scoring
) -> None:
    """score[plane] is at least what the mover's king scores by taking on `square`.

    After the capture the king stands there: one row of the target's plane, or one column.
    """
    _, board, target, scratch, score = scoring
    there = board.image[symmetry, square]
    by_row = (mover == WHITE) != (target.colours_swapped == 1)
    for other in range(64):
        seen = board.image[symmetry, other]
        cell = there * 64 + seen if by_row else seen * 64 + there
        scratch.plane[other] = target.score[slot, cell]
    around = board.king[square]
    while around:
        king = lowest(around)
        around &= around - ONE
        for other in range(64):
            cell = king * 64 + other if mover == WHITE else other * 64 + king
            score[plane, cell] = max(score[plane, cell], scratch.plane[other])


@inlined
def is_last(square: int, mover: Side) -> bool:
    """Whether a pawn of the mover becomes a piece on this square."""
    return square >= 56 if mover == WHITE else square < 8


@inlined
def score_king_captures(plane: int, move_kind: int, mover: Side, scoring: Scoring) -> None:
    """score[plane] is at least what the king scores by taking a man of one group."""
    frame, board, target, scratch, _ = scoring
    prey = target.victim[move_kind]
    for victim in range(frame.first[prey], frame.first[prey + 1]):
        make_move(ManMove(-1, -1, victim, False), frame, scratch)
        slot, symmetry = find_slot(move_kind, target, board, scratch)
        if slot >= 0:
            score_king_capture(plane, scratch.squares[victim], mover, slot, symmetry, scoring)


@inlined
def score_captures(
    plane: int, occupied: np.uint64, move_kind: int, mover: Side, scoring: Scoring
) -> None:
    """score[plane] is at least what the captures of one group's men by another's score."""
    frame, board, target, scratch, _ = scoring
    group, prey = target.mover[move_kind], target.victim[move_kind]
    promotes = target.promotes[move_kind] == 1
    for man in range(frame.first[group], frame.first[group + 1]):
        origin, kind = scratch.squares[man], frame.kinds[man]
        for victim in range(frame.first[prey], frame.first[prey + 1]):
            square = scratch.squares[victim]
            path = board.between[origin, square]
            if board.reach[kind, origin] & bit(square) == NONE:
                continue
            if path & occupied:
                continue
            if kind >= PAWN and is_last(square, mover) != promotes:
                continue
            score_move(plane, move_kind, ManMove(man, square, victim, promotes), path, scoring)


@inlined
def score_pawn_steps(
    plane: int, occupied: np.uint64, move_kind: int, mover: Side, scoring: Scoring
) -> None:
    """score[plane] is at least what the single steps of one group's pawns score.

    These are the steps that promote, or those that do not, as the kind of move says.
    """
    frame, target = scoring.frame, scoring.target
    group = target.mover[move_kind]
    promotes = target.promotes[move_kind] == 1
    for man in range(frame.first[group], frame.first[group + 1]):
        to = scoring.scratch.squares[man] + (8 if mover == WHITE else -8)
        if occupied & bit(to) or is_last(to, mover) != promotes:
            continue
        score_move(plane, move_kind, ManMove(man, to, NO_VICTIM, promotes), NONE, scoring)


@inlined
def score_piece_moves(plane: int, occupied: np.uint64, move_kind: int, scoring: Scoring) -> None:
    """score[plane] is at least what the moves of one group's pieces score that take nothing."""
    frame, board = scoring.frame, scoring.board
    group = scoring.target.mover[move_kind]
    for man in range(frame.first[group], frame.first[group + 1]):
        origin = scoring.scratch.squares[man]
        squares = board.reach[frame.kinds[man], origin] & ~occupied
        while squares:
            to = lowest(squares)
            squares &= squares - ONE
            path = board.between[origin, to]
            if path & occupied:
                continue
            score_move(plane, move_kind, ManMove(man, to, NO_VICTIM, False), path, scoring)


@inlined
def step_rows(plane: int, board: Geometry, scratch: MoveScratch, score: Scores) -> None:
    """score[plane] is at least what the steps of White's king score, from row to row."""
    for row in range(64):
        around = board.king[row]
        while around:
            other = lowest(around) * 64
            around &= around - ONE
            for column in range(64):
                cell = row * 64 + column
                score[plane, cell] = max(score[plane, cell], scratch.plane[other + column])


@inlined
def step_columns(plane: int, scratch: MoveScratch, score: Scores) -> None:
    """score[plane] is at least what the steps of Black's king score, along the rows.

    One rank is eight cells from the next. A step leads to a cell beside this one, or to one of the
    three cells of the rank above or below.
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
def score_king_steps(plane: int, move_kind: int, mover: Side, scoring: Scoring) -> None:
    """score[plane] is at least what the king's steps score that take nothing."""
    frame, board, target, scratch, score = scoring
    make_move(ManMove(-1, -1, NO_VICTIM, False), frame, scratch)
    slot, symmetry = find_slot(move_kind, target, board, scratch)
    if slot < 0:
        return
    copy_plane(slot, symmetry, target, board, scratch.plane)
    if mover == WHITE:
        step_rows(plane, board, scratch, score)
    else:
        step_columns(plane, scratch, score)


@kernel
def score_moves(first: int, stop: int, mover: Side, scoring: Scoring) -> None:
    """score[plane] is at least what the mover's moves into the target score, but double steps.

    For the planes frame.planes[first:stop], which the caller owns. Several threads may set
    target.wanted.
    """
    frame, target = scoring.frame, scoring.target
    for i in range(first, stop):
        plane = frame.planes[i]
        occupied = take_squares(plane, frame, scoring.scratch)
        for move_kind in range(target.mover.shape[0]):
            group, takes = target.mover[move_kind], target.victim[move_kind] != NO_VICTIM
            if group == KING_GROUP and takes:
                score_king_captures(plane, move_kind, mover, scoring)
            elif group == KING_GROUP:
                score_king_steps(plane, move_kind, mover, scoring)
            elif takes:
                score_captures(plane, occupied, move_kind, mover, scoring)
            elif frame.kinds[frame.first[group]] >= PAWN:
                score_pawn_steps(plane, occupied, move_kind, mover, scoring)
            else:
                score_piece_moves(plane, occupied, move_kind, scoring)


@inlined
def answer_en_passant(scratch: MoveScratch, stalemate: int) -> None:
    """scratch.plane = the score of a double step that can be answered en passant by scratch.other.

    The opponent takes if that is worse for the mover. He must take if he has no other move.
    """
    for cell in range(CELLS):
        plain, answer = scratch.plane[cell], scratch.other[cell]
        if plain != 0 and answer != 0 and (plain == stalemate or answer < plain):
            scratch.plane[cell] = answer


@inlined
def answer_double_step(
    man: int, middle: int, to: int, answered: Target, stalemate: int, scoring: Scoring
) -> None:
    """scratch.plane = the score of a pawn's double step over `middle`, all answers regarded."""
    frame, board, _, scratch, _ = scoring
    for pawn in range(frame.kinds.shape[0]):
        beside = scratch.squares[pawn]
        if frame.kinds[pawn] < PAWN or frame.sides[pawn] == frame.sides[man]:
            continue
        if beside >> 3 != to >> 3 or abs(beside - to) != 1:
            continue
        make_move(ManMove(pawn, middle, man, False), frame, scratch)
        slot, symmetry = find_slot(0, answered, board, scratch)
        if slot >= 0:
            copy_plane(slot, symmetry, answered, board, scratch.other)
            answer_en_passant(scratch, stalemate)


@kernel
def score_double_steps(
    first: int, stop: int, mover: Side, scoring: Scoring, answered: Target, stalemate: int
) -> None:
    """score[plane] is at least what the mover's double steps score, en passant regarded.

    The target has one kind of move, the step, into slices of this table. `answered` is the target
    of the capture en passant after it, with the mover to move again. A cell with score `stalemate`
    is a draw only because the opponent, were there no en passant, could not move.
    """
    frame, board, target, scratch, score = scoring
    group = target.mover[0]
    ahead = 8 if mover == WHITE else -8
    for i in range(first, stop):
        plane = frame.planes[i]
        occupied = take_squares(plane, frame, scratch)
        for man in range(frame.first[group], frame.first[group + 1]):
            origin = scratch.squares[man]
            middle, to = origin + ahead, origin + 2 * ahead
            if origin >> 3 != PAWN_HOME[mover] or occupied & (bit(middle) | bit(to)):
                continue
            make_move(ManMove(man, to, NO_VICTIM, False), frame, scratch)
            slot, symmetry = find_slot(0, target, board, scratch)
            if slot >= 0:
                copy_plane(slot, symmetry, target, board, scratch.plane)
            answer_double_step(man, middle, to, answered, stalemate, scoring)
            if slot >= 0:
                improve(plane, bit(middle), scratch, score)
