"""The tokens of a sub-table in the order of its numbers, all or a sample."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.descriptors import Descriptor
from unmove.kernels.locate import Chart
from unmove.kernels.syzygy.gathering import (
    BLACK_KING,
    FOLLOWER,
    MOST_OFFSETS,
    OTHER_MAN,
    WHITE_KING,
    Walk,
    gather,
    transpose,
)
from unmove.kernels.syzygy.numbering import FACTOR, FIRST
from unmove.planes.layout import Layout

FEWEST_ENTRIES: Final = 1 << 17
"""A sample has no fewer, however small the sub-table."""
SAMPLED_SHARE: Final = 2
"""A sample is at most one of so many parts of its sub-table, or all of it."""


class SampleShape(NamedTuple):
    """How a sample is drawn: so many ranges of numbers at equal distances, each of so many."""

    stretches: int
    stretch: int

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return self.stretches * self.stretch

    def of(self, size: int) -> SampleShape:
        """The sample of a sub-table of so many entries: half of a small one, or all of it."""
        fewest = max(1, FEWEST_ENTRIES // self.stretch)
        stretches = min(self.stretches, max(fewest, size // (SAMPLED_SHARE * self.stretch)))
        drawn = SampleShape(stretches, self.stretch)
        return drawn if size > 2 * drawn.entries else SampleShape(1, size)


@dataclass(frozen=True)
class TokenField:
    """The tokens of one side to move, `values[row, cell]`, and how positions find their rows."""

    layout: Layout
    chart: Chart
    """With the rows of planes in place of places, and men in the order of the name."""
    values: NDArray[Any]
    kinds: int
    """How many tokens there are."""

    def ordered(self, descriptor: Descriptor) -> NDArray[Any]:
        """All tokens, in the order of a descriptor."""
        out, walk = np.empty(descriptor.size, self.values.dtype), self.walk(descriptor)
        values = self.values
        if self._goes_by_planes(descriptor, walk):
            values = np.empty(self.values.shape[::-1], self.values.dtype)
            transpose(self.values, values)
            walk = walk._replace(row_step=1, cell_step=len(self.values))
        gather(0, descriptor.size, walk, values.reshape(-1), out)
        return out

    def _goes_by_planes(self, descriptor: Descriptor, walk: Walk) -> bool:
        """Whether the values of a cell should stand side by side, plane after plane.

        They should if the man that goes from one plane to the next moves before Black's king, who
        goes from one cell to the next: then values near each other are read soon one after the
        other, as caches like it.
        """
        for man in _by_speed(descriptor):
            if walk.role[man] == FOLLOWER and walk.stride[man] == 1:
                return True
            if walk.role[man] == BLACK_KING:
                break
        return False

    def sample(self, descriptor: Descriptor, sample: SampleShape) -> NDArray[Any]:
        """Some tokens, in the order of a descriptor."""
        size = descriptor.size
        stretches, stretch = sample.of(size)
        if stretch == size:
            return self.ordered(descriptor)
        walk, out = self.walk(descriptor), np.empty((stretches, stretch), self.values.dtype)
        starts = np.linspace(0, size - stretch, stretches).astype(int).tolist()
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
        squares, offsets = np.zeros(men, np.int64), np.zeros(MOST_OFFSETS, np.int64)
        cells = self.values.shape[1]
        return Walk(descriptor.numbering, chart, role, stride, cells, 1, squares, offsets)


def _by_speed(descriptor: Descriptor) -> list[int]:
    """The places in the list, that of the man who moves most often first."""
    row, groups = descriptor.numbering, len(descriptor.groups)
    men: list[int] = []
    for group in np.argsort(row[FACTOR : FACTOR + groups], kind="stable").tolist():
        places = range(int(row[FIRST + group]), int(row[FIRST + group + 1]))
        men.extend(reversed(places) if group == 0 else places)
    return men
