"""One ply over all planes of a part: workers settle ranges of them, and results are joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unmove.kernels.scratch import private
from unmove.kernels.sets import END, LIVE, UNITS, Frontier, Ply, PlyOutput
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.ply_log import Log


class Settled(NamedTuple):
    """What a ply has brought."""

    positions: int
    planes: int
    """How many planes have one."""
    ends: list[int]
    """[worker]: where the entries end in its log. They are a stretch once the log is closed."""


def settle(
    backend: SolverBackend, pool: WorkerPool, ply: Ply, new: Frontier, logs: Sequence[Log]
) -> Settled:
    """`new` holds what the ply settles, and no stretch of the logs holds it yet."""
    flags = np.zeros((pool.workers, *new.flags.shape), np.uint64)
    outputs = [
        PlyOutput(new._replace(flags=flags[worker]), log.memory, private(np.int64, 3))
        for worker, log in enumerate(logs)
    ]
    for output, log in zip(outputs, logs, strict=True):
        output.tally[END] = log.end
    pool.for_ranges(
        len(backend.planes),
        lambda worker, first, stop: backend.settle(worker, first, stop, ply, outputs[worker]),
        backend.smallest,
    )
    np.bitwise_or.reduce(flags, axis=0, out=new.flags)
    units, planes = (sum(int(output.tally[i]) for output in outputs) for i in (UNITS, LIVE))
    return Settled(units // backend.share, planes, [int(output.tally[END]) for output in outputs])
