"""A whole table as arrays: every legal position with its value, once for each time it is counted.

Chess counts positions modulo the symmetries of the board: one of all images is yielded. Xiangqi
counts mirror images apart: both are yielded. Colours are never exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.games.boards import exchanged, mirrored
from unmove.games.rules import columns_of
from unmove.kernels.arrays import Codes
from unmove.material import Material
from unmove.probe.bulk import Values
from unmove.probe.positions import spread
from unmove.probe.table_cache import OpenTable
from unmove.values import BROKEN, SIDES, Side, swapped_if

CELLS_A_BATCH = 1 << 18


@dataclass(frozen=True)
class Positions:
    """squares[i]: where the men stand, in the order of `columns`; turns[i]: 0 White, 1 Black.

    White is the side that the name, as it was written, has first. Of the images of a position under
    the symmetries of the board there is one in chess; in xiangqi mirror images stand side by side.
    """

    material: Material
    squares: NDArray[np.uint8]
    turns: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The men of the columns, as in a FEN."""
        return columns_of(self.material)


def joined(parts: Sequence[Positions]) -> tuple[Material, NDArray[np.uint8], NDArray[np.uint8]]:
    """Material, squares and turns of some positions, of which there are any."""
    squares = np.concatenate([part.squares for part in parts])
    return parts[0].material, squares, np.concatenate([part.turns for part in parts])


@dataclass(frozen=True)
class Batch(Positions):
    """Positions and their values."""

    values: Values

    @classmethod
    def joined(cls, parts: Sequence[Batch]) -> Batch:
        """The positions of all batches in one."""
        codes = np.concatenate([part.values.codes for part in parts])
        return cls(*joined(parts), Values(Codes(codes), parts[0].values.metric))


def batches(table: OpenTable, material: Material) -> Iterator[Batch]:
    """The positions of a table, some of its planes at a time, White to move first.

    `material` is that of the table, or the same with the sides exchanged: then all positions are.
    """
    places = np.arange(len(table.file.fold.stored))
    size = max(1, CELLS_A_BATCH // table.layout.cells)
    for first in range(0, len(places), size):
        for side in SIDES:
            yield _batch(table, material, side, places[first : first + size])


def _batch(table: OpenTable, material: Material, side: Side, places: NDArray[np.int64]) -> Batch:
    planes = table.file.fold.stored[places]
    colours_swapped = material != table.file.material
    stored = table.planes(swapped_if(colours_swapped, side), places)
    codes = table.palette.astype(np.uint16)[stored]
    rows, cells = np.nonzero((codes != BROKEN) & table.map.representative(planes))
    which, second = spread(table.map.images(planes)[rows])
    rows, cells = rows[which], cells[which]
    squares = table.map.squares_at(planes[rows], cells)
    squares[second] = mirrored(squares[second], material.game)
    if colours_swapped:
        squares = exchanged(squares, table.file.material)
    turns = np.full(len(rows), side, np.uint8)
    return Batch(material, squares, turns, Values(Codes(codes[rows, cells]), table.file.metric))
