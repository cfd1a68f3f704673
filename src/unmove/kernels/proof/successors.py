"""Where the moves of a position lead: the proof's own reading of the index rule.

A *move kind* says what is taken, and what the man that moves becomes. Each leads to one table.
QUIET stays in this table. So does STEP, a pawn's plain move, which is told apart because it zeroes.
The other kinds leave it. One of them is not a move but two: our double step and the opponent's
capture en passant.
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
    stands_beside,
)
from unmove.values import Side

QUIET, STEP = 0, 1
NO_SUCCESSOR = -1  # in place of a kind of move: there is no such move on this plane
PASSING = 64 * CHOICES  # PASSING + taker: the arrival of a double step answered en passant
FLIPPED = 8  # added to a symmetry: turn the ranks upside down first, as colours are swapped


class Rule(NamedTuple):
    """Where positions stand: the index rule of the table that each kind of move leads to."""

    move_kind: NDArray[np.int64]  # [choice, 1 + group of the victim]; our own pawns fall en passant
    man_map: NDArray[np.int64]  # [move kind, i]: the number here of its i-th man, kings 0 and 1
    start: NDArray[np.int64]  # [move kind, group]: its first man; one more entry closes the last
    groups: NDArray[np.int64]  # [move kind]: how many
    leaders: NDArray[np.int64]  # [move kind]: how many of them make up the lead
    sets: NDArray[np.int64]  # [move kind, group]: how many sets of its size there are
    stride: NDArray[np.int64]  # [move kind, group]: planes from one set to the next
    flip: NDArray[np.int64]  # [move kind]: FLIPPED if the table has the colours swapped
    lead: NDArray[np.int64]  # [move kind]: where its lead begins in the next two
    orbit: NDArray[np.int32]  # [lead + rank]: the lead's coordinate
    symmetry: NDArray[np.int32]  # [lead + rank]: what maps the lead onto its representative
    squares: NDArray[np.uint8]  # [orbit, man]: the representative; of this table only
    image: NDArray[np.int64]  # [symmetry, square]
    choose: NDArray[np.int64]  # [k, n]: the sets of k among n
    base: NDArray[np.int64]  # [move kind]: its first plane in `slot`
    slot: NDArray[np.int64]  # [base + plane]: where the plane's values are


class Successors(NamedTuple):
    """Where the moves of a plane's men lead, wherever the kings are: [man, arrival].

    An arrival is that of a move (see `ProofPosition`), or PASSING + taker.
    """

    move_kind: NDArray[np.int8]  # NO_SUCCESSOR where there is none
    slot: NDArray[np.int32]
    symmetry: NDArray[np.int8]  # maps the successor onto its plane


class ProofState(NamedTuple):
    """What one thread of the proof works with. It alone writes the position and the successors."""

    men: ProofMen
    rule: Rule
    position: ProofPosition
    successors: Successors


def no_successors(men: int) -> Successors:
    """Room for the moves of `men` men."""
    shape = men, PASSING + men
    return Successors(np.zeros(shape, np.int8), np.zeros(shape, np.int32), np.zeros(shape, np.int8))


@inlined
def rank_of_set(
    move_kind: int, group: int, symmetry: int, rule: Rule, position: ProofPosition
) -> int:
    """The colexicographic rank of a group's squares, seen through a symmetry.

    The i-th smallest square s of the set, i from 1, adds C(s, i).
    """
    rank = 0
    first, stop = rule.start[move_kind, group], rule.start[move_kind, group + 1]
    for i in range(first, stop):
        square = rule.image[symmetry, position.squares[rule.man_map[move_kind, i]]]
        place = 1
        for j in range(first, stop):
            place += rule.image[symmetry, position.squares[rule.man_map[move_kind, j]]] < square
        rank += rule.choose[place, square]
    return rank


@inlined
def plane_of(move_kind: int, rule: Rule, position: ProofPosition) -> tuple[int, int]:
    """The plane of the men after a kind of move, and the symmetry that maps them onto it."""
    flip, lead = rule.flip[move_kind], 0
    for group in range(rule.leaders[move_kind]):
        lead = lead * rule.sets[move_kind, group] + rank_of_set(
            move_kind, group, flip, rule, position
        )
    entry = rule.lead[move_kind] + lead
    plane, symmetry = rule.orbit[entry] * rule.stride[move_kind, 0], flip + rule.symmetry[entry]
    for group in range(rule.leaders[move_kind], rule.groups[move_kind]):
        plane += (
            rank_of_set(move_kind, group, symmetry, rule, position) * rule.stride[move_kind, group]
        )
    return plane, symmetry


@inlined
def note_arrival(man: int, arrival: int, move_kind: int, state: ProofState) -> None:
    """The successors say where an arrival leads; the position has the men after it."""
    _, rule, position, successors = state
    plane, symmetry = plane_of(move_kind, rule, position)
    successors.move_kind[man, arrival], successors.symmetry[man, arrival] = move_kind, symmetry
    successors.slot[man, arrival] = rule.slot[rule.base[move_kind] + plane]


@kernel
def note_move(man: int, target: int, choice: int, state: ProofState) -> None:
    """The successors say where a man's move to a square leads, if no man of its own stands there.

    A capture frees the number of the first man of the victim's group, who takes over the victim's.
    A pawn that promotes does so with the number of its group's first man, who takes over the
    pawn's.
    """
    men, rule, position, _ = state
    squares = position.squares
    origin, victim = squares[man], position.board[target]
    if victim != NOBODY and men.sides[victim] == men.sides[man]:
        return
    move_kind = rule.move_kind[choice, 0 if victim == NOBODY else 1 + men.group[victim]]
    if move_kind == QUIET and men.kinds[man] == PAWN:
        move_kind = STEP
    if victim != NOBODY:
        squares[victim] = squares[rule.start[QUIET, men.group[victim]]]
    first = rule.start[QUIET, men.group[man]] if choice else man
    stand = squares[first]
    squares[man] = stand
    squares[first] = target
    note_arrival(man, 64 * choice + target, move_kind, state)
    squares[first], squares[man] = stand, origin
    if victim != NOBODY:
        squares[victim] = target


@inlined
def note_passing(man: int, target: int, state: ProofState) -> None:
    """The successors say where en passant leads after a pawn's double step, by each taker."""
    men, rule, position, _ = state
    squares = position.squares
    origin = squares[man]
    for taker in range(2, men.kinds.shape[0]):
        if stands_beside(taker, man, target, men, position):
            stand = squares[taker]
            squares[man] = squares[rule.start[QUIET, men.group[man]]]
            squares[taker] = (origin + target) >> 1
            note_arrival(man, PASSING + taker, rule.move_kind[0, 1 + men.group[man]], state)
            squares[man], squares[taker] = origin, stand


