"""The lead: the men that absorb the symmetry of the board.

Without pawns the lead is one group of like men. Of its sets of squares that the eight symmetries
map onto one another, only one is kept. With pawns the lead is all pawns of both sides. Then only
the mirroring of files is a symmetry, and of a pawn placement and its mirror image one is kept. A
kept placement of pawns is a *slice*.

Slices are in the order in which they can be solved: by the steps that their pawns still have to go.
A pawn move inside the table leads to a slice with fewer steps. So all slices with the same number
of steps are one *part* of the work, solved together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import SQUARES
from unmove.planes.symmetry import IMAGE, MIRROR_FILES, SYMMETRIES


class Lead(NamedTuple):
    """The placements of the lead, modulo symmetry. A placement's rank: see `rank_of_groups`."""

    squares: NDArray[np.uint8]  # [orbit, man]: the representative
    orbit: NDArray[np.int64]  # [rank]: the orbit a placement belongs to; -1 if it is impossible
    symmetry: NDArray[np.int64]  # [rank]: one that brings the placement onto the representative
    stabiliser: NDArray[np.bool_]  # [orbit, symmetry]: which map the representative onto itself
    parts: tuple[tuple[int, int], ...]  # ranges of orbits that are solved together, in order


def rank(squares: Sequence[int]) -> int:
    """The colexicographic rank of a set of squares among the sets of its size."""
    return sum(comb(square, i + 1) for i, square in enumerate(sorted(squares)))


def rank_of_groups(groups: Sequence[Sequence[int]]) -> int:
    """The rank of several sets: the first one's rank is the most significant digit."""
    number = 0
    for squares in groups:
        number = number * comb(SQUARES, len(squares)) + rank(squares)
    return number


@cache
def subsets(size: int) -> NDArray[np.uint8]:
    """All sets of `size` squares, ascending inside, by rank."""
    sets = np.array(list(combinations(range(SQUARES), size)), np.uint8)
    sets = sets.reshape(comb(SQUARES, size), size)
    return np.ascontiguousarray(sets[np.lexsort(sets.T)]) if size else sets


@cache
def piece_lead(size: int) -> Lead:
    """The sets of `size` squares modulo the eight symmetries."""
    images = _images([subsets(size)], range(SYMMETRIES))
    first, orbit = np.unique(images.min(axis=1), return_inverse=True)
    return Lead(
        squares=subsets(size)[first],
        orbit=orbit.astype(np.int64).ravel(),
        symmetry=images.argmin(axis=1).astype(np.int64),
        stabiliser=images[first] == first[:, None],
        parts=((0, len(first)),),
    )


@cache
def pawn_lead(white: int, black: int) -> Lead:
    """The placements of so many pawns modulo the mirroring of files, fewest steps to go first."""
    sets = [subsets(size)[_on_board(subsets(size))] for size in (white, black)]
    pairs = np.indices((len(sets[0]), len(sets[1]))).reshape(2, -1)
    sides = [sets[0][pairs[0]], sets[1][pairs[1]]]
    apart = ~(sides[0][:, :, None] == sides[1][:, None, :]).any(axis=(1, 2))
    sides = [side[apart] for side in sides]
    images = _images(sides, (0, MIRROR_FILES))
    kept = np.flatnonzero(images[:, 0] <= images[:, 1])
    steps = (7 - (sides[0] >> 3).astype(np.int64)).sum(axis=1) + (sides[1] >> 3).sum(axis=1)
    kept = kept[np.lexsort((images[kept, 0], steps[kept]))]
    orbit = np.full(comb(SQUARES, white) * comb(SQUARES, black), -1, np.int64)
    symmetry = np.zeros(len(orbit), np.int64)
    symmetry[images[kept, 1]] = MIRROR_FILES
    symmetry[images[kept, 0]] = 0
    orbit[images[kept]] = np.arange(len(kept))[:, None]
    stabiliser = np.zeros((len(kept), SYMMETRIES), np.bool_)
    stabiliser[:, 0] = True
    stabiliser[:, MIRROR_FILES] = images[kept, 0] == images[kept, 1]
    ends = np.flatnonzero(np.diff(steps[kept], append=-1)) + 1
    return Lead(
        squares=np.concatenate(sides, axis=1)[kept],
        orbit=orbit,
        symmetry=symmetry,
        stabiliser=stabiliser,
        parts=tuple(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)),
    )


def _on_board(sets: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where all pawns stand between the first and the last rank."""
    inside: NDArray[np.bool_] = np.logical_and.reduce((sets >= 8) & (sets < 56), axis=1)
    return inside


def _images(groups: Sequence[NDArray[np.uint8]], symmetries: Sequence[int]) -> NDArray[np.int64]:
    """[placement, i]: the rank of each placement's image under the i-th symmetry."""
    columns = []
    for symmetry in symmetries:
        number = np.zeros(len(groups[0]), np.int64)
        for sets in groups:
            size = sets.shape[1]
            number = number * comb(SQUARES, size) + ranks(np.sort(IMAGE[symmetry][sets], axis=1))
        columns.append(number)
    return np.stack(columns, axis=1)


def ranks(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rank of each set, a row with its squares ascending."""
    found = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        choose = np.array([comb(square, i + 1) for square in range(SQUARES)], np.int64)
        found += choose[sets[:, i]]
    return found
