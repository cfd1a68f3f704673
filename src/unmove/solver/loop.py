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

from unmove.crew.arena import Arena
from unmove.crew.crew import Crew
from unmove.kernels.scratch import private
from unmove.kernels.settle import Escapes, Frontier, Ply, note_arrivals
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.solver.border import Border, Field
from unmove.solver.courts import CourtsGround
from unmove.solver.draft import Draft
from unmove.solver.ground import Ground, Planes
from unmove.solver.history import History
from unmove.solver.kings import KingsGround
from unmove.store.table import STALEMATE, Library
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
    library: Library,
    crew: Crew,
    report: Report = lambda _: None,
) -> Draft:
    """The solved endgame; the library must answer for every endgame one conversion away."""
    draft = Draft(material, metric)
    while not draft.complete:
        solve_part(draft, library, crew, report)
    return draft


def solve_part(
    draft: Draft,
    library: Library,
    crew: Crew,
    report: Report = lambda _: None,
    run: type[Run] | None = None,
) -> None:
    """The draft's next part is solved: the whole of a pawnless table, or some of its slices."""
    ground = ground_of(layout_of(draft.material, PAD, draft.part), crew)
    legal = ground.legal()
    border = ground.borders(draft.metric, draft, library)
    work = _Workspace(ground, crew.arena)
    history = History(ground, crew)
    part = _Part(draft, ground, legal, history, crew, report)
    for winner in (0, 1):
        field = Field(work.arrivals, work.blocked)
        (run or Run)(part, winner, border(winner, field), work).run()
    planes = draft.planes_of(draft.part)
    for side in (0, 1):
        history.assemble(side, legal[side], draft.cells[side][planes])
        draft.legal[side] += part.legal_count[side]
    draft.finished += 1


def ground_of(layout: AnyLayout, crew: Crew) -> Ground:
    """The ground to solve a layout on."""
    if isinstance(layout, CourtLayout):
        return CourtsGround(layout, crew)
    return KingsGround(layout, crew)


class _Workspace:
    """The sets a run works on, kept for the next winner."""

    def __init__(self, ground: Ground, arena: Arena) -> None:
        shape = ground.layout.count, ground.layout.words
        self.unwon, self.unlost, self.blocked = (
            arena.zeros(name, shape, np.uint64) for name in ("unwon", "unlost", "blocked")
        )
        self.nothing, self.arrivals = (ground.frontier(name) for name in ("nothing", "arrivals"))
        self.buffers = [
            [ground.frontier(f"{kind} {i}") for i in range(2)] for kind in ("lost", "won")
        ]


class _Part:
    """What both winners' runs over a part share."""

    def __init__(
        self,
        draft: Draft,
        ground: Ground,
        legal: tuple[Planes, Planes],
        history: History,
        crew: Crew,
        report: Report,
    ) -> None:
        self.draft = draft
        self.ground = ground
        self.legal = legal
        self.legal_count = [ground.count(planes) for planes in legal]
        self.settled = 0
        layout = ground.layout
        self.place = np.zeros(layout.count, np.int64)
        self.place[layout.order] = np.arange(len(layout.order))
        planes = draft.planes_of(draft.part)
        self.conversions = [side[planes] for side in draft.conversions]
        self.history = history
        self.crew = crew
        self._report = report

    def add(self, side: int, code: int, positions: int) -> None:
        """So many positions more have this code."""
        counts = self.draft.counts[side]
        counts[code] = counts.get(code, 0) + positions
        self.settled += positions

    def note_conversions(self, side: int, new: Frontier, converted: Frontier) -> None:
        """Of the newly won positions these are won by a conversion."""
        planes = self.ground.frame.planes
        self.crew.each(
            len(planes),
            lambda _, first, stop: note_arrivals(
                first, stop, planes, self.place, new, converted, self.conversions[side]
            ),
        )

    def report(self, winner: int, level: int) -> None:
        self._report(
            Progress(
                material=self.draft.material,
                metric=self.draft.metric,
                part=self.draft.finished,
                parts=len(self.draft.layout.parts),
                winner=winner,
                level=level,
                settled=self.settled,
                legal=sum(self.legal_count),
            )
        )


