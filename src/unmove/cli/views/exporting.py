"""An export of Syzygy files at work, for people and as JSON."""

from __future__ import annotations

from time import perf_counter

import rich.progress
from rich.console import Console

from unmove.cli.output import emit_json, size_text, time_text
from unmove.cli.views.building import cost_text
from unmove.interop.syzygy.exporting import PairJob, PairPlan, WrittenPair, export_pairs
from unmove.pool.machine import peak_memory
from unmove.solver.estimate import Cost
from unmove.store.folder import Folder


def run_pairs(plan: PairPlan, folder: Folder, threads: int, *, as_json: bool) -> None:
    """The plan is carried out, between an estimate of its cost and the cost it had."""
    console = Console(stderr=as_json, soft_wrap=True)
    console.print(describe(plan, threads), highlight=False)
    start = perf_counter()
    with PairScreen(plan, console, threads, as_json=as_json) as screen:
        export_pairs(plan, folder, threads, screen)
    if plan.jobs:
        took = cost_text(Cost(perf_counter() - start, peak_memory(), screen.bytes))
        estimated = cost_text(_cost(plan, threads))
        console.print(f"It took {took} (estimated: {estimated}).", highlight=False)
        console.print(f"Done. Engines find the files in {plan.output}.", highlight=False)


def describe(plan: PairPlan, threads: int) -> str:
    """One sentence: how many files are to be written, and the estimated cost."""
    if not plan.jobs:
        return f"Nothing to do: all {2 * plan.kept} files are there."
    there = f" ({2 * plan.kept} are there already)" if plan.kept else ""
    return (
        f"Writing {2 * len(plan.jobs)} files{there} with {threads} "
        f"thread{'s' if threads > 1 else ''}: about {cost_text(_cost(plan, threads))}."
    )


def _cost(plan: PairPlan, threads: int) -> Cost:
    """What it takes to write the pairs, by estimate."""
    return Cost(
        sum(job.seconds(threads) for job in plan.jobs),
        max(job.memory(threads) for job in plan.jobs),
        sum(job.disk for job in plan.jobs),
    )


class PairScreen:
    """A bar over all files, and a line for each finished pair. A pair listener and a context."""

    def __init__(self, plan: PairPlan, console: Console, threads: int, *, as_json: bool) -> None:
        self._console, self._as_json = console, as_json
        self._weights = {job.material: job.seconds(threads) for job in plan.jobs}
        self._width = max((len(str(job.material)) for job in plan.jobs), default=0) + 2
        self._bar = rich.progress.Progress(
            *rich.progress.Progress.get_default_columns(), console=console, transient=True
        )
        self._task = self._bar.add_task("", total=sum(self._weights.values()))
        self._done = 0.0
        self.bytes = 0
        """Of the files that were written."""

    def __enter__(self) -> PairScreen:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def progressed(self, job: PairJob, share: float) -> None:
        """See `PairListener`."""
        completed = self._done + share * self._weights[job.material]
        self._bar.update(self._task, description=str(job.material), completed=completed)

    def finished(self, pair: WrittenPair) -> None:
        """See `PairListener`."""
        self._done += self._weights[pair.material]
        self.bytes += pair.outcomes + pair.distances
        if self._as_json:
            sizes = {"outcomes_bytes": pair.outcomes, "distances_bytes": pair.distances}
            emit_json({"material": str(pair.material), **sizes, "seconds": pair.seconds})
            return
        self._console.print(
            f"{pair.material!s:<{self._width}}outcomes {size_text(pair.outcomes):>8}  "
            f"distances {size_text(pair.distances):>8}  "
            f"written and compared in {time_text(pair.seconds)}",
            highlight=False,
        )
