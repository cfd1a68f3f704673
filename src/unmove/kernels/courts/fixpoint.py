"""Whether every cell of a range of planes holds what its moves give.

For each cell the men are put on a board (`forward.py`), all legal moves are made, and what stands
behind them is looked up (`find.py`). A position without a legal move is lost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.find import NOWHERE, find
from unmove.kernels.courts.forward import (
    NOBODY,
    CourtProofMen,
    CourtProofPosition,
    Moves,
    is_attacked,
    put,
    take_back,
    targets_of,
)
from unmove.kernels.jit import inlined, kernel
from unmove.planes.court_index import CourtIndex
from unmove.values import BROKEN, DRAW

MATED = 2  # the code of a loss in 0
FURTHEST = 1 << 20  # above every code
NO_RANK = BROKEN - FURTHEST  # below every rank


class Placing(NamedTuple):
    """How the men of a cell stand."""

    attackers: NDArray[np.uint8]  # [plane, man]
    white: NDArray[np.uint8]  # [configuration, man]: White's court
    black: NDArray[np.uint8]
    row_side: int  # the side whose court is on the rows
    words: int  # of a row


class CourtSuccessors(NamedTuple):
    """What moves lead to: table 0 by quiet moves, another one by the capture of each man."""

    table: NDArray[np.int64]  # [man]: by its capture; NOWHERE if it cannot be captured
    man_map: NDArray[np.int64]  # [table, man of the table]: our man in its part
    men: NDArray[np.int64]  # [table]: how many
    colours_swapped: NDArray[np.int64]  # [table]: whether it has the sides the other way round
    flip: NDArray[np.int64]  # [square]
    cells: NDArray[np.int64]  # [table]: of a plane
    base: NDArray[np.int64]  # [table]: where its codes begin
    codes: NDArray[Any]  # [base + plane * cells + cell]: of a move that leads there; BROKEN: none


class CourtProofScratch(NamedTuple):
    """What one thread needs while it looks at a position."""

    targets: NDArray[np.int64]  # where a man can go
    squares: NDArray[np.int64]  # of the men of a table behind a move
    ranks: NDArray[np.int64]  # of the moves


def court_proof_scratch() -> CourtProofScratch:
    """Room for one thread. A side has 119 moves at most: its men at their freest."""
    return CourtProofScratch(*(np.zeros(128, np.int64) for _ in range(3)))


@inlined
def rank_of(code: int) -> int:
    """What a side likes better is larger; 0 for a draw, NO_RANK for BROKEN."""
    if code == DRAW:
        return 0
    return FURTHEST - code if code & 1 else code - FURTHEST


@inlined
def stand(plane: int, cell: int, m: CourtProofMen, placing: Placing, p: CourtProofPosition) -> bool:
    """The men of a cell are on the board; False if there is no such placement."""
    for man in range(p.squares.shape[0]):
        p.board[p.squares[man]] = NOBODY
        p.squares[man] = p.board.shape[0] - 1
    row, bit = cell // (64 * placing.words), cell % (64 * placing.words)
    white, black = (row, bit) if placing.row_side == 0 else (bit, row)
    if white >= placing.white.shape[0] or black >= placing.black.shape[0]:
        return False
    attackers = placing.attackers.shape[1]
    for man in range(p.squares.shape[0]):
        if man < attackers:
            square = np.int64(placing.attackers[plane, man])
        elif man < m.kings[1]:
            square = np.int64(placing.white[white, man - attackers])
        else:
            square = np.int64(placing.black[black, man - m.kings[1]])
        if p.board[square] != NOBODY:
            return False
        p.board[square] = man
        p.squares[man] = square
    return True


@inlined
def code_behind(
    t: int,
    p: CourtProofPosition,
    f: CourtIndex,
    behind: CourtSuccessors,
    squares: NDArray[np.int64],
) -> int:
    """The code of a move after which the men stand so, in table t."""
    for i in range(behind.men[t]):
        square = p.squares[behind.man_map[t, i]]
        squares[i] = behind.flip[square] if behind.colours_swapped[t] else square
    plane, cell = find(t, squares, f)
    if plane == NOWHERE:
        return BROKEN
    return int(np.int64(behind.codes[behind.base[t] + plane * behind.cells[t] + cell]))


@inlined
def list_ranks(
    side: int,
    m: CourtProofMen,
    p: CourtProofPosition,
    moves: Moves,
    f: CourtIndex,
    behind: CourtSuccessors,
    scratch: CourtProofScratch,
) -> int:
    """room.ranks[i] = the rank of each legal move, NO_RANK if it leads nowhere; their number."""
    found = 0
    for man in range(p.squares.shape[0]):
        if m.sides[man] != side:
            continue
        origin = p.squares[man]
        for i in range(targets_of(man, m, p, moves, scratch.targets)):
            victim = p.board[scratch.targets[i]]
            if victim != NOBODY and m.sides[victim] == side:
                continue
            put(man, scratch.targets[i], p)
            if not is_attacked(side, m, p, moves):
                t = 0 if victim == NOBODY else behind.table[victim]
                code = BROKEN if t == NOWHERE else code_behind(t, p, f, behind, scratch.squares)
                scratch.ranks[found] = rank_of(code)
                found += 1
            take_back(man, origin, victim, p)
    return found


@inlined
def code_of(found: int, scratch: CourtProofScratch) -> int:
    """The code that so many moves give a position: the best; BROKEN if one leads nowhere."""
    best = rank_of(MATED)
    for i in range(found):
        if scratch.ranks[i] == NO_RANK:
            return BROKEN
        best = max(best, scratch.ranks[i])
    if best == 0:
        return DRAW
    return FURTHEST - best if best > 0 else FURTHEST + best


@kernel
def check(
    first: int,
    stop: int,
    side: int,
    m: CourtProofMen,
    moves: Moves,
    placing: Placing,
    f: CourtIndex,
    behind: CourtSuccessors,
    cells: NDArray[Any],
    codes: NDArray[np.int64],
    p: CourtProofPosition,
    scratch: CourtProofScratch,
    tally: NDArray[np.int64],
) -> None:
    """Counts the positions of the planes first .. stop-1 with `side` to move, and what is wrong.

    cells[plane, cell] is what is stored, codes[number] what it stands for. Written are, private to
    the caller: the position, the room, and the tally: positions, mismatches,
    the index of the first mismatch and the code that is right there.
    """
    for plane in range(first, stop):
        for cell in range(cells.shape[1]):
            right: int = BROKEN
            if stand(plane, cell, m, placing, p) and not is_attacked(1 - side, m, p, moves):
                right = code_of(list_ranks(side, m, p, moves, f, behind, scratch), scratch)
                tally[0] += 1
            if codes[cells[plane, cell]] != right:
                if tally[1] == 0:
                    tally[2] = plane * cells.shape[1] + cell
                    tally[3] = right
                tally[1] += 1
