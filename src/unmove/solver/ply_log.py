"""What was settled when: the log of all plies, from which the table is assembled.

Settling a position writes its bit to a log, not its value to the table: sequential writes instead
of a cache miss a row. What a ply settles is a stretch of the log, whose planes ascend
(`kernels/stretch.py` draws its format). `memory_log.py` keeps the log in memory, `disk_log.py` on
the disk, where each ply is a checkpoint: a later run finds there what this one has settled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.solver.backend import Ranges
from unmove.values import Code, Level, Side


class PlyName(NamedTuple):
    """Which ply of a part it is."""

    winner: Side
    level: Level
    mover: Side
    code: Code
    """What it settles positions as; DRAW for stalemates."""


class Settled(NamedTuple):
    """What a ply has brought."""

    positions: int
    planes: int
    """How many planes have one."""


Entries = Callable[[], NDArray[np.uint64]]
"""Unpacks some entries."""


class Gathered(NamedTuple):
    """What a ply has brought in all parts of a table."""

    settled: Settled
    others: Sequence[Entries] | None = None
    """What it has settled in other parts; None if that is nobody's concern here."""


class OpenPly(Protocol):
    """A ply that is being settled, or was settled by an earlier run."""

    @property
    def known(self) -> Settled | None:
        """What an earlier run has settled in it."""

    def entries(self, first: int) -> NDArray[np.uint64]:
        """Of a known ply, what was settled on the range of planes that begins at `first`."""

    def keep(self, worker: int, first: int, entries: NDArray[np.uint64]) -> None:
        """A worker has settled a range of planes, and made these entries.

        The ranges of a worker ascend.
        """

    def close(self, settled: Settled) -> Gathered:
        """The ply is complete, in all parts of the table. Is given what it has settled here."""


class PlyLog(Protocol):
    """The plies of a part."""

    @property
    def ranges(self) -> Ranges:
        """How workers must share the planes of a part."""

    def open(self, ply: PlyName) -> OpenPly:
        """The next ply."""


class NoLog:
    """An `OpenPly` of which nothing is kept."""

    known = None

    def entries(self, first: int) -> NDArray[np.uint64]:
        """See `OpenPly`."""
        raise LookupError("nothing was kept")

    def keep(self, worker: int, first: int, entries: NDArray[np.uint64]) -> None:
        """See `OpenPly`."""

    def close(self, settled: Settled) -> Gathered:
        """See `OpenPly`."""
        return Gathered(settled)
