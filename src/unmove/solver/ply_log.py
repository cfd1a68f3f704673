"""What was settled when: the log of all plies, and the table that comes out of it.

Settling a position writes its bit to a log, not its value to the table: sequential writes instead
of a cache miss a row. Each worker keeps a log of its own for each side to move, a stretch for each
ply (`kernels/stretch.py` draws its format). Planes ascend in a stretch. So the table is assembled
band by band, a few planes at a time that stay in the cache, and each stretch is read once and in
order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber, CellNumbers, PositionSet
from unmove.kernels.stretch import lay_out, replay, skip
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend, longest_entry, mask_words
from unmove.values import SIDES, Side

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

    def add(self, entries: NDArray[np.uint64]) -> None:
        """The stretch has more entries."""
        self.memory[self.end : self.end + len(entries)] = entries
        self.end += len(entries)

    def close(self, number: CellNumber) -> None:
        """The stretch is complete."""
        self.ends.append(self.end)
        self.numbers.append(number)


class PlyLog:
    """All logs, by side to move."""

    def __init__(self, backend: SolverBackend, pool: WorkerPool) -> None:
        self._backend = backend
        self._longest = len(backend.planes) * longest_entry(backend.layout)
        self._pool = pool
        self._logs: tuple[list[Log], list[Log]] = ([], [])
        self._open = [[Log(np.empty(0, np.uint64)) for _ in range(pool.workers)] for _ in SIDES]

    def open(self, side: Side) -> list[Log]:
        """A log for each worker, with room for the longest entries of every plane.

        Where room is short a new log is begun; memory that is not written to costs nothing.
        """
        for worker, log in enumerate(self._open[side]):
            if log.end + self._longest > len(log.memory):
                name = f"log {side} {len(self._logs[side])}"
                log = Log(self._pool.arena.empty(name, (ROOM * self._longest,), np.uint64))
                self._open[side][worker] = log
                self._logs[side].append(log)
        return self._open[side]

    def assemble(self, side: Side, cells: CellNumbers, converted: PositionSet) -> None:
        """The planes of the part, without padding, have the number of every cell, `side` to move.

        `converted` has the wins that a conversion brings.
        """
        backend, order = self._backend, self._backend.layout.order
        masks, band = mask_words(backend.layout), max(1, BAND // backend.layout.cells)
        place = np.zeros(backend.layout.count, np.int64)
        place[order] = np.arange(len(order))
        logs = [_as_arrays(log) for log in self._logs[side] if log.ends]

        def task(worker: int, first: int, stop: int) -> None:
            cursors = [np.array([0, *ends[:-1]]) for _, ends, _ in logs]
            for (words, ends, _), cursor in zip(logs, cursors, strict=True):
                skip(order[first], masks, words, ends, cursor)
            for start in range(first, stop, band):
                until = min(start + band, stop)
                cells[start:until] = 0
                converted[start:until] = 0
                before = order[until - 1] + 1
                here = slice(*np.searchsorted(backend.planes, [order[start], before]))
                planes = backend.planes[here]
                legal = backend.legal_on(planes, self._pool.scratch[worker])
                lay_out(place[planes], legal[side], cells)
                for (words, ends, numbers), cursor in zip(logs, cursors, strict=True):
                    replay(before, masks, place, words, ends, numbers, cursor, cells, converted)

        self._pool.for_ranges(len(order), task)


def _as_arrays(log: Log) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The memory of a log, and of its stretches the ends and the numbers, as kernels read them."""
    return log.memory, np.array(log.ends), np.array(log.numbers)
