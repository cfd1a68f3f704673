"""What moves into solved tables are worth, for every cell of some planes.

Captures, pawn moves, promotions and captures that promote bring the value of a solved table or
slice, and so does a quiet move once the other side's values are known; see
`kernels/successors.py`. What a cell keeps is the *worth* of the best one: its place in the mover's
order of preference,

    0 none    quick loss .. slow loss    draw    stalemate    slow win .. quick win

Stalemate is a draw; it is told apart because the side that is stalemated may still have to take en
passant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from unmove.games.chess import PAWN, PIECES, SQUARES
from unmove.kernels.scores import translate
from unmove.kernels.scratch import MOST_MEN
from unmove.kernels.successors import (
    KING_GROUP,
    NO_VICTIM,
    MoveScratch,
    Scoring,
    Target,
    score_double_steps,
    score_moves,
)
from unmove.material import Material
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Frame, Layout, Man, material_of
from unmove.planes.layouts import of_kings
from unmove.pool.workers import WorkerPool
from unmove.store.table import STALEMATE, CellArray, Source, TableLookup, cell_type
from unmove.values import BROKEN, DRAW, Metric, code_before, level_of


@dataclass(frozen=True)
class MoveKind:
    """A kind of move: a group (or the king) that moves, one that loses a man, a promotion."""

    mover: int
    victim: int = NO_VICTIM
    promoted: Man | None = None
    zeroes: bool = True
    """Whether it is a capture or a pawn move."""

    def men_behind(self, layout: Layout) -> list[tuple[int, Man]]:
        """The numbers and men after such a move; see `kernels.successors.make_move`."""
        men = list(enumerate(layout.men))
        gone = {layout.starts[self.victim]} if self.victim != NO_VICTIM else set()
        if self.promoted is not None:
            gone.add(layout.starts[self.mover])
            men.append((len(men), self.promoted))
        return [(number, man) for number, man in men if number not in gone]

    def leads_to(self, layout: Layout) -> Material:
        """The material after such a move, sides as they are."""
        return material_of([man for _, man in self.men_behind(layout)])


def zeroing_moves(layout: Layout, mover: int) -> Iterator[MoveKind]:
    """All captures and pawn moves of a side."""
    groups = [man for man, _ in layout.groups]
    own = [group for group, man in enumerate(groups) if man.side == mover]
    prey = [group for group, man in enumerate(groups) if man.side != mover]
    pawns = [group for group in own if groups[group].kind == PAWN]
    promoted = [Man(kind, mover) for kind in range(len(PIECES))]
    for victim in prey:
        yield MoveKind(KING_GROUP, victim)
        yield from (MoveKind(group, victim) for group in own)
    for group in pawns:
        yield MoveKind(group)
        yield from (MoveKind(group, NO_VICTIM, man) for man in promoted)
        for victim in prey:
            if groups[victim].kind != PAWN:  # none stands where a pawn promotes
                yield from (MoveKind(group, victim, man) for man in promoted)


def converting_moves(layout: Layout, mover: int) -> Iterator[MoveKind]:
    """All captures and promotions of a side."""
    for move in zeroing_moves(layout, mover):
        if move.victim != NO_VICTIM or move.promoted is not None:
            yield move


def all_moves(layout: Layout, mover: int) -> Iterator[MoveKind]:
    """All moves of a side."""
    yield from zeroing_moves(layout, mover)
    yield MoveKind(KING_GROUP, zeroes=False)
    for group, (man, _) in enumerate(layout.groups):
        if man.side == mover and man.kind != PAWN:
            yield MoveKind(group, zeroes=False)


class ScoreTable:
    """The mover's order of preference over codes."""

    def __init__(self, codes: Iterable[int]) -> None:
        settled = {code for code in codes if code > DRAW}
        losses = sorted(code for code in settled if code % 2 == 0)
        wins = sorted((code for code in settled if code % 2 == 1), reverse=True)
        self.codes = [BROKEN, *losses, DRAW, DRAW, *wins]
        """By worth; the second draw is stalemate."""
        self.stalemate = len(losses) + 2
        self.score = {code: i for i, code in enumerate(self.codes) if i != self.stalemate}
        self.kind = cell_type(len(self.codes))

    @property
    def last(self) -> int:
        """The largest level among the codes."""
        return max(level_of(code) for code in self.score if code != BROKEN)


