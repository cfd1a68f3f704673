"""The loop: every position of an endgame settled, both winners, by retrograde analysis.

For a winner, with `unwon` = legal positions, winner to move, not (yet) won, and `unlost` likewise
for the loser:

    lost(0) = mates: in check, and no move at all
    for level n = 1, 2, ...
        lost(n) = EX(won(n-1)) or a conversion that arrives now,  and no move into `unwon`
        won(n)  = EX(lost(n-1)) or a conversion that arrives now
    until two levels in a row bring nothing and no conversion can arrive any more

A level is a ply, but for DTZ the levels after FIFTY are those of cursed wins, see `values`. With
DTM wins fall on odd levels and losses on even ones, and every other step finds an empty frontier
and is skipped; with the others both kinds come at any level. lost(n) is worked out before won(n),
because a move into a win of the same level does not lose yet.

Nothing is written to the table in the loop; `history.py` logs what each level settles and assembles
the part at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count as counting

import numpy as np

from unmove.kernels.scratch import private
from unmove.kernels.solve.settle import Escapes, Frontier, Ply, note_arrivals
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.pool.arena import Arena
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import PositionSet, SolverBackend
from unmove.solver.courts import CourtsBackend
from unmove.solver.kings import KingsBackend
from unmove.solver.partial_table import PartialTable
from unmove.solver.ply_log import PlyLog
from unmove.solver.subtable_values import ArrivalBuffers, SubtableValues
from unmove.store.table import STALEMATE, TableLookup
from unmove.values import FIFTY, Metric, loss_code, win_code

PAD = 1  # planes a stride is widened by


@dataclass(frozen=True)
class Progress:
    """How far a solve is: `settled` of `legal` positions of this part, both sides to move."""

    material: Material
    metric: Metric
    part: int
    parts: int
    winner: int
    level: int
    settled: int
    legal: int


Report = Callable[[Progress], None]


def solve(
    material: Material,
    metric: Metric,
    tables: TableLookup,
    pool: WorkerPool,
    report: Report = lambda _: None,
) -> PartialTable:
    """The solved endgame; the library must answer for every endgame one conversion away."""
    partial = PartialTable(material, metric)
    while not partial.complete:
        solve_part(partial, tables, pool, report)
    return partial


def solve_part(
    partial: PartialTable,
    tables: TableLookup,
    pool: WorkerPool,
    report: Report = lambda _: None,
    run: type[WinnerRun] | None = None,
) -> None:
    """The draft's next part is solved: the whole of a pawnless table, or some of its slices."""
    backend = backend_of(layout_of(partial.material, PAD, partial.part), pool)
    legal = backend.legal()
    subtable_values = backend.subtable_values(partial.metric, partial, tables)
    work = _LoopSets(backend, pool.arena)
    ply_log = PlyLog(backend, pool)
    part = _Part(partial, backend, legal, ply_log, pool, report)
    for winner in (0, 1):
        field = ArrivalBuffers(work.arrivals, work.blocked)
        (run or WinnerRun)(part, winner, subtable_values(winner, field), work).run()
    planes = partial.planes_of(partial.part)
    for side in (0, 1):
        ply_log.assemble(side, legal[side], partial.cells[side][planes])
        partial.legal[side] += part.legal_count[side]
    partial.finished += 1


def backend_of(layout: AnyLayout, pool: WorkerPool) -> SolverBackend:
    """The ground to solve a layout on."""
    if isinstance(layout, CourtLayout):
        return CourtsBackend(layout, pool)
    return KingsBackend(layout, pool)


class _LoopSets:
    """The sets a run works on, kept for the next winner."""

    def __init__(self, backend: SolverBackend, arena: Arena) -> None:
        shape = backend.layout.count, backend.layout.words
        self.unwon, self.unlost, self.blocked = (
            arena.zeros(name, shape, np.uint64) for name in ("unwon", "unlost", "blocked")
        )
        self.nothing, self.arrivals = (backend.frontier(name) for name in ("nothing", "arrivals"))
        self.buffers = [
            [backend.frontier(f"{kind} {i}") for i in range(2)] for kind in ("lost", "won")
        ]


