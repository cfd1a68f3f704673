"""Answers for the fixpoint check of a table."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from unmove.errors import FixpointMismatch
from unmove.material import Material
from unmove.store.folder import Folder, FolderPaths
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric
from unmove.verify.fixpoint import verify

if TYPE_CHECKING:
    from unmove.research.scan import ReportFraction


@dataclass(frozen=True)
class ProvedTable:
    """A table in which every value equals what its moves give."""

    material: Material
    metric: Metric
    positions: int
    """Legal cells of the table, both sides to move."""
    mismatches: int
    """Cells whose value differs from what their moves give: none."""
    seconds: float
    """The time it took."""


def prove(
    folder: FolderPaths,
    material: Material | str,
    metric: Metric | str,
    threads: int = 1,
    report: ReportFraction = lambda _: None,
) -> ProvedTable:
    """The proof of a table; FixpointMismatch if a value is wrong."""
    start = perf_counter()
    material, metric = Material.as_written(material).canonical(), Metric.of(metric)
    with SubtableCache(Folder.of(folder), threads) as subtables:
        table, smaller = subtables.whole(material, metric), subtables.of(metric)
        verdict = verify(table, smaller, threads, report)
    if verdict.mismatches:
        wrong = verdict.mismatches, verdict.example or "?"
        raise FixpointMismatch(str(material), metric.value, *wrong)
    seconds = round(perf_counter() - start, 3)
    return ProvedTable(material, metric, verdict.positions, verdict.mismatches, seconds)
