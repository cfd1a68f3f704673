"""A whole table in memory, as it stands in its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.planes.layout import Layout
from unmove.values import Metric

CellArray = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Table:
    """palette[cells[side][plane, cell]] is the code of a position, with `side` to move."""

    material: Material
    metric: Metric
    palette: NDArray[np.int64]
    cells: tuple[CellArray, CellArray]

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.material)
