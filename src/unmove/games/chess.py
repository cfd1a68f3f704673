"""Chess as data: squares, the kinds of men and where they can go.

Squares are numbered as in python-chess, a1 = 0, b1 = 1, ..., h8 = 63; a set of squares is a
64-bit word with bit s for square s. All tables are for an empty board; `SHADOW` says what one
occupied square takes away from a man's reach.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

SQUARES: Final = 64
PIECES: Final = "NBRQ"  # kind numbers 0..3, by mobility
PAWN: Final = 4
LETTERS: Final = PIECES + "P"  # by kind number; kings have tables of their own

_ORTHOGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_KNIGHT = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
_PAWN = ((-1, 1), (1, 1)), ((-1, -1), (1, -1))  # White's and Black's captures
_ALL = _ORTHOGONAL + _DIAGONAL


def _ray(square: int, step: tuple[int, int], length: int = 7) -> list[int]:
    """The squares met from `square` in the direction of `step`, nearest first."""
    file, rank = square % 8, square // 8
    ray = []
    for _ in range(length):
        file, rank = file + step[0], rank + step[1]
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        ray.append(8 * rank + file)
    return ray


def _word(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _reach(steps: tuple[tuple[int, int], ...], length: int) -> list[int]:
    return [
        _word([s for step in steps for s in _ray(square, step, length)]) for square in range(64)
    ]


def _lines() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    between = np.zeros((SQUARES, SQUARES), np.uint64)
    shadow = np.zeros((SQUARES, SQUARES), np.uint64)
    for origin in range(SQUARES):
        shadow[origin] = np.uint64(1) << np.arange(SQUARES, dtype=np.uint64)
        for step in _ALL:
            ray = _ray(origin, step)
            for i, square in enumerate(ray):
                between[origin, square] = _word(ray[:i])
                shadow[origin, square] = _word(ray[i:])
    return between, shadow


KING: Final = np.array(_reach(_ALL, 1), np.uint64)
"""KING[s]: the squares a king's step from s."""

REACH: Final = np.array(
    [
        _reach(_KNIGHT, 1),
        _reach(_DIAGONAL, 7),
        _reach(_ORTHOGONAL, 7),
        _reach(_ALL, 7),
        *(_reach(steps, 1) for steps in _PAWN),
    ],
    np.uint64,
)
"""REACH[row, s]: the squares a man on s attacks on an empty board. Row k is the piece of kind k;
PAWN is White's pawn and PAWN + 1 Black's."""

BETWEEN, SHADOW = _lines()
"""BETWEEN[a, b]: the squares strictly between a and b, when they are on a line; else none.
SHADOW[a, b]: what a piece on a cannot move to because b is occupied: b, and all behind it."""
