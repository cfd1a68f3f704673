"""The loop: every position of an endgame settled, both winners, by retrograde analysis.

For a winner, with `unwon` = legal positions, winner to move, not (yet) won, and `unlost` likewise
for the loser:

    lost(0) = mates: in check, and no move at all
    for level n = 1, 2, ...
        lost(n) = EX(won(n-1)) or a conversion that arrives now,  and no move into `unwon`
        won(n)  = EX(lost(n-1)) or a conversion that arrives now
    until two levels in a row bring nothing and no conversion can arrive any more

A level is a ply, but for DTZ the levels after the limit are those of cursed wins; see `values`, and
`late_moves.py` for what happens there. With DTM wins fall on odd levels and losses on even ones,
and every other step finds an empty frontier and is skipped; with the others both kinds come at any
level. lost(n) is worked out before won(n), because a move into a win of the same level does not
lose yet.

Nothing is written to the table in the loop. `ply.py` settles one ply, and logs it (`ply_log.py`).
From the log the table is assembled. A ply that an earlier run has logged is not settled again, but
recalled: so a run that was stopped goes on, and ends as it would have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count as counting
from typing import NamedTuple

import numpy as np

from unmove.kernels.arrays import PositionSet
from unmove.kernels.sets import (
    CHECKED,
    MOVING,
    STANDING,
    UNCHECKED,
    Conversions,
    Frontier,
    Ply,
    put_back,
)
from unmove.material import Material
from unmove.planes.kinds import resolved
from unmove.planes.layouts import AnyLayout
from unmove.pool.arena import Arena
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import MaybeFrontier, SolverBackend
from unmove.solver.entry_room import spare_planes
from unmove.solver.late_moves import Late, LateMoves, NoLateMoves
from unmove.solver.neighbours import Neighbours
from unmove.solver.partial_table import PartialTable, TableInMemory
from unmove.solver.ply import settle
from unmove.solver.ply_log import NoLog, PlyLog, PlyName
from unmove.solver.subtable_values import NO_CONVERSIONS, SubtableValues
from unmove.store.source import TableLookup
from unmove.values import (
    BLACK,
    DRAW,
    WHITE,
    Code,
    Level,
    Metric,
    Side,
    loss_code,
    opponent_of,
    win_code,
)

PAD = 1  # planes a stride is widened by


@dataclass(frozen=True)
class Progress:
    """How far a solve is: `settled` of `legal` positions of this part, both sides to move."""

    material: Material
    metric: Metric
    part: int
    parts: int
    winner: Side
    level: Level
    settled: int
    legal: int


ReportProgress = Callable[[Progress], None]


def retrograde(run: WinnerRun) -> None:
    """Every position the winner can win, and the loser must lose, is settled."""
    lost: MaybeFrontier = run.mates()
    won: MaybeFrontier = None
    for level in map(Level, counting(1)):
        lost, won = run.late.frontiers(level, lost, won)
        if lost is None and won is None and level > run.last:
            return
        lost, won = run.lost(level, won), run.won(level, lost)


def solve(
    material: Material,
    metric: Metric,
    tables: TableLookup,
    pool: WorkerPool,
    report: ReportProgress = lambda _: None,
) -> TableInMemory:
    """The solved endgame; `tables` must have every endgame one conversion away."""
    partial = TableInMemory(material, metric)
    while not partial.complete:
        solve_part(partial, tables, pool, report)
    return partial


def solve_part(
    partial: PartialTable,
    tables: TableLookup,
    pool: WorkerPool,
    report: ReportProgress = lambda _: None,
    loop: Callable[[WinnerRun], None] = retrograde,
) -> None:
    """The table's next part is solved: the whole of a pawnless table, or some of its slices.

    `loop` says which levels a winner's run works out, and when it ends.
    """
    backend = backend_of(partial.working_layout(PAD), pool)
    subtable_values = backend.subtable_values(partial.metric, partial, tables)
    log, neighbours = partial.open_log(backend, pool), partial.neighbours
    spare = spare_planes(pool.workers, log.ranges) + neighbours.planes
    sets = _LoopSets(backend, pool.arena, spare)
    part = _Part(partial, backend, log, pool, report)
    for winner in (WHITE, BLACK):
        part.mark_legal(winner, sets, neighbours)
        values = subtable_values(winner)
        neighbours.agree(values)
        loop(WinnerRun(part, winner, values, sets))
    partial.finish(part.legal)


def backend_of(layout: AnyLayout, pool: WorkerPool) -> SolverBackend:
    """What solves the planes of a layout."""
    backend: SolverBackend = resolved(layout.kind.backend)(layout, pool)
    return backend


class _LoopSets:
    """The sets a run works on, kept for the next winner."""

    def __init__(self, backend: SolverBackend, arena: Arena, spare: int) -> None:
        shape = backend.layout.count, backend.layout.words
        self.unwon, self.unlost = (PositionSet(arena.large(shape, np.uint64)) for _ in range(2))
        self.nothing = backend.nothing()
        self.lost, self.won = (
            [backend.frontier(f"{kind} {i}", spare) for i in range(2)] for kind in ("lost", "won")
        )
        """Frontiers of even and odd levels."""


class _Part:
    """What both winners' runs over a part share."""

    def __init__(
        self,
        partial: PartialTable,
        backend: SolverBackend,
        ply_log: PlyLog,
        pool: WorkerPool,
        report: ReportProgress,
    ) -> None:
        self.partial = partial
        self.backend = backend
        self.legal = [0, 0]
        """Legal positions by side to move."""
        self.settled = 0
        self.ply_log = ply_log
        self.pool = pool
        self._report = report

    def mark_legal(self, winner: Side, sets: _LoopSets, neighbours: Neighbours) -> None:
        """All legal positions are unsettled."""
        sides = [sets.unwon, sets.unlost] if winner == WHITE else [sets.unlost, sets.unwon]
        self.backend.mark_legal(*sides)
        self.legal = [neighbours.total(self.backend.count(planes)) for planes in sides]
        neighbours.mark_legal(self.backend, self.pool, winner, sets.unwon)

    def report(self, winner: Side, level: Level) -> None:
        self._report(
            Progress(
                material=self.partial.material,
                metric=self.partial.metric,
                part=self.partial.finished,
                parts=len(self.partial.parts),
                winner=winner,
                level=level,
                settled=self.settled,
                legal=sum(self.legal),
            )
        )


