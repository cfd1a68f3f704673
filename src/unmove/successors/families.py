"""Families of planes: a search of one ply for some planes of a family stays in the family.

A quiet move changes only where the mover's men stand. So the planes on which the men of the other
side stand alike, up to a symmetry of the board, are a family that the mover's moves do not leave. A
table of six men has hundreds of families of some thousand planes. Whoever searches all planes of
the side that is not stored goes family by family, decodes each stored plane once, and holds little.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.planes.layout import Layout
from unmove.planes.symmetry import IMAGE, MIRROR_FILES
from unmove.pool.workers import WorkerPool
from unmove.store.reader import TableFile
from unmove.store.source import TableLookup
from unmove.successors.file_source import FileSource
from unmove.values import Side

PLANES_A_STEP = 1 << 16


def families_of(layout: Layout, mover: Side, planes: NDArray[np.int64]) -> NDArray[np.int64]:
    """[i]: a number of the family of planes[i], if `mover` is to move."""
    found = np.empty(len(planes), np.int64)
    for first in range(0, len(planes), PLANES_A_STEP):
        some = slice(first, first + PLANES_A_STEP)
        found[some] = _families_of(layout, mover, planes[some])
    return found


def _families_of(layout: Layout, mover: Side, planes: NDArray[np.int64]) -> NDArray[np.int64]:
    squares = layout.squares_at(planes)
    symmetries = (0, MIRROR_FILES) if layout.material.has_pawns else range(len(IMAGE))
    images = []
    for t in symmetries:
        key = np.zeros(len(planes), np.int64)
        for (man, _), (first, stop) in zip(layout.groups, pairwise(layout.starts), strict=True):
            if man.side != mover:
                for square in np.sort(IMAGE[t][squares[:, first:stop]], axis=1).T:
                    key = 64 * key + square
        images.append(key)
    least: NDArray[np.int64] = np.minimum.reduce(images)
    return least


def ranges_of(families: NDArray[np.int64], least: int) -> Iterator[tuple[int, int]]:
    """Ranges of whole families that cover these, which are sorted; the first to the last plane.

    Each has at least so many planes, but for the last one.
    """
    first = 0
    for stop in [*(np.flatnonzero(np.diff(families)) + 1).tolist(), len(families)]:
        if stop - first >= least or stop == len(families):
            yield first, stop
            first = stop


class HeldSource(FileSource):
    """A `FileSource` that holds some of the stored planes, decoded once: whole families."""

    def __init__(
        self, file: TableFile, tables: TableLookup, pool: WorkerPool, places: NDArray[np.int64]
    ) -> None:
        super().__init__(file, tables, pool)
        self._places = places
        self._held: dict[Side, CellNumbers] = {}
        for side in file.by_dependence:
            self._held[side] = super().planes(side, places)

    def planes(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """See `FileSource`. Of a stored side, all places are among those that are held."""
        if side not in self._held:
            return super().planes(side, places)
        return CellNumbers(self._held[side][np.searchsorted(self._places, places)])
