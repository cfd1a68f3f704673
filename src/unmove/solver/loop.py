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
from unmove.kernels.settle import Escapes, Frontier, Ply, count, settle
from unmove.material import Material
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout
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
    for winner in (0, 1):
        _Run(solution, winner, near, crew, report).run()
    return solution


def _legal_positions(layout: Layout, metric: Metric, crew: Crew) -> Solution:
    frame, board = layout.frame, geometry()
    white, black = (np.zeros((layout.count, 64), np.uint64) for _ in range(2))
    total = len(frame.planes)
    crew.each(
        total,
        lambda w, first, stop: mark_legal(
            first, stop, frame, board, crew.scratch[w], white, black
        ),
    )
    tallies = np.zeros((2, crew.workers, 2), np.int64)
    for side, planes in enumerate((white, black)):
        tally = tallies[side]
        crew.each(
            total, lambda w, first, stop, p=planes, t=tally: count(first, stop, frame, p, t[w])
        )
    on_white, on_black = (int(eighths) // 8 for eighths in tallies.sum(axis=1)[:, 0])
    history = History(crew.workers)
    return Solution(layout, metric, (white, black), history, (on_white, on_black))


class _Run:
    """One winner's run over a solution, which it completes."""

    def __init__(
        self,
        solution: Solution,
        winner: int,
        near: list[Neighbour],
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
        self.unwon = solution.legal[self.winner].copy()
        self.unlost = solution.legal[self.loser].copy()
        self.blocked = self._planes()
        self.escapes = Escapes(self.unwon, self.blocked)
        self.arrivals = self._frontier()
        self.nothing = self._frontier()
        self.buffers = {True: (self._frontier(), self._frontier()),
                        False: (self._frontier(), self._frontier())}

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
        in_check = self.unlost & ~self.unwon
        everywhere = self.nothing._replace(planes=in_check, live=in_check.any(axis=1).view(np.uint8))
        return self._settle(0, False, self.nothing, everywhere)

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
        new = self.buffers[won][ply % 2]
        flags = np.zeros((self.crew.workers, *new.flags.shape), np.uint64)
        tally = np.zeros((self.crew.workers, 3), np.int64)
        logs = self.solution.history.logs[mover]
        for worker, log in enumerate(logs):
            log.reserve(len(self.frame.planes))
            tally[worker, 2] = log.end

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
                self.unwon if won else self.unlost,
                logs[worker].words,
                new._replace(flags=flags[worker]),
                tally[worker],
            )

        self.crew.each(len(self.frame.planes), task)
        np.bitwise_or.reduce(flags, axis=0, out=new.flags)
        for worker, log in enumerate(logs):
            log.close(code, int(tally[worker, 2]))
        settled, live, _ = (int(x) for x in tally.sum(axis=0))
        if not live:
            return self.nothing
        self.solution.counts[mover][code] = settled // 8
        self._report(ply)
        return new

    def _arrive(self, mover: int, beyond: Beyond) -> Frontier:
        self.crew.each(
            len(self.frame.planes),
            lambda w, first, stop: arrive(
                first, stop, mover, self.frame, geometry(), beyond, self.crew.scratch[w],
                self.arrivals,
            ),
        )
        return self.arrivals

    def _block(self, changed: NDArray[np.uint8]) -> None:
        """Where a smaller endgame's positions changed, the loser's saving captures are right."""
        self.crew.each(
            len(self.frame.planes),
            lambda w, first, stop: block(
                first, stop, self.loser, self.frame, geometry(), self.border.saving,
                self.crew.scratch[w], changed, self.blocked,
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

    def _planes(self) -> Planes:
        return np.zeros((self.solution.layout.count, 64), np.uint64)

    def _frontier(self) -> Frontier:
        layout = self.solution.layout
        keys = 64 ** max(len(layout.men) - 1, 0)
        return Frontier(
            self._planes(),
            np.zeros(layout.count, np.uint8),
            np.zeros((len(layout.groups), keys), np.uint64),
        )
