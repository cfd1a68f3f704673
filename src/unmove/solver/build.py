"""Many tables, one after the other, into a folder.

Each is solved and written part by part, reopened, checked, and published. What is published is
never touched again; a run that is stopped anywhere goes on with the next part.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from unmove.errors import MissingDependency, MissingTable
from unmove.material import Material
from unmove.planes.layout import CELLS
from unmove.planes.position import board_at
from unmove.solver.border import Library
from unmove.solver.crew import Crew
from unmove.solver.draft import Draft
from unmove.solver.loop import Progress, solve_part
from unmove.solver.plan import Job, Plan
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.summary import SIDES, TURNS, Summary
from unmove.store.writer import TableWriter
from unmove.values import Metric


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
    with Crew(threads) as crew, Shelves(folder) as shelves:
        for job in plan.jobs:
            listener.started(job)
            listener.finished(_build_one(job, folder, shelves, crew, listener))


class Shelves:
    """The finished tables of a folder, opened as they are asked for. A context."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._files: dict[tuple[Material, Metric], TableFile] = {}

    def __enter__(self) -> Shelves:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files.values():
            file.close()

    def of(self, metric: Metric) -> Library:
        """The tables of a metric; MissingDependency for one that is not there."""

        def table(material: Material) -> TableFile:
            key = material, metric
            try:
                if key not in self._files:
                    self._files[key] = self._folder.open(material, metric)
            except MissingTable as error:
                raise MissingDependency(material.name, metric.value) from error
            return self._files[key]

        return table


def _build_one(job: Job, folder: Folder, shelves: Shelves, crew: Crew, listener: Listener) -> Built:
    start = perf_counter()
    draft = Draft(job.material, job.metric, arena=crew.arena)
    path = folder.file(job.material, job.metric)
    library = shelves.of(job.metric)
    solving = 0.0
    with TableWriter(path, draft.layout, job.metric) as writer:
        for cells, note in writer.recovered():
            draft.restore(cells, note)
        while not draft.complete:
            began, part = perf_counter(), draft.part
            solve_part(draft, library, crew, listener.progressed)
            solving += perf_counter() - began
            listener.writing(job)
            writer.add(draft.cells_of(part), draft.note(), crew.map)
        listener.writing(job)
        summary = summarise(draft)
        writer.publish(draft.codes, summary, crew.workers)
    writing = perf_counter() - start - solving
    return Built(job, summary, path.stat().st_size, solving, writing)


def summarise(draft: Draft) -> Summary:
    """The statistics of a solution, with an example of each longest win."""
    white, black = draft.legal
    summary = Summary((white, black), draft.counts, {})
    for winner, name in enumerate(SIDES):
        for side, turn in enumerate(TURNS):
            code = summary.deepest(winner, side)
            if code is not None:
                cell = _first_cell(draft, side, code)
                fen = board_at(draft.layout, side, cell).fen()
                summary.longest[f"{name}_wins {turn}"] = fen
    return summary


def _first_cell(draft: Draft, side: int, code: int) -> int:
    """The first cell with this code."""
    number = draft.number(code)
    for plane, cells in enumerate(draft.cells[side]):
        found = np.flatnonzero(cells == number)
        if len(found):
            return plane * CELLS + int(found[0])
    raise AssertionError("a code that was counted has no cell")
