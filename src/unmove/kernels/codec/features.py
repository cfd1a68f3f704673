"""What the tree may be told of a cell beside its neighbours' values: the features of the model.

A small number each. First the neighbours, compared to the predictions (`contexts.py`), and the
predictions themselves; then *hints*, which only the position tells: whether the nearest neighbours
and the cell itself are legal and in check, how the kings and the men stand to one another, and by
how many each man is attacked and defended.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.facts import ATTACKERS, DEFENDERS, SQUARE, PlaneFacts
from unmove.kernels.codec.scratch import (
    BOARD,
    CHECK,
    EXTRA,
    INNER,
    KINGS,
    MEN,
    NO_CELL,
    OF_MAN,
    OF_PLACED,
    OUTER,
    OUTSIDE,
    PLACE,
    PLACED,
    RECORD,
    RECORDS,
    SHIFT,
    STATES,
    WIDTH,
)
from unmove.kernels.intrinsics import copy_record
from unmove.kernels.jit import inlined

ONE = np.uint64(1)

# (files, ranks) the outer king stands aside, and the inner one; all earlier in the order of coding
NEIGHBOURS = (
    *((0, 0, -1, 0), (0, 0, 0, -1), (0, 0, -1, -1), (0, 0, 1, -1), (0, 0, -2, 0), (0, 0, 0, -2)),
    *((-1, 0, 0, 0), (0, -1, 0, 0), (-1, -1, 0, 0), (1, -1, 0, 0), (-2, 0, 0, 0), (0, -2, 0, 0)),
    *((-1, 0, 1, 0), (-1, 0, 0, 1), (-1, 0, -1, 0), (-1, 0, 0, -1), (-1, 0, 1, 1)),
    *((0, -1, 1, 0), (0, -1, 0, 1), (0, -1, -1, 0), (0, -1, 0, -1), (0, -1, 1, 1)),
)
OFFSETS = np.array([(b * WIDTH + a) * BOARD + d * WIDTH + c for a, b, c, d in NEIGHBOURS])
NEAREST = (7, 6, 1, 0)  # the neighbours that predict, the last one first

PREDICTED_WIN, PREDICTED_LOSS, FIRST_HINT = range(len(OFFSETS), len(OFFSETS) + 3)  # features
_STEPS = 7, 2 * SHIFT, 2 * SHIFT  # the most a distance is, and what stands behind it


def _of_king(first: int) -> list[tuple[int, int, int]]:
    """The hints of a king's record."""
    found = [(first, 7, 0), (first + 1, 7, 0)]
    for man in range(MEN):
        found += [(first + 2 + OF_MAN * man + i, last, man + 1) for i, last in enumerate(_STEPS)]
    return found


_HINTS = (
    *((STATES + OFFSETS[i], CHECK, 0) for i in reversed(NEAREST)),
    (STATES, CHECK, 0),
    *((KINGS + i, last, 0) for i, last in enumerate(_STEPS)),
    *_of_king(OUTER),
    *_of_king(INNER),
    *(
        (PLACED + OF_PLACED * man + i, last, man + 1)
        for man in range(MEN)
        for i, last in enumerate((7, 7, MEN - 1, MEN - 1))
    ),
)
HINT_PLACES, HINT_LASTS, HINT_MEN = np.array(_HINTS).T.copy()
"""[hint]: its slot, or, of the first STATE_HINTS, how far from the place; the most; men needed."""
STATE_HINTS = len(NEAREST) + 1
FEATURES = FIRST_HINT + len(_HINTS)


def hints_with(men: int) -> NDArray[np.int64]:
    """The hints that there are with so many men."""
    return np.flatnonzero(men >= HINT_MEN)


@inlined
def set_up(p: int, known: PlaneFacts, space: NDArray[np.int16]) -> None:
    """A plane begins: no cell has a value, and all that is known of it is where it is asked for."""
    for lane in range(2):
        place_men(p, known.men, space[lane * EXTRA :])
    record_squares(known.men.shape[1], space)
    for row in range(64 * 8):
        at = int(PLACE[np.uint64(row >> 3)] * BOARD + PLACE[np.uint64(8 * (row & 7))])
        legal = known.legal[p, np.uint64(row >> 3)] >> np.uint64(8 * (row & 7))
        checked = known.checked[p, np.uint64(row >> 3)] >> np.uint64(8 * (row & 7))
        for i in range(8):
            more = ((legal >> np.uint64(i)) & ONE) + ((checked >> np.uint64(i)) & ONE)
            space[np.uint64(at + i)] = OUTSIDE
            space[np.uint64(at + STATES + i)] = NO_CELL + np.int64(more)


@inlined
def place_men(p: int, men: NDArray[np.uint8], space: NDArray[np.int16]) -> None:
    """The men stand there; of men that are not there all is 0."""
    for man in range(MEN):
        at = PLACED + OF_PLACED * man
        for i in range(OF_PLACED):
            space[at + i] = 0
        if man < men.shape[1]:
            square = int(np.int64(men[p, man, SQUARE]))
            space[at], space[at + 1] = square & 7, square >> 3
            space[at + 2], space[at + 3] = men[p, man, ATTACKERS], men[p, man, DEFENDERS]


@inlined
def record_squares(men: int, space: NDArray[np.int16]) -> None:
    """For every square the record of a king there, given where the men stand."""
    for square in range(64):
        at = RECORDS + RECORD * square
        space[at], space[at + 1] = square & 7, square >> 3
        for man in range(MEN):
            files = (square & 7) - int(space[PLACED + OF_PLACED * man])
            ranks = (square >> 3) - int(space[PLACED + OF_PLACED * man + 1])
            of = at + 2 + OF_MAN * man
            space[of] = max(abs(files), abs(ranks)) if man < men else 0
            space[of + 1] = SHIFT + files if man < men else 0
            space[of + 2] = SHIFT + ranks if man < men else 0


@inlined
def place_outer(outer: int, lane: int, space: NDArray[np.int16]) -> None:
    """The outer king stands there."""
    copy_record(space, OUTER, RECORDS - lane * EXTRA + RECORD * outer)


@inlined
def place_inner(inner: int, lane: int, space: NDArray[np.int16]) -> None:
    """The inner king stands there, the outer one as before."""
    copy_record(space, INNER, RECORDS - lane * EXTRA + RECORD * inner)
    files, ranks = int(space[OUTER]) - (inner & 7), int(space[OUTER + 1]) - (inner >> 3)
    space[KINGS] = max(abs(files), abs(ranks))
    space[KINGS + 1], space[KINGS + 2] = SHIFT + files, SHIFT + ranks


@inlined
def hint_at(hint: int, place: int, space: NDArray[np.int16]) -> int:
    """The number of a hint about the cell at a place."""
    beside = place if hint < STATE_HINTS else 0
    return max(int(space[np.uint64(beside + HINT_PLACES[np.uint64(hint)])]), 0)
