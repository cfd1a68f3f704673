"""How many moves of a position there are, and how many of them keep its outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.fixpoint import Behind, Placing, code_behind, rank_of, stand
from unmove.kernels.courts.forward import (
    NOBODY,
    Men,
    Moves,
    Post,
    is_attacked,
    put,
    take_back,
    targets_of,
)
from unmove.kernels.jit import inlined, kernel
from unmove.planes.finder import Finder

LEGAL, KEEPING = range(2)  # what is counted: moves, those that keep


@inlined
def count_moves(
    side: int,
    m: Men,
    p: Post,
    moves: Moves,
    f: Finder,
    behind: Behind,
    room: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> None:
    """out[LEGAL] moves, out[KEEPING] of them as good as the best, win, draw or loss."""
    best, targets, squares = -2, room[0], room[1]
    for man in range(p.squares.shape[0]):
        if m.sides[man] != side:
            continue
        origin = p.squares[man]
        for i in range(targets_of(man, m, p, moves, targets)):
            victim = p.board[targets[i]]
            if victim != NOBODY and m.sides[victim] == side:
                continue
            put(man, targets[i], p)
            if not is_attacked(side, m, p, moves):
                t = 0 if victim == NOBODY else behind.table[victim]
                rank = rank_of(code_behind(t, p, f, behind, squares))
                sign = (rank > 0) - (rank < 0)
                out[LEGAL] += 1
                if sign > best:
                    best = sign
                    out[KEEPING] = 0
                out[KEEPING] += sign == best
            take_back(man, origin, victim, p)


@kernel
def count_choices(
    planes: NDArray[np.int64],
    asked: NDArray[np.bool_],
    side: int,
    m: Men,
    moves: Moves,
    placing: Placing,
    f: Finder,
    behind: Behind,
    p: Post,
    room: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> None:
    """out[i, cell] = the counts of each legal position that is asked of planes[i], from zero.

    Written are, private to the caller: the position, room for targets and squares, and `out`.
    """
    for i in range(planes.shape[0]):
        for cell in range(asked.shape[1]):
            if asked[i, cell] and stand(planes[i], cell, m, placing, p):
                count_moves(side, m, p, moves, f, behind, room, out[i, cell])
