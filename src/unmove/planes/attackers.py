"""The sets of squares that like attackers of xiangqi can stand on, by rank; the lead's by orbit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import MIRROR
from unmove.planes.court_geometry import court_geometry, row_of, spots
from unmove.planes.layout import Man


class CourtLead(NamedTuple):
    """The sets of squares of the lead, modulo the mirror."""

    squares: NDArray[np.uint8]  # [orbit, man]: the representative
    orbit: NDArray[np.int64]  # [rank]: the orbit a set belongs to
    mirrored: NDArray[np.int64]  # [rank]: 1 if its mirror image is the representative
    alone: NDArray[np.bool_]  # [orbit]: whether the representative is its own image


def rank(man: Man, squares: Sequence[int]) -> int:
    """The rank of a set of squares of such men among the sets of its size."""
    spot = court_geometry().spot[row_of(*man)]
    return sum(comb(n, i + 1) for i, n in enumerate(sorted(int(spot[s]) for s in squares)))


@cache
def subsets(man: Man, size: int) -> NDArray[np.uint8]:
    """All sets of `size` squares that such men can stand on, ascending inside, by rank."""
    sets = np.array(list(combinations(spots(row_of(*man)), size)), np.uint8)
    return np.ascontiguousarray(sets[np.lexsort(sets.T)])


def count_sets(man: Man, size: int) -> int:
    """How many sets of `size` squares such men can stand on."""
    return comb(len(spots(row_of(*man))), size)


@cache
def lead_of(man: Man, size: int) -> CourtLead:
    """The lead of a group."""
    sets = subsets(man, size)
    own = np.arange(len(sets))
    image = np.array([rank(man, squares) for squares in MIRROR[sets].tolist()], np.int64)
    kept = np.flatnonzero(own <= image)
    orbit = np.zeros(len(sets), np.int64)
    orbit[image[kept]] = orbit[kept] = np.arange(len(kept))
    return CourtLead(sets[kept], orbit, (image < own).astype(np.int64), image[kept] == kept)


NO_LEAD = CourtLead(
    squares=np.zeros((1, 0), np.uint8),
    orbit=np.zeros(1, np.int64),
    mirrored=np.zeros(1, np.int64),
    alone=np.ones(1, np.bool_),
)
"""The lead of an endgame without attackers."""
