"""What proofs of all games share: what they count, and where smaller endgames come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.proof.fixpoint import NO_VALUE, STALEMATED
from unmove.material import Material
from unmove.store.table import STALEMATE, Source, Table

Smaller = Callable[[Material], Source]
"""The table of an endgame behind a conversion, canonical, of the metric that is proved."""


@dataclass(frozen=True)
class Tally:
    """What was counted on some planes with one side to move."""

    side: int
    positions: int
    mismatches: int
    index: int
    """The first mismatch: plane * cells + cell."""
    right: int
    """The code that would be right there."""


def codes_of(table: Table) -> NDArray[np.int64]:
    """What each number a cell can hold stands for: its code, or NO_VALUE or STALEMATED."""
    codes = np.full(1 << 8 * table.cells[0].itemsize, NO_VALUE, np.int64)
    codes[: len(table.palette)] = table.palette
    codes[STALEMATE] = STALEMATED
    return codes
