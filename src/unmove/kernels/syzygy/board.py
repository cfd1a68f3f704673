"""The small tables of squares that the numbering of Syzygy files is defined by."""

from __future__ import annotations

from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_LEADING_PAWNS: Final = 5
SQUARES_OF_PAWNS: Final = 48
PAWN_FILES: Final = 4

SET_COUNTS: Final = np.array([[comb(n, k) for n in range(65)] for k in range(8)], np.int64)
"""SET_COUNTS[k, n]: how many sets of k there are of n things."""


def _below(square: int) -> bool:
    """Whether a square is below the diagonal from a1 to h8."""
    return square >> 3 < square & 7


def _on(square: int) -> bool:
    """Whether a square is on the diagonal."""
    return square >> 3 == square & 7


_TRIANGLE = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27]
_LOWER = [square for square in range(64) if _below(square)]


def _numbered(squares: list[int]) -> NDArray[np.int64]:
    """[square]: its place in the list; -1 for others."""
    places = np.full(64, -1, np.int64)
    places[squares] = np.arange(len(squares))
    return places


TRIANGLE_NUMBERS: Final = _numbered(_TRIANGLE)
"""[square]: its number in the triangle a1-d1-d4: 0 to 5 below the diagonal, 6 to 9 on it."""

TRIANGLE_SQUARES: Final = np.array(_TRIANGLE, np.int64)

LOWER: Final = _numbered(_LOWER)
"""[square]: its number among the 28 squares below the diagonal."""

LOWER_SQUARES: Final = np.array(_LOWER, np.int64)


def _king_pairs() -> list[tuple[int, int]]:
    """The placements of two kings up to symmetry; those with both on the diagonal come last."""
    pairs: list[tuple[int, int]] = []
    last: list[tuple[int, int]] = []
    for number, first in enumerate(_TRIANGLE):
        for second in range(64):
            files, ranks = abs((first & 7) - (second & 7)), abs((first >> 3) - (second >> 3))
            if max(files, ranks) <= 1 or (_on(first) and not _below(second) and not _on(second)):
                continue
            (last if _on(first) and _on(second) else pairs).append((number, second))
    return pairs + last


def _kings() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pairs = _king_pairs()
    numbers = np.full((len(_TRIANGLE), 64), -1, np.int64)
    for number, pair in enumerate(pairs):
        numbers[pair] = number
    return numbers, np.array([(_TRIANGLE[number], second) for number, second in pairs], np.int64)


KINGS, KING_SQUARES = _kings()
"""KINGS[triangle number, square]: the number of a pair of kings; -1 if they touch.
KING_SQUARES[number]: the squares of the pair."""


def _pawn_order() -> list[int]:
    """The squares of pawns from the edge to the middle, each followed by its mirror image."""
    return [
        8 * rank + side for file in range(4) for rank in range(1, 7) for side in (file, 7 - file)
    ]


PAWN_TWIST: Final = 47 - _numbered(_pawn_order())
"""[square]: the rank of a pawn: 47 on a2, 0 on e7; 48 on squares without pawns."""

PAWN_TWIST_SQUARES: Final = np.array(_pawn_order()[::-1], np.int64)
"""[rank of a pawn]: its square."""


def _leading() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.zeros((MOST_LEADING_PAWNS + 1, PAWN_FILES, 8), np.int64)
    for pawns in range(1, MOST_LEADING_PAWNS + 1):
        for file in range(PAWN_FILES):
            sizes = [comb(int(PAWN_TWIST[8 * rank + file]), pawns - 1) for rank in range(1, 7)]
            starts[pawns, file, 2:] = np.cumsum(sizes)
    return starts, starts[..., -1].copy()


LEADING_START, LEADING_SIZE = _leading()
"""LEADING_START[pawns, file, rank]: the first number of placements of so many leading pawns whose
first one is on this square. LEADING_SIZE[pawns, file]: how many placements there are."""
