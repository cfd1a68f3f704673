"""From the cells of tables in memory to those of files, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet, Ranks, Scores
from unmove.kernels.bits import NONE, bit
from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import kernel
from unmove.kernels.scores import Translated, Translation
from unmove.planes.layout import CELLS


@kernel
def transpose(cells: Translated, lookup: Translation, out: Translation) -> None:
    """out = lookup[number] for the number in each cell, rows and columns exchanged.

    Numbers become ranks by it, and ranks become numbers.
    """
    for i in range(cells.shape[0]):
        for row in range(64):
            for column in range(64):
                out[i, column * 64 + row] = lookup[cells[i, row * 64 + column]]


@kernel
def mark_conversions(marked: PositionSet, conversion: int, ranks: Ranks) -> None:
    """ranks = `conversion` in the marked cells, rows and columns exchanged."""
    for i in range(marked.shape[0]):
        for row in range(64):
            word = marked[i, row]
            while word:
                ranks[i, lowest(word) * 64 + row] = conversion
                word &= word - bit(0)


@kernel
def mark_equal(numbers: CellNumbers, best: Scores, score: Scores, marked: PositionSet) -> None:
    """marked = the cells whose score is best[number] and not 0; its words are 0 before."""
    for i in range(numbers.shape[0]):
        for cell in range(CELLS):
            found = score[i, cell]
            if found and found == best[numbers[i, cell]]:
                marked[i, cell >> 6] |= bit(cell & 63)


@kernel
def put_conversions(
    score: Scores, lookup: CellNumbers, conversion: int, numbers: CellNumbers
) -> int:
    """Every cell that holds `conversion` has the number of its best conversion instead.

    lookup[score] is a number. Returns how many of these cells have no conversion.
    """
    missing = 0
    for i in range(numbers.shape[0]):
        for cell in range(CELLS):
            if numbers[i, cell] == conversion:
                numbers[i, cell] = lookup[score[i, cell]]
                missing += score[i, cell] == 0
    return missing


@kernel
def put_best(
    score: Scores,
    lookup: CellNumbers,
    legal: PositionSet,
    unchecked: PositionSet,
    stalemate: int,
    checkmate: int,
    out: CellNumbers,
) -> None:
    """out = the number of each legal cell's best move, of mate or stalemate without one, else 0.

    `unchecked` has the cells that would be legal with the other side to move. A side without a
    move is stalemated there, and checkmated elsewhere.
    """
    for i in range(score.shape[0]):
        for row in range(64):
            for column in range(64):
                cell = row * 64 + column
                found = lookup[score[i, cell]]
                if score[i, cell] == 0:
                    found = stalemate if unchecked[i, row] & bit(column) != NONE else checkmate
                out[i, cell] = found if legal[i, row] & bit(column) != NONE else 0


@kernel
def unfold_planes(
    planes: CellNumbers,
    index: NDArray[np.int64],
    symmetry: NDArray[np.uint8],
    image: NDArray[np.int64],
    out: CellNumbers,
) -> None:
    """out[i] = planes[index[i]] seen through symmetry[i]; all 0 where the index is -1."""
    for i in range(index.shape[0]):
        if index[i] < 0:
            for cell in range(CELLS):
                out[i, cell] = 0
        elif symmetry[i] == 0:
            for cell in range(CELLS):
                out[i, cell] = planes[index[i], cell]
        else:
            for row in range(64):
                base = image[symmetry[i], row] * 64
                for column in range(64):
                    cell = base + image[symmetry[i], column]
                    out[i, row * 64 + column] = planes[index[i], cell]
