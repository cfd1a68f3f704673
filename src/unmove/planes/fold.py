"""Which planes a file stores: one of those that are images of one another.

Where some symmetries map the lead onto itself, they map planes of the table onto one another, cell
by cell. The first of these planes is *stored*. Planes on which men overlap are not. Here is what
`kernels/fold.py` needs to find them.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import SQUARES
from unmove.planes.layout import Layout, Man
from unmove.planes.lead import ranks, subsets
from unmove.planes.symmetry import IMAGE, SYMMETRIES


class Fold(NamedTuple):
    """stored[stored_index[plane]] stands for a plane, seen through its symmetry."""

    stored: NDArray[np.int64]  # ascending
    stored_index: NDArray[np.int32]  # [plane]: -1 where men overlap
    symmetry: NDArray[np.uint8]  # [plane]: brings the plane's cells onto those of the stored one
    own: NDArray[np.uint8]  # [plane]: bit t is set if symmetry t maps the plane onto itself


class Images(NamedTuple):
    """What the symmetries do to the planes of a layout: its lead, and the groups that follow it.

    The sets of all these groups are numbered on, group after group; without such a group there is
    one set, the empty one.
    """

    planes: int  # of an orbit of the lead
    lead: NDArray[np.uint64]  # [orbit]: the squares of its men
    maps: NDArray[np.int64]  # [orbit]: bit t is set if symmetry t maps the lead onto itself
    first: NDArray[np.int64]  # [group]: its first set; one more entry closes the last group
    mask: NDArray[np.uint64]  # [set]: its squares
    adds: NDArray[np.int64]  # [symmetry, set]: what its image adds to the number of a plane


def images_of(layout: Layout) -> Images:
    """The images of a layout without padding."""
    orbits = slice(*layout.range)
    maps = layout.lead.stabiliser[orbits] @ (1 << np.arange(SYMMETRIES))
    sizes = [size for _, size in _followers(layout)] or [0]
    strides = layout.strides[1:] or (0,)
    folds = bool((maps != 1).any())
    adds = [
        (_image_ranks(size) if folds else np.zeros((SYMMETRIES, comb(SQUARES, size)), np.int64))
        * stride
        for size, stride in zip(sizes, strides, strict=True)
    ]
    return Images(
        planes=layout.strides[0],
        lead=_masks(layout.lead.squares[orbits]),
        maps=maps,
        first=np.cumsum([0, *(each.shape[1] for each in adds)]),
        mask=np.concatenate([_masks(subsets(size)) for size in sizes]),
        adds=np.concatenate(adds, axis=1),
    )


def _followers(layout: Layout) -> tuple[tuple[Man, int], ...]:
    """The groups that are not part of the lead."""
    return layout.groups[layout.leaders :]


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
