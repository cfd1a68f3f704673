"""The log of a part in memory, and the part that is assembled from it.

Each worker keeps a log of its own for each side to move, a stretch for each ply. The part is
assembled band by band, a few planes at a time that stay in the cache, and each stretch is read once
and in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber, CellNumbers, PositionSet
from unmove.kernels.stretch import replay, skip
from unmove.pool.workers import WorkerPool
from unmove.solver.assembly import PartPlaces
from unmove.solver.backend import SolverBackend, longest_entry
from unmove.solver.ply_log import Gathered, NoLog, PlyName, Settled
from unmove.values import SIDES, Code, Side

ROOM = 4  # the size of a log, in the longest possible stretches
BAND = 1 << 17  # cells assembled at a time, or a plane


@dataclass
class Log:
    """One worker's stretches for one side to move, one after the other in the same memory."""

    memory: NDArray[np.uint64]
    end: int = 0
    """Where the next stretch ends, as far as it is written."""
    ends: list[int] = field(default_factory=list)
    numbers: list[CellNumber] = field(default_factory=list)
    """What the cells of each stretch hold: an index into the palette."""


class MemoryPly(NoLog):
    """See `OpenPly`. No ply is known from before."""

    def __init__(self, logs: list[Log], number: Callable[[], CellNumber]) -> None:
        self._logs = logs
        self._number = number

    def keep(self, worker: int, first: int, entries: NDArray[np.uint64]) -> None:
        """See `OpenPly`."""
        log = self._logs[worker]
        log.memory[log.end : log.end + len(entries)] = entries
        log.end += len(entries)

    def close(self, settled: Settled) -> Gathered:
        """See `OpenPly`."""
        if settled.planes:
            number = self._number()
            for log in self._logs:
                log.ends.append(log.end)
                log.numbers.append(number)
        return Gathered(settled)


class MemoryLog:
    """A `PlyLog`. `number` gives what the cells of a code hold."""

    ranges = None

    def __init__(
        self, backend: SolverBackend, pool: WorkerPool, number: Callable[[Code], CellNumber]
    ) -> None:
        self._backend = backend
        self._longest = len(backend.planes) * longest_entry(backend.layout)
        self._pool = pool
        self._number = number
        self._logs: tuple[list[Log], list[Log]] = ([], [])
        self._open = [[Log(np.empty(0, np.uint64)) for _ in range(pool.workers)] for _ in SIDES]

    def open(self, ply: PlyName) -> MemoryPly:
        """See `PlyLog`. There is room for the longest entries of every plane.

        Where room is short a new log is begun; memory that is not written to costs nothing.
        """
        side = ply.mover
        for worker, log in enumerate(self._open[side]):
            if log.end + self._longest > len(log.memory):
                name = f"log {side} {len(self._logs[side])}"
                log = Log(self._pool.arena.empty(name, (ROOM * self._longest,), np.uint64))
                self._open[side][worker] = log
                self._logs[side].append(log)
        return MemoryPly(self._open[side], lambda: self._number(ply.code))

    def assemble(self, side: Side, cells: CellNumbers, converted: PositionSet) -> None:
        """The planes of the part, without padding, have the number of every cell, `side` to move.

        `converted` has the wins that a conversion brings.
        """
        places = PartPlaces(self._backend)
        band = max(1, BAND // self._backend.layout.cells)
        logs = [
            (log.memory, np.array(log.ends), np.array(log.numbers))
            for log in self._logs[side]
            if log.ends
        ]

        def task(worker: int, first: int, stop: int) -> None:
            cursors = [np.array([0, *ends[:-1]]) for _, ends, _ in logs]
            for (words, ends, _), cursor in zip(logs, cursors, strict=True):
                skip(places.order[first], places.masks, words, ends, cursor)
            for start in range(first, stop, band):
                until = min(start + band, stop)
                scratch = self._pool.scratch[worker]
                before = places.lay_out(side, start, until, scratch, cells, converted)
                for (words, ends, numbers), cursor in zip(logs, cursors, strict=True):
                    lines = words, ends, numbers, cursor
                    replay(before, places.masks, places.place, *lines, cells, converted)

        self._pool.for_ranges(len(places.order), task)
