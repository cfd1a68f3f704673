"""What `unmove verify` does and shows."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import Progress

from unmove.cli.output import time_text
from unmove.errors import FixpointMismatch
from unmove.material import Material
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric
from unmove.verify.fixpoint import Verdict, verify


def prove(
    folder: Folder,
    material: Material,
    metrics: list[Metric] | None,
    threads: int,
    console: Console,
) -> Iterator[dict[str, Any]]:
    """A verdict for each metric asked for, or built; FixpointMismatch for a wrong table."""
    for metric in dict.fromkeys(metrics or folder.built(material)):
        start = perf_counter()
        verdict = _verify(folder, material, metric, threads, console)
        seconds = perf_counter() - start
        if verdict.mismatches:
            raise FixpointMismatch(
                str(material), metric.value, verdict.mismatches, verdict.example or "?"
            )
        console.print(
            f"{material} {metric}: {verdict.positions:,} positions checked, every value equals "
            f"what its moves give ({time_text(seconds)}).",
            highlight=False,
        )
        yield {
            "material": str(material),
            "metric": metric.value,
            "positions": verdict.positions,
            "mismatches": verdict.mismatches,
            "seconds": round(seconds, 3),
        }


def _verify(
    folder: Folder, material: Material, metric: Metric, threads: int, console: Console
) -> Verdict:
    with (
        SubtableCache(folder, threads) as subtables,
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task(f"Verifying {material} {metric}", total=1.0)

        def report(done: float) -> None:
            bar.update(task, completed=done)

        return verify(subtables.whole(material, metric), subtables.of(metric), threads, report)
