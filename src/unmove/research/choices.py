"""How many moves of a position keep its outcome, counted in bulk.

A move keeps the outcome if it leaves the best that the side to move can get: win, draw or loss,
without the 50-move rule. Moves are made position by position, as in the proof, but by classes that
the proof does not depend on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.courts.choices import count_court_choices
from unmove.kernels.proof.choices import count_choices
from unmove.planes.kinds import resolved
from unmove.pool.workers import WorkerPool
from unmove.store.source import Source, TableLookup
from unmove.successors.court_forward import CourtForwardMoves
from unmove.successors.forward import ForwardMoves
from unmove.values import Side

SMALLEST_COUNT_SHARED = 16  # planes; fewer are counted by one thread


@dataclass(frozen=True)
class MoveCounts:
    """counts[i]: legal moves; of these, those that keep the outcome; of these, underpromotions."""

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
    """Counts the moves of positions of one table with one side to move."""

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """[i, cell]: see `MoveCounts`; of the positions asked for of planes[i] (ascending)."""


class KingsMoveCounter:
    """See `MoveCounter`."""

    def __init__(self, source: Source, side: Side, tables: TableLookup, pool: WorkerPool) -> None:
        self._moves = ForwardMoves(source, side, tables)
        self._pool = pool

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """See `MoveCounter`."""
        moves = self._moves
        ranges = [(int(plane), int(plane) + 1) for plane in planes]
        rule, values = moves.loaded(ranges, self._pool.map)
        out = np.zeros((*asked.shape, 3), np.uint8)

        def task(_: int, a: int, b: int) -> None:
            some = planes[a:b], asked[a:b]
            count_choices(*some, moves.side, values, moves.state(rule), out[a:b])

        self._pool.for_ranges(len(planes), task, SMALLEST_COUNT_SHARED)
        return out


class CourtsMoveCounter:
    """See `MoveCounter`."""

    def __init__(self, source: Source, side: Side, tables: TableLookup, pool: WorkerPool) -> None:
        self._moves = CourtForwardMoves(source, side, tables)
        self._pool = pool

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """See `MoveCounter`."""
        moves = self._moves
        _ = moves.state()  # what threads share is made before they start
        out = np.zeros((*asked.shape, 3), np.uint8)

        def task(_: int, a: int, b: int) -> None:
            some = planes[a:b], asked[a:b]
            count_court_choices(*some, moves.side, moves.state(), out[a:b])

        self._pool.for_ranges(len(planes), task, SMALLEST_COUNT_SHARED)
        return out


def counter_of(source: Source, side: Side, tables: TableLookup, pool: WorkerPool) -> MoveCounter:
    """The counter of a table; `tables` has the smaller endgames."""
    counter: MoveCounter = resolved(source.layout.kind.move_counter)(source, side, tables, pool)
    return counter
