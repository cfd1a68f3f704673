"""What the moves of a position keep: by the move generator of the proof, in bulk.

A move keeps what is the best the side to move can get: win, draw or loss, without the 50-move rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.choices import count_court_choices
from unmove.kernels.proof.choices import count_choices
from unmove.planes.court_layout import CourtLayout
from unmove.pool.workers import WorkerPool
from unmove.store.table import Table
from unmove.verify.courts import CourtProof
from unmove.verify.kings import KingsProof
from unmove.verify.tally import Smaller

PLANES_A_RANGE = 16


@dataclass(frozen=True)
class MoveCounts:
    """counts[i]: legal moves, those that keep the outcome, those of them that underpromote."""

    counts: NDArray[np.uint8]

    @property
    def only(self) -> NDArray[np.bool_]:
        """Whether just one of several moves keeps the outcome."""
        only: NDArray[np.bool_] = (self.counts[:, 1] == 1) & (self.counts[:, 0] > 1)
        return only

    @property
    def underpromotion(self) -> NDArray[np.bool_]:
        """Whether nothing keeps the outcome but a promotion to less than a queen."""
        needed: NDArray[np.bool_] = (self.counts[:, 2] > 0) & (
            self.counts[:, 1] == self.counts[:, 2]
        )
        return needed


class MoveCounter(Protocol):
    """Counts the choices of positions of one table with one side to move."""

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """[i, cell, ...]: see `Choices`; of the positions asked of planes[i] (ascending)."""


class KingsMoveCounter:
    """See `Counter`."""

    def __init__(self, table: Table, side: int, smaller: Smaller, pool: WorkerPool) -> None:
        self._proof = KingsProof(table, side, smaller)
        self._pool = pool

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """See `Counter`."""
        proof = self._proof
        ends = [(int(plane), int(plane) + 1) for plane in planes]
        rule, values = proof.known(ends, self._pool.map)
        out = np.zeros((*asked.shape, 3), np.uint8)

        def task(_: int, a: int, b: int) -> None:
            some = planes[a:b], asked[a:b]
            count_choices(*some, proof.side, values, proof.state(rule), out[a:b])

        self._pool.for_ranges(len(planes), task, PLANES_A_RANGE)
        return out


class CourtsMoveCounter:
    """See `Counter`."""

    def __init__(self, table: Table, side: int, smaller: Smaller, pool: WorkerPool) -> None:
        self._proof = CourtProof(table, side, smaller)
        self._pool = pool

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """See `Counter`."""
        proof = self._proof
        _ = proof.state()  # what threads share is made before they start
        out = np.zeros((*asked.shape, 3), np.uint8)

        def task(_: int, a: int, b: int) -> None:
            some = planes[a:b], asked[a:b]
            count_court_choices(*some, proof.side, proof.state(), out[a:b])

        self._pool.for_ranges(len(planes), task, PLANES_A_RANGE)
        return out


def counter_of(table: Table, side: int, smaller: Smaller, pool: WorkerPool) -> MoveCounter:
    """The counter of a table."""
    kind = CourtsMoveCounter if isinstance(table.layout, CourtLayout) else KingsMoveCounter
    return kind(table, side, smaller, pool)
