"""Tables of a folder become Syzygy files of another folder: what is to do, what it takes, the work.

Pairs of files that are there already, with right checksums, are kept. So a run that was stopped
goes on with the pair that it was at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Final, Protocol

import numpy as np

from unmove.errors import BadOption, OutOfDisk, OutOfMemory
from unmove.interop.syzygy.candidates import candidates
from unmove.interop.syzygy.checksum import TRAILER
from unmove.interop.syzygy.descriptors import Descriptor, files_of
from unmove.interop.syzygy.file import SUFFIXES
from unmove.interop.syzygy.making import PairMaker, PairPaths
from unmove.interop.syzygy.materials import file_material, is_symmetric
from unmove.interop.syzygy.subtables import (
    COUNTED_SAMPLE,
    DISTANCES_SAMPLE,
    OUTCOMES_SAMPLE,
    PACKED_ORDERS,
)
from unmove.interop.syzygy.writing import BLOCK, closing_bytes
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.pool.arena import Fresh
from unmove.pool.machine import free_memory, slowness
from unmove.pool.workers import WorkerPool
from unmove.store.atomic import user_stream
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SHARE_OF_MEMORY, SubtableCache
from unmove.values import SIDES, Metric

SECONDS_A_PAIR: Final = 0.3
READING: Final = 0.04e-6
"""Seconds for a cell: it is read, and what a file needs to know of it is found."""
COUNTING: Final = 0.06e-6
"""Seconds for an entry of a sample in which changes are counted."""
TRYING: Final = 0.15e-6
"""Seconds for an entry of a sample that is packed."""
PACKING: Final = 0.1e-6
"""Seconds for an entry of a sub-table: it is gathered, packed and compared."""
SHARED: Final = 0.6
"""The part of the work that a second thread halves: there are three sub-tables at a time."""
BYTES_AN_ENTRY: Final = 0.05
"""Of a side to move, in both files: 0.03 on the average of 3 to 5 men, 0.12 at most."""
TOKEN_BYTES: Final = 2
"""Of an outcome and a distance in a cell."""
PACKING_BYTES: Final = 5
"""The tokens, leaves and symbols of an entry, while it is packed."""
PROGRAM_MEMORY: Final = 250_000_000
"""The memory of the program, of counts of pairs and of smaller tables."""
SUBTABLES_AT_ONCE: Final = 3


@dataclass(frozen=True)
class PairJob:
    """A pair of files to write, and what it takes, by estimate."""

    material: Material

    @cached_property
    def entries(self) -> Sequence[int]:
        """The entries of a side to move, for each file of the first leading pawn."""
        return [Descriptor.usual(self.material, file).size for file in files_of(self.material)]

    @cached_property
    def cells(self) -> int:
        """The cells of the table's planes, both sides to move."""
        return 2 * Layout(self.material).count * CELLS

    @property
    def _sides(self) -> int:
        return 1 if is_symmetric(self.material) else len(SIDES)

    @cached_property
    def _sampled(self) -> tuple[int, int]:
        """The entries of samples in which changes are counted, and of those that are packed."""
        counted = packed = 0
        orders = sum(1 for _ in candidates(self.material, 0))
        for size in self.entries:
            counted += len(SUFFIXES) * orders * COUNTED_SAMPLE.of(size).entries
            for sample in (OUTCOMES_SAMPLE, DISTANCES_SAMPLE):
                packed += min(orders, PACKED_ORDERS) * sample.of(size).entries
        return self._sides * counted, self._sides * packed

    def seconds(self, threads: int) -> float:
        """The time on this machine."""
        counted, tried = self._sampled
        packed = (self._sides + 1) * sum(self.entries)
        alone = SECONDS_A_PAIR + READING * self.cells
        alone += COUNTING * counted + TRYING * tried + PACKING * packed
        return slowness() * alone * (1 - SHARED + SHARED / min(threads, SUBTABLES_AT_ONCE))

    def needed(self, threads: int) -> int:
        """The bytes of memory that it must have."""
        share = max(self.entries) / sum(self.entries)
        tokens = int(self.cells * share) * TOKEN_BYTES
        packing = max(self.entries) * PACKING_BYTES * min(threads, SUBTABLES_AT_ONCE)
        return PROGRAM_MEMORY + tokens + packing

    def memory(self, threads: int) -> int:
        """The bytes of memory that it takes: a table that fits is read as a whole."""
        fits = self.cells <= free_memory() // SHARE_OF_MEMORY
        return self.needed(threads) + (self.cells if fits else 0)

    @property
    def disk(self) -> int:
        """The bytes of both files."""
        return int(sum(self.entries) * self._sides * BYTES_AN_ENTRY) + (1 << 12)


