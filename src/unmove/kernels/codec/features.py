"""What the tree may ask about a cell: the features of the model. Each is a small number.

First come the neighbours, compared with the predictions (`contexts.py`), and the predictions
themselves. Then come *position features*, which follow from the position alone: whether the nearest
neighbours and the cell itself are legal and in check, how the kings and the men stand to one
another, and how many men attack and defend each man.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import ONE
from unmove.kernels.codec.facts import ATTACKERS, DEFENDERS, MAN_SQUARE, PlaneFacts
from unmove.kernels.codec.scratch import (
    BETWEEN_KINGS,
    BOARD,
    EXTRA,
    FEATURED_MEN,
    IN_CHECK,
    INNER,
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
    ContextValues,
)
from unmove.kernels.intrinsics import at, copy_record
from unmove.kernels.jit import inlined

# (files, ranks) that the outer king stands aside, then the inner one; all are coded earlier
NEIGHBOURS = (
    *((0, 0, -1, 0), (0, 0, 0, -1), (0, 0, -1, -1), (0, 0, 1, -1), (0, 0, -2, 0), (0, 0, 0, -2)),
    *((-1, 0, 0, 0), (0, -1, 0, 0), (-1, -1, 0, 0), (1, -1, 0, 0), (-2, 0, 0, 0), (0, -2, 0, 0)),
    *((-1, 0, 1, 0), (-1, 0, 0, 1), (-1, 0, -1, 0), (-1, 0, 0, -1), (-1, 0, 1, 1)),
    *((0, -1, 1, 0), (0, -1, 0, 1), (0, -1, -1, 0), (0, -1, 0, -1), (0, -1, 1, 1)),
)
OFFSETS = np.array([(b * WIDTH + a) * BOARD + d * WIDTH + c for a, b, c, d in NEIGHBOURS])
NEAREST = (7, 6, 1, 0)  # the neighbours that predict; the last one comes first

PREDICTED_WIN, PREDICTED_LOSS, FIRST_POSITION_FEATURE = range(
    len(OFFSETS), len(OFFSETS) + 3
)  # features
_STEPS = 7, 2 * SHIFT, 2 * SHIFT  # the greatest distance, and files and ranks, see `scratch.py`


def _of_king(first: int) -> list[tuple[int, int, int]]:
    """The position features of a king's record."""
    found = [(first, 7, 0), (first + 1, 7, 0)]
    for man in range(FEATURED_MEN):
        found += [(first + 2 + OF_MAN * man + i, last, man + 1) for i, last in enumerate(_STEPS)]
    return found


_POSITION_FEATURES = (
    *((STATES + OFFSETS[i], IN_CHECK, 0) for i in reversed(NEAREST)),
    (STATES, IN_CHECK, 0),
    *((BETWEEN_KINGS + i, last, 0) for i, last in enumerate(_STEPS)),
    *_of_king(OUTER),
    *_of_king(INNER),
    *(
        (PLACED + OF_PLACED * man + i, last, man + 1)
        for man in range(FEATURED_MEN)
        for i, last in enumerate((7, 7, FEATURED_MEN - 1, FEATURED_MEN - 1))
    ),
)
FEATURE_PLACES, FEATURE_LASTS, FEATURE_MEN = np.array(_POSITION_FEATURES).T.copy()
"""[position feature]: its slot (of the first STATE_FEATURES, the offset from the place); its
greatest number; the men it needs."""
STATE_FEATURES = len(NEAREST) + 1
FEATURES = FIRST_POSITION_FEATURE + len(_POSITION_FEATURES)


def position_features_with(men: int) -> NDArray[np.int64]:
    """The position features of a table with this number of men beside the kings."""
    return np.flatnonzero(men >= FEATURE_MEN)


@inlined
def set_up(plane: int, facts: PlaneFacts, space: ContextValues) -> None:
    """The work space is that of a new plane: no values; legality, checks and the men filled in."""
    set_up_ranks(plane, 0, 8, facts, space)


@inlined
def set_up_ranks(
    plane: int, first: int, stop: int, facts: PlaneFacts, space: ContextValues
) -> None:
    """The same for the boards on which the outer king is on one of these ranks."""
    for lane in range(2):
        record_men(plane, facts.men, space[lane * EXTRA :])
    record_squares(facts.men.shape[1], space)
    for row in range(64 * first, 64 * stop):
        first = int(PLACE[at(row >> 3)] * BOARD + PLACE[at(8 * (row & 7))])
        legal = facts.legal[plane, at(row >> 3)] >> np.uint64(8 * (row & 7))
        checked = facts.checked[plane, at(row >> 3)] >> np.uint64(8 * (row & 7))
        for i in range(8):
            more = ((legal >> np.uint64(i)) & ONE) + ((checked >> np.uint64(i)) & ONE)
            space[at(first + i)] = OUTSIDE
            space[at(first + STATES + i)] = NO_CELL + np.int64(more)


@inlined
def record_men(plane: int, men: NDArray[np.uint8], space: ContextValues) -> None:
    """The slots of the men have their squares, attackers and defenders; 0 for missing men."""
    for man in range(FEATURED_MEN):
        first = PLACED + OF_PLACED * man
        for i in range(OF_PLACED):
            space[first + i] = 0
        if man < men.shape[1]:
            square = int(np.int64(men[plane, man, MAN_SQUARE]))
            space[first], space[first + 1] = square & 7, square >> 3
            space[first + 2] = men[plane, man, ATTACKERS]
            space[first + 3] = men[plane, man, DEFENDERS]


@inlined
def record_squares(men: int, space: ContextValues) -> None:
    """Every square has the record of a king there, given where the men stand."""
    for square in range(64):
        first = RECORDS + RECORD * square
        space[first], space[first + 1] = square & 7, square >> 3
        for man in range(FEATURED_MEN):
            files = (square & 7) - int(space[PLACED + OF_PLACED * man])
            ranks = (square >> 3) - int(space[PLACED + OF_PLACED * man + 1])
            of_man = first + 2 + OF_MAN * man
            space[of_man] = max(abs(files), abs(ranks)) if man < men else 0
            space[of_man + 1] = SHIFT + files if man < men else 0
            space[of_man + 2] = SHIFT + ranks if man < men else 0


@inlined
def place_outer(outer: int, odd: int, space: ContextValues) -> None:
    """The outer king's record is that of his square."""
    copy_record(space, OUTER, RECORDS - odd * EXTRA + RECORD * outer)


@inlined
def place_inner(inner: int, odd: int, space: ContextValues) -> None:
    """The inner king's record is that of his square; so are his distances from the outer king."""
    copy_record(space, INNER, RECORDS - odd * EXTRA + RECORD * inner)
    files, ranks = int(space[OUTER]) - (inner & 7), int(space[OUTER + 1]) - (inner >> 3)
    space[BETWEEN_KINGS] = max(abs(files), abs(ranks))
    space[BETWEEN_KINGS + 1], space[BETWEEN_KINGS + 2] = SHIFT + files, SHIFT + ranks


@inlined
def position_feature_at(feature: int, place: int, space: ContextValues) -> int:
    """The number of a position feature of the cell at a place."""
    beside = place if feature < STATE_FEATURES else 0
    return max(int(space[at(beside + FEATURE_PLACES[at(feature)])]), 0)
