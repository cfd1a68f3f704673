"""Whether every cell of a range of planes holds what its moves give.

For each cell the men are put on a board (`forward.py`), all legal moves are made, and the cells
they lead to are looked up (`find.py`). A position without a legal move is lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Codes
from unmove.kernels.courts.find import find_position
from unmove.kernels.courts.forward import (
    CourtProofMen,
    CourtProofPosition,
    Moves,
    is_attacked,
    move_man,
    take_back,
    targets_of,
)
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.locate import NOT_FOUND
from unmove.kernels.proof.forward import NOBODY
from unmove.kernels.proof.successors import NO_SUCCESSOR
from unmove.planes.court_index import CourtIndex
from unmove.values import BROKEN, CHECKMATED, DRAW, Side

ABOVE_16_BITS = 1 << 16  # above every code that a cell can stand for
NO_PREFERENCE = BROKEN - ABOVE_16_BITS  # below every other preference


class Placing(NamedTuple):
    """How the men of a cell stand."""

    attackers: NDArray[np.uint8]  # [plane, man]
    white: NDArray[np.uint8]  # [configuration, man]: White's court
    black: NDArray[np.uint8]
    row_side: Side  # the side whose court is on the rows
    words: int  # of a row


class CourtSuccessors(NamedTuple):
    """The tables that moves lead to: table 0 by quiet moves, another by the capture of each man."""

    table: NDArray[np.int64]  # [man]: by its capture; NO_SUCCESSOR if it cannot be captured
    man_map: NDArray[np.int64]  # [table, man of the table]: its number here
    men: NDArray[np.int64]  # [table]: how many
    colours_swapped: NDArray[np.int64]  # [table]: whether it has the colours swapped
    flip: NDArray[np.int64]  # [square]
    cells: NDArray[np.int64]  # [table]: of a plane
    base: NDArray[np.int64]  # [table]: where its codes begin
    codes: Codes  # [base + plane * cells + cell]: of a move to there, or BROKEN


class CourtProofScratch(NamedTuple):
    """What one thread needs while it looks at a position."""

    targets: NDArray[np.int64]  # where a man can go
    squares: NDArray[np.int64]  # the squares of the men in the table that a move leads to
    preferences: NDArray[np.int64]  # of the moves


def court_proof_scratch() -> CourtProofScratch:
    """Room for one thread. A side has 119 moves at most: its men at their freest."""
    return CourtProofScratch(*(np.zeros(128, np.int64) for _ in range(3)))


class CourtProofState(NamedTuple):
    """What one thread of the proof works with. It alone writes the position and the scratch."""

    men: CourtProofMen
    moves: Moves
    placing: Placing
    court_index: CourtIndex
    successors: CourtSuccessors
    position: CourtProofPosition
    scratch: CourtProofScratch


@inlined
def preference_of(code: int) -> int:
    """A number that is larger for what a side likes better.

    It is 0 for a draw, and NO_PREFERENCE for BROKEN.
    """
    if code == DRAW:
        return 0
    return ABOVE_16_BITS - code if code & 1 else code - ABOVE_16_BITS


@inlined
def stand(plane: int, cell: int, state: CourtProofState) -> bool:
    """The men of a cell are on the board; False if there is no such placement."""
    men, placing, position = state.men, state.placing, state.position
    squares, board = position.squares, position.board
    for man in range(squares.shape[0]):
        board[squares[man]] = NOBODY
        squares[man] = board.shape[0] - 1
    row, bit = cell // (64 * placing.words), cell % (64 * placing.words)
    white, black = (row, bit) if placing.row_side == 0 else (bit, row)
    if white >= placing.white.shape[0] or black >= placing.black.shape[0]:
        return False
    attackers = placing.attackers.shape[1]
    for man in range(squares.shape[0]):
        if man < attackers:
            square = np.int64(placing.attackers[plane, man])
        elif man < men.kings[1]:
            square = np.int64(placing.white[white, man - attackers])
        else:
            square = np.int64(placing.black[black, man - men.kings[1]])
        if board[square] != NOBODY:
            return False
        board[square] = man
        squares[man] = square
    return True


@inlined
def code_in(table: int, state: CourtProofState) -> int:
    """The code of a move after which the men stand so, and which leads to a table."""
    successors, squares = state.successors, state.scratch.squares
    for i in range(successors.men[table]):
        square = state.position.squares[successors.man_map[table, i]]
        squares[i] = successors.flip[square] if successors.colours_swapped[table] else square
    plane, cell = find_position(table, squares, state.court_index)
    if plane == NOT_FOUND:
        return BROKEN
    entry = successors.base[table] + plane * successors.cells[table] + cell
    return int(np.int64(successors.codes[entry]))


@inlined
def list_preferences(side: Side, state: CourtProofState) -> int:
    """scratch.preferences has that of each legal move; returns how many legal moves there are.

    It is NO_PREFERENCE if a move leads to a cell without a value.
    """
    men, moves, position, scratch = state.men, state.moves, state.position, state.scratch
    found = 0
    for man in range(position.squares.shape[0]):
        if men.sides[man] != side:
            continue
        origin = position.squares[man]
        for i in range(targets_of(man, men, position, moves, scratch.targets)):
            victim = position.board[scratch.targets[i]]
            if victim != NOBODY and men.sides[victim] == side:
                continue
            move_man(man, scratch.targets[i], position)
            if not is_attacked(side, men, position, moves):
                table = 0 if victim == NOBODY else state.successors.table[victim]
                code = BROKEN if table == NO_SUCCESSOR else code_in(table, state)
                scratch.preferences[found] = preference_of(code)
                found += 1
            take_back(man, origin, victim, position)
    return found


@inlined
def code_of_preferences(found: int, scratch: CourtProofScratch) -> int:
    """The code that the listed moves give a position: the best; BROKEN if one has no value."""
    best = preference_of(CHECKMATED)
    for i in range(found):
        if scratch.preferences[i] == NO_PREFERENCE:
            return BROKEN
        best = max(best, scratch.preferences[i])
    if best == 0:
        return DRAW
    return ABOVE_16_BITS - best if best > 0 else ABOVE_16_BITS + best


@kernel
def check_court_planes(
    first: int,
    stop: int,
    side: Side,
    cells: CellNumbers,
    codes: NDArray[np.int64],
    state: CourtProofState,
    tally: NDArray[np.int64],
) -> None:
    """Every cell of the planes first .. stop-1, `side` to move, was compared with its moves.

    cells[plane - first, cell] is what is stored, codes[number] what it stands for. The caller owns
    the tally: tally[0] += legal positions, tally[1] += mismatches; at the first mismatch of all
    tally[2] = its index and tally[3] = the right code.
    """
    men, moves, position = state.men, state.moves, state.position
    for plane in range(first, stop):
        for cell in range(cells.shape[1]):
            right: int = BROKEN
            if stand(plane, cell, state) and not is_attacked(1 - side, men, position, moves):
                right = code_of_preferences(list_preferences(side, state), state.scratch)
                tally[0] += 1
            if codes[cells[plane - first, cell]] != right:
                if tally[1] == 0:
                    tally[2] = plane * cells.shape[1] + cell
                    tally[3] = right
                tally[1] += 1
