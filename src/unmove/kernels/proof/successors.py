"""Where the moves of a position lead: the proof's own reading of the index rule.

A *way* is a kind of move: what is taken, and what the man that moves becomes. Behind each way is
one table. QUIET stays in this table; so does STEP, a pawn's plain move, told apart because it
zeroes; the others leave it. One of them is not a move but two: our double step and the opponent's
capture en passant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.proof.forward import (
    CHOICES,
    EMPTY,
    PAWN,
    ProofMen,
    ProofPosition,
    stands_beside,
)

QUIET, STEP = 0, 1
NOWHERE = -1  # in place of a way: no such move on this plane
PASSING = 64 * CHOICES  # PASSING + taker: the arrival of a double step answered en passant
FLIP = 8  # added to a symmetry: turn the ranks upside down first, for sides exchanged


class Rule(NamedTuple):
    """Where positions stand: the index rule of the table behind each way."""

    way: NDArray[np.int64]  # [choice, 1 + group of the victim]; our own pawns fall en passant
    man_map: NDArray[np.int64]  # [way, i]: our man in the part of its i-th; its kings are 0 and 1
    start: NDArray[np.int64]  # [way, group]: its first seat; one more entry closes the last
    groups: NDArray[np.int64]  # [way]: how many
    leaders: NDArray[np.int64]  # [way]: how many of them make up the lead
    sets: NDArray[np.int64]  # [way, group]: how many sets of its size there are
    stride: NDArray[np.int64]  # [way, group]: planes from one set to the next
    flip: NDArray[np.int64]  # [way]: FLIP if the table has the sides the other way round
    lead: NDArray[np.int64]  # [way]: where its lead begins in the next two
    orbit: NDArray[np.int32]  # [lead + rank]: the lead's coordinate
    symmetry: NDArray[np.int32]  # [lead + rank]: what brings the lead onto its representative
    squares: NDArray[np.uint8]  # [orbit, man]: the representative; of this table only
    image: NDArray[np.int64]  # [symmetry, square]
    choose: NDArray[np.int64]  # [k, n]: the sets of k among n
    base: NDArray[np.int64]  # [way]: its first plane in `slot`
    slot: NDArray[np.int64]  # [base + plane]: where the plane's values are


class Successors(NamedTuple):
    """Where the moves of a plane's men lead, wherever the kings are: [man, arrival].

    An arrival is that of a move (see `Position`), or PASSING + taker.
    """

    way: NDArray[np.int8]  # NOWHERE where there is none
    slot: NDArray[np.int32]
    symmetry: NDArray[np.int8]  # brings the successor there


def behind(men: int) -> Successors:
    """Room for the moves of so many men."""
    shape = men, PASSING + men
    return Successors(np.zeros(shape, np.int8), np.zeros(shape, np.int32), np.zeros(shape, np.int8))


@inlined
def rank_of(way: int, group: int, symmetry: int, rule: Rule, p: ProofPosition) -> int:
    """The colexicographic rank of a group's squares, seen through a symmetry.

    The i-th smallest square s of the set, i from 1, adds C(s, i).
    """
    rank = 0
    first, stop = rule.start[way, group], rule.start[way, group + 1]
    for i in range(first, stop):
        square = rule.image[symmetry, p.squares[rule.man_map[way, i]]]
        place = 1
        for j in range(first, stop):
            place += rule.image[symmetry, p.squares[rule.man_map[way, j]]] < square
        rank += rule.choose[place, square]
    return rank


@inlined
def plane_of(way: int, rule: Rule, p: ProofPosition) -> tuple[int, int]:
    """The plane the men stand on behind a way, and the symmetry that brings them there."""
    flip, lead = rule.flip[way], 0
    for group in range(rule.leaders[way]):
        lead = lead * rule.sets[way, group] + rank_of(way, group, flip, rule, p)
    at = rule.lead[way] + lead
    plane, symmetry = rule.orbit[at] * rule.stride[way, 0], flip + rule.symmetry[at]
    for group in range(rule.leaders[way], rule.groups[way]):
        plane += rank_of(way, group, symmetry, rule, p) * rule.stride[way, group]
    return plane, symmetry


@inlined
def note(man: int, arrival: int, way: int, rule: Rule, p: ProofPosition, b: Successors) -> None:
    """b says where an arrival leads; p has the men as they stand behind it."""
    plane, symmetry = plane_of(way, rule, p)
    b.way[man, arrival], b.symmetry[man, arrival] = way, symmetry
    b.slot[man, arrival] = rule.slot[rule.base[way] + plane]


@kernel
def note_move(
    man: int, target: int, choice: int, men: ProofMen, rule: Rule, p: ProofPosition, b: Successors
) -> None:
    """b says where a man's move to a square leads, if no man of its own side stands there.

    A captured man leaves the seat of its group's first man empty, who takes the victim's. A pawn
    that promotes does so in the seat of its group's first man, who takes the pawn's.
    """
    origin, victim = p.squares[man], p.board[target]
    if victim != EMPTY and men.sides[victim] == men.sides[man]:
        return
    way = rule.way[choice, 0 if victim == EMPTY else 1 + men.group[victim]]
    if way == QUIET and men.kinds[man] == PAWN:
        way = STEP
    if victim != EMPTY:
        p.squares[victim] = p.squares[rule.start[QUIET, men.group[victim]]]
    first = rule.start[QUIET, men.group[man]] if choice else man
    stand = p.squares[first]
    p.squares[man] = stand
    p.squares[first] = target
    note(man, 64 * choice + target, way, rule, p, b)
    p.squares[first], p.squares[man] = stand, origin
    if victim != EMPTY:
        p.squares[victim] = target


@inlined
def note_passing(
    man: int, target: int, men: ProofMen, rule: Rule, p: ProofPosition, b: Successors
) -> None:
    """b says where en passant leads after a pawn's double step to `target`, by each taker."""
    origin = p.squares[man]
    for taker in range(2, men.kinds.shape[0]):
        if stands_beside(taker, man, target, men, p):
            stand = p.squares[taker]
            p.squares[man] = p.squares[rule.start[QUIET, men.group[man]]]
            p.squares[taker] = (origin + target) >> 1
            note(man, PASSING + taker, rule.way[0, 1 + men.group[man]], rule, p, b)
            p.squares[man], p.squares[taker] = origin, stand


