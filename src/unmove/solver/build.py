"""Many tables into a folder: small ones side by side, large ones one after the other.

Each is solved part by part, written, reopened, checked, and published. What is published is never
touched again. The log of a table that takes long is on the disk, and a run that is stopped anywhere
goes on from its last ply.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from threading import Event, Lock
from time import perf_counter
from typing import Protocol

from unmove.errors import DamagedFile
from unmove.planes.layouts import board_at, layout_of
from unmove.pool.machine import peak_memory
from unmove.pool.mapped import MappedArena
from unmove.pool.workers import Threads, WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.disk_log import LogNotes
from unmove.solver.disk_table import TableOnDisk
from unmove.solver.estimate import PATIENCE, Cost, is_logged, room_for
from unmove.solver.keeping import KEPT_SHARE, Keeping
from unmove.solver.loop import PAD, Progress, backend_of, solve_part
from unmove.solver.partial_table import PartialTable, TableInMemory
from unmove.solver.plan import Job, Plan, memory_limit
from unmove.solver.schedule import Schedule
from unmove.store.encoder import FollowedLookup, Notes, TableEncoder
from unmove.store.folder import Folder
from unmove.store.log_file import DamagedLog, LogFile
from unmove.store.source import Source, TableLookup
from unmove.store.summary import Summary, which_win
from unmove.successors.marking import MarkedTable
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


RELIEVED = 0.85  # of the memory limit: with more, a process lets go of what it has mapped
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
    The listener is told by several threads, if several tables are built side by side. What it took
    is returned: memory is the peak of the whole process so far.
    """
    if not plan.jobs:
        return Cost(0.0, 0, 0)
    folder.prepare()
    plan.check_resources(folder, means.threads, means.memory, means.scratch)
    start = perf_counter()
    with SubtableCache(folder) as subtables:
        disk = _Run(plan, folder, means, listener, subtables).finished()
    return Cost(perf_counter() - start, peak_memory(), disk)


class _Run:
    """A plan that is carried out."""

    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        means: Means,
        listener: Listener,
        subtables: SubtableCache,
    ) -> None:
        self._folder, self._means, self._listener = folder, means, listener
        self._limit = memory_limit(means.memory)
        self._schedule = Schedule(plan.jobs, self._is_large)
        self._keeping = Keeping(plan.jobs)
        self._subtables = subtables
        at_once = plan.at_once(means.threads, self._limit)
        self._stop = Event()
        self._all = WorkerPool(means.threads, stop=self._stop)
        self._shares = [
            WorkerPool(means.threads // at_once, stop=self._stop) for _ in range(at_once)
        ]
        self._disk = 0
        self._lock = Lock()
        self._error: BaseException | None = None

    def finished(self) -> int:
        """All tables are published; returns the bytes of their files."""
        try:
            self._build_side_by_side()
            while self._error is None and (job := self._schedule.alone()) is not None:
                self._build(job, self._all)
                self._build_side_by_side()
        except BaseException as error:
            self._fail(error)
        finally:
            self._all.end()
        if self._error is not None:
            raise self._error
        return self._disk

    def _build_side_by_side(self) -> None:
        """Small tables are built until there is none that can be."""
        if len(self._shares) > 1:
            threads = Threads(len(self._shares))
            try:
                wait(threads.submit(partial(self._work, pool) for pool in self._shares))
            except BaseException as error:
                self._fail(error)
            finally:
                threads.end()
                for pool in self._shares:
                    pool.end()
                    pool.arena.clear()

    def _is_large(self, job: Job) -> bool:
        means = self._means
        return is_logged(job.estimate, means.threads, self._limit, means.patience)

    def _fail(self, error: BaseException) -> None:
        """The first error ends the run: whoever is at work stops soon."""
        with self._lock:
            self._error = self._error or error
        self._stop.set()
        self._schedule.stop()

    def _work(self, share: WorkerPool) -> None:
        """Small jobs are done, one after the other."""
        try:
            while (job := self._schedule.small()) is not None:
                self._build(job, share)
        except BaseException as error:
            self._fail(error)

    def _build(self, job: Job, pool: WorkerPool) -> None:
        """One table is published, and what others read of it is kept."""
        self._listener.started(job)
        tables = self._subtables.of(job.metric, pool)

        def keep(solved: Source) -> None:
            planes, room = self._keeping.planes(job), self._limit // KEPT_SHARE
            self._subtables.keep(solved, planes, room, pool.map)

        alone = self._subtables.of(job.metric)
        work = TableWork(job, self._folder, tables, alone, pool, self._listener, keep)
        built = work.built(self._means, self._limit)
        with self._lock:
            self._disk += built.size
            for name in self._keeping.read_by(job):
                self._subtables.forget(*name)
        self._schedule.done(job)
        self._listener.finished(built)


@dataclass(frozen=True)
class TableWork:
    """One table that is built, by the threads of a pool."""

    job: Job
    folder: Folder
    tables: TableLookup
    alone: TableLookup
    """Finds the same tables, which the calling thread reads alone: it may be one of the pool's."""
    pool: WorkerPool
    listener: Listener
    keep: Callable[[Source], None]
    """Is given the table when it is published, and may keep some of it."""

    def built(self, means: Means, limit: int) -> Built:
        """The table is published. Its log is on the disk if it must, or if it was before."""
        job, path = self.job, self.folder.file(self.job.material, self.job.metric)
        log_path, room = means.log_path(path), room_for(means.threads, limit)
        with LogFile(log_path, job.material, job.metric) as log:
            logged = is_logged(job.estimate, means.threads, limit, means.patience)
            if not logged and not log.records:
                return self._written(path, log, self._in_memory())
            pool = self.pool
            if job.estimate.mapped(room):
                pool = pool.with_arena(MappedArena(log_path.parent, int(RELIEVED * limit)))
            orbits = job.estimate.orbits_a_part(room)
            for _ in range(TRIES):
                try:
                    work = replace(self, pool=pool)
                    return work._written(path, log, work._on_disk(log, orbits))
                except DamagedLog as error:
                    log.cut(error.record)  # what came before it is sound, the rest is solved again
        raise DamagedFile(log.path, "does not hold what is written to it")

    def _written(self, path: Path, log: LogFile, partial: PartialTable) -> Built:
        start = perf_counter()
        while not partial.complete:
            solve_part(partial, self.tables, self.pool, self.listener.progressed)
        logged, solved = bool(log.records), perf_counter()
        if logged:
            self.pool.arena.clear()
        self.listener.writing(self.job)
        notes = LogNotes(log) if logged else None
        followed = MarkedTable(partial, self.alone).followed if self.job.both else None
        encoder = table_encoder_of(partial, self.pool, notes, followed)
        encoder.write(path)
        self.keep(partial)
        log.discard()
        times = solved - start, perf_counter() - solved
        return Built(self.job, encoder.summary, path.stat().st_size, *times)

    def _in_memory(self) -> PartialTable:
        return TableInMemory(self.job.material, self.job.metric, arena=self.pool.arena)

    def _on_disk(self, log: LogFile, orbits: int) -> PartialTable:
        material, pool = self.job.material, self.pool

        def backend(part: tuple[int, int]) -> SolverBackend:
            return backend_of(layout_of(material, PAD, part), pool)

        return TableOnDisk(material, self.job.metric, log, backend, orbits)


def table_encoder_of(
    partial: PartialTable,
    pool: WorkerPool,
    notes: Notes | None = None,
    followed: FollowedLookup | None = None,
) -> TableEncoder:
    """The encoder of a table that is completely solved; for `followed` see there."""
    return TableEncoder(partial, summarise(partial), pool.map, notes, followed)


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
