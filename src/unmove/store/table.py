"""A whole table in memory, as it stands in its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.planes.layout import Layout
from unmove.values import Metric

CellArray = NDArray[Any]
"""Indices into a palette: uint8, or uint16 where it has more than 256 entries."""


def cell_type(palette_size: int) -> type[np.uint8] | type[np.uint16]:
    """The type of a cell."""
    return np.uint8 if palette_size <= 256 else np.uint16


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
