"""Many tables, one after the other, into a folder.

Each is solved, assembled, written under a temporary name, reopened, checked, and published. What is
published is never touched again; a run that is stopped anywhere goes on with the next table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Protocol

import numpy as np

from unmove.errors import MissingDependency, MissingTable
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.planes.position import board_at
from unmove.solver.crew import Crew
from unmove.solver.loop import Progress, Solution, solve
from unmove.solver.plan import Job, Plan
from unmove.store.folder import Folder
from unmove.store.summary import SIDES, TURNS, Summary
from unmove.store.table import Table
from unmove.store.writer import write_table
from unmove.values import Metric

KEPT_TABLES = 64  # smaller endgames kept in memory: all of four men, 5 MB each


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


def build(plan: Plan, folder: Folder, threads: int, listener: Listener) -> None:
    """Every job of the plan is published in the folder."""
    folder.prepare()
    plan.check_resources(folder)
    smaller = smaller_tables(folder)
    with Crew(threads) as crew:
        for job in plan.jobs:
            listener.started(job)
            listener.finished(_build_one(job, folder, smaller, crew, listener))


def smaller_tables(folder: Folder) -> Callable[[Metric], Callable[[Material], Table]]:
    """How solved tables of a metric are read from the folder, the last ones kept in memory."""

    @lru_cache(maxsize=KEPT_TABLES)
    def load(material: Material, metric: Metric) -> Table:
        try:
            with folder.open(material, metric) as file:
                return file.load()
        except MissingTable as error:
            raise MissingDependency(material.name, metric.value) from error

    return lambda metric: lambda material: load(material, metric)


def _build_one(
    job: Job,
    folder: Folder,
    smaller: Callable[[Metric], Callable[[Material], Table]],
    crew: Crew,
    listener: Listener,
) -> Built:
    start = perf_counter()
    solution = solve(job.material, job.metric, smaller(job.metric), crew, listener.progressed)
    table = solution.table(crew)
    solved = perf_counter()
    listener.writing(job)
    summary = summarise(solution, table)
    path = folder.file(job.material, job.metric)
    write_table(path, table, summary, crew.workers)
    written = perf_counter()
    return Built(job, summary, path.stat().st_size, solved - start, written - solved)


def summarise(solution: Solution, table: Table) -> Summary:
    """The statistics of a solution, with an example of each longest win."""
    summary = Summary(solution.legal_count, solution.counts, {})
    for winner, name in enumerate(SIDES):
        for side, turn in enumerate(TURNS):
            code = summary.deepest(winner, side)
            if code is not None:
                cell = _first_cell(table, side, code)
                fen = board_at(Layout(table.material), side, cell).fen()
                summary.longest[f"{name}_wins {turn}"] = fen
    return summary


def _first_cell(table: Table, side: int, code: int) -> int:
    """The first cell with this code."""
    index = int(np.searchsorted(table.palette, code))
    for plane, cells in enumerate(table.cells[side]):
        found = np.flatnonzero(cells == index)
        if len(found):
            return plane * CELLS + int(found[0])
    raise AssertionError("a code that was counted has no cell")
