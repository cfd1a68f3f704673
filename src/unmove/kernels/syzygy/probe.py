"""Many positions probed in one call."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import kernel
from unmove.kernels.syzygy.boards import is_legal, set_up_masks, set_up_squares
from unmove.kernels.syzygy.search import FAILED, ROOT, Stack, distance, outcome
from unmove.kernels.syzygy.tables import DISTANCES, SyzygyTables

ILLEGAL_VALUE: Final = -32768
"""In place of the value of what is no legal position."""


@kernel
def probe_root(kind: int, tables: SyzygyTables, stack: Stack) -> int:
    """The value of the first position of a stack; ILLEGAL_VALUE or FAILED."""
    if not is_legal(stack.boards[ROOT]):
        return ILLEGAL_VALUE
    if kind == DISTANCES:
        return distance(tables, stack)
    return outcome(ROOT, tables, stack)


@kernel
def probe_masks(
    first: int,
    stop: int,
    masks: NDArray[np.uint64],
    kind: int,
    tables: SyzygyTables,
    stack: Stack,
    values: NDArray[np.int16],
) -> int:
    """values[i] = the value of the position masks[i], first <= i < stop; returns where it failed.

    That is `stop` if all have values. ILLEGAL_VALUE is the value of what is none.
    """
    for i in range(first, stop):
        value = ILLEGAL_VALUE
        if set_up_masks(masks[i], stack.boards[ROOT]):
            value = probe_root(kind, tables, stack)
        if value == FAILED:
            return i
        values[i] = value
    return stop


@kernel
def probe_squares(
    first: int,
    stop: int,
    codes: NDArray[np.int64],
    squares: NDArray[Any],
    sides: NDArray[np.uint8],
    kind: int,
    tables: SyzygyTables,
    stack: Stack,
    values: NDArray[np.int16],
) -> int:
    """values[i] = the value of men of these codes on squares[i]; see `probe_masks`."""
    for i in range(first, stop):
        value = ILLEGAL_VALUE
        if set_up_squares(codes, squares[i], sides[i], stack.boards[ROOT]):
            value = probe_root(kind, tables, stack)
        if value == FAILED:
            return i
        values[i] = value
    return stop
