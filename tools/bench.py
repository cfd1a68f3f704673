"""Measure the solver: `make bench`. Run it on a machine that does nothing else.

The smaller endgames are built first, into the folder that `make prove` fills.

Solve only, up to the value of every position in memory: kernels are compiled, nothing is written,
smaller endgames are there, in files; the time for reading them stands apart. Each endgame is solved
several times in each of several processes, and the best time counts.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.solver.build import Means, build
from unmove.solver.loop import solve_part
from unmove.solver.partial_table import TableInMemory
from unmove.solver.plan import make_plan
from unmove.store.folder import Folder
from unmove.store.source import Source
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric, Side

CASES = {
    "KQvKR": 0.15,
    "KBNvKN": 4.0,
    "KBBvKN": 3.0,
    "KQRvKR": 5.0,
    "KPvKP": 0.5,
    "KRPvKR": 12.0,
    "KPPvKP": 12.0,
}
"""The endgames measured, with the seconds each may take on one thread."""
PROCESSES = 2
SOLVES = 3


class _Silent:
    def started(self, job: object) -> None: ...
    def progressed(self, progress: object) -> None: ...
    def writing(self, job: object) -> None: ...
    def finished(self, built: object) -> None: ...


class _Clocked:
    """A source that measures the time of reading from it."""

    seconds = 0.0

    def __init__(self, source: Source) -> None:
        self._source = source
        self.layout = source.layout
        self.metric = source.metric
        self.palette = source.palette

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        start = perf_counter()
        cells = self._source.read(side, wanted, out)
        _Clocked.seconds += perf_counter() - start
        return cells


def measure(name: str, threads: int, folder: Folder) -> dict[str, float]:
    """Seconds of the best solve, of its reading, until the first could start; and peak memory."""
    start = perf_counter()
    with WorkerPool(threads) as pool, SubtableCache(folder) as subtables:
        for warm in ("KQvK", "KPvK"):  # loads the kernels
            _timed(Material.parse(warm), subtables, pool)
        ready = perf_counter() - start
        solve, reading = min(_timed(Material.parse(name), subtables, pool) for _ in range(SOLVES))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"ready": ready, "solve": solve, "reading": reading, "memory": memory}


def _timed(material: Material, subtables: SubtableCache, pool: WorkerPool) -> tuple[float, float]:
    """Seconds of solving, and of reading smaller endgames."""
    tables = subtables.of(Metric.DTM)
    partial = TableInMemory(material, Metric.DTM, arena=pool.arena)
    _Clocked.seconds = 0.0
    start = perf_counter()
    while not partial.complete:
        solve_part(partial, lambda smaller: _Clocked(tables(smaller)), pool)
    return perf_counter() - start - _Clocked.seconds, _Clocked.seconds


def best_of_processes(name: str, threads: int, folder: Folder) -> dict[str, float]:
    """The fastest of several processes."""
    command = [sys.executable, "-m", "tools.bench", name, str(threads), str(folder.path)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(PROCESSES)
    ]
    return min(runs, key=lambda run: run["solve"])


def main() -> None:
    """A table of all cases, or one run in this process when a case is named before the folder."""
    *case, path = sys.argv[1:]
    folder = Folder(Path(path))
    if case:
        name, threads = case
        print(json.dumps(measure(name, int(threads), folder)))
        return
    folder.prepare()
    needed = [m for name in CASES for m in Material.parse(name).dependencies()]
    means = Means(len(os.sched_getaffinity(0)))
    build(make_plan(needed, [Metric.DTM], folder), folder, means, _Silent())
    print(f"DTM, both winners, best of {PROCESSES} x {SOLVES} solves")
    print("endgame   1 thread   limit   reading  2 threads  ratio    memory  ready")
    for name, limit in CASES.items():
        one, two = (best_of_processes(name, threads, folder) for threads in (1, 2))
        print(
            f"{name:<8}{one['solve']:9.2f} s{limit:6.2f} s{one['reading']:8.2f} s"
            f"{two['solve']:9.2f} s{one['solve'] / two['solve']:7.2f}"
            f"{one['memory'] / 1e6:7.0f} MB{one['ready']:5.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
