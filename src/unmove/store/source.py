"""Where solved values come from: the `Source` that every room reads planes through.

A source may be a table in memory (`table.py`), a file that is decoded as it is read, or a table
that is still being solved. Nobody who reads through a source needs the whole table in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber, CellNumbers, Palette, PositionSet
from unmove.material import Material
from unmove.planes.layouts import AnyLayout
from unmove.values import BROKEN, DRAW, Metric, Side

STALEMATE: Final = CellNumber(2)
PALETTE: Final = (BROKEN, DRAW, DRAW)
"""How every palette begins. A cell holds STALEMATE, the second draw, where there is no move."""

MapFunction = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Applies a function to each of many items: the built-in `map`, or that of a thread pool."""


_narrow = 256  # entries of a palette at most, for cells of one byte


def cell_type(palette_size: int) -> type[np.uint8] | type[np.uint16]:
    """The type of a cell."""
    return np.uint8 if palette_size <= _narrow else np.uint16


@contextmanager
def narrow_up_to(entries: int) -> Iterator[None]:
    """Small tables have the cell types of large ones, so that kernels are compiled for both.

    The bytes of a file do not depend on it.
    """
    global _narrow
    before, _narrow = _narrow, entries
    try:
        yield
    finally:
        _narrow = before


class Source(Protocol):
    """A solved table, or the solved part of one, that is read plane by plane."""

    @property
    def layout(self) -> AnyLayout: ...

    @property
    def metric(self) -> Metric: ...

    @property
    def palette(self) -> Palette:
        """[number in a cell]: its code."""
        ...

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """`out` holds the cells of the wanted planes (ascending), with `side` to move."""
        ...


TableLookup = Callable[[Material], Source]
"""Finds the table of a canonical material."""


def empty_planes(source: Source, count: int) -> CellNumbers:
    """Memory for so many planes of a source."""
    return CellNumbers(np.empty((count, source.layout.cells), cell_type(len(source.palette))))


PlaneRows = TypeVar("PlaneRows", CellNumbers, PositionSet)
"""An array with a row for each plane."""


def pick(cells: PlaneRows, wanted: NDArray[np.int64], out: PlaneRows) -> None:
    """`out` holds the wanted planes. Its type may be wider than that of the cells."""
    if cells.dtype == out.dtype:
        np.take(cells, wanted, axis=0, out=out, mode="clip")
    else:
        out[:] = cells[wanted]


def planes_of(source: Source, side: Side, wanted: NDArray[np.int64]) -> CellNumbers:
    """The cells of the wanted planes (ascending), with `side` to move."""
    return source.read(side, wanted, empty_planes(source, len(wanted)))
