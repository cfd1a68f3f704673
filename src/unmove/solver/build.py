"""Many tables, one after the other, into a folder.

Each is solved part by part, written, reopened, checked, and published. What is published is never
touched again. The log of a table that takes long is on the disk, and a run that is stopped anywhere
goes on from its last ply.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Protocol

from unmove.errors import DamagedFile
from unmove.planes.layouts import board_at, layout_of
from unmove.pool.machine import peak_memory
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.disk_log import LogNotes
from unmove.solver.disk_table import TableOnDisk
from unmove.solver.estimate import PATIENCE, Cost, is_logged, room_for
from unmove.solver.keeping import KEPT_SHARE, Keeping
from unmove.solver.loop import PAD, Progress, backend_of, solve_part
from unmove.solver.partial_table import PartialTable, TableInMemory
from unmove.solver.plan import Job, Plan, memory_limit
from unmove.store.encoder import Notes, TableEncoder
from unmove.store.folder import Folder
from unmove.store.log_file import DamagedLog, LogFile
from unmove.store.source import Source, TableLookup
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


TRIES = 3  # at a table whose log is damaged again and again


@dataclass(frozen=True)
class Means:
    """What a build works with."""

    threads: int
    memory: int | None = None
    """The most bytes it may take; None for what is free, less a reserve."""
    scratch: Path | None = None
    """Where logs are, while a table is built; None for beside the tables."""
    patience: float = PATIENCE
    """A table that takes more seconds than this is logged on the disk."""

    def log_path(self, path: Path) -> Path:
        """Where the log of a table is named after it."""
        return path if self.scratch is None else self.scratch / path.name


def build(plan: Plan, folder: Folder, means: Means, listener: Listener) -> Cost:
    """Every job of the plan is published in the folder.

    A table that takes long, or would take too much memory, has its log on the disk. A run that is
    stopped loses the ply, or the blocks of the file, that it is at; and the check of a whole file.
    What it took is returned: memory is the peak of the whole process so far.
    """
    if not plan.jobs:
        return Cost(0.0, 0, 0)
    folder.prepare()
    plan.check_resources(folder, means.threads, means.memory, means.scratch)
    limit, start, disk = memory_limit(means.memory), perf_counter(), 0
    keeping = Keeping(plan.jobs)
    with WorkerPool(means.threads) as pool, SubtableCache(folder, pool=pool) as subtables:
        for job in plan.jobs:
            listener.started(job)
            work = _Work(job, folder, subtables.of(job.metric), pool, listener)
            built, solved = work.built(means, limit)
            disk += built.size
            listener.finished(built)
            if solved is not None:
                subtables.keep(solved, keeping.planes(job), limit // KEPT_SHARE)
            for name in keeping.read_last_by(job):
                subtables.forget(*name)
    return Cost(perf_counter() - start, peak_memory(), disk)


@dataclass(frozen=True)
class _Work:
    """One table that is built."""

    job: Job
    folder: Folder
    tables: TableLookup
    pool: WorkerPool
    listener: Listener

    def built(self, means: Means, limit: int) -> tuple[Built, Source | None]:
        """The table is published; and if it is in memory, here it is.

        Its log is on the disk if it must, or if it was before.
        """
        job, path = self.job, self.folder.file(self.job.material, self.job.metric)
        with LogFile(means.log_path(path), job.material, job.metric) as log:
            logged = is_logged(job.estimate, means.threads, limit, means.patience)
            orbits = job.estimate.orbits_a_part(room_for(means.threads, limit))
            for _ in range(TRIES):
                try:
                    return self._written(path, log, logged or bool(log.records), orbits)
                except DamagedLog as error:
                    log.cut(error.record)  # what came before it is sound, the rest is solved again
        raise DamagedFile(log.path, "does not hold what is written to it")

    def _written(
        self, path: Path, log: LogFile, logged: bool, orbits: int
    ) -> tuple[Built, Source | None]:
        start = perf_counter()
        partial = self._on_disk(log, orbits) if logged else self._in_memory()
        while not partial.complete:
            solve_part(partial, self.tables, self.pool, self.listener.progressed)
        solved = perf_counter()
        self.listener.writing(self.job)
        encoder = table_encoder_of(partial, self.pool, LogNotes(log) if logged else None)
        encoder.write(path)
        log.discard()
        times = solved - start, perf_counter() - solved
        built = Built(self.job, encoder.summary, path.stat().st_size, *times)
        return built, None if logged else partial

    def _in_memory(self) -> PartialTable:
        return TableInMemory(self.job.material, self.job.metric, arena=self.pool.arena)

    def _on_disk(self, log: LogFile, orbits: int) -> PartialTable:
        material, pool = self.job.material, self.pool

        def backend(part: tuple[int, int]) -> SolverBackend:
            return backend_of(layout_of(material, PAD, part), pool)

        return TableOnDisk(material, self.job.metric, log, backend, orbits)


def table_encoder_of(
    partial: PartialTable, pool: WorkerPool, notes: Notes | None = None
) -> TableEncoder:
    """The encoder of a table that is completely solved."""
    return TableEncoder(partial, summarise(partial), pool.map, notes)


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
