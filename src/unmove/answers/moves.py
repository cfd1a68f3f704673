"""What moves into solved tables are worth, for every cell of some planes.

Captures, pawn moves, promotions and captures that promote bring the value of a solved table or
slice, and so does a quiet move once the other side's values are known; see
`kernels/conversions.py`. What a cell keeps is the *worth* of the best one: its place in the mover's
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

from unmove.crew.crew import Crew
from unmove.games.chess import PAWN, PIECES, SQUARES
from unmove.kernels.conversions import KING, NOBODY, Desk, Target, convert, step_twice
from unmove.kernels.scratch import MOST_MEN
from unmove.kernels.worths import translate
from unmove.material import Material
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Frame, Layout, Man, material_of
from unmove.planes.layouts import of_kings
from unmove.store.table import STALEMATE, CellArray, Library, Source, cell_type
from unmove.values import BROKEN, DRAW, Metric, code_before, level_of


@dataclass(frozen=True)
class Way:
    """A kind of move: a group (or the king) that moves, one that loses a man, a promotion."""

    mover: int
    victim: int = NOBODY
    promoted: Man | None = None
    zeroes: bool = True
    """Whether it is a capture or a pawn move."""

    def men_behind(self, layout: Layout) -> list[tuple[int, Man]]:
        """The numbers and men after such a move; see `kernels.conversions.make_move`."""
        men = list(enumerate(layout.men))
        gone = {layout.starts[self.victim]} if self.victim != NOBODY else set()
        if self.promoted is not None:
            gone.add(layout.starts[self.mover])
            men.append((len(men), self.promoted))
        return [(number, man) for number, man in men if number not in gone]

    def leads_to(self, layout: Layout) -> Material:
        """The material after such a move, sides as they are."""
        return material_of([man for _, man in self.men_behind(layout)])


def zeroing_ways(layout: Layout, mover: int) -> Iterator[Way]:
    """All captures and pawn moves of a side."""
    groups = [man for man, _ in layout.groups]
    own = [group for group, man in enumerate(groups) if man.side == mover]
    prey = [group for group, man in enumerate(groups) if man.side != mover]
    pawns = [group for group in own if groups[group].kind == PAWN]
    promoted = [Man(kind, mover) for kind in range(len(PIECES))]
    for victim in prey:
        yield Way(KING, victim)
        yield from (Way(group, victim) for group in own)
    for group in pawns:
        yield Way(group)
        yield from (Way(group, NOBODY, man) for man in promoted)
        for victim in prey:
            if groups[victim].kind != PAWN:  # none stands where a pawn promotes
                yield from (Way(group, victim, man) for man in promoted)


def converting_ways(layout: Layout, mover: int) -> Iterator[Way]:
    """All captures and promotions of a side."""
    for way in zeroing_ways(layout, mover):
        if way.victim != NOBODY or way.promoted is not None:
            yield way


def all_ways(layout: Layout, mover: int) -> Iterator[Way]:
    """All moves of a side."""
    yield from zeroing_ways(layout, mover)
    yield Way(KING, zeroes=False)
    for group, (man, _) in enumerate(layout.groups):
        if man.side == mover and man.kind != PAWN:
            yield Way(group, zeroes=False)


class Scale:
    """The mover's order of preference over codes."""

    def __init__(self, codes: Iterable[int]) -> None:
        settled = {code for code in codes if code > DRAW}
        losses = sorted(code for code in settled if code % 2 == 0)
        wins = sorted((code for code in settled if code % 2 == 1), reverse=True)
        self.codes = [BROKEN, *losses, DRAW, DRAW, *wins]
        """By worth; the second draw is stalemate."""
        self.stalemate = len(losses) + 2
        self.worth = {code: i for i, code in enumerate(self.codes) if i != self.stalemate}
        self.kind = cell_type(len(self.codes))

    @property
    def last(self) -> int:
        """The largest level among the codes."""
        return max(level_of(code) for code in self.worth if code != BROKEN)


