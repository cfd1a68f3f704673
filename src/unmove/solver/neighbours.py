"""Who else solves planes of a part at the same time: what a run must agree upon with them.

A table in one piece has no neighbours. `part_table.py` has those of a table that is cut.
"""

from __future__ import annotations

from typing import Protocol

from unmove.kernels.arrays import PositionSet
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.subtable_values import SubtableValues
from unmove.values import Side


class Neighbours(Protocol):
    """Those who solve the other planes of a part. All of them call the same methods, in order."""

    planes: int
    """How many planes they have."""

    def total(self, positions: int) -> int:
        """The sum of what each has."""

    def mark_legal(
        self, backend: SolverBackend, pool: WorkerPool, winner: Side, unwon: PositionSet
    ) -> None:
        """`unwon` has the legal positions on their planes, too, if moves will lead there."""

    def agree(self, values: SubtableValues) -> None:
        """Something arrives at the same levels everywhere, though perhaps at no position here."""


class NoNeighbours:
    """See `Neighbours`."""

    planes = 0

    def total(self, positions: int) -> int:
        """See `Neighbours`."""
        return positions

    def mark_legal(
        self, backend: SolverBackend, pool: WorkerPool, winner: Side, unwon: PositionSet
    ) -> None:
        """See `Neighbours`."""

    def agree(self, values: SubtableValues) -> None:
        """See `Neighbours`."""
