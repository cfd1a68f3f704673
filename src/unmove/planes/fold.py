"""Which planes a file stores: one of those that are images of one another.

Where some symmetries map the lead onto itself, they map planes of the table onto one another, cell
by cell. The first of these planes is *stored*. Planes on which men overlap are not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.planes.layout import Layout
from unmove.planes.lead import ranks
from unmove.planes.symmetry import IMAGE, SYMMETRIES


class Fold(NamedTuple):
    """stored[stored_index[plane]] stands for a plane, seen through its symmetry."""

    stored: NDArray[np.int64]  # ascending
    stored_index: NDArray[np.int32]  # [plane]: -1 where men overlap
    symmetry: NDArray[np.uint8]  # [plane]: brings the plane's cells onto those of the stored one
    own: NDArray[np.uint8]  # [plane]: bit t is set if symmetry t maps the plane onto itself


def fold(layout: Layout) -> Fold:
    """The fold of a layout without padding."""
    planes = np.arange(layout.count)
    squares = layout.squares_at(planes)
    best, symmetry = planes.copy(), np.zeros(layout.count, np.uint8)
    own = np.ones(layout.count, np.uint8)
    orbits = planes // layout.strides[0]
    for t in range(1, SYMMETRIES):
        same = planes[layout.lead.stabiliser[orbits + layout.range[0], t]]
        image = orbits[same] * layout.strides[0]
        bounds = pairwise(layout.starts[layout.leaders :])
        for (first, stop), stride in zip(bounds, layout.strides[1:], strict=True):
            image += ranks(np.sort(IMAGE[t][squares[same, first:stop]], axis=1)) * stride
        own[same[image == same]] |= 1 << t
        earlier = same[image < best[same]]
        best[earlier], symmetry[earlier] = image[image < best[same]], t
    occupied = np.sort(squares, axis=1)
    alone = ~(occupied[:, 1:] == occupied[:, :-1]).any(axis=1)
    stored = planes[alone & (best == planes)]
    stored_index = np.full(layout.count, -1, np.int32)
    stored_index[stored] = np.arange(len(stored))
    stored_index = np.where(alone, stored_index[best], np.int32(-1))
    return Fold(stored, stored_index, symmetry, own)
