"""A build at work, for people."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Self

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from unmove.cli.options import GOES_ON, interruptible
from unmove.cli.output import size_text, time_text
from unmove.solver.build import Built, Means, build
from unmove.solver.estimate import Cost
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, Plan
from unmove.store.folder import Folder

SOLVED = 0.3  # of the time of a table: how much has passed when it is solved


def describe(plan: Plan, means: Means) -> str:
    """One sentence: how many tables are to be built, and the estimated cost."""
    threads = f"{means.threads} thread{'s' if means.threads > 1 else ''}"
    return described(plan, threads, plan.cost(means.threads, means.memory))


def described(plan: Plan, means: str, cost: Cost) -> str:
    """The same, for any means."""
    if not plan.jobs:
        return f"Nothing to do: all {plan.finished} tables are there."
    there = f" ({plan.finished} are there already)" if plan.finished else ""
    return f"Building {len(plan.jobs)} tables{there} with {means}: about {cost_text(cost)}."


def run_plan(plan: Plan, folder: Folder, means: Means, console: Console) -> None:
    """The plan is carried out, between an estimate of its cost and the cost it had.

    Ctrl-C ends the command.
    """
    estimated = cost_text(plan.cost(means.threads, means.memory))
    console.print(f"{describe(plan, means)}\nTables go to {folder.path}.", highlight=False)
    with interruptible(GOES_ON), BuildScreen(plan, console) as screen:
        took = build(plan, folder, means, screen)
    if plan.jobs:
        console.print(f"It took {cost_text(took)} (estimated: {estimated}).", highlight=False)


def cost_text(cost: Cost) -> str:
    return (
        f"{time_text(cost.seconds)}, {size_text(cost.memory)} of memory, "
        f"{size_text(cost.disk)} of disk"
    )


class BuildScreen:
    """A bar over all tables, and a line for each finished one. A build listener and a context.

    It also handles Ctrl-C: Python swallows an interrupt that falls into a callback, so the next
    report raises it again.
    """

    def __init__(self, plan: Plan, console: Console) -> None:
        self._console = console
        self._weights = {job: job.estimate.seconds for job in plan.jobs}
        self._width = max((len(str(job.material)) for job in plan.jobs), default=0) + 2
        self._bar = rich.progress.Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("", total=sum(self._weights.values()), detail="")
        self._jobs = {(job.material, job.metric): job for job in plan.jobs}
        self._done = 0.0
        self._shares: dict[Job, float] = {}  # of the jobs at work
        self._stopped = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()
        signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._stopped = True
        raise KeyboardInterrupt

    def started(self, job: Job) -> None:
        self._show(job, 0.0, "loading")

    def progressed(self, progress: Progress) -> None:
        share = (progress.part + progress.settled / max(progress.legal, 1)) / progress.parts
        part = f"part {progress.part + 1} of {progress.parts}, " if progress.parts > 1 else ""
        names = progress.material.game.side_names
        self._show(
            self._jobs[progress.material, progress.metric],
            share * SOLVED,
            f"{part}{names[progress.winner]} wins, ply {progress.level}, "
            f"{progress.settled:,} of {progress.legal:,} positions settled",
        )

    def writing(self, job: Job) -> None:
        self._show(job, SOLVED, "writing, reopening, checking")

    def finished(self, built: Built) -> None:
        self._shares.pop(built.job, None)
        self._done += self._weights[built.job]
        deepest = max(
            (
                moves
                for row in built.summary.max_moves(built.job.metric).values()
                for moves in row.values()
                if moves
            ),
            default=None,
        )
        longest = f"longest win {deepest} moves" if deepest else "no wins"
        self._console.print(
            f"{built.job.material!s:<{self._width}}{built.job.metric.value}  {longest:<24}"
            f"{size_text(built.size):>9}  solved in {time_text(built.solving)}, "
            f"written and checked in {time_text(built.writing)}",
            highlight=False,
        )

    def _show(self, job: Job, share: float, detail: str) -> None:
        if self._stopped:
            raise KeyboardInterrupt
        self._shares[job] = share
        at_work = sum(self._weights[job] * share for job, share in list(self._shares.items()))
        self._bar.update(
            self._task,
            description=f"{job.material} {job.metric}",
            completed=self._done + at_work,
            detail=detail,
        )
