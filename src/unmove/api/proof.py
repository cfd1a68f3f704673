"""Answers for the fixpoint check of a table."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from unmove.errors import BadOption, FixpointMismatch
from unmove.material import Material
from unmove.store.folder import Folder, FolderPaths
from unmove.store.source import Source
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric
from unmove.verify.fixpoint import PlaneSample, verify

PLANES_A_MOVE = 40  # so many planes may the moves of a plane lead to

if TYPE_CHECKING:
    from unmove.research.scan import ReportFraction


@dataclass(frozen=True)
class ProvedTable:
    """A table in which every value that was checked equals what its moves give."""

    material: Material
    metric: Metric
    positions: int
    """Legal cells of the table, both sides to move."""
    mismatches: int
    """Cells whose value differs from what their moves give: none."""
    seconds: float
    """The time it took."""
    planes: int
    """Planes whose cells were checked."""
    all_planes: int
    """The planes of the table. All of them are checked, unless a sample was asked for."""


def prove(
    folder: FolderPaths,
    material: Material | str,
    metric: Metric | str,
    threads: int = 1,
    report: ReportFraction = lambda _: None,
    sample: int | None = None,
    seed: int = 0,
) -> ProvedTable:
    """The proof of a table, or a check of `sample` random planes; FixpointMismatch if one is wrong.

    A check of the same planes needs the same seed.
    """
    start = perf_counter()
    if sample is not None and (isinstance(sample, bool) or sample < 1):
        raise BadOption("sample", sample, "it must be at least 1")
    if isinstance(seed, bool) or seed < 0:
        raise BadOption("seed", seed, "it must be 0 or more")
    some = None if sample is None else PlaneSample(sample, seed)
    material, metric = Material.as_written(material).canonical(), Metric.of(metric)
    with SubtableCache(Folder.of(folder), threads) as subtables:
        table: Source = subtables.file_source(material, metric)
        if some is None or PLANES_A_MOVE * some.planes > table.layout.count:
            table = subtables.whole(material, metric)
        smaller = subtables.of(metric)
        verdict = verify(table, smaller, threads, report, some)
    if verdict.mismatches:
        wrong = verdict.mismatches, verdict.example or "?"
        raise FixpointMismatch(str(material), metric.value, *wrong)
    seconds = round(perf_counter() - start, 3)
    planes = table.layout.count
    found = verdict.positions, verdict.mismatches, seconds, min(sample or planes, planes), planes
    return ProvedTable(material, metric, *found)
