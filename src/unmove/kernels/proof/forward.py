"""The moves of one position: the proof's own way through an endgame.

Nothing here is shared with the solver's kernels. They pull whole planes of bits backwards through
masks. Here one position at a time is set up on a mailbox board, and its moves are generated square
by square. `successors.py` says where the moves lead, `fixpoint.py` what they score. So an error in
the solver is not repeated in the proof.

Men are numbered White's king 0, Black's king 1, then the others, group by group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import LETTERS, PAWN
from unmove.kernels.jit import inlined
from unmove.values import Side

KNIGHT, BISHOP, ROOK, QUEEN = (LETTERS.index(letter) for letter in "NBRQ")
KING_KIND = len(LETTERS)  # in place of an index into LETTERS
NOBODY = -1  # in place of a man: the square is empty
CHOICES = 5  # what a man may become by a move: itself (0), or a piece of kind choice - 1

# Directions 0-3 are straight, 4-7 diagonal, 8-15 a knight's. A man of a kind uses those from
# FIRST_DIRECTION[kind] up to STOP_DIRECTION[kind].
FILE_STEPS = np.array([1, -1, 0, 0, 1, 1, -1, -1, 1, 2, -1, -2, 1, 2, -1, -2])
RANK_STEPS = np.array([0, 0, 1, -1, 1, -1, 1, -1, 2, 1, 2, 1, -2, -1, -2, -1])
FIRST_DIRECTION = np.array([8, 4, 0, 0, 0, 0])
STOP_DIRECTION = np.array([16, 8, 4, 8, 0, 8])
STEPS_OF_KIND = np.array([1, 7, 7, 7, 0, 1])  # that a man of the kind goes in a direction


class ProofMen(NamedTuple):
    """Who stands on the board."""

    kinds: NDArray[np.int64]  # [man]
    sides: NDArray[np.int64]  # [man]: 0 = White
    group: NDArray[np.int64]  # [man]; -1 for the kings


class ProofPosition(NamedTuple):
    """One position of one thread, and its moves; board[squares[man]] == man."""

    squares: NDArray[np.int64]  # [man]
    board: NDArray[np.int64]  # [square]: the man there, or NOBODY
    mover: NDArray[np.int64]  # [move]: a man
    arrival: NDArray[np.int64]  # [move]: 64 * choice + the square it goes to


def empty_position(men: int) -> ProofPosition:
    """An empty board with room for `men` men and their moves."""
    squares = np.zeros(men, np.int64)
    moves = np.zeros((2, 27 * men), np.int64)  # a queen's 27 moves are the most a man has
    return ProofPosition(squares, np.full(64, NOBODY, np.int64), moves[0], moves[1])


@inlined
def attacks(kind: int, side: int, origin: int, target: int, board: NDArray[np.int64]) -> bool:
    """Whether a man of `kind` and `side` on `origin` attacks `target`, another square."""
    files, ranks = (target & 7) - (origin & 7), (target >> 3) - (origin >> 3)
    if kind == KNIGHT:
        return abs(files * ranks) == 2
    if kind == KING_KIND:
        return abs(files) <= 1 and abs(ranks) <= 1
    if kind == PAWN:
        return abs(files) == 1 and ranks == 1 - 2 * side
    straight = files == 0 or ranks == 0
    if not straight and (kind == ROOK or abs(files) != abs(ranks)):
        return False
    if straight and kind == BISHOP:
        return False
    step = 8 * ((ranks > 0) - (ranks < 0)) + (files > 0) - (files < 0)
    square = origin + step
    while square != target:
        if board[square] != NOBODY:
            return False
        square += step
    return True


@inlined
def in_check(side: int, gone: int, men: ProofMen, position: ProofPosition) -> bool:
    """Whether a man of the other side, but not the captured man `gone`, attacks the king."""
    king = position.squares[side]
    for man in range(men.kinds.shape[0]):
        if men.sides[man] == side or man == gone:
            continue
        if attacks(men.kinds[man], 1 - side, position.squares[man], king, position.board):
            return True
    return False


@inlined
def is_legal(side: Side, men: ProofMen, position: ProofPosition) -> bool:
    """Whether the other side's king is not attacked, by a man or by the king of `side`."""
    return not in_check(1 - side, NOBODY, men, position)


@inlined
def is_safe(man: int, target: int, men: ProofMen, position: ProofPosition) -> bool:
    """Whether a man can go to `target` without leaving its own king attacked. Undone afterwards."""
    origin, victim = position.squares[man], position.board[target]
    position.squares[man], position.board[origin], position.board[target] = target, NOBODY, man
    safe = not in_check(men.sides[man], victim, men, position)
    position.squares[man], position.board[origin], position.board[target] = origin, man, victim
    return safe


