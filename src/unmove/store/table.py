"""A whole table in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Palette
from unmove.material import Material
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.store.source import pick
from unmove.values import Metric, Side


@dataclass(frozen=True)
class Table:
    """A `Source`: palette[cells[side][plane, cell]] is a position's code, `side` to move."""

    material: Material
    metric: Metric
    palette: Palette
    cells: tuple[CellNumbers, CellNumbers]

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    @property
    def nbytes(self) -> int:
        """The bytes that its cells take."""
        return sum(cells.nbytes for cells in self.cells)

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        pick(self.cells[side], wanted, out)
        return out
