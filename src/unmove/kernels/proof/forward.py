"""The moves of one position: the proof's own way through an endgame.

Nothing here is shared with the solver's kernels. They pull whole planes of bits backwards through
masks; here one position at a time is set up on a mailbox board and its moves are walked square by
square. Where they lead says `behind.py`, what they are worth `fixpoint.py`. An error in one of the
two ways is not repeated in the other.

Men are numbered White's king 0, Black's king 1, then the others, group by group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined

KNIGHT, BISHOP, ROOK, QUEEN, PAWN, KING = range(6)  # games.chess.LETTERS, then the king
EMPTY = -1
CHOICES = 5  # what a man may become by a move: itself (0), or a piece of kind choice - 1

# Directions 0-3 are straight, 4-7 diagonal, 8-15 a knight's; kind k uses FIRST[k] to STOP[k].
FILES = np.array([1, -1, 0, 0, 1, 1, -1, -1, 1, 2, -1, -2, 1, 2, -1, -2])
RANKS = np.array([0, 0, 1, -1, 1, -1, 1, -1, 2, 1, 2, 1, -2, -1, -2, -1])
FIRST = np.array([8, 4, 0, 0, 0, 0])
STOP = np.array([16, 8, 4, 8, 0, 8])
FAR = np.array([1, 7, 7, 7, 0, 1])  # how many steps a man of the kind goes at most


class ProofMen(NamedTuple):
    """Who stands on the board."""

    kinds: NDArray[np.int64]  # [man]
    sides: NDArray[np.int64]  # [man]: 0 = White
    group: NDArray[np.int64]  # [man]; -1 for the kings


class ProofPosition(NamedTuple):
    """One position of one thread, and its moves; board[squares[man]] == man."""

    squares: NDArray[np.int64]  # [man]
    board: NDArray[np.int64]  # [square]: the man there, or EMPTY
    mover: NDArray[np.int64]  # [move]: a man
    arrival: NDArray[np.int64]  # [move]: 64 * choice + the square it goes to


def position(men: int) -> ProofPosition:
    """An empty board with room for the moves of so many men."""
    squares = np.zeros(men, np.int64)
    moves = np.zeros((2, 27 * men), np.int64)  # a queen's 27 moves are the most a man has
    return ProofPosition(squares, np.full(64, EMPTY, np.int64), moves[0], moves[1])


@inlined
def attacks(kind: int, side: int, origin: int, target: int, board: NDArray[np.int64]) -> bool:
    """Whether a man of `kind` and `side` on `origin` attacks `target`, another square."""
    files, ranks = (target & 7) - (origin & 7), (target >> 3) - (origin >> 3)
    if kind == KNIGHT:
        return abs(files * ranks) == 2
    if kind == KING:
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
        if board[square] != EMPTY:
            return False
        square += step
    return True


@inlined
def in_check(side: int, gone: int, men: ProofMen, p: ProofPosition) -> bool:
    """Whether a man of the other side, but not the captured man `gone`, attacks the king."""
    king = p.squares[side]
    for man in range(men.kinds.shape[0]):
        if men.sides[man] == side or man == gone:
            continue
        if attacks(men.kinds[man], 1 - side, p.squares[man], king, p.board):
            return True
    return False


@inlined
def is_legal(side: int, men: ProofMen, p: ProofPosition) -> bool:
    """Whether the other side's king is not attacked, by a man or by the king of `side`."""
    return not in_check(1 - side, EMPTY, men, p)


@inlined
def is_safe(man: int, target: int, men: ProofMen, p: ProofPosition) -> bool:
    """Whether a man can go to `target` without leaving its own king attacked. Undone behind."""
    origin, victim = p.squares[man], p.board[target]
    p.squares[man], p.board[origin], p.board[target] = target, EMPTY, man
    safe = not in_check(men.sides[man], victim, men, p)
    p.squares[man], p.board[origin], p.board[target] = origin, man, victim
    return safe


@inlined
def stands_beside(taker: int, pawn: int, target: int, men: ProofMen, p: ProofPosition) -> bool:
    """Whether `taker` is a pawn that a pawn of the other side passes by, stepping to `target`."""
    square = p.squares[taker]
    foes = men.kinds[taker] == PAWN and men.sides[taker] != men.sides[pawn]
    beside = square >> 3 == target >> 3 and abs((square & 7) - (target & 7)) == 1
    return bool(foes and beside)


