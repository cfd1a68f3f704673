"""How many moves of a position there are, and how many of them keep its outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.fixpoint import (
    CourtProofScratch,
    CourtSuccessors,
    Placing,
    list_ranks,
    stand,
)
from unmove.kernels.courts.forward import CourtProofMen, CourtProofPosition, Moves
from unmove.kernels.jit import inlined, kernel
from unmove.planes.court_index import CourtIndex

LEGAL, KEEPING = range(2)  # what is counted: moves, those that keep


@inlined
def count_moves(found: int, scratch: CourtProofScratch, out: NDArray[np.uint8]) -> None:
    """out[LEGAL] moves, out[KEEPING] of them as good as the best, win, draw or loss."""
    best = -2
    out[LEGAL] = found
    for i in range(found):
        sign = (scratch.ranks[i] > 0) - (scratch.ranks[i] < 0)
        if sign > best:
            best = sign
            out[KEEPING] = 0
        out[KEEPING] += sign == best


@kernel
def count_choices(
    planes: NDArray[np.int64],
    asked: NDArray[np.bool_],
    side: int,
    m: CourtProofMen,
    moves: Moves,
    placing: Placing,
    f: CourtIndex,
    behind: CourtSuccessors,
    p: CourtProofPosition,
    scratch: CourtProofScratch,
    out: NDArray[np.uint8],
) -> None:
    """out[i, cell] = the counts of each legal position that is asked of planes[i], from zero.

    Written are, private to the caller: the position, the room, and `out`.
    """
    for i in range(planes.shape[0]):
        for cell in range(asked.shape[1]):
            if asked[i, cell] and stand(planes[i], cell, m, placing, p):
                count_moves(
                    list_ranks(side, m, p, moves, f, behind, scratch), scratch, out[i, cell]
                )
