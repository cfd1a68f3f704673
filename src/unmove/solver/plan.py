"""What a build will do, and what it will cost, before it starts."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unmove.answers.shelves import LOADED_BYTES
from unmove.errors import BadOption, DamagedFile, ForeignFile, OlderFormat, OutOfDisk, OutOfMemory
from unmove.material import Material, work_order
from unmove.planes.layouts import check_supported, layout_of
from unmove.solver.machine import free_memory
from unmove.store.folder import Folder
from unmove.store.learning import sample_of
from unmove.values import Metric

# Measured on five-man tables, see docs/reports; estimates, on the safe side.
MEMORY_BASE = 600 << 20
MEMORY_A_CELL = 2.25  # of the whole table: both sides to move, wins by conversion
MEMORY_A_CELL_AT_WORK = 9  # sets, log and conversions of the part that is being solved
MEMORY_A_SAMPLED = 100  # cell, when the file's model is learnt
DISK_A_CELL = 0.13
SECONDS_A_TABLE = 0.5
SECONDS_A_CELL = 0.2e-6


@dataclass(frozen=True)
class Job:
    """One table to build, with estimates in bytes and seconds."""

    material: Material
    metric: Metric

    @property
    def cells(self) -> int:
        """The cells of the table, of one side to move."""
        layout = layout_of(self.material)
        return layout.count * layout.cells

    @property
    def cells_at_work(self) -> int:
        """The cells of the largest part."""
        layout = layout_of(self.material)
        orbits = max(stop - first for first, stop in layout.parts)
        return orbits * layout.strides[0] * layout.cells

    @property
    def memory(self) -> int:
        return _memory([self])

    @property
    def disk(self) -> int:
        return int(self.cells * DISK_A_CELL)

    @property
    def seconds(self) -> float:
        return SECONDS_A_TABLE + self.cells * SECONDS_A_CELL


@dataclass(frozen=True)
class Plan:
    """The jobs still to do, dependencies first, and how many tables are there already."""

    jobs: Sequence[Job]
    finished: int

    @property
    def memory(self) -> int:
        """The peak, in bytes: memory is kept for the next table, so the largest of each counts."""
        return _memory(self.jobs)

    @property
    def disk(self) -> int:
        return sum(job.disk for job in self.jobs)

    def seconds(self, threads: int) -> float:
        return sum(job.seconds for job in self.jobs) / (1 + 0.4 * (threads - 1))

    def check_resources(self, folder: Folder) -> None:
        """The machine has what the plan needs; OutOfMemory or OutOfDisk otherwise."""
        free = free_memory()
        if self.memory > free:
            largest = max(self.jobs, key=lambda job: job.memory)
            raise OutOfMemory(f"Solving {largest.material}", self.memory, free)
        space = shutil.disk_usage(folder.path).free
        if self.disk > space:
            raise OutOfDisk(folder.path, self.disk, space)


def _memory(jobs: Sequence[Job]) -> int:
    if not jobs:
        return 0
    cells = max(job.cells for job in jobs) * MEMORY_A_CELL
    at_work = max(job.cells_at_work for job in jobs) * MEMORY_A_CELL_AT_WORK
    learning = max(sample_of(job.cells) for job in jobs) * MEMORY_A_SAMPLED
    return int(MEMORY_BASE + cells + at_work + learning + min(LOADED_BYTES, 4 * cells))


def make_plan(wanted: Iterable[Material], metrics: Iterable[Metric], folder: Folder) -> Plan:
    """The wanted tables and all they depend on, less those that are there and can be read.

    Of the metrics just those that a game has; BadOption if it has none of them.
    """
    order, metrics = work_order(wanted), list(metrics)
    for material in order:
        check_supported(material)
        if not set(metrics) & set(material.game.metrics):
            reason = f"{material.game.name} has no such distance"
            raise BadOption("--metric", metrics[0].value, reason)
    jobs = [
        Job(material, metric)
        for metric in metrics
        for material in order
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
