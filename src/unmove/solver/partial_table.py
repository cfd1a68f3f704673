"""A table that is being solved, part by part: what its parts have in common, and those in memory.

`disk_table.py` has the tables whose parts are on the disk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber, CellNumbers, Palette, PositionSet
from unmove.material import Material
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.pool.arena import Arena
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.memory_log import MemoryLog
from unmove.solver.neighbours import Neighbours, NoNeighbours
from unmove.solver.ply_log import PlyLog
from unmove.store.source import PALETTE, STALEMATE, cell_type, pick
from unmove.store.table import Table
from unmove.values import DRAW, SIDES, Code, Metric, Side

CELLS_A_LOOK = 1 << 20  # looked at by `first_cell`


@dataclass
class PartialTable(ABC):
    """The solved parts of a table, a `Source`.

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

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    @property
    def palette(self) -> Palette:
        return Palette(np.array(self.codes, np.int64))

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """The ranges of the lead's orbits that are solved one after the other."""
        return self.layout.parts

    @property
    def part(self) -> tuple[int, int]:
        """The next part to solve, as a range of the lead's orbits."""
        return self.parts[self.finished]

    def working_layout(self, pad: int) -> AnyLayout:
        """The layout of the next part, as it is solved."""
        return layout_of(self.material, pad, self.part)

    @property
    def neighbours(self) -> Neighbours:
        """Who solves other planes of the next part at the same time."""
        return NoNeighbours()

    @property
    def complete(self) -> bool:
        return self.finished == len(self.parts)

    def planes_of(self, part: tuple[int, int]) -> slice:
        """The planes of a range of orbits."""
        first, stop = part
        stride = self.layout.strides[0]
        return slice(first * stride, stop * stride)

    def number(self, code: Code) -> CellNumber:
        """What a cell of this code holds; a code not met before joins the palette.

        The draws that a ply settles are stalemates.
        """
        if code == DRAW:
            return STALEMATE
        if code in self.codes[len(PALETTE) :]:
            return CellNumber(self.codes.index(code, len(PALETTE)))
        self.codes.append(code)
        return CellNumber(len(self.codes) - 1)

    def add(self, side: Side, code: Code, positions: int) -> None:
        """So many positions more have this code."""
        self.counts[side][code] = self.counts[side].get(code, 0) + positions
        self.number(code)

    @abstractmethod
    def open_log(self, backend: SolverBackend, pool: WorkerPool) -> PlyLog:
        """The log of the next part."""

    @abstractmethod
    def finish(self, legal: list[int]) -> None:
        """The part whose log was opened last is solved, and has so many legal positions."""

    @abstractmethod
    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""

    @abstractmethod
    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """The wins on the wanted planes (ascending) that a conversion brings first."""

    def keep(self, side: Side, wanted: NDArray[np.int64]) -> None:
        """These planes (ascending) are read again after all planes have been read once.

        A table that takes long to read a single plane keeps them, until others are to be kept.
        """
        return

    @abstractmethod
    def first_cell(self, side: Side, code: Code) -> int:
        """The first cell with a code that was counted."""


@dataclass
class TableInMemory(PartialTable):
    """Memory for parts that are not solved is asked for, but not yet touched."""

    arena: Arena = field(default_factory=Arena)
    """Where its cells are; the next table in the same arena overwrites them."""

    def __post_init__(self) -> None:
        self.cells: list[CellNumbers] = []
        self._widen()
        shape = self.layout.count, self.layout.words
        self.conversions = [
            PositionSet(self.arena.empty(f"conversions {side}", shape, np.uint64)) for side in SIDES
        ]

    def open_log(self, backend: SolverBackend, pool: WorkerPool) -> MemoryLog:
        """See `PartialTable`."""
        self._log = MemoryLog(backend, pool, self.number)
        return self._log

    def finish(self, legal: list[int]) -> None:
        """See `PartialTable`."""
        self._widen()
        planes = self.planes_of(self.part)
        for side in SIDES:
            cells, converted = self.cells[side][planes], self.conversions[side][planes]
            self._log.assemble(side, CellNumbers(cells), PositionSet(converted))
            self.legal[side] += legal[side]
        self.finished += 1

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        pick(self.cells[side], wanted, out)
        return out

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `PartialTable`."""
        return PositionSet(self.conversions[side][wanted])

    def first_cell(self, side: Side, code: Code) -> int:
        """See `PartialTable`."""
        number, cells = self.number(code), self.cells[side].reshape(-1)
        for first in range(0, len(cells), CELLS_A_LOOK):
            found = cells[first : first + CELLS_A_LOOK] == number
            if found.any():
                return first + int(found.argmax())
        raise LookupError("a code that was counted has no cell")

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