class _Part:
    """What both winners' runs over a part share."""

    def __init__(
        self,
        partial: PartialTable,
        backend: SolverBackend,
        legal: tuple[PositionSet, PositionSet],
        ply_log: PlyLog,
        pool: WorkerPool,
        report: Report,
    ) -> None:
        self.partial = partial
        self.backend = backend
        self.legal = legal
        self.legal_count = [backend.count(planes) for planes in legal]
        self.settled = 0
        layout = backend.layout
        self.place = np.zeros(layout.count, np.int64)
        self.place[layout.order] = np.arange(len(layout.order))
        planes = partial.planes_of(partial.part)
        self.conversions = [side[planes] for side in partial.conversions]
        self.ply_log = ply_log
        self.pool = pool
        self._report = report

    def add(self, side: int, code: int, positions: int) -> None:
        """So many positions more have this code."""
        counts = self.partial.counts[side]
        counts[code] = counts.get(code, 0) + positions
        self.settled += positions

    def note_conversions(self, side: int, new: Frontier, converted: Frontier) -> None:
        """Of the newly won positions these are won by a conversion."""
        planes = self.backend.frame.planes
        self.pool.for_ranges(
            len(planes),
            lambda _, first, stop: note_arrivals(
                first, stop, planes, self.place, new, converted, self.conversions[side]
            ),
        )

    def report(self, winner: int, level: int) -> None:
        self._report(
            Progress(
                material=self.partial.material,
                metric=self.partial.metric,
                part=self.partial.finished,
                parts=len(self.partial.layout.parts),
                winner=winner,
                level=level,
                settled=self.settled,
                legal=sum(self.legal_count),
            )
        )


class _LateMoves:
    """What the 50-move rule makes late: moves into positions won or lost at level FIFTY.

    At a clock of 0 these are still won and lost; with one more ply before them they are cursed and
    blessed, in FIFTY + 1 plies. So the moves into them arrive at that level of the cursed ones, and
    until then the loser's are saved by them.
    """

    def __init__(self, lost: Frontier, won: Frontier) -> None:
        self.lost = lost  # the loser's positions with a move into won(FIFTY)
        self.won = won  # the winner's positions with a move into lost(FIFTY)
        self.blocked = np.empty_like(lost.planes)  # what saves the loser otherwise
        self.level = FIFTY + FIFTY + 1