@inlined
def note_pawn(man: int, men: ProofMen, rule: Rule, p: ProofPosition, b: Successors) -> None:
    """b says where a pawn's moves lead."""
    origin = p.squares[man]
    ahead, home = 8 - 16 * men.sides[man], 1 + 5 * men.sides[man]
    for aside in range(-1, 2):
        target = origin + ahead + aside
        inside = 0 <= (origin & 7) + aside <= 7
        if inside and (p.board[target] != EMPTY) == (aside != 0):
            promotes = target < 8 or target >= 56
            for choice in range(1 if promotes else 0, CHOICES if promotes else 1):
                note_move(man, target, choice, men, rule, p, b)
    target = origin + 2 * ahead
    if origin >> 3 == home and p.board[target] == EMPTY:
        note_move(man, target, 0, men, rule, p, b)
        note_passing(man, target, men, rule, p, b)


@kernel
def look_behind(side: int, men: ProofMen, rule: Rule, p: ProofPosition, b: Successors) -> None:
    """b says where each move of `side` leads; no kings are on the board.

    Worked out once a plane, because it does not depend on the kings.
    """
    b.way[:] = NOWHERE
    for man in range(men.kinds.shape[0]):
        if men.sides[man] != side:
            continue
        if men.kinds[man] == PAWN:
            note_pawn(man, men, rule, p, b)
        else:
            for target in range(64):
                note_move(man, target, 0, men, rule, p, b)


@inlined
def cell_behind(man: int, arrival: int, rule: Rule, p: ProofPosition, b: Successors) -> int:
    """The cell of its plane that an arrival leads to."""
    origin, way, symmetry = p.squares[man], b.way[man, arrival], b.symmetry[man, arrival]
    p.squares[man] = arrival & 63  # matters for a king only
    white = rule.image[symmetry, p.squares[rule.man_map[way, 0]]]
    black = rule.image[symmetry, p.squares[rule.man_map[way, 1]]]
    p.squares[man] = origin
    return int(64 * white + black)


@kernel
def place_men(plane: int, rule: Rule, p: ProofPosition) -> bool:
    """p holds the men of a plane, no kings; False if two of them share a square.

    Unranks by the rule read backwards: the largest square s of a set of k has C(s, k) <= rank.
    """
    p.board[:] = EMPTY
    alone = True
    orbit = plane // rule.stride[QUIET, 0]
    plane -= orbit * rule.stride[QUIET, 0]
    for man in range(2, rule.start[QUIET, rule.leaders[QUIET]]):
        p.squares[man] = rule.squares[orbit, man - 2]
    for group in range(rule.leaders[QUIET], rule.groups[QUIET]):
        rank = plane // rule.stride[QUIET, group]
        plane -= rank * rule.stride[QUIET, group]
        start = rule.start[QUIET, group]
        for i in range(rule.start[QUIET, group + 1] - start, 0, -1):
            square = 63
            while rule.choose[i, square] > rank:
                square -= 1
            rank -= rule.choose[i, square]
            p.squares[start + i - 1] = square
    for man in range(2, p.squares.shape[0]):
        alone &= p.board[p.squares[man]] == EMPTY
        p.board[p.squares[man]] = man
    return alone


@kernel
def mark(
    first: int,
    stop: int,
    side: int,
    men: ProofMen,
    rule: Rule,
    p: ProofPosition,
    b: Successors,
    wanted: NDArray[np.uint8],
) -> None:
    """wanted[slot] = 1 for every plane behind a move of `side` on the planes first .. stop-1.

    Owns p and b; several threads may write the same 1.
    """
    for plane in range(first, stop):
        if place_men(plane, rule, p):
            look_behind(side, men, rule, p, b)
            for man in range(b.way.shape[0]):
                for arrival in range(b.way.shape[1]):
                    if b.way[man, arrival] != NOWHERE:
                        wanted[b.slot[man, arrival]] = 1
