"""One ply over all planes of a part: workers settle ranges of them, and results are joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.scratch import private
from unmove.kernels.sets import END, LIVE, UNITS, Frontier, Ply, PlyOutput
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend, longest_entry
from unmove.values import opponent_of

Keep = Callable[[int, int, NDArray[np.uint64]], None]
"""Told by a worker what a range has settled: worker, first plane of the range, entries."""


class Settled(NamedTuple):
    """What a ply has brought."""

    positions: int
    planes: int
    """How many planes have one."""


def settle(
    backend: SolverBackend, pool: WorkerPool, ply: Ply, new: Frontier, keep: Keep
) -> Settled:
    """`new` holds what the ply settles. The entries of each range were given to `keep`."""
    raised = np.zeros((pool.workers, *new.flags.shape), np.uint64)
    outputs = [PlyOutput(new._replace(flags=flags), private(np.int64, 3)) for flags in raised]
    longest = longest_entry(backend.layout)

    def task(worker: int, first: int, stop: int) -> None:
        tally, begin = outputs[worker].tally, first * longest
        tally[END] = begin
        backend.settle(worker, first, stop, ply, outputs[worker])
        keep(worker, first, new.words[begin : tally[END]])

    pool.for_ranges(len(backend.planes), task, backend.smallest)
    backend.announce(opponent_of(ply.mover), raised, new)
    units, planes = (sum(int(output.tally[i]) for output in outputs) for i in (UNITS, LIVE))
    return Settled(units // backend.share, planes)