class _Late:
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


class Run:
    """One winner's run over a part, which it completes."""

    def __init__(self, part: _Part, winner: int, border: Border, work: _Workspace) -> None:
        self.part = part
        self.winner, self.loser = winner, 1 - winner
        self.crew = part.crew
        self.ground = part.ground
        self.border = border
        self.last = border.last
        self.work = work
        self.nothing = work.nothing
        self.late: _Late | None = None
        np.copyto(work.unwon, part.legal[self.winner])
        np.copyto(work.unlost, part.legal[self.loser])
        self.escapes = Escapes(work.unwon, work.blocked)

    def run(self) -> None:
        """Every position the winner can win, and the loser must lose, is settled."""
        self.border.block()
        lost, won = self._mates(), self.nothing
        for level in counting(1):
            if level == FIFTY + 1 and self.part.draft.metric == Metric.DTZ:
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
        if not self.ground.stalemate_loses:
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
        self.late = _Late(
            self._moves_into(won, self.loser, self.work.unlost, "late lost"),
            self._moves_into(lost, self.winner, self.work.unwon, "late won"),
        )
        self.last = max(self.last, self.late.level)

    def _moves_into(self, front: Frontier, mover: int, unsettled: Planes, name: str) -> Frontier:
        """The unsettled positions of the mover with a move into a frontier."""
        found = self.ground.frontier(name)
        self.crew.each(
            len(self.ground.frame.planes),
            lambda w, first, stop: self.ground.mark_moves(
                first,
                stop,
                mover,
                self.ground.frame,
                self.ground.board,
                front,
                self.nothing,
                unsettled,
                self.ground.scratch[w],
                found,
            ),
        )
        return found

    def _lost(self, level: int, won: Frontier) -> Frontier:
        arrivals = self.border.won_at(level) or self.nothing
        if self.late is not None and level == FIFTY + 1:
            np.copyto(self.late.blocked, self.work.blocked)
            self.work.blocked |= self.late.lost.planes
        if self.late is not None and level == self.late.level:
            np.copyto(self.work.blocked, self.late.blocked)
            arrivals = self.late.lost
        return self._settle(level, False, won, arrivals)

    def _won(self, level: int, lost: Frontier) -> Frontier:
        arrivals = self.border.lost_at(level) or self.nothing
        if self.late is not None and level == self.late.level:
            return self._settle(level, True, lost, self.late.won)
        new = self._settle(level, True, lost, arrivals)
        if new is not self.nothing and arrivals is not self.nothing:
            self.part.note_conversions(self.winner, new, self.border.converted())
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
        flags = np.zeros((self.crew.workers, *new.flags.shape), np.uint64)
        tally = [private(np.int64, 3) for _ in range(self.crew.workers)]
        logs = self.part.history.open(mover)
        for worker, log in enumerate(logs):
            tally[worker][2] = log.end

        def task(worker: int, first: int, stop: int) -> None:
            self.ground.settle(
                first,
                stop,
                step,
                self.ground.frame,
                self.ground.board,
                front,
                arrivals,
                self.escapes,
                self.ground.scratch[worker],
                self.work.unwon if won else self.work.unlost,
                logs[worker].words,
                new._replace(flags=flags[worker]),
                tally[worker],
            )

        self.crew.each(len(self.ground.frame.planes), task, self.ground.smallest)
        np.bitwise_or.reduce(flags, axis=0, out=new.flags)
        settled, live, _ = (int(x) for x in np.sum(tally, axis=0))
        if not live:
            return self.nothing
        if number is None:
            code = win_code(level) if won else loss_code(level)
            self.part.add(mover, code, settled // self.ground.share)
            number = self.part.draft.number(code)
        for worker, log in enumerate(logs):
            log.close(number, int(tally[worker][2]))
        self.part.report(self.winner, level)
        return new
