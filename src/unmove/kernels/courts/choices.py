"""How many moves of a position there are, and how many of them keep its outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.fixpoint import CourtProofState, list_preferences, stand
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.choices import KEEPING_MOVES, LEGAL_MOVES
from unmove.values import Side


@inlined
def count_court_moves(side: Side, state: CourtProofState, out: NDArray[np.uint8]) -> None:
    """out has the counts of a position: a move keeps the outcome if it is as good as the best.

    Only win, draw and loss are told apart.
    """
    found = list_preferences(side, state)
    preferences = state.scratch.preferences
    best = -2
    out[LEGAL_MOVES] = found
    for i in range(found):
        sign = (preferences[i] > 0) - (preferences[i] < 0)
        if sign > best:
            best = sign
            out[KEEPING_MOVES] = 0
        out[KEEPING_MOVES] += sign == best


@kernel
def count_court_choices(
    planes: NDArray[np.int64],
    asked: NDArray[np.bool_],
    side: Side,
    state: CourtProofState,
    out: NDArray[np.uint8],
) -> None:
    """out[i, cell] = the counts of each legal position that is asked of planes[i]; 0 before.

    The caller owns `out`.
    """
    for i in range(planes.shape[0]):
        for cell in range(asked.shape[1]):
            if asked[i, cell] and stand(planes[i], cell, state):
                count_court_moves(side, state, out[i, cell])