class Neighbour:
    """A solved table behind some ways, whose planes are loaded as they are wanted."""

    def __init__(
        self,
        layout: Layout,
        source: Source,
        material: Material,
        ways: Sequence[Way],
        metric: Metric,
    ) -> None:
        self.source = source
        self.stays = material == layout.material
        """Whether the ways stay in the table."""
        self.zeroes = ways[0].zeroes
        self.metric = metric
        theirs = of_kings(source.layout)
        self.turned = theirs.material != material
        seats = [self._seats(layout, way) for way in ways]
        self.target = Target(
            mover=np.array([way.mover for way in ways], np.int64),
            victim=np.array([way.victim for way in ways], np.int64),
            promotes=np.array([way.promoted is not None for way in ways], np.int64),
            seat=np.array(seats, np.int64).reshape(len(ways), len(theirs.men)),
            turned=int(self.turned),
            leaders=theirs.leaders,
            first=np.array(theirs.starts, np.int64),
            stride=np.array(theirs.group_strides, np.int64),
            sets=np.array([comb(SQUARES, size) for _, size in theirs.groups], np.int64),
            orbit=theirs.lead.orbit,
            symmetry=theirs.lead.symmetry,
            slot=np.full(theirs.count, -1, np.int32),
            wanted=np.zeros(theirs.count, np.uint8),
            worth=np.zeros((0, CELLS), np.uint8),
        )

    def _seats(self, layout: Layout, way: Way) -> list[int]:
        """Our man in the part of each man of the table."""
        men = way.men_behind(layout)
        seats = []
        for man in self.source.layout.men:
            seat = next(m for m in men if m[1] == Man(man.kind, man.side ^ self.turned))
            men.remove(seat)
            seats.append(seat[0])
        return seats

    def brings(self) -> list[int]:
        """By number in a cell: the code of a move that leads there."""
        return [
            code_before(code, self.metric, zeroes=self.zeroes, converts=not self.stays)
            for code in self.source.palette.tolist()
        ]

    def answers(self) -> list[int]:
        """By number in a cell: the code of a double step after which en passant leads there."""
        return [
            code_before(code, self.metric, zeroes=True, converts=False) for code in self.brings()
        ]

    @property
    def misses(self) -> bool:
        """Whether a plane was wanted and not loaded."""
        return bool(self.target.wanted.any())

    def empty(self, scale: Scale) -> Target:
        """The target with nothing loaded."""
        return self.target._replace(worth=np.zeros((0, CELLS), scale.kind))

    def loaded(
        self, side: int, meaning: list[int], scale: Scale, crew: Crew, name: str = "target"
    ) -> Target:
        """The target with all its wanted planes, `side` to move; meaning[number] is the worth."""
        wanted = np.flatnonzero(self.target.wanted)
        shape = len(wanted), CELLS
        cells = crew.arena.empty("read", shape, cell_type(len(self.source.palette)))
        self.source.read(side ^ self.turned, wanted, cells, crew.map)
        worth = crew.arena.empty(f"loaded {name}", shape, scale.kind)
        numbers = np.array(meaning, scale.kind)
        crew.each(
            len(wanted), lambda _, a, b: translate(cells[a:b], numbers, worth[a:b]), smallest=256
        )
        slot = np.full(len(self.target.slot), -1, np.int32)
        slot[wanted] = np.arange(len(wanted), dtype=np.int32)
        self.target.wanted[:] = 0
        return self.target._replace(slot=slot, worth=worth)


def neighbours(
    layout: Layout, ways: Iterable[Way], metric: Metric, own: Source, library: Library
) -> list[Neighbour]:
    """The tables behind some ways; `own` is the layout's own."""
    behind: dict[tuple[Material, bool], list[Way]] = {}
    for way in ways:
        behind.setdefault((way.leads_to(layout), way.zeroes), []).append(way)
    return [
        _neighbour(layout, material, group, metric, own, library)
        for (material, _), group in behind.items()
    ]


def _neighbour(
    layout: Layout,
    material: Material,
    ways: Sequence[Way],
    metric: Metric,
    own: Source,
    library: Library,
) -> Neighbour:
    source = own if material == layout.material else library(material.canonical())
    return Neighbour(layout, source, material, ways, metric)


