"""Xiangqi as data: squares, the kinds of men, where they can stand and where they can go.

    9 | 81 82 83 84 85 86 87 88 89
    8 | 72 73 74 75 76 77 78 79 80      Black's palace: files d to f, ranks 7 to 9
    7 | 63 64 65 66 67 68 69 70 71
    6 | 54 55 56 57 58 59 60 61 62
    5 | 45 46 47 48 49 50 51 52 53
        ~~~~~~~~~ the river ~~~~~~      square = 9 * rank + file, both from 0
    4 | 36 37 38 39 40 41 42 43 44
    3 | 27 28 29 30 31 32 33 34 35
    2 | 18 19 20 21 22 23 24 25 26
    1 |  9 10 11 12 13 14 15 16 17      White's palace: files d to f, ranks 0 to 2
    0 |  0  1  2  3  4  5  6  7  8
         a  b  c  d  e  f  g  h  i

White is Red and moves up the board. (Notation counts ranks from 1, as engines do.)

There are men that step and men that slide. A step goes to a *target* if one other square, the
*gate*, is empty: a horse's leg, an elephant's eye. Steps of kings, advisors and soldiers have
no gate; theirs is NOWHERE, a square beyond the board that nobody stands on, so that a kernel
whose boards have 91 squares need not ask. NOWHERE also fills the ends of lists. Chariot and
cannon slide along RAYS; what their moves demand of the squares between stands at BETWEEN. Two
kings attack each other as chariots along a file; this is not among the steps.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.values import SIDES, WHITE, Side
from unmove.variants import XIANGQI

FILES: Final = 9
RANKS: Final = 10
SQUARES: Final = FILES * RANKS
NOWHERE: Final = SQUARES
LETTERS: Final = XIANGQI.letters  # by kind number
KINDS: Final = len(LETTERS)
KING: Final = 0
CHARIOT: Final = 1
CANNON: Final = 2
HORSE: Final = 3
ADVISOR: Final = 4
ELEPHANT: Final = 5
SOLDIER: Final = 6
MOST_STEPS: Final = 8

_ORTHOGONAL = ((0, 1), (0, -1), (-1, 0), (1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_HORSE = tuple((x, y) for x, y in product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y))
_STEPS: dict[int, tuple[tuple[int, int], ...]] = {  # files, ranks
    KING: _ORTHOGONAL,
    ADVISOR: _DIAGONAL,
    ELEPHANT: tuple((2 * x, 2 * y) for x, y in _DIAGONAL),
    HORSE: _HORSE,
    SOLDIER: ((0, 1), (-1, 0), (1, 0)),  # White's; aside only where it can stand
}

_EVERYWHERE = set(product(range(FILES), range(RANKS)))
_HOMES: dict[int, set[tuple[int, int]]] = {  # (file, rank) of White's men; others go everywhere
    KING: {(x, y) for x, y in _EVERYWHERE if 3 <= x <= 5 and y <= 2},
    ADVISOR: {(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)},
    ELEPHANT: {(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)},
    # Straight from rank 3 to the river, and all that is beyond.
    SOLDIER: {(x, y) for x, y in _EVERYWHERE if y >= 5 or (y >= 3 and x % 2 == 0)},
}


def _square(file: int, rank: int) -> int:
    """The square, or NOWHERE if it is not on the board."""
    return FILES * rank + file if 0 <= file < FILES and 0 <= rank < RANKS else NOWHERE


def _stands() -> NDArray[np.bool_]:
    stands = np.ones((2, KINDS, SQUARES), np.bool_)
    for kind, places in _HOMES.items():
        stands[0, kind] = False
        stands[0, kind, [_square(*place) for place in places]] = True
    stands[1] = stands[0][:, FLIP]
    return stands


def _gate(kind: int, square: int, x: int, y: int) -> int:
    """What must be empty for a step of (x, y) from the square."""
    rank, file = divmod(square, FILES)
    if kind == HORSE:  # the leg: beside the horse, on the longer way
        return _square(file + int(x / 2), rank + int(y / 2))
    if kind == ELEPHANT:
        return _square(file + x // 2, rank + y // 2)
    return NOWHERE


def _steps(side: Side, kind: int, square: int) -> list[tuple[int, int]]:
    """The steps of a man as (target, gate)."""
    rank, file = divmod(square, FILES)
    found = []
    for x, y in _STEPS.get(kind, ()):
        forward = y if side == WHITE else -y
        target = _square(file + x, rank + forward)
        if target != NOWHERE and STANDS[side, kind, square] and STANDS[side, kind, target]:
            found.append((target, _gate(kind, square, x, forward)))
    return found


def _step_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    tables = np.full((2, 2, KINDS, SQUARES, MOST_STEPS, 2), NOWHERE, np.uint8)
    steps, unsteps = tables
    listed = np.zeros((2, KINDS, SQUARES), np.int64)  # of the unsteps
    for side, kind, origin in product(SIDES, range(KINDS), range(SQUARES)):
        for i, (target, gate) in enumerate(_steps(side, kind, origin)):
            steps[side, kind, origin, i] = target, gate
            unsteps[side, kind, target, listed[side, kind, target]] = origin, gate
            listed[side, kind, target] += 1
    return steps, unsteps


def _rays() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    rays = np.full((SQUARES, len(_ORTHOGONAL), RANKS), NOWHERE, np.uint8)
    between = np.full((SQUARES, SQUARES, RANKS - 1), NOWHERE, np.uint8)
    for origin in range(SQUARES):
        rank, file = divmod(origin, FILES)
        for direction, (x, y) in enumerate(_ORTHOGONAL):
            met = [_square(file + n * x, rank + n * y) for n in range(1, RANKS)]
            ray = [square for square in met if square != NOWHERE]
            rays[origin, direction, : len(ray)] = ray
            for i, square in enumerate(ray):
                between[origin, square, :i] = ray[:i]
    return rays, between


MIRROR: Final = np.array([s // FILES * FILES + FILES - 1 - s % FILES for s in range(SQUARES)])
"""MIRROR[s]: the square in the other half of the same rank; the one symmetry of the board."""

FLIP: Final = np.array([(RANKS - 1 - s // FILES) * FILES + s % FILES for s in range(SQUARES)])
"""FLIP[s]: the square that is to Black what s is to White."""

STANDS: Final = _stands()
"""STANDS[side, kind, s]: whether such a man can ever stand on s."""

STEPS, UNSTEPS = _step_tables()
"""STEPS[side, kind, s, i] = (target, gate): a man on s steps to the target if the gate is empty.
UNSTEPS[side, kind, s, i] = (origin, gate): a man on the origin steps to s if the gate is empty.
A horse's gate is beside its origin, so its unsteps are not its steps; a soldier never goes back.
Chariots and cannons have neither."""

RAYS, BETWEEN = _rays()
"""RAYS[s, direction]: the squares met from s, nearest first, filled up with at least one NOWHERE;
directions are up, down, to file a, to file i.
BETWEEN[a, b]: the squares strictly between a and b, when they are on a line, filled up likewise.
A chariot moves from a to b, and a cannon moves without capturing, if all of them are empty; a
cannon captures on b if just one is not."""
