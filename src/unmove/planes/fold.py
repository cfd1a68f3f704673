"""Which planes a file stores: one of those that are images of one another.

Where some symmetries map the lead onto itself, they map planes of the table onto one another, cell
by cell. The first of these planes is *stored*. Planes on which men overlap are not.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.planes.layout import Layout, Man
from unmove.planes.lead import ranks, subsets
from unmove.planes.symmetry import IMAGE, SYMMETRIES


class Fold(NamedTuple):
    """stored[stored_index[plane]] stands for a plane, seen through its symmetry."""

    stored: NDArray[np.int64]  # ascending
    stored_index: NDArray[np.int32]  # [plane]: -1 where men overlap
    symmetry: NDArray[np.uint8]  # [plane]: brings the plane's cells onto those of the stored one
    own: NDArray[np.uint8]  # [plane]: bit t is set if symmetry t maps the plane onto itself


def fold(layout: Layout) -> Fold:
    """The fold of a layout without padding.

    All planes are one array, with an axis for the lead's orbits and one for each other group.
    """
    alone = _alone(layout)
    planes = np.arange(layout.count).reshape(alone.shape)
    best, symmetry = planes.copy(), np.zeros(alone.shape, np.uint8)
    own = np.ones(alone.shape, np.uint8)
    for t in range(1, SYMMETRIES):
        same = np.flatnonzero(layout.lead.stabiliser[slice(*layout.range), t])
        if not len(same):
            continue
        image = same * layout.strides[0]
        for (_, size), stride in zip(_followers(layout), layout.strides[1:], strict=True):
            image = image[..., None] + _image_ranks(size)[t] * stride
        own[same] |= (image == planes[same]).astype(np.uint8) << np.uint8(t)
        earlier = image < best[same]
        best[same] = np.where(earlier, image, best[same])
        symmetry[same] = np.where(earlier, np.uint8(t), symmetry[same])
    stored = np.flatnonzero(alone & (best == planes))
    stored_index = np.full(layout.count, -1, np.int32)
    stored_index[stored] = np.arange(len(stored))
    stored_index = np.where(alone.ravel(), stored_index[best.ravel()], np.int32(-1))
    return Fold(stored, stored_index, symmetry.ravel(), own.ravel())


def _followers(layout: Layout) -> tuple[tuple[Man, int], ...]:
    """The groups that are not part of the lead."""
    return layout.groups[layout.leaders :]


def _alone(layout: Layout) -> NDArray[np.bool_]:
    """[orbit of the lead, rank of a group, ...]: whether no two men share a square."""
    occupied = _masks(layout.lead.squares[slice(*layout.range)])
    alone = np.ones(occupied.shape, np.bool_)
    for _, size in _followers(layout):
        masks = _masks(subsets(size))
        alone = alone[..., None] & (occupied[..., None] & masks == 0)
        occupied = occupied[..., None] | masks
    return alone


def _masks(sets: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """[set]: its squares as bits."""
    bits = np.uint64(1) << sets.astype(np.uint64)
    masks: NDArray[np.uint64] = np.bitwise_or.reduce(bits, axis=1)
    return masks


@cache
def _image_ranks(size: int) -> NDArray[np.int64]:
    """[symmetry, rank of a set]: the rank of its image."""
    images = [np.sort(IMAGE[t][subsets(size)], axis=1) for t in range(SYMMETRIES)]
    return np.stack([ranks(image) for image in images])