class WinnerRun:
    """One winner's run over a part, which it completes."""

    def __init__(
        self, part: _Part, winner: int, subtable_values: SubtableValues, work: _LoopSets
    ) -> None:
        self.part = part
        self.winner, self.loser = winner, 1 - winner
        self.pool = part.pool
        self.backend = part.backend
        self.subtable_values = subtable_values
        self.last = subtable_values.last
        self.work = work
        self.nothing = work.nothing
        self.late: _LateMoves | None = None
        np.copyto(work.unwon, part.legal[self.winner])
        np.copyto(work.unlost, part.legal[self.loser])
        self.escapes = Escapes(work.unwon, work.blocked)

    def run(self) -> None:
        """Every position the winner can win, and the loser must lose, is settled."""
        self.subtable_values.block()
        lost, won = self._mates(), self.nothing
        for level in counting(1):
            if level == FIFTY + 1 and self.part.partial.metric == Metric.DTZ:
                self._curse(lost, won)
                lost = won = self.nothing
            if lost is self.nothing and won is self.nothing and level > self.last:
                return
            newly_lost = self._lost(level, won)
            newly_won = self._won(level, lost)
            lost, won = newly_lost, newly_won

    def _mates(self) -> Frontier:
        """Checkmate is the loss at level 0: in check and no move.

        Not in check, it is stalemate: no loss in chess, and one in xiangqi.
        """
        work = self.work
        arrivals = work.arrivals
        np.copyto(arrivals.planes, work.unlost)
        if not self.backend.stalemate_loses:
            np.bitwise_and(work.unlost, work.unwon, out=arrivals.planes)
            np.any(arrivals.planes, axis=1, out=arrivals.live.view(np.bool_))
            self._settle(0, False, self.nothing, arrivals, STALEMATE)
            np.bitwise_and(work.unlost, ~work.unwon, out=arrivals.planes)
        np.any(arrivals.planes, axis=1, out=arrivals.live.view(np.bool_))
        return self._settle(0, False, self.nothing, arrivals)

    def _curse(self, lost: Frontier, won: Frontier) -> None:
        """What comes now comes too late for the 50-move rule."""
        if lost is self.nothing and won is self.nothing:
            return
        self.late = _LateMoves(
            self._moves_into(won, self.loser, self.work.unlost, "late lost"),
            self._moves_into(lost, self.winner, self.work.unwon, "late won"),
        )
        self.last = max(self.last, self.late.level)

    def _moves_into(
        self, front: Frontier, mover: int, unsettled: PositionSet, name: str
    ) -> Frontier:
        """The unsettled positions of the mover with a move into a frontier."""
        found = self.backend.frontier(name)
        self.pool.for_ranges(
            len(self.backend.frame.planes),
            lambda w, first, stop: self.backend.mark_moves(
                first,
                stop,
                mover,
                self.backend.frame,
                self.backend.board,
                front,
                self.nothing,
                unsettled,
                self.backend.scratch[w],
                found,
            ),
        )
        return found

    def _lost(self, level: int, won: Frontier) -> Frontier:
        arrivals = self.subtable_values.won_at(level) or self.nothing
        if self.late is not None and level == FIFTY + 1:
            np.copyto(self.late.blocked, self.work.blocked)
            self.work.blocked |= self.late.lost.planes
        if self.late is not None and level == self.late.level:
            np.copyto(self.work.blocked, self.late.blocked)
            arrivals = self.late.lost
        return self._settle(level, False, won, arrivals)

    def _won(self, level: int, lost: Frontier) -> Frontier:
        arrivals = self.subtable_values.lost_at(level) or self.nothing
        if self.late is not None and level == self.late.level:
            return self._settle(level, True, lost, self.late.won)
        new = self._settle(level, True, lost, arrivals)
        if new is not self.nothing and arrivals is not self.nothing:
            self.part.note_conversions(self.winner, new, self.subtable_values.converted())
        return new

    def _settle(
        self,
        level: int,
        won: bool,
        front: Frontier,
        arrivals: Frontier,
        number: int | None = None,
    ) -> Frontier:
        """The new frontier, `nothing` if it is empty. A given number is logged, not counted."""
        if front is self.nothing and arrivals is self.nothing:
            return self.nothing
        mover = self.winner if won else self.loser
        step = Ply(mover, int(not won), 1 - mover)
        new = self.work.buffers[won][level % 2]
        flags = np.zeros((self.pool.workers, *new.flags.shape), np.uint64)
        tally = [private(np.int64, 3) for _ in range(self.pool.workers)]
        logs = self.part.ply_log.open(mover)
        for worker, log in enumerate(logs):
            tally[worker][2] = log.end

        def task(worker: int, first: int, stop: int) -> None:
            self.backend.settle(
                first,
                stop,
                step,
                self.backend.frame,
                self.backend.board,
                front,
                arrivals,
                self.escapes,
                self.backend.scratch[worker],
                self.work.unwon if won else self.work.unlost,
                logs[worker].words,
                new._replace(flags=flags[worker]),
                tally[worker],
            )

        self.pool.for_ranges(len(self.backend.frame.planes), task, self.backend.smallest)
        np.bitwise_or.reduce(flags, axis=0, out=new.flags)
        settled, live, _ = (int(x) for x in np.sum(tally, axis=0))
        if not live:
            return self.nothing
        if number is None:
            code = win_code(level) if won else loss_code(level)
            self.part.add(mover, code, settled // self.backend.share)
            number = self.part.partial.number(code)
        for worker, log in enumerate(logs):
            log.close(number, int(tally[worker][2]))
        self.part.report(self.winner, level)
        return new
