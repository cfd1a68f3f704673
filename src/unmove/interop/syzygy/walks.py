"""The tokens of a sub-table in the order of its numbers, all or a sample."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.descriptors import Descriptor
from unmove.kernels.locate import Chart
from unmove.kernels.syzygy.gathering import (
    BLACK_KING,
    FOLLOWER,
    OTHER_MAN,
    WHITE_KING,
    Walk,
    gather,
)
from unmove.kernels.syzygy.numbering import FACTOR, FIRST
from unmove.planes.layout import Layout

STRETCHES: Final = 64
"""A sample consists of so many ranges of numbers."""


@dataclass(frozen=True)
class TokenField:
    """The tokens of one side to move, `values[row, cell]`, and how positions find their rows."""

    layout: Layout
    chart: Chart
    """With the rows of planes in place of places, and men in the order of the name."""
    values: NDArray[Any]

    def ordered(self, descriptor: Descriptor) -> NDArray[Any]:
        """All tokens, in the order of a descriptor."""
        out, walk = np.empty(descriptor.size, self.values.dtype), self.walk(descriptor)
        values = self.values.reshape(-1)
        if walk.role[_first_to_move(descriptor)] in (FOLLOWER, OTHER_MAN):
            # from plane to plane of the same cell: these stand side by side, as caches like it
            values = self.values.T.reshape(-1)
            walk = walk._replace(row_step=1, cell_step=len(self.values))
        gather(0, descriptor.size, walk, values, out)
        return out

    def sample(self, descriptor: Descriptor, wanted: int) -> NDArray[Any]:
        """So many tokens, in the order of a descriptor; all if there are not many more."""
        size, stretch = descriptor.size, wanted // STRETCHES
        if size <= 2 * wanted:
            return self.ordered(descriptor)
        walk, out = self.walk(descriptor), np.empty((STRETCHES, stretch), self.values.dtype)
        starts = np.linspace(0, size - stretch, STRETCHES).astype(int).tolist()
        for first, part in zip(starts, out, strict=True):
            gather(first, first + stretch, walk, self.values.reshape(-1), part)
        return out.reshape(-1)

    def walk(self, descriptor: Descriptor) -> Walk:
        """What the kernel needs to go through the numbers of a descriptor."""
        layout, men = self.layout, len(descriptor.pieces)
        place = np.argsort(descriptor.men)
        man_map, kings = place[self.chart.man_map], place[self.chart.kings]
        role, stride = np.full(men, OTHER_MAN, np.int64), np.zeros(men, np.int64)
        role[kings] = (WHITE_KING, BLACK_KING)
        bounds = list(pairwise(layout.starts))
        for group in range(layout.leaders, len(layout.groups)):
            first, stop = bounds[group]
            if stop - first == 1:
                role[man_map[first]] = FOLLOWER
                stride[man_map[first]] = layout.group_strides[group]
        chart = self.chart._replace(man_map=man_map, kings=kings)
        scratch = np.zeros(men, np.int64)
        return Walk(descriptor.numbering, chart, role, stride, self.values.shape[1], 1, scratch)


def _first_to_move(descriptor: Descriptor) -> int:
    """The place in the list of the man that moves from one number to the next."""
    row, groups = descriptor.numbering, len(descriptor.groups)
    group = int(np.argmin(row[FACTOR : FACTOR + groups]))
    return int(row[FIRST + group + 1]) - 1 if group == 0 else int(row[FIRST + group])
