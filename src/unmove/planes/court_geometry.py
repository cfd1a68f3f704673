"""The board of xiangqi as kernels see it: where men can go, and what must be free for that.

A man goes from one square to another by a *path*: the squares it passes, a horse's leg among
them. A path is free when nobody stands on it. A cannon that captures needs just one man there.

A path is a set of squares, with one word for each half of the board. A court (see `courts.py`)
stands in one half only, so one word tells what it does to a path.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import (
    BETWEEN,
    CANNON,
    CHARIOT,
    FLIP,
    HORSE,
    KINDS,
    MIRROR,
    NOWHERE,
    RAYS,
    SOLDIER,
    SQUARES,
    STANDS,
    STEPS,
)
from unmove.values import BLACK, WHITE, Side

HALF = SQUARES // 2
NO_WAY = -1
NO_SQUARES = 0  # the path of a step that needs no free square
MOST_TARGETS = 17  # of a chariot; one NOWHERE more closes the list
MOST_ALIKE = 5  # soldiers
SLIDERS = CHARIOT, CANNON
_MOVERS = (CHARIOT, WHITE), (CANNON, WHITE), (HORSE, WHITE), (SOLDIER, WHITE), (SOLDIER, BLACK)


class CourtGeometry(NamedTuple):
    """Tables of the board. A man's row is its kind, but Black's soldiers have the next one."""

    path: NDArray[np.int64]  # [row, from, to]: how a man goes or captures; NO_WAY if it does not
    half: NDArray[np.uint64]  # [path, half]: its squares
    targets: NDArray[np.int64]  # [row, from, i]: where it can go, filled up with NOWHERE
    spot: NDArray[np.int64]  # [row, square]: its number among those a man can stand on, or -1
    mirror: NDArray[np.int64]  # [square]
    flip: NDArray[np.int64]  # [square]
    choose: NDArray[np.int64]  # [n, k]: the sets of k among n


def row_of(kind: int, side: Side) -> int:
    """The row of a man."""
    return kind + side if kind == SOLDIER else kind


def half_word(squares: set[int] | frozenset[int], half: int) -> int:
    """The squares that are in this half, as a set of bits, the lowest square in bit 0."""
    return sum(1 << s - half * HALF for s in squares if s // HALF == half)


@cache
def spots(row: int) -> tuple[int, ...]:
    """The squares a man of this row can stand on, ascending."""
    kind, side = (SOLDIER, row - SOLDIER) if row >= SOLDIER else (row, 0)
    return tuple(np.flatnonzero(STANDS[side, kind]).tolist())


@cache
def court_geometry() -> CourtGeometry:
    """The tables of the board of xiangqi, for its attackers."""
    rows = KINDS + 1
    path = np.full((rows, SQUARES, SQUARES), NO_WAY, np.int64)
    targets = np.full((rows, SQUARES, MOST_TARGETS + 1), NOWHERE, np.int64)
    spot = np.full((rows, SQUARES), -1, np.int64)
    numbers: dict[frozenset[int], int] = {frozenset(): NO_SQUARES}
    for kind, side in _MOVERS:
        row = row_of(kind, side)
        spot[row, list(spots(row))] = np.arange(len(spots(row)))
        for origin in spots(row):
            for i, (to, squares) in enumerate(_moves(kind, side, origin)):
                path[row, origin, to] = numbers.setdefault(squares, len(numbers))
                targets[row, origin, i] = to
    return CourtGeometry(
        path=path,
        half=np.array([[half_word(s, half) for half in (0, 1)] for s in numbers], np.uint64),
        targets=targets,
        spot=spot,
        mirror=MIRROR.astype(np.int64),
        choose=np.array(
            [[comb(n, k) for k in range(MOST_ALIKE + 1)] for n in range(SQUARES + 1)], np.int64
        ),
        flip=FLIP.astype(np.int64),
    )


def _moves(kind: int, side: Side, origin: int) -> list[tuple[int, frozenset[int]]]:
    """Where a man goes from here, and the squares on its path."""
    if kind in SLIDERS:
        pairs = [
            (to, BETWEEN[origin, to].tolist())
            for to in RAYS[origin].ravel().tolist()
            if to != NOWHERE
        ]
    else:
        steps = STEPS[side, kind, origin].tolist()
        pairs = [(to, [gate]) for to, gate in steps if to != NOWHERE]
    return [(to, frozenset(squares) - {NOWHERE}) for to, squares in pairs]
