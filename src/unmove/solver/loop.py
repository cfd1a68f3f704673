"""The loop: every position of one endgame settled, both winners, by retrograde analysis.

For a winner, with `unwon` = legal positions, winner to move, not (yet) won, and `unlost` likewise
for the loser:

    lost(0) = mates: in check, and no move at all
    for ply n = 1, 2, ...
        lost(n) = EX(won(n-1)) or a capture that arrives now,  and no move into `unwon`
        won(n)  = EX(lost(n-1)) or a capture that arrives now
    until two plies in a row bring nothing and no capture can arrive any more

With DTM wins fall on odd plies and losses on even ones, and every other step finds an empty
frontier and is skipped; with DTC both kinds come at any ply. lost(n) is worked out before won(n),
because a move into a win of the same ply does not lose yet.

Nothing is written to the table in the loop; `history.py` logs what each ply settles and assembles
the table at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count as counting

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.captures import Beyond, arrive, block
from unmove.kernels.legality import mark_legal
from unmove.kernels.scratch import private
from unmove.kernels.settle import Escapes, Frontier, Ply, count, settle
from unmove.material import Material
from unmove.planes.geometry import geometry
from unmove.planes.layout import Frame, Layout
from unmove.solver.border import Border, Neighbour, Smaller, neighbour
from unmove.solver.crew import Crew
from unmove.solver.history import History
from unmove.store.table import Table
from unmove.values import BROKEN, DRAW, Metric, loss_code, win_code

PAD = 1  # planes a stride is widened by

Planes = NDArray[np.uint64]


@dataclass(frozen=True)
class Progress:
    """How far a solve is: `settled` of `legal` positions so far, both sides to move."""

    material: Material
    metric: Metric
    winner: int
    ply: int
    settled: int
    legal: int


@dataclass
class Solution:
    """A solved endgame in memory. Positions are counted modulo symmetry."""

    layout: Layout
    metric: Metric
    legal: tuple[Planes, Planes]  # by side to move
    history: History
    legal_count: tuple[int, int]
    counts: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    """Settled positions by side to move and code."""

    def table(self, crew: Crew) -> Table:
        """The solution cell by cell."""
        palette = np.array(sorted({BROKEN, DRAW, *self.counts[0], *self.counts[1]}), np.int64)
        white, black = (
            self.history.assemble(side, self.layout, self.legal[side], palette, crew)
            for side in (0, 1)
        )
        return Table(self.layout.material, self.metric, palette, (white, black))


def solve(
    material: Material,
    metric: Metric,
    smaller: Smaller,
    crew: Crew,
    report: Callable[[Progress], None] = lambda _: None,
) -> Solution:
    """The solved endgame; `smaller` must answer for every endgame one capture away."""
    layout = Layout(material, PAD)
    near = [neighbour(layout, group, smaller) for group in range(len(layout.groups))]
    solution = _legal_positions(layout, metric, crew)
    work = _Workspace(layout)
    for winner in (0, 1):
        _Run(solution, winner, near, work, crew, report).run()
    return solution


def _legal_positions(layout: Layout, metric: Metric, crew: Crew) -> Solution:
    frame, board = layout.frame, geometry()
    white, black = (np.zeros((layout.count, 64), np.uint64) for _ in range(2))
    total = len(frame.planes)
    crew.each(
        total,
        lambda w, first, stop: mark_legal(first, stop, frame, board, crew.scratch[w], white, black),
    )
    on_white, on_black = (_count(planes, frame, crew) for planes in (white, black))
    history = History(crew.workers)
    return Solution(layout, metric, (white, black), history, (on_white, on_black))


def _count(planes: Planes, frame: Frame, crew: Crew) -> int:
    """The positions of a set, modulo symmetry."""
    tally = np.zeros((crew.workers, 1), np.int64)
    crew.each(len(frame.planes), lambda w, first, stop: count(first, stop, frame, planes, tally[w]))
    return int(tally.sum()) // 8


class _Workspace:
    """The sets a run works on, kept for the next winner. Pages never written to cost nothing."""

    def __init__(self, layout: Layout) -> None:
        self.unwon, self.unlost, self.blocked = (_planes(layout) for _ in range(3))
        self.nothing, self.arrivals = _frontier(layout), _frontier(layout)
        self.buffers = [(_frontier(layout), _frontier(layout)) for _ in range(2)]


def _planes(layout: Layout) -> Planes:
    return np.zeros((layout.count, 64), np.uint64)


def _frontier(layout: Layout) -> Frontier:
    keys = 64 ** max(len(layout.men) - 1, 0)
    live = np.zeros(layout.count, np.uint8)
    return Frontier(_planes(layout), live, np.zeros((len(layout.groups), keys), np.uint64))


class _Run:
    """One winner's run over a solution, which it completes."""

    def __init__(
        self,
        solution: Solution,
        winner: int,
        near: list[Neighbour],
        work: _Workspace,
        crew: Crew,
        report: Callable[[Progress], None],
    ) -> None:
        self.solution = solution
        self.winner, self.loser = winner, 1 - winner
        self.crew = crew
        self.report = report
        layout = solution.layout
        self.frame = layout.frame
        self.border = Border(layout, solution.metric, winner, near, crew.scratch[0])
        self.work = work
        self.nothing = work.nothing
        np.copyto(work.unwon, solution.legal[self.winner])
        np.copyto(work.unlost, solution.legal[self.loser])
        self.escapes = Escapes(work.unwon, work.blocked)

    def run(self) -> None:
        """Every position the winner can win, and the loser must lose, is settled."""
        self._block(np.ones(self.solution.layout.count, np.uint8))
        lost, won = self._mates(), self.nothing
        for ply in counting(1):
            if lost is self.nothing and won is self.nothing and ply > self.border.last:
                return
            newly_lost = self._lost(ply, won)
            newly_won = self._won(ply, lost)
            lost, won = newly_lost, newly_won

    def _mates(self) -> Frontier:
        """Checkmate is the loss at ply 0: the candidates are the positions in check."""
        work = self.work
        in_check = np.bitwise_and(work.unlost, ~work.unwon, out=work.arrivals.planes)
        np.any(in_check, axis=1, out=work.arrivals.live.view(np.bool_))
        return self._settle(0, False, self.nothing, work.arrivals)

    def _lost(self, ply: int, won: Frontier) -> Frontier:
        arrivals = self.nothing
        if self.border.won_at(ply):
            arrivals = self._arrive(self.loser, self.border.won)
            self._block(arrivals.live)
        return self._settle(ply, False, won, arrivals)

    def _won(self, ply: int, lost: Frontier) -> Frontier:
        arrivals = self.nothing
        if self.border.lost_at(ply):
            arrivals = self._arrive(self.winner, self.border.lost)
        return self._settle(ply, True, lost, arrivals)

    def _settle(self, ply: int, won: bool, front: Frontier, arrivals: Frontier) -> Frontier:
        """The new frontier, `nothing` if it is empty."""
        if front is self.nothing and arrivals is self.nothing:
            return self.nothing
        mover = self.winner if won else self.loser
        code = win_code(ply) if won else loss_code(ply)
        step = Ply(mover, int(not won), 1 - mover)
        new = self.work.buffers[won][ply % 2]
        flags = np.zeros((self.crew.workers, *new.flags.shape), np.uint64)
        tally = [private(np.int64, 3) for _ in range(self.crew.workers)]
        logs = self.solution.history.open(mover, len(self.frame.planes))
        for worker, log in enumerate(logs):
            tally[worker][2] = log.end

        def task(worker: int, first: int, stop: int) -> None:
            settle(
                first,
                stop,
                step,
                self.frame,
                geometry(),
                front,
                arrivals,
                self.escapes,
                self.crew.scratch[worker],
                self.work.unwon if won else self.work.unlost,
                logs[worker].words,
                new._replace(flags=flags[worker]),
                tally[worker],
            )

        self.crew.each(len(self.frame.planes), task)
        np.bitwise_or.reduce(flags, axis=0, out=new.flags)
        for worker, log in enumerate(logs):
            log.close(code, int(tally[worker][2]))
        settled, live, _ = (int(x) for x in np.sum(tally, axis=0))
        if not live:
            return self.nothing
        self.solution.counts[mover][code] = settled // 8
        self._report(ply)
        return new

    def _arrive(self, mover: int, beyond: Beyond) -> Frontier:
        self.crew.each(
            len(self.frame.planes),
            lambda w, first, stop: arrive(
                first,
                stop,
                mover,
                self.frame,
                geometry(),
                beyond,
                self.crew.scratch[w],
                self.work.arrivals,
            ),
        )
        return self.work.arrivals

    def _block(self, changed: NDArray[np.uint8]) -> None:
        """Where a smaller endgame's positions changed, the loser's saving captures are right."""
        self.crew.each(
            len(self.frame.planes),
            lambda w, first, stop: block(
                first,
                stop,
                self.loser,
                self.frame,
                geometry(),
                self.border.saving,
                self.crew.scratch[w],
                changed,
                self.work.blocked,
            ),
        )

    def _report(self, ply: int) -> None:
        solution = self.solution
        self.report(
            Progress(
                solution.layout.material,
                solution.metric,
                self.winner,
                ply,
                sum(sum(codes.values()) for codes in solution.counts),
                sum(solution.legal_count),
            )
        )
