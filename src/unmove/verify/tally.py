"""What the proofs of all kinds of planes share: what they count, and how they read a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.store.source import Source, planes_of
from unmove.successors.forward import PlaneRange
from unmove.values import Code, Side

RANGES_A_BAND = 512
"""What is read at once: of a table of five men without pawns, about half of one side to move."""


@dataclass(frozen=True)
class Tally:
    """What was counted on some planes with one side to move."""

    side: Side
    positions: int
    mismatches: int
    index: int
    """The first mismatch: plane * cells + cell."""
    right: Code
    """The code that would be right there."""

    @classmethod
    def of(cls, side: Side, tally: NDArray[np.int64]) -> Tally:
        """What a kernel counted."""
        positions, mismatches, index, right = tally.tolist()
        return cls(side, positions, mismatches, index, Code(right))


def bands(ranges: Sequence[PlaneRange]) -> Iterator[Sequence[PlaneRange]]:
    """The ranges, as many at a time as are read at once."""
    for first in range(0, len(ranges), RANGES_A_BAND):
        yield ranges[first : first + RANGES_A_BAND]


def cells_of(source: Source, side: Side, ranges: Sequence[PlaneRange]) -> list[CellNumbers]:
    """The cells of each range of planes (ascending), with `side` to move."""
    cells = planes_of(source, side, np.concatenate([np.arange(*planes) for planes in ranges]))
    ends = np.cumsum([stop - first for first, stop in ranges])
    return [CellNumbers(some) for some in np.split(cells, ends[:-1])]
