"""The moves of one position of xiangqi, man by man on a board of squares.

The proof rests on them. So they are written from the rules a second time, share nothing with the
solver's kernels, and read only the tables of `games/xiangqi.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games import xiangqi
from unmove.games.xiangqi import CANNON, CHARIOT, HORSE, KING, NOWHERE, SOLDIER, SQUARES
from unmove.kernels.jit import inlined
from unmove.kernels.proof.forward import NOBODY


class Moves(NamedTuple):
    """The tables of `games/xiangqi.py`."""

    steps: NDArray[np.uint8]  # [side, kind, square, i]: (target, gate)
    unsteps: NDArray[np.uint8]  # [side, kind, square, i]: (origin, gate)
    rays: NDArray[np.uint8]  # [square, direction, i]


class CourtProofMen(NamedTuple):
    """The men of an endgame, numbered as `planes/court_index.py` says."""

    kinds: NDArray[np.int64]
    sides: NDArray[np.int64]
    kings: NDArray[np.int64]  # [side]: the king's number


class CourtProofPosition(NamedTuple):
    """A position. Captured men stand NOWHERE; board[NOWHERE] is always NOBODY."""

    squares: NDArray[np.int64]  # [man]
    board: NDArray[np.int64]  # [square]: a man, or NOBODY


MOVES = Moves(xiangqi.STEPS, xiangqi.UNSTEPS, xiangqi.RAYS)


def court_proof_position(men: int) -> CourtProofPosition:
    """An empty board with room for `men` men."""
    return CourtProofPosition(
        np.full(men, NOWHERE, np.int64), np.full(SQUARES + 1, NOBODY, np.int64)
    )


@inlined
def is_man(man: int, side: int, kind: int, men: CourtProofMen) -> bool:
    """Whether a man is there, and of this side and kind."""
    return man != NOBODY and men.sides[man] == side and men.kinds[man] == kind


@inlined
def is_attacked(side: int, men: CourtProofMen, position: CourtProofPosition, moves: Moves) -> bool:
    """Whether the king of a side can be taken."""
    king = position.squares[men.kings[side]]
    enemy = 1 - side
    for direction in range(moves.rays.shape[1]):
        met = 0
        for i in range(moves.rays.shape[2]):
            man = position.board[moves.rays[king, direction, i]]
            if man == NOBODY:
                continue
            if met == 0 and (is_man(man, enemy, CHARIOT, men) or is_man(man, enemy, KING, men)):
                return True
            if met == 1 and is_man(man, enemy, CANNON, men):
                return True
            met += 1
            if met == 2:
                break
    for kind in (HORSE, SOLDIER):
        for i in range(moves.unsteps.shape[3]):
            origin = moves.unsteps[enemy, kind, king, i, 0]
            gate = moves.unsteps[enemy, kind, king, i, 1]
            if is_man(position.board[origin], enemy, kind, men) and position.board[gate] == NOBODY:
                return True
    return False


@inlined
def targets_of(
    man: int, men: CourtProofMen, position: CourtProofPosition, moves: Moves, out: NDArray[np.int64]
) -> int:
    """out[:n] = where a man can go, also onto men of its own side; returns n."""
    n, square, kind = 0, position.squares[man], men.kinds[man]
    if kind != CHARIOT and kind != CANNON:
        for i in range(moves.steps.shape[3]):
            target = np.int64(moves.steps[men.sides[man], kind, square, i, 0])
            gate = moves.steps[men.sides[man], kind, square, i, 1]
            if target != NOWHERE and position.board[gate] == NOBODY:
                out[n] = target
                n += 1
        return n
    for direction in range(moves.rays.shape[1]):
        met = 0
        for i in range(moves.rays.shape[2]):
            target = np.int64(moves.rays[square, direction, i])
            if target == NOWHERE:
                break
            occupied = position.board[target] != NOBODY
            if (met == 0 and (not occupied or kind == CHARIOT)) or (met == 1 and occupied):
                out[n] = target
                n += 1
            if occupied:
                met += 1
                if met == 2 or kind == CHARIOT:
                    break
    return n


@inlined
def move_man(man: int, square: int, position: CourtProofPosition) -> int:
    """A man has gone to a square; returns the man it captured there, or NOBODY."""
    victim = position.board[square]
    if victim != NOBODY:
        position.squares[victim] = NOWHERE
    position.board[position.squares[man]] = NOBODY
    position.board[square] = man
    position.squares[man] = square
    return int(victim)


@inlined
def take_back(man: int, origin: int, victim: int, position: CourtProofPosition) -> None:
    """The inverse of `move_man`."""
    square = position.squares[man]
    position.board[square] = victim
    if victim != NOBODY:
        position.squares[victim] = square
    position.board[origin] = man
    position.squares[man] = origin
