"""What a build will do, and what it will cost, before it starts."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from unmove.errors import BadOption, DamagedFile, ForeignFile, OlderFormat, OutOfDisk, OutOfMemory
from unmove.material import Material, work_order
from unmove.planes.layouts import check_supported
from unmove.pool.machine import free_memory, slowness, usable_cores
from unmove.solver.estimate import (
    Cost,
    Estimate,
    at_once,
    is_logged,
    memory_of,
    room_for,
    seconds_of,
)
from unmove.store.folder import Folder
from unmove.values import Metric

RESERVE = 0.1  # of the free memory, for others


@dataclass(frozen=True)
class Job:
    """One table to build."""

    material: Material
    metric: Metric
    both: bool = False
    """Whether both sides to move are stored."""

    @cached_property
    def estimate(self) -> Estimate:
        return Estimate(self.material, self.metric, self.both)


@dataclass(frozen=True)
class Plan:
    """The jobs still to do, dependencies first, and how many tables are there already."""

    jobs: Sequence[Job]
    finished: int

    @property
    def estimates(self) -> list[Estimate]:
        return [job.estimate for job in self.jobs]

    def cost(self, threads: int, memory: int | None = None) -> Cost:
        """What it will take, by estimate; threads that have no core of their own do not help."""
        threads, limit = min(threads, usable_cores()), memory_limit(memory)
        side_by_side = self.at_once(threads, limit)
        return Cost(
            slowness() * seconds_of(self.estimates, threads, side_by_side),
            memory_of(self.estimates, threads, limit, side_by_side),
            sum(each.disk for each in self.estimates),
        )

    def at_once(self, threads: int, limit: int) -> int:
        """How many small tables are built side by side."""
        return at_once(self.estimates, threads, limit)

    def check_resources(
        self, folder: Folder, threads: int, memory: int | None = None, scratch: Path | None = None
    ) -> None:
        """The machine has what the plan needs; OutOfMemory or OutOfDisk otherwise."""
        if not self.jobs:
            return
        limit, free = memory_limit(memory), free_memory()
        allowed = free if memory is None else min(memory, free)
        cost = self.cost(threads, memory)
        if cost.memory > allowed:
            largest = max(self.jobs, key=lambda job: memory_of([job.estimate], threads, limit))
            raise OutOfMemory(f"Solving {largest.material}", cost.memory, allowed)
        room = room_for(threads, limit)
        logged = [each for each in self.estimates if is_logged(each, threads, limit)]
        log = max((each.log + each.mapped(room) for each in logged), default=0)
        space = shutil.disk_usage(folder.path).free
        if scratch is not None and log > shutil.disk_usage(scratch).free:
            raise OutOfDisk(scratch, log, shutil.disk_usage(scratch).free)
        needed = cost.disk + (log if scratch is None else 0)
        if needed > space:
            raise OutOfDisk(folder.path, needed, space)


def memory_limit(memory: int | None) -> int:
    """The bytes that a build may take: so many, or what is free less a reserve."""
    return int(free_memory() * (1 - RESERVE)) if memory is None else memory


def make_plan(
    wanted: Iterable[Material], metrics: Iterable[Metric], folder: Folder, *, both: bool = False
) -> Plan:
    """The wanted tables and all they depend on, less those that are there and can be read.

    `both`: the files that are missing will store both sides to move. Those that are there stay.
    Of the metrics just those that a game has, each once; BadOption if it has none of them.
    """
    wanted, metrics = list(wanted), list(dict.fromkeys(metrics))
    for material in wanted:
        check_supported(material)
        if not set(metrics) & set(material.game.metrics):
            reason = f"{material.game.name} has no such distance"
            raise BadOption("metric", metrics[0].value, reason)
    jobs = [
        Job(material, metric, both)
        for metric in metrics
        for material in work_order(wanted)
        if metric in material.game.metrics
    ]
    missing = [job for job in jobs if not _readable(folder, job)]
    return Plan(missing, len(jobs) - len(missing))


def _readable(folder: Folder, job: Job) -> bool:
    """Whether the table is there and its file is sound at first sight; if not, it is made anew."""
    if not folder.has(job.material, job.metric):
        return False
    try:
        with folder.open(job.material, job.metric) as file:
            file.check_model()
    except (DamagedFile, ForeignFile, OlderFormat):
        return False
    return True
