"""A whole table as arrays: every legal position once, modulo symmetry, with its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.games.rules import columns_of
from unmove.material import Material
from unmove.probe.bulk import Values
from unmove.probe.library import OpenTable
from unmove.values import BROKEN

CELLS_A_BATCH = 1 << 18


@dataclass(frozen=True)
class Batch:
    """squares[i]: where the men stand, in the order of `columns`; turns[i]: 0 White, 1 Black."""

    material: Material
    squares: NDArray[np.uint8]
    turns: NDArray[np.uint8]
    values: Values

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The men of the columns, as in a FEN."""
        return columns_of(self.material)

    @classmethod
    def joined(cls, parts: Sequence[Batch]) -> Batch:
        """All of them in one."""
        codes = np.concatenate([part.values.codes for part in parts])
        return cls(
            parts[0].material,
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.turns for part in parts]),
            Values(codes, parts[0].values.metric),
        )


def batches(table: OpenTable) -> Iterator[Batch]:
    """The positions of a table, some of its planes at a time, White to move first."""
    places = np.arange(len(table.file.fold.kept))
    size = max(1, CELLS_A_BATCH // table.layout.cells)
    for first in range(0, len(places), size):
        for side in (0, 1):
            yield _batch(table, side, places[first : first + size])


def _batch(table: OpenTable, side: int, places: NDArray[np.int64]) -> Batch:
    planes = table.file.fold.kept[places]
    codes = table.palette.astype(np.uint16)[table.planes(side, places)]
    where, cells = np.nonzero((codes != BROKEN) & table.map.representative(planes))
    squares = table.map.squares_at(planes[where], cells)
    turns = np.full(len(where), side, np.uint8)
    values = Values(codes[where, cells], table.file.metric)
    return Batch(table.file.material, squares, turns, values)