class Subtable:
    """A solved table behind some ways, whose planes are loaded as they are wanted."""

    def __init__(
        self,
        layout: Layout,
        source: Source,
        material: Material,
        moves: Sequence[MoveKind],
        metric: Metric,
    ) -> None:
        self.source = source
        self.stays = material == layout.material
        """Whether the ways stay in the table."""
        self.zeroes = moves[0].zeroes
        self.metric = metric
        theirs = of_kings(source.layout)
        self.colours_swapped = theirs.material != material
        man_map = [self._man_map(layout, move) for move in moves]
        self.target = Target(
            mover=np.array([move.mover for move in moves], np.int64),
            victim=np.array([move.victim for move in moves], np.int64),
            promotes=np.array([move.promoted is not None for move in moves], np.int64),
            man_map=np.array(man_map, np.int64).reshape(len(moves), len(theirs.men)),
            colours_swapped=int(self.colours_swapped),
            leaders=theirs.leaders,
            first=np.array(theirs.starts, np.int64),
            stride=np.array(theirs.group_strides, np.int64),
            sets=np.array([comb(SQUARES, size) for _, size in theirs.groups], np.int64),
            orbit=theirs.lead.orbit,
            symmetry=theirs.lead.symmetry,
            slot=np.full(theirs.count, -1, np.int32),
            wanted=np.zeros(theirs.count, np.uint8),
            score=np.zeros((0, CELLS), np.uint8),
        )

    def _man_map(self, layout: Layout, move: MoveKind) -> list[int]:
        """Our man in the part of each man of the table."""
        men = move.men_behind(layout)
        man_map = []
        for man in self.source.layout.men:
            seat = next(m for m in men if m[1] == Man(man.kind, man.side ^ self.colours_swapped))
            men.remove(seat)
            man_map.append(seat[0])
        return man_map

    def backed_up(self) -> list[int]:
        """By number in a cell: the code of a move that leads there."""
        return [
            code_before(code, self.metric, zeroes=self.zeroes, converts=not self.stays)
            for code in self.source.palette.tolist()
        ]

    def answers(self) -> list[int]:
        """By number in a cell: the code of a double step after which en passant leads there."""
        return [
            code_before(code, self.metric, zeroes=True, converts=False) for code in self.backed_up()
        ]

    @property
    def misses(self) -> bool:
        """Whether a plane was wanted and not loaded."""
        return bool(self.target.wanted.any())

    def empty(self, score_table: ScoreTable) -> Target:
        """The target with nothing loaded."""
        return self.target._replace(score=np.zeros((0, CELLS), score_table.kind))

    def loaded(
        self,
        side: int,
        lookup: list[int],
        score_table: ScoreTable,
        pool: WorkerPool,
        name: str = "target",
    ) -> Target:
        """The target with all its wanted planes, `side` to move; meaning[number] is the worth."""
        wanted = np.flatnonzero(self.target.wanted)
        shape = len(wanted), CELLS
        cells = pool.arena.empty("read", shape, cell_type(len(self.source.palette)))
        self.source.read(side ^ self.colours_swapped, wanted, cells)
        score = pool.arena.empty(f"loaded {name}", shape, score_table.kind)
        numbers = np.array(lookup, score_table.kind)
        pool.for_ranges(
            len(wanted), lambda _, a, b: translate(cells[a:b], numbers, score[a:b]), smallest=256
        )
        slot = np.full(len(self.target.slot), -1, np.int32)
        slot[wanted] = np.arange(len(wanted), dtype=np.int32)
        self.target.wanted[:] = 0
        return self.target._replace(slot=slot, score=score)


def subtables(
    layout: Layout, moves: Iterable[MoveKind], metric: Metric, own: Source, tables: TableLookup
) -> list[Subtable]:
    """The tables behind some ways; `own` is the layout's own."""
    behind: dict[tuple[Material, bool], list[MoveKind]] = {}
    for move in moves:
        behind.setdefault((move.leads_to(layout), move.zeroes), []).append(move)
    return [
        _subtable(layout, material, group, metric, own, tables)
        for (material, _), group in behind.items()
    ]


def _subtable(
    layout: Layout,
    material: Material,
    moves: Sequence[MoveKind],
    metric: Metric,
    own: Source,
    tables: TableLookup,
) -> Subtable:
    source = own if material == layout.material else tables(material.canonical())
    return Subtable(layout, source, material, moves, metric)