class Assessment:
    """The worth of moves for the planes of a frame of a layout, whose own table is `own`."""

    def __init__(
        self,
        layout: Layout,
        frame: Frame,
        metric: Metric,
        own: Source,
        library: Library,
        crew: Crew,
    ) -> None:
        self.layout = layout
        self.frame = frame
        self.metric = metric
        self.own = own
        self.library = library
        self.crew = crew

    def neighbours(self, ways: Iterable[Way]) -> list[Neighbour]:
        """The tables behind some ways."""
        return neighbours(self.layout, ways, self.metric, self.own, self.library)

    def scale(self, near: Iterable[Neighbour]) -> Scale:
        """A scale with every code that moves into these tables can have."""
        scale = Scale({code for table in near for code in (*table.brings(), *table.answers())})
        self.desks = [_desk(scale) for _ in range(self.crew.workers)]
        return scale

    def worth(self, mover: int, ways: Iterable[Way]) -> tuple[Scale, CellArray]:
        """A scale, and on it the worth of the best of the mover's moves, [plane, cell]."""
        near = self.neighbours(ways)
        scale = self.scale(near)
        worth = np.zeros((len(self.frame.planes), CELLS), scale.kind)
        self.assess(mover, near, scale, worth)
        return scale, worth

    def assess(self, mover: int, near: Sequence[Neighbour], scale: Scale, worth: CellArray) -> None:
        """worth[plane] counts all moves of the mover into these tables."""
        for neighbour in near:
            self._convert(neighbour, mover, scale, worth)
        for neighbour in near:
            if neighbour.stays and neighbour.zeroes:
                self._step_twice(neighbour, mover, scale, worth)

    def _convert(self, near: Neighbour, mover: int, scale: Scale, worth: CellArray) -> None:
        """`worth` counts the mover's moves into a neighbour, double steps left out."""
        self._apply(near.empty(scale), mover, worth)  # to learn which planes are wanted
        if near.misses:
            meaning = [scale.worth[code] for code in near.brings()]
            target = near.loaded(1 - mover, meaning, scale, self.crew)
            self._apply(target, mover, worth)

    def _apply(self, target: Target, mover: int, worth: CellArray) -> None:
        def task(worker: int, first: int, stop: int) -> None:
            desk = self.desks[worker]
            convert(first, stop, mover, self.frame, geometry(), target, desk, worth)

        self.crew.each(len(self.frame.planes), task)

    def _step_twice(self, near: Neighbour, mover: int, scale: Scale, worth: CellArray) -> None:
        """`worth` counts double steps into this table, answered by captures that leave it."""
        answers = self._captures_en_passant(int(near.target.mover[0]), mover) or near

        def apply(target: Target, answered: Target) -> None:
            def task(worker: int, first: int, stop: int) -> None:
                step_twice(
                    first,
                    stop,
                    mover,
                    self.frame,
                    geometry(),
                    target,
                    answered,
                    scale.stalemate,
                    self.desks[worker],
                    worth,
                )

            self.crew.each(len(self.frame.planes), task)

        apply(near.empty(scale), answers.empty(scale))
        if near.misses:
            meaning = [scale.worth[code] for code in near.brings()]
            meaning[STALEMATE] = scale.stalemate
            target = near.loaded(1 - mover, meaning, scale, self.crew)
            answered = answers.empty(scale)
            if answers.misses:
                meaning = [scale.worth[code] for code in answers.answers()]
                answered = answers.loaded(mover, meaning, scale, self.crew, "answered")
            apply(target, answered)

    def _captures_en_passant(self, pawns: int, mover: int) -> Neighbour | None:
        """The table behind the capture of a pawn of the mover by a pawn; None if there is none."""
        takers = [
            group
            for group, (man, _) in enumerate(self.layout.groups)
            if man == Man(PAWN, 1 - mover)
        ]
        return self.neighbours([Way(takers[0], pawns)])[0] if takers else None


def _desk(scale: Scale) -> Desk:
    return Desk(
        squares=np.zeros(MOST_MEN, np.int64),
        behind=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        free=np.zeros(SQUARES, scale.kind),
        plane=np.zeros(CELLS, scale.kind),
        other=np.zeros(CELLS, scale.kind),
        row=np.zeros(8 + SQUARES + 8, scale.kind),
        three=np.zeros(8 + SQUARES + 8, scale.kind),
    )
