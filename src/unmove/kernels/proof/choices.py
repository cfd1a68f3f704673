"""How many moves of a position there are, and how many of them keep its outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.fixpoint import ProofValues, place_kings, remove_kings, score_of
from unmove.kernels.proof.forward import QUEEN, list_moves
from unmove.kernels.proof.successors import ProofState, find_successors, place_men
from unmove.planes.layout import CELLS
from unmove.values import Side

# What is counted: legal moves; those that keep the outcome; those of the latter that underpromote.
LEGAL_MOVES, KEEPING_MOVES, UNDERPROMOTIONS = range(3)


@inlined
def count_moves(side: Side, values: ProofValues, state: ProofState, out: NDArray[np.uint8]) -> None:
    """out has the counts of a position: a move keeps the outcome if it is as good as the best.

    Only win, draw and loss are told apart.
    """
    position = state.position
    moves = list_moves(side, state.men, position)
    best = -1
    out[LEGAL_MOVES] = moves
    for move in range(moves):
        score = score_of(position.mover[move], position.arrival[move], values, state)
        sign = (score > 0) - (score < 0)
        if sign > best or move == 0:
            best = sign
            out[KEEPING_MOVES] = out[UNDERPROMOTIONS] = 0
        if sign == best:
            out[KEEPING_MOVES] += 1
            out[UNDERPROMOTIONS] += 0 < position.arrival[move] >> 6 < 1 + QUEEN


@kernel
def count_choices(
    planes: NDArray[np.int64],
    asked: NDArray[np.bool_],
    side: Side,
    values: ProofValues,
    state: ProofState,
    out: NDArray[np.uint8],
) -> None:
    """out[i, cell] = the counts of each legal position that is asked of planes[i].

    The caller owns `out`; values.here is not read.
    """
    for i in range(planes.shape[0]):
        place_men(planes[i], state.rule, state.position)
        find_successors(side, state)
        for cell in range(CELLS):
            if asked[i, cell]:
                place_kings(cell, state.position)
                count_moves(side, values, state, out[i, cell])
                remove_kings(cell, state.position)