@inlined
def note_pawn(man: int, state: ProofState) -> None:
    """The successors say where a pawn's moves lead."""
    men, _, position, _ = state
    origin = position.squares[man]
    ahead, home = 8 - 16 * men.sides[man], 1 + 5 * men.sides[man]
    for aside in range(-1, 2):
        target = origin + ahead + aside
        inside = 0 <= (origin & 7) + aside <= 7
        if inside and (position.board[target] != NOBODY) == (aside != 0):
            promotes = target < 8 or target >= 56
            for choice in range(1 if promotes else 0, CHOICES if promotes else 1):
                note_move(man, target, choice, state)
    target = origin + 2 * ahead
    if origin >> 3 == home and position.board[target] == NOBODY:
        note_move(man, target, 0, state)
        note_passing(man, target, state)


@kernel
def find_successors(side: Side, state: ProofState) -> None:
    """The successors say where each move of `side` leads; no kings are on the board.

    This is found once a plane, because it does not depend on the kings.
    """
    men = state.men
    state.successors.move_kind[:] = NO_SUCCESSOR
    for man in range(men.kinds.shape[0]):
        if men.sides[man] != side:
            continue
        if men.kinds[man] == PAWN:
            note_pawn(man, state)
        else:
            for target in range(64):
                note_move(man, target, 0, state)


@inlined
def cell_after(man: int, arrival: int, state: ProofState) -> int:
    """The cell of its plane that an arrival leads to."""
    _, rule, position, successors = state
    squares = position.squares
    origin = squares[man]
    move_kind, symmetry = successors.move_kind[man, arrival], successors.symmetry[man, arrival]
    squares[man] = arrival & 63  # matters for a king only
    white = rule.image[symmetry, squares[rule.man_map[move_kind, 0]]]
    black = rule.image[symmetry, squares[rule.man_map[move_kind, 1]]]
    squares[man] = origin
    return int(64 * white + black)


@kernel
def place_men(plane: int, rule: Rule, position: ProofPosition) -> bool:
    """The position has the men of a plane, no kings; False if two of them share a square.

    The index rule read backwards: the largest square s of a set of k has C(s, k) <= rank.
    """
    squares, board = position.squares, position.board
    board[:] = NOBODY
    alone = True
    orbit = plane // rule.stride[QUIET, 0]
    plane -= orbit * rule.stride[QUIET, 0]
    for man in range(2, rule.start[QUIET, rule.leaders[QUIET]]):
        squares[man] = rule.squares[orbit, man - 2]
    for group in range(rule.leaders[QUIET], rule.groups[QUIET]):
        rank = plane // rule.stride[QUIET, group]
        plane -= rank * rule.stride[QUIET, group]
        start = rule.start[QUIET, group]
        for i in range(rule.start[QUIET, group + 1] - start, 0, -1):
            square = 63
            while rule.choose[i, square] > rank:
                square -= 1
            rank -= rule.choose[i, square]
            squares[start + i - 1] = square
    for man in range(2, squares.shape[0]):
        alone &= board[squares[man]] == NOBODY
        board[squares[man]] = man
    return alone


@inlined
def can_arrive(man: int, arrival: int, state: ProofState) -> bool:
    """Whether a man reaches a square, were there no kings: `find_successors` has all for pieces."""
    men, position = state.men, state.position
    kind = men.kinds[man]
    if man < 2 or kind == PAWN:
        return True
    return attacks(kind, men.sides[man], position.squares[man], arrival & 63, position.board)


@kernel
def mark_wanted(
    first: int, stop: int, side: Side, state: ProofState, wanted: NDArray[np.uint8]
) -> None:
    """wanted[slot] = 1 for every plane that moves of `side` on planes first .. stop-1 lead to.

    Several threads may write the same 1.
    """
    successors = state.successors
    for plane in range(first, stop):
        if place_men(plane, state.rule, state.position):
            find_successors(side, state)
            men, arrivals = successors.move_kind.shape
            for man in range(men):
                for arrival in range(arrivals):
                    exists = successors.move_kind[man, arrival] != NO_SUCCESSOR
                    if exists and can_arrive(man, arrival, state):
                        wanted[successors.slot[man, arrival]] = 1
