"""The board of chess as kernels see it: one bundle of arrays that every kernel is given."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games import chess
from unmove.planes.symmetry import COMPOSE, IMAGE, INVERSE


class Geometry(NamedTuple):
    """Tables of the board. Words are sets of squares."""

    king: NDArray[np.uint64]  # [square]: a king's steps
    reach: NDArray[np.uint64]  # [row, square]: what a man attacks on an empty board
    between: NDArray[np.uint64]  # [a, b]: squares strictly between
    shadow: NDArray[np.uint64]  # [a, b]: what an occupied b hides from a
    image: NDArray[np.int64]  # [symmetry, square]
    compose: NDArray[np.int64]  # [symmetry, symmetry]: the first one done first
    inverse: NDArray[np.int64]  # [symmetry]: the one that undoes it
    path: NDArray[np.uint16]  # [a, b]: which row of `clear` keeps the path a-b free of kings
    clear: NDArray[np.uint64]  # [path, row]: the king pairs of a plane that leave the path free


@cache
def geometry() -> Geometry:
    """The geometry of chess."""
    path, clear = _paths()
    return Geometry(
        king=chess.KING,
        reach=chess.REACH,
        between=chess.BETWEEN,
        shadow=chess.SHADOW,
        image=IMAGE,
        compose=COMPOSE,
        inverse=INVERSE,
        path=path,
        clear=clear,
    )


def _paths() -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
    """One mask plane for each set of squares that can lie between two others.

    A man passes only where neither king stands on its path: the rows (White's king) of the path
    are empty, and its bits (Black's king) are cleared from all other rows.
    """
    distinct, inverse = np.unique(chess.BETWEEN, return_inverse=True)
    rows = np.arange(64, dtype=np.uint64)
    king_on_path = (distinct[:, None] >> rows) & np.uint64(1)
    clear = np.where(king_on_path == 1, np.uint64(0), ~distinct[:, None])
    return inverse.reshape(64, 64).astype(np.uint16), np.ascontiguousarray(clear)
