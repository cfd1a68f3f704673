"""Moves of xiangqi from man to man on a board of squares: plain, and sharing nothing with planes.

The proof rests on this, so it is written from the rules once more, by `games/xiangqi.py`'s tables
alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games import xiangqi
from unmove.games.xiangqi import CANNON, CHARIOT, HORSE, KING, NOWHERE, SOLDIER, SQUARES
from unmove.kernels.jit import inlined

NOBODY = -1


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
    """A position at hand. Taken men stand NOWHERE; nobody is ever found there."""

    squares: NDArray[np.int64]  # [man]
    board: NDArray[np.int64]  # [square]: a man, or NOBODY


MOVES = Moves(xiangqi.STEPS, xiangqi.UNSTEPS, xiangqi.RAYS)


def court_proof_position(men: int) -> CourtProofPosition:
    """Room for a position of so many men, nobody on the board."""
    return CourtProofPosition(
        np.full(men, NOWHERE, np.int64), np.full(SQUARES + 1, NOBODY, np.int64)
    )


@inlined
def is_man(man: int, side: int, kind: int, m: CourtProofMen) -> bool:
    """Whether somebody is there, of this side and kind."""
    return man != NOBODY and m.sides[man] == side and m.kinds[man] == kind


@inlined
def is_attacked(side: int, m: CourtProofMen, p: CourtProofPosition, moves: Moves) -> bool:
    """Whether the king of a side can be taken."""
    king = p.squares[m.kings[side]]
    enemy = 1 - side
    for direction in range(moves.rays.shape[1]):
        met = 0
        for i in range(moves.rays.shape[2]):
            man = p.board[moves.rays[king, direction, i]]
            if man == NOBODY:
                continue
            if met == 0 and (is_man(man, enemy, CHARIOT, m) or is_man(man, enemy, KING, m)):
                return True
            if met == 1 and is_man(man, enemy, CANNON, m):
                return True
            met += 1
            if met == 2:
                break
    for kind in (HORSE, SOLDIER):
        for i in range(moves.unsteps.shape[3]):
            origin = moves.unsteps[enemy, kind, king, i, 0]
            gate = moves.unsteps[enemy, kind, king, i, 1]
            if is_man(p.board[origin], enemy, kind, m) and p.board[gate] == NOBODY:
                return True
    return False


@inlined
def targets_of(
    man: int, m: CourtProofMen, p: CourtProofPosition, moves: Moves, out: NDArray[np.int64]
) -> int:
    """out[:n] = where a man can go, its own side's men not yet excluded; returns n."""
    n, square, kind = 0, p.squares[man], m.kinds[man]
    if kind != CHARIOT and kind != CANNON:
        for i in range(moves.steps.shape[3]):
            target = np.int64(moves.steps[m.sides[man], kind, square, i, 0])
            gate = moves.steps[m.sides[man], kind, square, i, 1]
            if target != NOWHERE and p.board[gate] == NOBODY:
                out[n] = target
                n += 1
        return n
    for direction in range(moves.rays.shape[1]):
        met = 0
        for i in range(moves.rays.shape[2]):
            target = np.int64(moves.rays[square, direction, i])
            if target == NOWHERE:
                break
            occupied = p.board[target] != NOBODY
            if (met == 0 and (not occupied or kind == CHARIOT)) or (met == 1 and occupied):
                out[n] = target
                n += 1
            if occupied:
                met += 1
                if met == 2 or kind == CHARIOT:
                    break
    return n


@inlined
def put(man: int, square: int, p: CourtProofPosition) -> int:
    """A man goes to a square; returns who stood there and is now nowhere, or NOBODY."""
    victim = p.board[square]
    if victim != NOBODY:
        p.squares[victim] = NOWHERE
    p.board[p.squares[man]] = NOBODY
    p.board[square] = man
    p.squares[man] = square
    return int(victim)


@inlined
def take_back(man: int, origin: int, victim: int, p: CourtProofPosition) -> None:
    """The inverse of `put`."""
    square = p.squares[man]
    p.board[square] = victim
    if victim != NOBODY:
        p.squares[victim] = square
    p.board[origin] = man
    p.squares[man] = origin
