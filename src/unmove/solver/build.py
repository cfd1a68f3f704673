"""Many tables, one after the other, into a folder.

Each is solved part by part, written, reopened, checked, and published. What is published is never
touched again. Of a table of several parts that takes long, the solved parts are saved from time to
time, and a run that is stopped anywhere goes on from there. A table of one part, which is any
without pawns, is begun anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Protocol

from unmove.planes.layouts import board_at, layout_of
from unmove.pool.machine import peak_memory
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.disk_table import TableOnDisk
from unmove.solver.estimate import Cost
from unmove.solver.loop import PAD, Progress, backend_of, solve_part
from unmove.solver.partial_table import PartialTable, TableInMemory
from unmove.solver.plan import PATIENCE, Job, Plan
from unmove.store.encoder import TableEncoder
from unmove.store.folder import Folder
from unmove.store.log_file import DamagedLog, LogFile
from unmove.store.source import TableLookup
from unmove.store.summary import Summary, which_win
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import SIDES


@dataclass(frozen=True)
class Built:
    """A published table."""

    job: Job
    summary: Summary
    size: int
    solving: float
    writing: float


class Listener(Protocol):
    """Who is told how a build goes on."""

    def started(self, job: Job) -> None: ...
    def progressed(self, progress: Progress) -> None: ...
    def writing(self, job: Job) -> None: ...
    def finished(self, built: Built) -> None: ...


def build(
    plan: Plan, folder: Folder, threads: int, listener: Listener, patience: float = PATIENCE
) -> Cost:
    """Every job of the plan is published in the folder.

    Finished parts are saved when `patience` seconds have passed since the last time: a run that is
    stopped loses so many seconds, and the part, or the writing of the table, that it was at. What
    it took is returned: memory is the peak of the whole process so far.
    """
    if not plan.jobs:
        return Cost(0.0, 0, 0)
    folder.prepare()
    plan.check_resources(folder, threads)
    start, disk = perf_counter(), 0
    with WorkerPool(threads) as pool, SubtableCache(folder, pool=pool) as subtables:
        for job in plan.jobs:
            listener.started(job)
            tables = subtables.of(job.metric)
            built = _build_one(job, folder, tables, pool, listener, patience)
            disk += built.size
            listener.finished(built)
    return Cost(perf_counter() - start, peak_memory(), disk)


def _build_one(
    job: Job,
    folder: Folder,
    tables: TableLookup,
    pool: WorkerPool,
    listener: Listener,
    patience: float,
) -> Built:
    start = perf_counter()
    path = folder.file(job.material, job.metric)
    with LogFile(path, job.material, job.metric) as log:
        while True:
            try:
                return _build_logged(job, log, path, tables, pool, listener, start, patience)
            except DamagedLog as error:
                log.cut(error.record)  # what came before it is sound, the rest is solved again


def _build_logged(
    job: Job,
    log: LogFile,
    path: Path,
    tables: TableLookup,
    pool: WorkerPool,
    listener: Listener,
    start: float,
    patience: float,
) -> Built:
    """The table is published; the log, if it is used, has what an earlier run has solved."""
    on_disk = bool(log.records) or job.estimate.seconds > patience * pool.workers
    partial = _on_disk(job, log, pool) if on_disk else _in_memory(job, pool)
    while not partial.complete:
        solve_part(partial, tables, pool, listener.progressed)
    solving = perf_counter() - start
    listener.writing(job)
    encoder = table_encoder_of(partial, pool)
    encoder.write(path)
    log.discard()
    writing = perf_counter() - start - solving
    return Built(job, encoder.summary, path.stat().st_size, solving, writing)


def _in_memory(job: Job, pool: WorkerPool) -> PartialTable:
    return TableInMemory(job.material, job.metric, arena=pool.arena)


def _on_disk(job: Job, log: LogFile, pool: WorkerPool) -> PartialTable:
    def backend(part: tuple[int, int]) -> SolverBackend:
        return backend_of(layout_of(job.material, PAD, part), pool)

    return TableOnDisk(job.material, job.metric, log, backend, 2 * pool.workers)


def table_encoder_of(partial: PartialTable, pool: WorkerPool) -> TableEncoder:
    """The encoder of a table that is completely solved."""
    return TableEncoder(partial, summarise(partial), pool.map)


def summarise(partial: PartialTable) -> Summary:
    """The statistics of a solution, with an example of each longest win."""
    white, black = partial.legal
    summary = Summary((white, black), partial.counts, {})
    for winner, side in product(SIDES, repeat=2):
        code = summary.deepest(winner, side)
        if code is not None:
            cell = partial.first_cell(side, code)
            summary.longest[which_win(winner, side)] = board_at(partial.layout, side, cell).fen()
    return summary
