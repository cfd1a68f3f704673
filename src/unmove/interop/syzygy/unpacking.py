"""Which sub-tables have all their values in memory: those that are asked for most.

A value that is looked up alone costs the decoding of half a block. An array of all values costs the
decoding of all blocks once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.interop.syzygy.opened import OpenFiles
from unmove.kernels.syzygy import numbering, tables
from unmove.kernels.syzygy.decode import unpack

ASKED_A_CELL: Final = 1 / 200
"""To unpack a value takes so much of the time that it takes to decode one alone."""


def unpacked_where_it_pays(held: OpenFiles, limit: int) -> OpenFiles:
    """The same files; values of the sub-tables that are asked for most are unpacked.

    Those that are already stay as long as others are not asked for twice as much.
    """
    rows, uses = held.tables.rows, held.tables.uses
    several = rows[:, tables.ONLY_VALUE] < 0
    density = np.where(several, uses / rows[:, numbering.PLACEMENTS], 0)
    paying = np.flatnonzero(density > ASKED_A_CELL)
    rank = density[paying] * np.where(np.isin(paying, list(held.unpacked)), 2, 1)
    chosen: list[int] = []
    free = limit
    for row in paying[np.argsort(-rank)].tolist():
        size = int(rows[row, numbering.PLACEMENTS]) * _value_type(held, row).itemsize
        if size <= free:
            chosen.append(row)
            free -= size
    if len(chosen) < len(paying):
        uses //= 2  # what is asked for now counts more than what was
    if set(chosen) == set(held.unpacked):
        return held
    return held.with_values({row: _values(held, row) for row in chosen})


def _value_type(held: OpenFiles, row: int) -> np.dtype[Any]:
    """The type that holds all values of a sub-table."""
    codebook = held.codebooks[row]
    return np.dtype(np.uint16 if codebook.values.max(initial=0) > 255 else np.uint8)


def _values(held: OpenFiles, row: int) -> NDArray[Any]:
    """The values of a sub-table; DamagedFile if it has not as many as there are placements."""
    if row in held.unpacked:
        return held.unpacked[row]
    its = held.tables.rows[row]
    values = np.empty(int(its[numbering.PLACEMENTS]), _value_type(held, row))
    if not unpack(its, np.empty(int(its[tables.SYMBOLS]), np.int32), values):
        raise DamagedFile(held.owner(row), "is damaged: a value cannot be decoded")
    return values
