"""From bit planes to one number a cell, as files hold it, and back to facts about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import kernel

ONE = np.uint64(1)


@kernel
def assemble(
    planes: NDArray[np.int64],
    digits: NDArray[np.uint64],
    legal: NDArray[np.uint64],
    index: NDArray[np.uint8] | NDArray[np.uint16],
    cells: NDArray[np.uint8] | NDArray[np.uint16],
) -> None:
    """cells[i] = index[code] for each cell of planes[i]; a legal cell never settled is a draw.

    digits[d, plane] holds the d-th binary digit of the codes.
    """
    depth = digits.shape[0]
    for i in range(planes.shape[0]):
        plane = planes[i]
        for row in range(64):
            open_cells = legal[plane, row]
            for column in range(64):
                shift = np.uint64(column)
                code = 0
                for digit in range(depth):
                    code |= np.int64((digits[digit, plane, row] >> shift) & ONE) << digit
                if code == 0:
                    code = np.int64((open_cells >> shift) & ONE)  # DRAW, or BROKEN
                cells[i, row * 64 + column] = index[code]


@kernel
def survey(
    values: NDArray[np.uint8] | NDArray[np.uint16], present: NDArray[np.uint8]
) -> None:
    """present[plane, v] = 1 where values[plane] has a cell with the number v. Else it stays 0."""
    for plane in range(values.shape[0]):
        for cell in range(values.shape[1]):
            present[plane, values[plane, cell]] = 1


@kernel
def find(
    planes: NDArray[np.int64], digits: NDArray[np.uint64], code: int
) -> tuple[int, int]:
    """The first plane of the list, and cell of it, with this code; (-1, -1) if there is none."""
    for i in range(planes.shape[0]):
        plane = planes[i]
        for row in range(64):
            word = ~np.uint64(0)
            for digit in range(digits.shape[0]):
                if (code >> digit) & 1:
                    word &= digits[digit, plane, row]
                else:
                    word &= ~digits[digit, plane, row]
            if word:
                return plane, row * 64 + lowest(word)
    return -1, -1