@dataclass(frozen=True)
class PairPlan:
    """The pairs still to write, and how many are there already."""

    jobs: Sequence[PairJob]
    kept: int
    output: Path

    def check_resources(self, threads: int) -> None:
        """The machine has what the plan needs; OutOfMemory or OutOfDisk otherwise."""
        for job in self.jobs:
            needed, free = job.needed(threads), free_memory()
            if needed > free:
                raise OutOfMemory(f"Writing {job.material}", needed, free)
        space, needed = shutil.disk_usage(self.output).free, sum(job.disk for job in self.jobs)
        if needed > space:
            raise OutOfDisk(self.output, needed, space)


@dataclass(frozen=True)
class WrittenPair:
    """A pair that was written: the bytes of outcomes and distances, and the seconds it took."""

    material: Material
    outcomes: int
    distances: int
    seconds: float


class PairListener(Protocol):
    """Is told how the work goes on."""

    def progressed(self, job: PairJob, share: float) -> None: ...

    def finished(self, pair: WrittenPair) -> None: ...


def plan_pairs(materials: Iterable[Material], folder: Folder, output: Path) -> PairPlan:
    """The pairs of these materials that are to be written to a folder, which is there from now on.

    BadMaterial for what no Syzygy file is of, MissingTable if a table is missing, BadOption for a
    folder that cannot be used.
    """
    wanted = list(dict.fromkeys(file_material(material) for material in materials))
    for material in wanted:
        folder.require(material, Metric.DTZ)
    if output.exists() and not output.is_dir():
        raise BadOption("output", output, "it is a file; name a folder for Syzygy files")
    with user_stream("output", output):
        output.mkdir(parents=True, exist_ok=True)
        missing = [each for each in wanted if not is_there(PairPaths(output, each))]
    return PairPlan([PairJob(each) for each in missing], len(wanted) - len(missing), output)


def export_pairs(plan: PairPlan, folder: Folder, threads: int, listener: PairListener) -> None:
    """Every pair of the plan is in its folder, compared with its table."""
    plan.check_resources(threads)
    with SubtableCache(folder, threads) as subtables, WorkerPool(threads, Fresh()) as pool:
        for job in plan.jobs:
            start, paths = perf_counter(), PairPaths(plan.output, job.material)
            maker = PairMaker(subtables, job.material, pool)

            def report(share: float, job: PairJob = job) -> None:
                listener.progressed(job, share)

            with user_stream("output", plan.output):
                outcomes, distances = maker.make(paths, report)
            seconds = perf_counter() - start
            listener.finished(WrittenPair(job.material, outcomes, distances, seconds))


def is_there(paths: PairPaths) -> bool:
    """Whether both files are there. BadOption if one is damaged."""
    found = [path for path in paths.paths if path.exists()]
    for path in found:
        if not _is_sound(path):
            raise BadOption("output", path, "its checksum is wrong; move it elsewhere")
    return len(found) == len(paths.paths)


def _is_sound(path: Path) -> bool:
    """Whether a file ends with its checksum."""
    data = np.fromfile(path, np.uint8)
    end = data[-TRAILER:].tobytes()
    return len(data) % BLOCK == TRAILER and closing_bytes(data[:-TRAILER]) == end
