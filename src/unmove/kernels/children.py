"""The positions that the legal moves of some positions lead to, as squares of men.

A *kind* says what a move does to the men, and so which table it leads to:

    QUIET_KIND   a piece or king moves and takes nothing
    STEP_KIND    a pawn moves and neither takes nor promotes
    others  CONVERSIONS + ((man * CHOICES) + choice) * (1 + men) + (0, or 1 + the man taken)

`choice` is what a pawn becomes. If it stays what it is, `man` is 0: any man may have taken.

The moves are those of `proof/forward.py`, which finds them position by position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PAWN
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.forward import (
    CHOICES,
    NOBODY,
    ProofMen,
    ProofPosition,
    attacks,
    in_check,
    list_moves,
    stands_beside,
)
from unmove.values import Side

QUIET_KIND, STEP_KIND, CONVERSIONS = range(3)
ALL_KINDS, MARKED_KINDS, CONVERTING_KINDS = range(3)  # the kinds that are listed
"""MARKED_KINDS: conversions and quiet moves of the king, which the marks of a second side mean."""
HAS_MOVES, IN_STALEMATE, IN_MATE, MAY_BE_PASSED = range(4)  # what a position's moves are
"""MAY_BE_PASSED: it has moves, and after one of them a pawn might be taken en passant."""


class Children(NamedTuple):
    """The moves of some positions, one after the other."""

    parent: NDArray[np.int64]  # [move]: the position
    kind: NDArray[np.int64]  # [move]
    man: NDArray[np.int64]  # [move]: the man that moves
    arrival: NDArray[np.int64]  # [move]: 64 * choice + the square it goes to
    squares: NDArray[np.uint8]  # [move, man]: after the move; a man that was taken stays
    checks: NDArray[np.uint8]  # [move]: 1 if it gives check; left out if there is no room
    status: NDArray[np.uint8]  # [position]: HAS_MOVES, ...

    def upto(self, moves: int) -> Children:
        """So many of the moves."""
        numbers = self.parent[:moves], self.kind[:moves], self.man[:moves], self.arrival[:moves]
        return Children(*numbers, self.squares[:moves], self.checks[:moves], self.status)


def room_for(moves: int, positions: int, men: int, *, checks: bool) -> Children:
    """Room for so many moves of some positions; `checks`: with whether they give check."""
    numbers = np.empty((4, moves), np.int64)
    return Children(
        parent=numbers[0],
        kind=numbers[1],
        man=numbers[2],
        arrival=numbers[3],
        squares=np.empty((moves, men), np.uint8),
        checks=np.empty(moves if checks else 0, np.uint8),
        status=np.empty(positions, np.uint8),
    )


@inlined
def set_up_board(squares: NDArray[np.uint8], position: ProofPosition) -> None:
    """The position has the men on these squares; nobody was on the board before."""
    for man in range(squares.shape[0]):
        square = np.int64(squares[man])
        position.squares[man], position.board[square] = square, man


@inlined
def clear_board(position: ProofPosition) -> None:
    """Nobody is on the board."""
    for man in range(position.squares.shape[0]):
        position.board[position.squares[man]] = NOBODY


@inlined
def may_be_taken(man: int, target: int, men: ProofMen, position: ProofPosition) -> bool:
    """Whether a move is a double step past a pawn that might take en passant."""
    if men.kinds[man] != PAWN or abs(target - position.squares[man]) != 16:
        return False
    for taker in range(2, men.kinds.shape[0]):
        if stands_beside(taker, man, target, men, position):
            return True
    return False


@inlined
def gives_check(man: int, arrival: int, men: ProofMen, position: ProofPosition) -> bool:
    """Whether a legal move gives check. The position is as before afterwards."""
    choice, target, side = arrival >> 6, arrival & 63, men.sides[man]
    origin, victim, king = position.squares[man], position.board[target], position.squares[1 - side]
    position.squares[man], position.board[origin], position.board[target] = target, NOBODY, man
    found = False
    for other in range(men.kinds.shape[0]):
        kind = choice - 1 if other == man and choice else men.kinds[other]
        if men.sides[other] == side and attacks(
            kind, side, position.squares[other], king, position.board
        ):
            found = True
    position.squares[man], position.board[origin], position.board[target] = origin, man, victim
    return found


@inlined
def kind_of_move(man: int, arrival: int, men: ProofMen, position: ProofPosition) -> int:
    """The kind of a move that is listed."""
    choice, victim = arrival >> 6, position.board[arrival & 63]
    if choice == 0 and victim == NOBODY:
        return STEP_KIND if men.kinds[man] == PAWN else QUIET_KIND
    pawn = man if choice else 0
    kind: int = CONVERSIONS + (pawn * CHOICES + choice) * (1 + men.kinds.shape[0]) + 1 + victim
    return kind


@inlined
def is_listed(kind: int, man: int, kinds: int) -> bool:
    """Whether a move is of the kinds that are listed. The kings are the men 0 and 1."""
    if kind >= CONVERSIONS or kinds == ALL_KINDS:
        return True
    return kinds == MARKED_KINDS and man < 2


@inlined
def add_children(
    parent: int,
    side: Side,
    kinds: int,
    end: int,
    men: ProofMen,
    position: ProofPosition,
    out: Children,
) -> int:
    """The children of the position at hand are listed from `end` on; returns the new end."""
    moves = list_moves(side, men, position)
    out.status[parent] = HAS_MOVES
    if moves == 0:
        checked = in_check(side, NOBODY, men, position)
        out.status[parent] = IN_MATE if checked else IN_STALEMATE
    for move in range(moves):
        man, arrival = position.mover[move], position.arrival[move]
        kind = kind_of_move(man, arrival, men, position)
        if not is_listed(kind, man, kinds):
            continue
        if kind == STEP_KIND and may_be_taken(man, arrival & 63, men, position):
            out.status[parent] = MAY_BE_PASSED
        out.parent[end], out.kind[end] = parent, kind
        out.man[end], out.arrival[end] = man, arrival
        for other in range(men.kinds.shape[0]):
            out.squares[end, other] = position.squares[other]
        out.squares[end, man] = arrival & 63
        if out.checks.shape[0]:
            out.checks[end] = gives_check(man, arrival, men, position)
        end += 1
    return int(end)


@kernel
def list_children(
    side: Side,
    kinds: int,
    squares: NDArray[np.uint8],
    men: ProofMen,
    position: ProofPosition,
    out: Children,
) -> int:
    """`out` has the moves of `side` of these kinds in legal positions; returns how many there are.

    squares[i, man] is where a man of the i-th position stands. `kinds` is ALL_KINDS or the like.
    `position` is the caller's own, an empty board before and afterwards.
    """
    end = 0
    for parent in range(squares.shape[0]):
        set_up_board(squares[parent], position)
        end = add_children(parent, side, kinds, end, men, position, out)
        clear_board(position)
    return end