@inlined
def can_take_in_passing(
    taker: int, pawn: int, target: int, men: ProofMen, p: ProofPosition
) -> bool:
    """Whether en passant is legal, once `pawn` steps from where it is to `target`. Undone behind.

    `taker` stands beside `target`.
    """
    origin, stand = p.squares[pawn], p.squares[taker]
    passed = (origin + target) >> 1
    p.board[origin], p.board[stand], p.board[passed] = EMPTY, EMPTY, taker
    p.squares[taker] = passed
    safe = not in_check(men.sides[taker], pawn, men, p)
    p.board[origin], p.board[stand], p.board[passed] = pawn, taker, EMPTY
    p.squares[taker] = stand
    return safe


@inlined
def on_line(a: int, b: int) -> bool:
    """Whether two squares share a file, a rank or a diagonal: only there a man can be pinned."""
    files, ranks = (a & 7) - (b & 7), (a >> 3) - (b >> 3)
    return files == 0 or ranks == 0 or abs(files) == abs(ranks)


@inlined
def add_move(
    man: int, target: int, exposes: bool, moves: int, men: ProofMen, p: ProofPosition
) -> int:
    """The move stands behind the first `moves`, if it is legal, and how many there are now.

    A pawn on the last rank has a move for each piece it may become. `exposes`: the move could
    leave the own king attacked.
    """
    if exposes and not is_safe(man, target, men, p):
        return moves
    promotes = men.kinds[man] == PAWN and (target < 8 or target >= 56)
    for choice in range(1 if promotes else 0, CHOICES if promotes else 1):
        p.mover[moves], p.arrival[moves] = man, 64 * choice + target
        moves += 1
    return moves


@inlined
def add_pawn(man: int, exposes: bool, moves: int, men: ProofMen, p: ProofPosition) -> int:
    """The legal moves of a pawn are added; returns how many moves there are now."""
    side, origin = men.sides[man], p.squares[man]
    ahead, home = 8 - 16 * side, 1 + 5 * side
    square = origin + ahead
    if p.board[square] == EMPTY:
        moves = add_move(man, square, exposes, moves, men, p)
        if origin >> 3 == home and p.board[square + ahead] == EMPTY:
            moves = add_move(man, square + ahead, exposes, moves, men, p)
    for aside in (-1, 1):
        if 0 <= (origin & 7) + aside <= 7:
            victim = p.board[square + aside]
            if victim != EMPTY and men.sides[victim] != side:
                moves = add_move(man, square + aside, exposes, moves, men, p)
    return moves


@inlined
def add_piece(man: int, exposes: bool, moves: int, men: ProofMen, p: ProofPosition) -> int:
    """The legal moves of a piece or king are added; returns how many moves there are now."""
    kind, side, origin = men.kinds[man], men.sides[man], p.squares[man]
    for way in range(FIRST[kind], STOP[kind]):
        file, rank = origin & 7, origin >> 3
        for _ in range(FAR[kind]):
            file, rank = file + FILES[way], rank + RANKS[way]
            if file < 0 or file > 7 or rank < 0 or rank > 7:
                break
            target = 8 * rank + file
            victim = p.board[target]
            if victim != EMPTY and men.sides[victim] == side:
                break
            moves = add_move(man, target, exposes, moves, men, p)
            if victim != EMPTY:
                break
    return moves


@inlined
def list_moves(side: int, men: ProofMen, p: ProofPosition) -> int:
    """p.mover and p.arrival hold the legal moves of `side`; returns how many.

    The position is legal: no move takes a king. No right to take en passant comes with it.
    """
    moves = 0
    king, checked = p.squares[side], in_check(side, EMPTY, men, p)
    for man in range(men.kinds.shape[0]):
        if men.sides[man] != side:
            continue
        exposes = checked or man == side or on_line(p.squares[man], king)
        if men.kinds[man] == PAWN:
            moves = add_pawn(man, exposes, moves, men, p)
        else:
            moves = add_piece(man, exposes, moves, men, p)
    return moves
