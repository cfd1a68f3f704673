"""What was settled when: the log of all plies, and the table that comes out of it.

Settling a position writes its bit to the end of a log, not its value to the table: sequential
writes instead of a cache miss a row. Each worker keeps a log of its own for each side to move,
cut into plies; inside a ply planes ascend. So the table is assembled band by band, a few planes
at a time that stay in the cache, each ply's entries read once and in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.solve.log import lay_out, replay, skip
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.store.table import CellArray

ROOM = 4  # the size of a log, in the longest possible stretches
BAND = 1 << 17  # cells assembled at a time, or a plane


@dataclass
class Log:
    """One worker's entries for one side to move: a stretch of words for each ply."""

    words: NDArray[np.uint64]
    ends: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.ends[-1] if self.ends else 0

    def close(self, number: int, end: int) -> None:
        """The stretch up to `end` holds the positions whose cells get this number."""
        if end > self.end:
            self.ends.append(end)
            self.numbers.append(number)


class PlyLog:
    """All logs, by side to move."""

    def __init__(self, backend: SolverBackend, pool: WorkerPool) -> None:
        self._backend = backend
        self._layout = backend.layout
        self._masks = -(-backend.layout.words // 64)
        self._pool = pool
        self._logs: tuple[list[Log], list[Log]] = ([], [])
        self._open = [[Log(np.empty(0, np.uint64)) for _ in range(pool.workers)] for _ in range(2)]

    def open(self, side: int) -> list[Log]:
        """A log for each worker, with room for the longest entry of every plane.

        Where room is short a new log is begun; memory that is not written to costs nothing.
        """
        needed = len(self._backend.frame.planes) * (1 + self._masks + self._layout.words)
        for worker, log in enumerate(self._open[side]):
            if log.end + needed > len(log.words):
                name = f"log {side} {len(self._logs[side])}"
                log = Log(self._pool.arena.empty(name, (ROOM * needed,), np.uint64))
                self._open[side][worker] = log
                self._logs[side].append(log)
        return self._open[side]

    def assemble(self, side: int, legal: NDArray[np.uint64], cells: CellArray) -> None:
        """cells[plane] has the number of every cell, `side` to move, planes without padding."""
        order, masks = self._layout.order, self._masks
        band = max(1, BAND // self._layout.cells)
        place = np.zeros(self._layout.count, np.int64)
        place[order] = np.arange(len(order))
        logs = [
            (log.words, np.array(log.ends), np.array(log.numbers))
            for log in self._logs[side]
            if log.ends
        ]

        def task(worker: int, first: int, stop: int) -> None:
            cursors = [np.array([0, *ends[:-1]]) for _, ends, _ in logs]
            for (words, ends, _), cursor in zip(logs, cursors, strict=True):
                skip(order[first], masks, words, ends, cursor)
            for start in range(first, stop, band):
                until = min(start + band, stop)
                lay_out(order[start:until], legal, cells[start:until])
                for (words, ends, numbers), cursor in zip(logs, cursors, strict=True):
                    before = order[until - 1] + 1
                    replay(before, masks, place, words, ends, numbers, cursor, cells)

        self._pool.for_ranges(len(order), task)
