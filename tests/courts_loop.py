"""Endgames of xiangqi solved in memory: the kernels of courts driven by the plainest loop."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import count as counting
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from unmove.answers.crossings import Crossing, brings, cross, material_behind, victims
from unmove.answers.moves import Scale
from unmove.crew.crew import Crew
from unmove.kernels.conversions import pick_any, pick_equal, unblock
from unmove.kernels.courts.legality import mark_legal
from unmove.kernels.courts.scratch import court_scratch
from unmove.kernels.courts.settle import settle_courts
from unmove.kernels.scratch import private
from unmove.kernels.settle import Escapes, Frontier, Ply
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.terrain import terrain
from unmove.solver.history import History
from unmove.store.table import PALETTE, CellArray, cell_type
from unmove.values import Metric, loss_code, win_code

Planes = NDArray[np.uint64]
SHARED = 16  # planes; from this many on threads share them


@dataclass
class Solved:
    """A table in memory; counts are of placements, mirror images too, by side and code."""

    layout: CourtLayout
    metric: Metric
    codes: list[int] = field(default_factory=lambda: list(PALETTE))
    cells: list[CellArray] = field(default_factory=list)
    legal: list[int] = field(default_factory=list)
    counts: list[Counter[int]] = field(default_factory=lambda: [Counter(), Counter()])

    @property
    def palette(self) -> NDArray[np.int64]:
        return np.array(self.codes, np.int64)

    def number(self, code: int) -> int:
        if code not in self.codes[len(PALETTE) :]:
            self.codes.append(code)
        return self.codes.index(code, len(PALETTE))


@cache
def solved(material: Material, metric: Metric, workers: int = 1) -> Solved:
    """The table of an endgame in its canonical form, and of all it depends on."""
    with Crew(workers) as crew:
        return solve_courts(material, metric, lambda less: solved(less, metric, workers), crew)


def legal_courts(layout: CourtLayout, crew: Crew) -> tuple[Planes, Planes]:
    """The legal positions, by side to move."""
    white, black = (np.zeros((layout.count, layout.words), np.uint64) for _ in range(2))
    frame = layout.frame
    crew.each(
        len(frame.planes),
        lambda _, first, stop: mark_legal(first, stop, frame, terrain(), white, black),
        SHARED,
    )
    return white, black


def captures(
    layout: CourtLayout, metric: Metric, library: Any, crew: Crew
) -> tuple[Scale, list[CellArray]]:
    """The worth of the best capture of every cell, by mover."""
    behind = [
        (mover, victim, library(material_behind(layout, victim).canonical()))
        for mover in (0, 1)
        for victim in victims(layout, mover)
    ]
    scale = Scale({code for _, _, table in behind for code in brings(table.palette, metric)})
    worth = [np.zeros((layout.count, layout.cells), scale.kind) for _ in range(2)]
    for mover, victim, table in behind:
        crossing = Crossing(layout, victim, table.layout)
        cells = table.cells[1 - mover ^ crossing.turned]
        meaning = [scale.worth[code] for code in brings(table.palette, metric)]
        cross(crossing, mover, cells, meaning, scale, crew, worth[mover])
    return scale, worth


def empty_frontier(layout: CourtLayout) -> Frontier:
    return Frontier(
        np.zeros((layout.count, layout.words), np.uint64),
        np.zeros(layout.count, np.uint8),
        np.zeros((0, 0), np.uint64),
    )


def solve_courts(material: Material, metric: Metric, library: Any, crew: Crew) -> Solved:
    """The solved endgame."""
    layout = CourtLayout(material)
    table = Solved(layout, metric)
    legal = legal_courts(layout, crew)
    weight = layout.frame.weight
    table.legal = [int(np.bitwise_count(side).sum(axis=1) @ weight) for side in legal]
    scale, worth = captures(layout, metric, library, crew)
    history = History(cast(Any, layout), crew)
    for winner in (0, 1):
        _Run(table, winner, legal, scale, worth, history, crew).run()
    for side in (0, 1):
        cells = np.empty((layout.count, layout.cells), cell_type(len(table.codes)))
        history.assemble(side, legal[side], cells)
        table.cells.append(cells)
    return table


class _Run:
    """One winner's run; see `solver/loop.py`."""

    def __init__(
        self,
        table: Solved,
        winner: int,
        legal: tuple[Planes, Planes],
        scale: Scale,
        worth: list[CellArray],
        history: History,
        crew: Crew,
    ) -> None:
        self.table, self.layout, self.frame = table, table.layout, table.layout.frame
        self.winner, self.loser = winner, 1 - winner
        self.scale, self.worth = scale, worth
        self.history, self.crew = history, crew
        self.unwon, self.unlost = legal[winner].copy(), legal[self.loser].copy()
        self.blocked = np.zeros_like(self.unwon)
        self.nothing, self.arrivals = empty_frontier(self.layout), empty_frontier(self.layout)
        self.buffers = [[empty_frontier(self.layout) for _ in range(2)] for _ in range(2)]
        self.scratch = [court_scratch(self.layout.words) for _ in range(crew.workers)]

    def run(self) -> None:
        self._each(
            lambda _, a, b: pick_any(
                a, b, cast(Any, self.frame), self.worth[self.loser], self.blocked
            )
        )
        np.copyto(self.arrivals.planes, self.unlost)
        self.arrivals.live[:] = 1
        lost, won = self._settle(0, False, self.nothing, self.arrivals), self.nothing
        for level in counting(1):
            if lost is self.nothing and won is self.nothing and level > self.scale.last:
                return
            arrivals = self._arrive(self.loser, loss_code(level))
            if arrivals is not self.nothing:
                self._each(
                    lambda _, a, b: unblock(a, b, self.frame.planes, self.arrivals, self.blocked)
                )
            newly_lost = self._settle(level, False, won, arrivals)
            arrivals = self._arrive(self.winner, win_code(level))
            newly_won = self._settle(level, True, lost, arrivals)
            lost, won = newly_lost, newly_won

    def _each(self, task: Any) -> None:
        self.crew.each(len(self.frame.planes), task, SHARED)

    def _arrive(self, mover: int, code: int) -> Frontier:
        number = self.scale.worth.get(code)
        if number is None:
            return self.nothing
        worth, planes = self.worth[mover], self.frame.planes
        self._each(lambda _, a, b: pick_equal(a, b, planes, worth, number, self.arrivals))
        np.any(self.arrivals.planes, axis=1, out=self.arrivals.live.view(np.bool_))
        return self.arrivals

    def _settle(self, level: int, won: bool, front: Frontier, arrivals: Frontier) -> Frontier:
        if front is self.nothing and arrivals is self.nothing:
            return self.nothing
        mover = self.winner if won else self.loser
        new = self.buffers[won][level % 2]
        tally = [private(np.int64, 3) for _ in range(self.crew.workers)]
        logs = self.history.open(mover)
        for worker, log in enumerate(logs):
            tally[worker][2] = log.end
        self._each(
            lambda worker, first, stop: settle_courts(
                first,
                stop,
                Ply(mover, int(not won), 1 - mover),
                self.frame,
                terrain(),
                front,
                arrivals,
                Escapes(self.unwon, self.blocked),
                self.scratch[worker],
                self.unwon if won else self.unlost,
                logs[worker].words,
                new,
                tally[worker],
            )
        )
        settled, live, _ = (int(x) for x in np.sum(tally, axis=0))
        if not live:
            return self.nothing
        code = win_code(level) if won else loss_code(level)
        self.table.counts[mover][code] += settled
        for worker, log in enumerate(logs):
            log.close(self.table.number(code), int(tally[worker][2]))
        return new
