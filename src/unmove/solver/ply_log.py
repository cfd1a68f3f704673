"""What was settled when: the log of all plies, and the table that comes out of it.

Settling a position writes its bit to the end of a log, not its value to the table: sequential
writes instead of a cache miss a row. Each worker keeps a log of its own for each side to move, a
stretch for each ply. Planes ascend in a stretch. So the table is assembled band by band, a few
planes at a time that stay in the cache, and each stretch is read once and in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber, CellNumbers, PositionSet
from unmove.kernels.stretch import lay_out, replay, skip
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.values import SIDES, Side

ROOM = 4  # the size of a log, in the longest possible stretches
BAND = 1 << 17  # cells assembled at a time, or a plane


@dataclass(frozen=True)
class Stretch:
    """What one worker settled in one ply: positions, one side to move, whose cells get one number.

    The words are entries, one for each plane with such positions, planes ascending. For planes of W
    words (64 in chess) an entry is

        +-------+--------+-----+----------+--------+--------+-----
        | plane | mask 0 | ... | mask M-1 | word i | word j | ...       M = ceil(W / 64)
        +-------+--------+-----+----------+--------+--------+-----

    Bit b of mask m says that word 64 m + b of the plane is not zero. Just these words follow, in
    order. Bit c of word i is the cell 64 i + c. Planes are numbered as in the part's padded layout.
    `kernels/stretch.py` writes and reads this format.
    """

    number: CellNumber
    """What the cells hold: an index into the palette."""
    words: NDArray[np.uint64]


@dataclass
class Log:
    """One worker's stretches for one side to move, one after the other in the same memory."""

    memory: NDArray[np.uint64]
    stretches: list[Stretch] = field(default_factory=list)
    end: int = 0
    """Where the next stretch begins."""

    def close(self, number: CellNumber, end: int) -> None:
        """What stands before `end` and in no stretch yet is one more stretch, if it is anything."""
        if end > self.end:
            self.stretches.append(Stretch(number, self.memory[self.end : end]))
            self.end = end


class PlyLog:
    """All logs, by side to move."""

    def __init__(self, backend: SolverBackend, pool: WorkerPool) -> None:
        self._layout = backend.layout
        self._masks = -(-backend.layout.words // 64)
        self._longest = len(backend.planes) * (1 + self._masks + backend.layout.words)
        self._pool = pool
        self._logs: tuple[list[Log], list[Log]] = ([], [])
        self._open = [[Log(np.empty(0, np.uint64)) for _ in range(pool.workers)] for _ in SIDES]

    def open(self, side: Side) -> list[Log]:
        """A log for each worker, with room for the longest entry of every plane.

        Where room is short a new log is begun; memory that is not written to costs nothing.
        """
        for worker, log in enumerate(self._open[side]):
            if log.end + self._longest > len(log.memory):
                name = f"log {side} {len(self._logs[side])}"
                log = Log(self._pool.arena.empty(name, (ROOM * self._longest,), np.uint64))
                self._open[side][worker] = log
                self._logs[side].append(log)
        return self._open[side]

    def assemble(self, side: Side, legal: PositionSet, cells: CellNumbers) -> None:
        """cells[plane] has the number of every cell, `side` to move, planes without padding."""
        order, masks = self._layout.order, self._masks
        band = max(1, BAND // self._layout.cells)
        place = np.zeros(self._layout.count, np.int64)
        place[order] = np.arange(len(order))
        logs = [_as_arrays(log) for log in self._logs[side] if log.stretches]

        def task(worker: int, first: int, stop: int) -> None:
            cursors = [np.array([0, *ends[:-1]]) for _, ends, _ in logs]
            for (words, ends, _), cursor in zip(logs, cursors, strict=True):
                skip(order[first], masks, words, ends, cursor)
            for start in range(first, stop, band):
                until = min(start + band, stop)
                lay_out(order[start:until], legal, CellNumbers(cells[start:until]))
                for (words, ends, numbers), cursor in zip(logs, cursors, strict=True):
                    before = order[until - 1] + 1
                    replay(before, masks, place, words, ends, numbers, cursor, cells)

        self._pool.for_ranges(len(order), task)


def _as_arrays(log: Log) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The memory of a log, and of its stretches the ends and the numbers, as kernels read them."""
    ends = np.cumsum([len(stretch.words) for stretch in log.stretches])
    return log.memory, ends, np.array([stretch.number for stretch in log.stretches])
