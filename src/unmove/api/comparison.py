"""Answers for the comparison of a table with other programs' files."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from unmove.errors import BadOption
from unmove.material import Material
from unmove.pool.machine import slowness
from unmove.pool.workers import WorkerPool
from unmove.research.comparing import Agreement, Agreements, OtherFiles, tally
from unmove.research.dataset import Request, positions
from unmove.store.folder import Folder
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.research.scan import ReportFraction


@dataclass(frozen=True)
class DifferingPosition:
    """A position whose values are not equal, both as the other files count."""

    fen: str
    """The position."""
    ours: int
    """Our value: signed plies; without distances 1 for a win, 0 for a draw, -1 for a loss."""
    theirs: int
    """Theirs."""


@dataclass(frozen=True)
class ComparedTable:
    """How the values of a table agree with another program's files."""

    material: Material
    metric: Metric
    source: str
    """Whose files: "syzygy" or "gaviota"."""
    positions: int
    """Positions compared. None of them has a right to take en passant."""
    equal: int
    """Positions of which both have the same value."""
    short: int
    """Positions of which the file is one ply short, where it counts in pairs of plies."""
    mate: int
    """Checkmates: lost in one ply there, in none here."""
    cursed: int
    """Cursed wins and blessed losses that both have, counted to different zeroings."""
    wrong: int
    """Positions of which only one of both can be right."""
    examples: dict[str, tuple[DifferingPosition, ...]]
    """The first positions of each kind but `equal`."""
    seconds: float
    """The time it took."""


@dataclass(frozen=True)
class ComparisonJob:
    """A table to compare: all its positions, or a sample of them, drawn at random."""

    material: Material
    metric: Metric
    sample: int | None
    seed: int
    positions: int
    """How many there are to compare."""

    @classmethod
    def of(
        cls,
        folder: Folder,
        material: Material,
        files: OtherFiles,
        metric: Metric | None,
        sample: int | None = None,
        seed: int = 0,
    ) -> ComparisonJob:
        """The job of an endgame; MissingTable if ours is not built.

        Without a metric it is the one that is built and that the files tell most about.
        """
        if metric is not None and metric not in files.metrics:
            known = " or ".join(files.metrics)
            raise BadOption("metric", metric.value, f"{files.source} files know of {known}")
        files.judge_of(material, metric or files.metrics[0])
        table = material.canonical()
        built = (each for each in files.metrics if folder.has(table, each))
        chosen = metric or next(built, files.metrics[0])
        with folder.open(table, chosen) as file:
            legal = sum(file.summary.legal)
        return cls(material, chosen, sample, seed, min(sample or legal, legal))

    def seconds(self, files: OtherFiles, threads: int) -> float:
        """About the time on this machine."""
        return self.positions * files.seconds(threads) * slowness()


def compare(
    job: ComparisonJob,
    folder: Folder,
    files: OtherFiles,
    threads: int = 1,
    report: ReportFraction = lambda _: None,
) -> ComparedTable:
    """How a table agrees with the files."""
    start = perf_counter()
    request = Request(job.material, (job.metric,), sample=job.sample, seed=job.seed)
    judge = files.judge_of(job.material, job.metric)
    with (
        positions(request, folder, threads, report) as (batches, _),
        WorkerPool(threads) as pool,
    ):
        found = tally(batches, judge, pool)
    return _record(job, files.source, found, round(perf_counter() - start, 3))


def _record(job: ComparisonJob, source: str, found: Agreements, seconds: float) -> ComparedTable:
    counts = {agreement.key: found.counts[agreement] for agreement in Agreement}
    examples = {
        agreement.key: tuple(DifferingPosition(*each) for each in kept)
        for agreement, kept in sorted(found.examples.items())
    }
    return ComparedTable(
        job.material,
        job.metric,
        source,
        sum(counts.values()),
        **counts,
        examples=examples,
        seconds=seconds,
    )
