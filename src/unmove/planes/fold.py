"""Which planes a file stores: one of those that are images of one another.

Where some symmetries map the lead onto itself, they map planes of the table onto one another, cell
by cell. The first of these planes is *stored*. Planes on which men overlap are not.
"""

from __future__ import annotations

from functools import cache
from math import prod
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


PLANES_AT_ONCE = 1 << 17  # whose masks stay in the processor's cache


def fold(layout: Layout) -> Fold:
    """The fold of a layout without padding.

    All planes are one array, with an axis for the lead's orbits and one for each other group. The
    first probe of a table waits for this, and a table of six men has millions of planes. So only
    the orbits that a symmetry maps onto themselves are looked at more closely.
    """
    alone = _alone(layout)
    kept, planes = alone.copy(), np.arange(layout.count, dtype=np.int32).reshape(alone.shape)
    symmetry, own = np.zeros(alone.shape, np.uint8), np.ones(alone.shape, np.uint8)
    folded = np.flatnonzero(layout.lead.stabiliser[slice(*layout.range), 1:].any(axis=1))
    best = planes[folded]
    for t in range(1, SYMMETRIES):
        maps = layout.lead.stabiliser[slice(*layout.range), t][folded]
        if not maps.any():
            continue
        same = folded[maps]
        image = _images(layout, t, same)
        own[same] |= (image == planes[same]).astype(np.uint8) << np.uint8(t)
        earlier = image < best[maps]
        best[maps] = np.where(earlier, image, best[maps])
        symmetry[same] = np.where(earlier, np.uint8(t), symmetry[same])
    kept[folded] &= best == planes[folded]
    index = np.cumsum(kept, dtype=np.int32)
    index -= 1
    by_plane = index.reshape(alone.shape)
    by_plane[folded] = index[best]
    by_plane[~alone] = -1
    return Fold(np.flatnonzero(kept), index, symmetry.ravel(), own.ravel())


def _images(layout: Layout, t: int, orbits: NDArray[np.int64]) -> NDArray[np.int32]:
    """[orbit, rank of a group, ...]: the plane that a symmetry maps a plane of an orbit onto."""
    image = (orbits * layout.strides[0]).astype(np.int32)
    for (_, size), stride in zip(_followers(layout), layout.strides[1:], strict=True):
        image = image[..., None] + (_image_ranks(size)[t] * stride).astype(np.int32)
    return image


def _followers(layout: Layout) -> tuple[tuple[Man, int], ...]:
    """The groups that are not part of the lead."""
    return layout.groups[layout.leaders :]


def _alone(layout: Layout) -> NDArray[np.bool_]:
    """[orbit of the lead, rank of a group, ...]: whether no two men share a square."""
    lead = _masks(layout.lead.squares[slice(*layout.range)])
    followers = [_masks(subsets(size)) for _, size in _followers(layout)]
    alone = np.ones((len(lead), *map(len, followers)), np.bool_)
    at_once = max(1, PLANES_AT_ONCE // prod(alone.shape[1:]))
    for first in range(0, len(lead), at_once):
        some = slice(first, first + at_once)
        _mark_alone(lead[some], followers, alone[some])
    return alone


def _mark_alone(
    occupied: NDArray[np.uint64], followers: list[NDArray[np.uint64]], out: NDArray[np.bool_]
) -> None:
    """`out` is false where the men of some followers share a square with earlier men."""
    for axis, masks in enumerate(followers, start=1):
        apart = occupied[..., None] & masks == 0
        out &= apart.reshape(*apart.shape, *[1] * (out.ndim - axis - 1))
        if axis < len(followers):
            occupied = occupied[..., None] | masks


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
