"""From the scores of cells to sets of positions, on planes of any number of words."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet, Ranks, Scores
from unmove.kernels.bits import NONE
from unmove.kernels.intrinsics import equal_cells
from unmove.kernels.jit import kernel

Translated = CellNumbers | Ranks
Translation = TypeVar("Translation", CellNumbers, Ranks, Scores)
"""What numbers or ranks are translated into. The lookup table has entries of the same kind."""


@kernel
def pick_equal(
    first: int,
    stop: int,
    planes: NDArray[np.int64],
    score: Scores,
    wanted: int,
    live: NDArray[np.uint8],
    out: PositionSet,
) -> None:
    """out has, on planes[first:stop], the cells with just this score; those planes are live."""
    words = out.shape[1]
    for i in range(first, stop):
        plane = planes[i]
        live[plane] = 1
        for row in range(words):
            out[plane, row] = equal_cells(score, plane * words + row, wanted)


@kernel
def unblock(
    first: int,
    stop: int,
    planes: NDArray[np.int64],
    arriving: PositionSet,
    blocked: PositionSet,
) -> None:
    """What arrives on planes[first:stop] is no longer blocked."""
    for i in range(first, stop):
        plane = planes[i]
        for row in range(blocked.shape[1]):
            blocked[plane, row] &= ~arriving[plane, row]


@kernel
def pick_alike(
    first: int,
    stop: int,
    planes: NDArray[np.int64],
    score: Scores,
    other: Scores,
    out: PositionSet,
) -> None:
    """out has, on planes[first:stop], the cells whose two scores are the same."""
    for i in range(first, stop):
        plane = planes[i]
        for row in range(out.shape[1]):
            word = NONE
            for column in range(64):
                cell = row * 64 + column
                word |= np.uint64(score[plane, cell] == other[plane, cell]) << np.uint64(column)
            out[plane, row] = word


@kernel
def pick_any(
    first: int, stop: int, planes: NDArray[np.int64], score: Scores, out: PositionSet
) -> None:
    """out has, on planes[first:stop], the cells with any conversion."""
    words = out.shape[1]
    for i in range(first, stop):
        plane = planes[i]
        for row in range(words):
            out[plane, row] = ~equal_cells(score, plane * words + row, 0)


@kernel
def translate(cells: Translated, lookup: Translation, out: Translation) -> None:
    """out[i] = lookup[cells[i]], cell by cell."""
    for i in range(cells.shape[0]):
        for cell in range(cells.shape[1]):
            out[i, cell] = lookup[cells[i, cell]]


@kernel
def survey(numbers: CellNumbers | Scores, present: NDArray[np.uint8]) -> None:
    """present[plane, n] = 1 if numbers[plane] has a cell with the number n; else it stays."""
    for plane in range(numbers.shape[0]):
        for cell in range(numbers.shape[1]):
            present[plane, numbers[plane, cell]] = 1
