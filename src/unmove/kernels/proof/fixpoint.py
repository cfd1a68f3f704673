"""What a position's moves give, compared with what is stored: the inner loop of the proof."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.forward import (
    EMPTY,
    ProofMen,
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
    Rule,
    Successors,
    cell_behind,
    look_behind,
    place_men,
)
from unmove.values import BROKEN, DRAW

NO_VALUE = -1  # in place of a code: a cell outside the palette, or a move into a broken cell
STALEMATED = -2  # in place of a code: the draw of a side that has no move
CHECKMATED = 2  # the code of a loss in 0 plies
FURTHEST = 1 << 14  # above every code
NO_SCORE = (1 << 15) - 1  # above every worth


class ProofValues(NamedTuple):
    """What stands in the cells, and what a move there is worth to the side that makes it.

    Worth is a number, so made that the best move has the largest and no case has to be told from
    another in the inner loop, where the processor could not foresee it (30 % of the time):

        FURTHEST - code   a win: quick before slow; the code is the mover's, this move counted
        0                 a draw
        code - FURTHEST   a loss: slow before quick
        NO_SCORE          the successor has no value; above all, so that it is not overlooked
    """

    here: NDArray[np.uint8] | NDArray[np.uint16]  # [plane, cell]: with the mover to move
    there: NDArray[np.uint8] | NDArray[np.uint16]  # [plane, cell]: with the opponent to move
    beyond: NDArray[np.uint8] | NDArray[np.uint16]  # [slot, cell]: of other tables
    codes: NDArray[np.int64]  # [number in a cell of this table]: its code, or one of those above
    stuck: NDArray[np.bool_]  # [number in a cell of this table]: whether it says there is no move
    score: NDArray[np.int16]  # [way, number in a cell behind it]: of a move to such a cell


@inlined
def answered(
    man: int,
    target: int,
    number: int,
    men: ProofMen,
    rule: Rule,
    v: ProofValues,
    p: ProofPosition,
    b: Successors,
) -> int:
    """The worth of a pawn's double step to a cell that holds `number`, en passant included.

    The opponent takes if that is better for him, which is what is worse for us; and he must if he
    has no other move. That he has none is what the cell says, and is proved where it stands.
    """
    worst, stuck = int(v.score[STEP, number]), v.stuck[number]
    for taker in range(2, men.kinds.shape[0]):
        if not stands_beside(taker, man, target, men, p):
            continue
        if not can_take_in_passing(taker, man, target, men, p):
            continue
        arrival = PASSING + taker
        cell = cell_behind(man, arrival, rule, p, b)
        score = int(v.score[b.way[man, arrival], v.beyond[b.slot[man, arrival], cell]])
        if worst == NO_SCORE or score == NO_SCORE:
            return NO_SCORE
        worst = score if stuck else min(worst, score)
        stuck = False
    return worst


@inlined
def score_of(
    man: int,
    arrival: int,
    men: ProofMen,
    rule: Rule,
    v: ProofValues,
    p: ProofPosition,
    b: Successors,
) -> int:
    """The worth of a legal move."""
    way, slot = b.way[man, arrival], b.slot[man, arrival]
    cell = cell_behind(man, arrival, rule, p, b)
    if way > STEP:
        return int(v.score[way, v.beyond[slot, cell]])
    number = v.there[slot, cell]
    if way == STEP and abs(arrival - p.squares[man]) == 16:
        return answered(man, arrival, number, men, rule, v, p, b)
    return int(v.score[way, number])


@inlined
def judge(
    side: int, men: ProofMen, rule: Rule, v: ProofValues, p: ProofPosition, b: Successors
) -> int:
    """The code that the moves of a legal position give it, or NO_VALUE or STALEMATED.

    Every legal move counts; `Values` says why the largest worth is the position's own.
    """
    moves = list_moves(side, men, p)
    if moves == 0:
        return CHECKMATED if in_check(side, EMPTY, men, p) else STALEMATED
    best = -NO_SCORE
    for move in range(moves):
        best = max(best, score_of(p.mover[move], p.arrival[move], men, rule, v, p, b))
    if best == NO_SCORE:
        return NO_VALUE
    if best == 0:
        return DRAW
    return FURTHEST - best if best > 0 else FURTHEST + best


@kernel
def check(
    first: int,
    stop: int,
    side: int,
    men: ProofMen,
    rule: Rule,
    v: ProofValues,
    p: ProofPosition,
    b: Successors,
    tally: NDArray[np.int64],
) -> None:
    """Every cell of the planes first .. stop-1, `side` to move, was compared with its moves.

    tally[0] += legal positions, tally[1] += mismatches; at the first mismatch of all tally[2] =
    plane * 4096 + cell and tally[3] = the right code. Owns p, b and tally, writes nothing else.
    """
    for plane in range(first, stop):
        alone = place_men(plane, rule, p)
        if alone:
            look_behind(side, men, rule, p, b)
        for cell in range(4096):
            white, black = cell >> 6, cell & 63
            right: int = BROKEN
            if alone and white != black and p.board[white] == EMPTY and p.board[black] == EMPTY:
                p.squares[0], p.board[white] = white, 0
                p.squares[1], p.board[black] = black, 1
                if is_legal(side, men, p):
                    tally[0] += 1
                    right = judge(side, men, rule, v, p, b)
                p.board[white] = p.board[black] = EMPTY
            if right == NO_VALUE or v.codes[v.here[plane, cell]] != right:
                if tally[1] == 0:
                    tally[2], tally[3] = plane * 4096 + cell, right
                tally[1] += 1