@inlined
def stands_beside(
    taker: int, pawn: int, target: int, men: ProofMen, position: ProofPosition
) -> bool:
    """Whether `taker` is a pawn that a pawn of the other side passes by, stepping to `target`."""
    square = position.squares[taker]
    foes = men.kinds[taker] == PAWN and men.sides[taker] != men.sides[pawn]
    beside = square >> 3 == target >> 3 and abs((square & 7) - (target & 7)) == 1
    return bool(foes and beside)


@inlined
def can_take_in_passing(
    taker: int, pawn: int, target: int, men: ProofMen, position: ProofPosition
) -> bool:
    """Whether en passant is legal once `pawn` has stepped from where it is to `target`.

    `taker` stands beside `target`. The position is as before afterwards.
    """
    origin, stand = position.squares[pawn], position.squares[taker]
    passed = (origin + target) >> 1
    position.board[origin], position.board[stand], position.board[passed] = NOBODY, NOBODY, taker
    position.squares[taker] = passed
    safe = not in_check(men.sides[taker], pawn, men, position)
    position.board[origin], position.board[stand], position.board[passed] = pawn, taker, NOBODY
    position.squares[taker] = stand
    return safe


@inlined
def on_line(square: int, other: int) -> bool:
    """Whether two squares share a file, a rank or a diagonal: only there a man can be pinned."""
    files, ranks = (square & 7) - (other & 7), (square >> 3) - (other >> 3)
    return files == 0 or ranks == 0 or abs(files) == abs(ranks)


@inlined
def add_move(
    man: int, target: int, exposes: bool, moves: int, men: ProofMen, position: ProofPosition
) -> int:
    """The move is listed after the first `moves`, if it is legal; returns how many there are now.

    A pawn that reaches the last rank has a move for each piece it may become. `exposes`: the move
    could leave its own king attacked.
    """
    if exposes and not is_safe(man, target, men, position):
        return moves
    promotes = men.kinds[man] == PAWN and (target < 8 or target >= 56)
    for choice in range(1 if promotes else 0, CHOICES if promotes else 1):
        position.mover[moves], position.arrival[moves] = man, 64 * choice + target
        moves += 1
    return moves


@inlined
def add_pawn(man: int, exposes: bool, moves: int, men: ProofMen, position: ProofPosition) -> int:
    """The legal moves of a pawn are added; returns how many moves there are now."""
    side, origin = men.sides[man], position.squares[man]
    ahead, home = 8 - 16 * side, 1 + 5 * side
    square = origin + ahead
    if position.board[square] == NOBODY:
        moves = add_move(man, square, exposes, moves, men, position)
        if origin >> 3 == home and position.board[square + ahead] == NOBODY:
            moves = add_move(man, square + ahead, exposes, moves, men, position)
    for aside in (-1, 1):
        if 0 <= (origin & 7) + aside <= 7:
            victim = position.board[square + aside]
            if victim != NOBODY and men.sides[victim] != side:
                moves = add_move(man, square + aside, exposes, moves, men, position)
    return moves


@inlined
def add_piece(man: int, exposes: bool, moves: int, men: ProofMen, position: ProofPosition) -> int:
    """The legal moves of a piece or king are added; returns how many moves there are now."""
    kind, side, origin = men.kinds[man], men.sides[man], position.squares[man]
    for direction in range(FIRST_DIRECTION[kind], STOP_DIRECTION[kind]):
        file, rank = origin & 7, origin >> 3
        for _ in range(STEPS_OF_KIND[kind]):
            file, rank = file + FILE_STEPS[direction], rank + RANK_STEPS[direction]
            if file < 0 or file > 7 or rank < 0 or rank > 7:
                break
            target = 8 * rank + file
            victim = position.board[target]
            if victim != NOBODY and men.sides[victim] == side:
                break
            moves = add_move(man, target, exposes, moves, men, position)
            if victim != NOBODY:
                break
    return moves


@inlined
def list_moves(side: Side, men: ProofMen, position: ProofPosition) -> int:
    """position.mover and position.arrival hold the legal moves of `side`; returns how many.

    The position is legal: no move takes a king. There is no right to take en passant.
    """
    moves = 0
    king, checked = position.squares[side], in_check(side, NOBODY, men, position)
    for man in range(men.kinds.shape[0]):
        if men.sides[man] != side:
            continue
        exposes = checked or man == side or on_line(position.squares[man], king)
        if men.kinds[man] == PAWN:
            moves = add_pawn(man, exposes, moves, men, position)
        else:
            moves = add_piece(man, exposes, moves, men, position)
    return moves
