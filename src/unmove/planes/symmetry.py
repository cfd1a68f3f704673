"""The eight symmetries of the board, as maps of squares.

Symmetry t is made of three bits: bit 2 exchanges ranks and files (done first), bit 1 turns the
ranks upside down, bit 0 mirrors the files. To undo one, undo bit 0 first, then bit 1, then bit 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np

SYMMETRIES: Final = 8
MIRROR_FILES: Final = 1
MIRROR_RANKS: Final = 2
EXCHANGE: Final = 4


def image(symmetry: int, square: int) -> int:
    """The square that `symmetry` brings `square` to."""
    file, rank = square % 8, square // 8
    if symmetry & EXCHANGE:
        file, rank = rank, file
    if symmetry & MIRROR_RANKS:
        rank = 7 - rank
    if symmetry & MIRROR_FILES:
        file = 7 - file
    return 8 * rank + file


IMAGE: Final = np.array([[image(t, s) for s in range(64)] for t in range(SYMMETRIES)], np.int64)
"""IMAGE[t, s]: the square that symmetry t brings s to."""


COMPOSE: Final = np.array(
    [
        [
            next(t for t in range(SYMMETRIES) if (IMAGE[t] == IMAGE[then][IMAGE[first]]).all())
            for then in range(SYMMETRIES)
        ]
        for first in range(SYMMETRIES)
    ],
    np.int64,
)
"""COMPOSE[a, b]: the symmetry that does a first, then b."""

INVERSE: Final = np.argmin(COMPOSE, axis=1)
"""INVERSE[t]: the symmetry that undoes t."""
