"""A whole table in memory, as it stands in its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.values import BROKEN, DRAW, Metric

CellArray = NDArray[Any]
"""Indices into a palette: uint8, or uint16 where it has more than 256 entries."""

STALEMATE = 2
PALETTE = (BROKEN, DRAW, DRAW)
"""How every palette begins. A cell holds STALEMATE, the second draw, where there is no move."""

MapFunction = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""How to do a thing for each of many: the built-in `map`, or one with threads."""


_narrow = 256  # entries of a palette at most, for cells of one byte


def cell_type(palette_size: int) -> type[np.uint8] | type[np.uint16]:
    """The type of a cell."""
    return np.uint8 if palette_size <= _narrow else np.uint16


@contextmanager
def narrow_up_to(entries: int) -> Iterator[None]:
    """Small tables have the types of large ones, to compile kernels for both.

    Files do not depend on it.
    """
    global _narrow
    before, _narrow = _narrow, entries
    try:
        yield
    finally:
        _narrow = before


class Source(Protocol):
    """Where solved values come from: a table in memory, in its file, or half solved."""

    @property
    def layout(self) -> AnyLayout: ...

    @property
    def palette(self) -> NDArray[np.int64]: ...

    def read(self, side: int, wanted: NDArray[np.int64], out: CellArray) -> CellArray:
        """`out` has the cells of the wanted planes (ascending), with `side` to move."""
        ...


TableLookup = Callable[[Material], Source]
"""How to get at solved endgames."""


def pick(cells: CellArray, wanted: NDArray[np.int64], out: CellArray) -> CellArray:
    """`out` has the wanted planes, perhaps with more room for a number."""
    if cells.dtype == out.dtype:
        return np.take(cells, wanted, axis=0, out=out, mode="clip")
    out[:] = cells[wanted]
    return out


def planes_of(source: Source, side: int, wanted: NDArray[np.int64]) -> CellArray:
    """The cells of the wanted planes (ascending), with `side` to move."""
    out: CellArray = np.empty((len(wanted), source.layout.cells), cell_type(len(source.palette)))
    return source.read(side, wanted, out)


@dataclass(frozen=True)
class Table:
    """palette[cells[side][plane, cell]] is the code of a position, with `side` to move."""

    material: Material
    metric: Metric
    palette: NDArray[np.int64]
    cells: tuple[CellArray, CellArray]

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    def read(self, side: int, wanted: NDArray[np.int64], out: CellArray) -> CellArray:
        """See `Source`."""
        return pick(self.cells[side], wanted, out)
