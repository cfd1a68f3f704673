"""A whole table as arrays: every legal position once, modulo symmetry, with its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.games.rules import columns_of
from unmove.material import Material
from unmove.planes.symmetry import IMAGE, SYMMETRIES
from unmove.probe.bulk import Values
from unmove.probe.library import OpenTable
from unmove.values import BROKEN

PLANES_A_BATCH = 64


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
    for first in range(0, len(places), PLANES_A_BATCH):
        for side in (0, 1):
            yield _batch(table, side, places[first : first + PLANES_A_BATCH])


def _batch(table: OpenTable, side: int, places: NDArray[np.int64]) -> Batch:
    planes = table.file.fold.kept[places]
    codes = table.palette.astype(np.uint16)[table.planes(side, places)]
    where, cell = np.nonzero((codes != BROKEN) & _representative(table, planes))
    men = table.layout.squares_at(planes)[where]
    chart = table.chart
    squares = np.empty((len(where), len(columns_of(table.file.material))), np.uint8)
    squares[:, chart.seat] = men
    squares[:, chart.kings[0]], squares[:, chart.kings[1]] = np.divmod(cell, 64)
    turns = np.full(len(where), side, np.uint8)
    return Batch(table.file.material, squares, turns, Values(codes[where, cell], table.file.metric))


def _representative(table: OpenTable, planes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """[plane, cell]: whether no symmetry that keeps the plane maps the cell to an earlier one."""
    own = table.file.fold.own[planes]
    chosen = np.ones((len(planes), 4096), np.bool_)
    for t in range(1, SYMMETRIES):
        image = (IMAGE[t][:, None] * 64 + IMAGE[t]).ravel()
        later = np.arange(4096) <= image
        chosen &= later | ((own >> t & 1) == 0)[:, None]
    return chosen