class MoveScores:
    """The worth of moves for the planes of a frame of a layout, whose own table is `own`."""

    def __init__(
        self,
        layout: Layout,
        frame: Frame,
        metric: Metric,
        own: Source,
        tables: TableLookup,
        pool: WorkerPool,
    ) -> None:
        self.layout = layout
        self.frame = frame
        self.metric = metric
        self.own = own
        self.tables = tables
        self.pool = pool

    def subtables(self, moves: Iterable[MoveKind]) -> list[Subtable]:
        """The tables behind some ways."""
        return subtables(self.layout, moves, self.metric, self.own, self.tables)

    def score_table(self, near: Iterable[Subtable]) -> ScoreTable:
        """A scale with every code that moves into these tables can have."""
        score_table = ScoreTable(
            {code for table in near for code in (*table.backed_up(), *table.answers())}
        )
        self.scratch = [_scratch(score_table) for _ in range(self.pool.workers)]
        return score_table

    def score(self, mover: int, moves: Iterable[MoveKind]) -> tuple[ScoreTable, CellArray]:
        """A scale, and on it the worth of the best of the mover's moves, [plane, cell]."""
        near = self.subtables(moves)
        score_table = self.score_table(near)
        score = np.zeros((len(self.frame.planes), CELLS), score_table.kind)
        self.assess(mover, near, score_table, score)
        return score_table, score

    def assess(
        self, mover: int, near: Sequence[Subtable], score_table: ScoreTable, score: CellArray
    ) -> None:
        """worth[plane] counts all moves of the mover into these tables."""
        for subtable in near:
            self._convert(subtable, mover, score_table, score)
        for subtable in near:
            if subtable.stays and subtable.zeroes:
                self._step_twice(subtable, mover, score_table, score)

    def _convert(
        self, near: Subtable, mover: int, score_table: ScoreTable, score: CellArray
    ) -> None:
        """`worth` counts the mover's moves into a neighbour, double steps left out."""
        self._apply(near.empty(score_table), mover, score)  # to learn which planes are wanted
        if near.misses:
            lookup = [score_table.score[code] for code in near.backed_up()]
            target = near.loaded(1 - mover, lookup, score_table, self.pool)
            self._apply(target, mover, score)

    def _apply(self, target: Target, mover: int, score: CellArray) -> None:
        def task(worker: int, first: int, stop: int) -> None:
            scratch = self.scratch[worker]
            scoring = Scoring(self.frame, geometry(), target, scratch, score)
            score_moves(first, stop, mover, scoring)

        self.pool.for_ranges(len(self.frame.planes), task)

    def _step_twice(
        self, near: Subtable, mover: int, score_table: ScoreTable, score: CellArray
    ) -> None:
        """`worth` counts double steps into this table, answered by captures that leave it."""
        answers = self._captures_en_passant(int(near.target.mover[0]), mover) or near

        def apply(target: Target, answered: Target) -> None:
            def task(worker: int, first: int, stop: int) -> None:
                scratch = self.scratch[worker]
                scoring = Scoring(self.frame, geometry(), target, scratch, score)
                score_double_steps(first, stop, mover, scoring, answered, score_table.stalemate)

            self.pool.for_ranges(len(self.frame.planes), task)

        apply(near.empty(score_table), answers.empty(score_table))
        if near.misses:
            lookup = [score_table.score[code] for code in near.backed_up()]
            lookup[STALEMATE] = score_table.stalemate
            target = near.loaded(1 - mover, lookup, score_table, self.pool)
            answered = answers.empty(score_table)
            if answers.misses:
                lookup = [score_table.score[code] for code in answers.answers()]
                answered = answers.loaded(mover, lookup, score_table, self.pool, "answered")
            apply(target, answered)

    def _captures_en_passant(self, pawns: int, mover: int) -> Subtable | None:
        """The table behind the capture of a pawn of the mover by a pawn; None if there is none."""
        takers = [
            group
            for group, (man, _) in enumerate(self.layout.groups)
            if man == Man(PAWN, 1 - mover)
        ]
        return self.subtables([MoveKind(takers[0], pawns)])[0] if takers else None


def _scratch(score_table: ScoreTable) -> MoveScratch:
    return MoveScratch(
        squares=np.zeros(MOST_MEN, np.int64),
        moved=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        free=np.zeros(SQUARES, score_table.kind),
        plane=np.zeros(CELLS, score_table.kind),
        other=np.zeros(CELLS, score_table.kind),
        row=np.zeros(8 + SQUARES + 8, score_table.kind),
        three=np.zeros(8 + SQUARES + 8, score_table.kind),
    )
