"""What a position's moves give, compared with what is stored: the inner loop of the proof."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.forward import (
    NOBODY,
    ProofPosition,
    can_take_in_passing,
    in_check,
    is_legal,
    list_moves,
    stands_beside,
)
from unmove.kernels.proof.successors import (
    PASSING,
    STEP,
    ProofState,
    cell_after,
    find_successors,
    place_men,
)
from unmove.planes.layout import CELLS
from unmove.values import BROKEN, CHECKMATED, DRAW, Side

NO_VALUE = -1  # in place of a code: a cell outside the palette, or a move into a broken cell
STALEMATED = -2  # in place of a code: the draw of a side that has no move
ABOVE_CODES = 1 << 14  # above every code
NO_SCORE = (1 << 15) - 1  # above every score


class ProofValues(NamedTuple):
    """What stands in the cells, and what a move there scores for the side that makes it.

    The best move has the largest score. A score is such a number that the inner loop need not tell
    one case from another, which the processor could not foresee (30 % of the time):

        ABOVE_CODES - code   a win: quick before slow; the code is the mover's before this move
        0                    a draw
        code - ABOVE_CODES   a loss: slow before quick
        NO_SCORE             the successor has no value; above all, so that it is not overlooked
    """

    here: CellNumbers  # [i, cell]: of checked planes, mover to move
    there: CellNumbers  # [slot, cell]: with the opponent to move
    beyond: CellNumbers  # [slot, cell]: of other tables
    codes: NDArray[np.int64]  # [number in a cell of this table]: its code, or one of those above
    stuck: NDArray[np.bool_]  # [number in a cell of this table]: whether it says there is no move
    score: NDArray[np.int16]  # [move kind, number in a cell it leads to]: of a move there


@inlined
def score_of_double_step(
    man: int, target: int, number: int, values: ProofValues, state: ProofState
) -> int:
    """The score of a pawn's double step to a cell that holds `number`, en passant included.

    The opponent takes if that is better for him, so if it is worse for us. He must take if he has
    no other move. The cell says whether he has one, and is itself proved elsewhere.
    """
    men, _, position, successors = state
    worst, stuck = int(values.score[STEP, number]), values.stuck[number]
    for taker in range(2, men.kinds.shape[0]):
        if not stands_beside(taker, man, target, men, position):
            continue
        if not can_take_in_passing(taker, man, target, men, position):
            continue
        arrival = PASSING + taker
        found = values.beyond[successors.slot[man, arrival], cell_after(man, arrival, state)]
        score = int(values.score[successors.move_kind[man, arrival], found])
        if worst == NO_SCORE or score == NO_SCORE:
            return NO_SCORE
        worst = score if stuck else min(worst, score)
        stuck = False
    return worst


@inlined
def score_of(man: int, arrival: int, values: ProofValues, state: ProofState) -> int:
    """The score of a legal move."""
    move_kind, slot = state.successors.move_kind[man, arrival], state.successors.slot[man, arrival]
    cell = cell_after(man, arrival, state)
    if move_kind > STEP:
        return int(values.score[move_kind, values.beyond[slot, cell]])
    number = values.there[slot, cell]
    if move_kind == STEP and abs(arrival - state.position.squares[man]) == 16:
        return score_of_double_step(man, arrival, number, values, state)
    return int(values.score[move_kind, number])


@inlined
def code_of_moves(side: Side, values: ProofValues, state: ProofState) -> int:
    """The code that the moves of a legal position give it, or NO_VALUE or STALEMATED.

    All legal moves are looked at; `ProofValues` says why the largest score is the position's own.
    """
    men, _, position, _ = state
    moves = list_moves(side, men, position)
    if moves == 0:
        return CHECKMATED if in_check(side, NOBODY, men, position) else STALEMATED
    best = -NO_SCORE
    for move in range(moves):
        best = max(best, score_of(position.mover[move], position.arrival[move], values, state))
    if best == NO_SCORE:
        return NO_VALUE
    if best == 0:
        return DRAW
    return ABOVE_CODES - best if best > 0 else ABOVE_CODES + best


@inlined
def place_kings(cell: int, position: ProofPosition) -> None:
    """The kings stand where a cell has them."""
    white, black = cell >> 6, cell & 63
    position.squares[0], position.board[white] = white, 0
    position.squares[1], position.board[black] = black, 1


@inlined
def remove_kings(cell: int, position: ProofPosition) -> None:
    """The kings are off the board again."""
    position.board[cell >> 6] = position.board[cell & 63] = NOBODY


@kernel
def check_planes(
    first: int,
    stop: int,
    side: Side,
    values: ProofValues,
    state: ProofState,
    tally: NDArray[np.int64],
) -> None:
    """Every cell of the planes first .. stop-1, `side` to move, was compared with its moves.

    values.here holds these planes. The caller owns the tally: tally[0] += legal positions, tally[1]
    += mismatches; at the first mismatch of all tally[2] = plane * CELLS + cell and tally[3] = the
    right code.
    """
    men, rule, position, _ = state
    board = position.board
    for plane in range(first, stop):
        alone = place_men(plane, rule, position)
        if alone:
            find_successors(side, state)
        for cell in range(CELLS):
            white, black = cell >> 6, cell & 63
            right: int = BROKEN
            if alone and white != black and board[white] == NOBODY and board[black] == NOBODY:
                place_kings(cell, position)
                if is_legal(side, men, position):
                    tally[0] += 1
                    right = code_of_moves(side, values, state)
                remove_kings(cell, position)
            if right == NO_VALUE or values.codes[values.here[plane - first, cell]] != right:
                if tally[1] == 0:
                    tally[2], tally[3] = plane * CELLS + cell, right
                tally[1] += 1
