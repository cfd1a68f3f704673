"""How many moves of a position there are, and how many of them keep its outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.fixpoint import ProofValues, score_of
from unmove.kernels.proof.forward import EMPTY, QUEEN, ProofMen, ProofPosition, list_moves
from unmove.kernels.proof.successors import Rule, Successors, look_behind, place_men

LEGAL, KEEPING, UNDER = range(3)  # what is counted: moves, those that keep, those that promote


@inlined
def count_moves(
    side: int,
    men: ProofMen,
    rule: Rule,
    v: ProofValues,
    p: ProofPosition,
    b: Successors,
    out: NDArray[np.uint8],
) -> None:
    """out[LEGAL] moves, out[KEEPING] of them as good as the best, win, draw or loss.

    out[UNDER] of these promote to less than a queen.
    """
    moves = list_moves(side, men, p)
    best = -1
    out[LEGAL] = moves
    for move in range(moves):
        score = score_of(p.mover[move], p.arrival[move], men, rule, v, p, b)
        sign = (score > 0) - (score < 0)
        if sign > best or move == 0:
            best = sign
            out[KEEPING] = out[UNDER] = 0
        if sign == best:
            out[KEEPING] += 1
            out[UNDER] += 0 < p.arrival[move] >> 6 < 1 + QUEEN


@kernel
def count_choices(
    planes: NDArray[np.int64],
    asked: NDArray[np.bool_],
    side: int,
    men: ProofMen,
    rule: Rule,
    v: ProofValues,
    p: ProofPosition,
    b: Successors,
    out: NDArray[np.uint8],
) -> None:
    """out[i, cell] = the counts of each legal position that is asked of planes[i].

    Owns p, b and out; `v.here` is not looked at.
    """
    for i in range(planes.shape[0]):
        place_men(planes[i], rule, p)
        look_behind(side, men, rule, p, b)
        for cell in range(4096):
            if asked[i, cell]:
                white, black = cell >> 6, cell & 63
                p.squares[0], p.board[white] = white, 0
                p.squares[1], p.board[black] = black, 1
                count_moves(side, men, rule, v, p, b, out[i, cell])
                p.board[white] = p.board[black] = EMPTY
