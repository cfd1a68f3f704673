"""A table that is being solved, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber, CellNumbers, Palette, PositionSet
from unmove.material import Material
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.pool.arena import Arena
from unmove.store.source import PALETTE, cell_type, pick
from unmove.store.table import Table
from unmove.values import SIDES, Code, Metric, Side


@dataclass
class PartialTable:
    """The solved parts of a table. Memory for the others is asked for, but not yet touched.

    Positions are counted modulo symmetry. The palette grows with the codes that turn up.
    """

    material: Material
    metric: Metric
    finished: int = 0
    """How many parts are solved."""
    legal: list[int] = field(default_factory=lambda: [0, 0])
    counts: tuple[dict[Code, int], dict[Code, int]] = field(default_factory=lambda: ({}, {}))
    """Settled positions by side to move and code."""
    codes: list[Code] = field(default_factory=lambda: list(PALETTE))
    arena: Arena = field(default_factory=Arena)
    """Where its cells are; the next table in the same arena overwrites them."""

    def __post_init__(self) -> None:
        self.cells: list[CellNumbers] = []
        self._widen()
        shape = self.layout.count, self.layout.words
        self.conversions = [
            PositionSet(self.arena.zeros(f"conversions {side}", shape, np.uint64)) for side in SIDES
        ]
        """The wins that a conversion brings as soon as any move, by side to move."""

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    @property
    def palette(self) -> Palette:
        return Palette(np.array(self.codes, np.int64))

    @property
    def part(self) -> tuple[int, int]:
        """The next part to solve, as a range of the lead's orbits."""
        return self.layout.parts[self.finished]

    @property
    def complete(self) -> bool:
        return self.finished == len(self.layout.parts)

    def planes_of(self, part: tuple[int, int]) -> slice:
        """The planes of a range of orbits."""
        first, stop = part
        stride = self.layout.strides[0]
        return slice(first * stride, stop * stride)

    def number(self, code: Code) -> CellNumber:
        """What a cell of this code holds; a code not met before joins the palette."""
        if code in self.codes[len(PALETTE) :]:
            return CellNumber(self.codes.index(code, len(PALETTE)))
        self.codes.append(code)
        self._widen()
        return CellNumber(len(self.codes) - 1)

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        return pick(self.cells[side], wanted, out)

    def planes_from(self, first: int) -> list[NDArray[Any]]:
        """All planes of the solved parts from the first given on: cells and conversions."""
        parts = self.layout.parts
        planes = self.planes_of((parts[first][0], parts[self.finished - 1][1]))
        return [each[planes] for each in (*self.cells, *self.conversions)]

    def note(self) -> dict[str, Any]:
        """What `restore` must be told beside the planes of the parts."""
        return {"codes": self.codes, "legal": self.legal, "counts": self.counts}

    def restore(self, planes: Sequence[NDArray[Any]], parts: int, note: dict[str, Any]) -> None:
        """The next parts are as an earlier run has solved them."""
        self.codes = [Code(int(code)) for code in note["codes"]]
        self.legal = [int(positions) for positions in note["legal"]]
        white, black = (
            {Code(int(k)): int(v) for k, v in counts.items()} for counts in note["counts"]
        )
        self.counts = white, black
        self._widen()
        first, self.finished = self.finished, self.finished + parts
        for mine, theirs in zip(self.planes_from(first), planes, strict=True):
            np.copyto(mine, theirs)

    def table(self) -> Table:
        """The complete table."""
        white, black = self.cells
        return Table(self.material, self.metric, self.palette, (white, black))

    def _widen(self) -> None:
        """Cells have room for all numbers of the palette."""
        kind = cell_type(len(self.codes))
        if not self.cells:
            shape = self.layout.count, self.layout.cells
            self.cells = [
                CellNumbers(self.arena.empty(f"cells {side}", shape, kind)) for side in SIDES
            ]
        elif self.cells[0].dtype != kind:
            self.cells = [CellNumbers(cells.astype(kind)) for cells in self.cells]