class _Step(NamedTuple):
    """One of the two steps of a level: the loser's positions are lost, or the winner's are won."""

    mover: Side
    universal: bool
    unsettled: PositionSet
    frontiers: list[Frontier]
    code: Callable[[Level], Code]


class WinnerRun:
    """One winner's run over a part: the steps of the loop. A frontier without positions is None."""

    def __init__(
        self, part: _Part, winner: Side, subtable_values: SubtableValues, sets: _LoopSets
    ) -> None:
        self.winner, self.loser = winner, opponent_of(winner)
        self.subtable_values = subtable_values
        limit = part.partial.metric.limit
        self.late = NoLateMoves() if limit is None else LateMoves(self, limit)
        self._part = part
        self._sets = sets
        self._losing = _Step(self.loser, True, sets.unlost, sets.lost, loss_code)
        self._winning = _Step(self.winner, False, sets.unwon, sets.won, win_code)

    @property
    def last(self) -> Level:
        """The last level at which anything can arrive."""
        return max(self.subtable_values.last, self.late.last)

    def mates(self) -> MaybeFrontier:
        """lost(0): in check and no move.

        Not in check, it is stalemate: no loss in chess, and one in xiangqi.
        """
        ply = self._ply(self._losing, None, self.subtable_values.standing())
        if self._part.backend.stalemate_loses:
            return self._settle(self._losing, Level(0), ply._replace(whose=STANDING))
        self._settle(self._losing, Level(0), ply._replace(whose=UNCHECKED))
        return self._settle(self._losing, Level(0), ply._replace(whose=CHECKED))

    def lost(self, level: Level, won: MaybeFrontier) -> MaybeFrontier:
        """lost(level), given won(level - 1)."""
        return self.settle_lost(level, won, self.subtable_values.won_at(level))

    def settle_lost(
        self, level: Level, won: MaybeFrontier, conversions: Conversions
    ) -> MaybeFrontier:
        """Of the positions before `won` and with a conversion, those that no move saves."""
        return self._moved(self._losing, level, won, conversions, self.late.losing(level))

    def won(self, level: Level, lost: MaybeFrontier) -> MaybeFrontier:
        """won(level), given lost(level - 1)."""
        conversions, late = self.subtable_values.lost_at(level), self.late.winning(level)
        return self._moved(self._winning, level, lost, conversions, late)

    def losing_moves(self, won: Frontier, name: str) -> Frontier:
        """See `late_moves.MoveFinder`."""
        return self._moves_into(won, self._losing, name)

    def winning_moves(self, lost: Frontier, name: str) -> Frontier:
        """See `late_moves.MoveFinder`."""
        return self._moves_into(lost, self._winning, name)

    def _moves_into(self, front: Frontier, step: _Step, name: str) -> Frontier:
        """The unsettled positions with a move into a frontier: what a win would settle, undone."""
        part, found = self._part, self._part.backend.frontier(name)
        ply = self._ply(step, front, NO_CONVERSIONS)._replace(universal=False)
        settle(part.backend, part.pool, ply, found, NoLog())
        planes = part.backend.planes
        part.pool.for_ranges(
            len(planes),
            lambda _, first, stop: put_back(first, stop, planes, found, step.unsettled),
        )
        return found

    def _moved(
        self,
        step: _Step,
        level: Level,
        front: MaybeFrontier,
        conversions: Conversions,
        late: Late,
    ) -> MaybeFrontier:
        """The new frontier, of those who move into the old one, or have a move that arrives."""
        if front is None and not conversions.arrive and not late.arrive:
            return None
        ply = self._ply(step, front, conversions)
        if late.moves is not None:
            ply = ply._replace(late=late.moves, late_arrive=late.arrive)
        return self._settle(step, level, ply)

    def _settle(self, step: _Step, level: Level, ply: Ply) -> MaybeFrontier:
        """The new frontier is settled, logged, and, unless it is stalemates, counted."""
        part, new = self._part, step.frontiers[level % 2]
        code = DRAW if ply.whose == UNCHECKED else step.code(level)
        log = part.ply_log.open(PlyName(self.winner, level, step.mover, code))
        settled = settle(part.backend, part.pool, ply, new, log, part.ply_log.ranges)
        if not settled.planes:
            return None
        if code != DRAW:
            part.partial.add(step.mover, code, settled.positions)
            part.settled += settled.positions
        part.report(self.winner, level)
        return new

    def _ply(self, step: _Step, front: MaybeFrontier, conversions: Conversions) -> Ply:
        sets = self._sets
        return Ply(
            mover=step.mover,
            universal=step.universal,
            whose=MOVING,
            front=front or sets.nothing,
            conversions=conversions,
            late=sets.nothing,
            late_arrive=False,
            unwon=sets.unwon,
            unsettled=step.unsettled,
        )
