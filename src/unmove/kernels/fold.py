"""Which planes of a layout a file stores, plane by plane.

The first probe of a table waits for this, and a table of six men has more than a million planes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE
from unmove.kernels.jit import inlined, kernel
from unmove.planes.fold import Fold, Images, images_of
from unmove.planes.layout import Layout
from unmove.planes.symmetry import SYMMETRIES


def fold(layout: Layout) -> Fold:
    """The fold of a layout without padding."""
    found = Fold(
        stored=np.empty(layout.count, np.int64),
        stored_index=np.empty(layout.count, np.int32),
        symmetry=np.empty(layout.count, np.uint8),
        own=np.empty(layout.count, np.uint8),
    )
    stored = fold_planes(images_of(layout), np.zeros(SYMMETRIES, np.int64), found)
    return found._replace(stored=found.stored[:stored])


@kernel
def fold_planes(images: Images, bases: NDArray[np.int64], out: Fold) -> int:
    """`out` is the fold; returns how many planes are stored. `bases` is room for one number each.

    The planes of an orbit are taken in rows, in which only the last group moves.
    """
    last = images.first.shape[0] - 2
    row = images.first[last + 1] - images.first[last]
    rows = images.planes // row
    stored = 0
    for orbit in range(images.lead.shape[0]):
        for number in range(rows):
            occupied, alone = find_row(orbit, number, images, bases)
            first = orbit * images.planes + number * row
            stored = fold_row(first, row, occupied, alone, orbit, images, bases, stored, out)
    return stored


@inlined
def find_row(
    orbit: int, number: int, images: Images, bases: NDArray[np.int64]
) -> tuple[np.uint64, bool]:
    """The squares of all men but the last group's in a row of planes, and whether none share one.

    bases[t] is the first plane of the row's image under a symmetry that maps the lead onto itself.
    """
    occupied, alone = images.lead[orbit], True
    for t in range(SYMMETRIES):
        bases[t] = orbit * images.planes
    for group in range(images.first.shape[0] - 3, -1, -1):
        size = images.first[group + 1] - images.first[group]
        place = images.first[group] + number % size
        number //= size
        alone = alone and occupied & images.mask[place] == NONE
        occupied |= images.mask[place]
        for t in range(SYMMETRIES):
            bases[t] += images.adds[t, place]
    return occupied, alone


@inlined
def fold_row(
    first: int,
    row: int,
    occupied: np.uint64,
    alone: bool,
    orbit: int,
    images: Images,
    bases: NDArray[np.int64],
    stored: int,
    out: Fold,
) -> int:
    """`out` has the planes of a row, before which so many are stored; returns how many are now."""
    begin, maps = images.first[images.first.shape[0] - 2], images.maps[orbit]
    for i in range(row):
        plane = first + i
        least, seen, own = plane, 0, 1
        if maps != 1:
            for t in range(1, SYMMETRIES):
                if maps >> t & 1:
                    image = bases[t] + images.adds[t, begin + i]
                    own |= int(image == plane) << t
                    if image < least:
                        least, seen = image, t
        out.symmetry[plane], out.own[plane] = seen, own
        if not alone or occupied & images.mask[begin + i] != NONE:
            out.stored_index[plane] = -1
        elif least < plane:
            out.stored_index[plane] = out.stored_index[least]
        else:
            out.stored_index[plane], out.stored[stored] = stored, plane
            stored += 1
    return stored
