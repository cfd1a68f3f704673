"""A whole table in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.store.source import CellArray, CellNumbers, pick
from unmove.values import Metric


@dataclass(frozen=True)
class Table:
    """A `Source`: palette[cells[side][plane, cell]] is a position's code, `side` to move."""

    material: Material
    metric: Metric
    palette: NDArray[np.int64]
    cells: tuple[CellArray, CellArray]

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    @property
    def nbytes(self) -> int:
        """The bytes that its cells take."""
        return sum(cells.nbytes for cells in self.cells)

    def read(self, side: int, wanted: NDArray[np.int64], out: CellArray) -> CellNumbers:
        """See `Source`."""
        return pick(self.cells[side], wanted, out)
