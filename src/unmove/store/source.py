"""Where solved values come from: the `Source` that every room reads planes through.

A source may be a table in memory (`table.py`), a file that is decoded as it is read, or a table
that is still being solved. Nobody who reads through a source needs the whole table in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NewType, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.planes.layouts import AnyLayout
from unmove.values import BROKEN, DRAW, Metric

CellNumbers = NewType("CellNumbers", np.ndarray[Any, np.dtype[Any]])
"""[plane, cell]: indices into a palette; uint8, or uint16 for a palette of more than 256 codes."""

CellArray = NDArray[Any]
"""An array that is not known to hold `CellNumbers`."""

STALEMATE: Final = 2
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
    def palette(self) -> NDArray[np.int64]:
        """[number in a cell]: its code."""
        ...

    def read(self, side: int, wanted: NDArray[np.int64], out: CellArray) -> CellArray:
        """`out` holds the cells of the wanted planes (ascending), with `side` to move."""
        ...


TableLookup = Callable[[Material], Source]
"""Finds the table of a canonical material."""


def pick(cells: CellArray, wanted: NDArray[np.int64], out: CellArray) -> CellNumbers:
    """`out` holds the wanted planes. Its type may be wider than that of the cells."""
    if cells.dtype == out.dtype:
        np.take(cells, wanted, axis=0, out=out, mode="clip")
    else:
        out[:] = cells[wanted]
    return CellNumbers(out)


def planes_of(source: Source, side: int, wanted: NDArray[np.int64]) -> CellNumbers:
    """The cells of the wanted planes (ascending), with `side` to move."""
    out: CellArray = np.empty((len(wanted), source.layout.cells), cell_type(len(source.palette)))
    return CellNumbers(source.read(side, wanted, out))
