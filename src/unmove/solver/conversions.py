"""The border of slices with pawns: the best conversion of every cell.

Captures, pawn moves, promotions and captures that promote all bring a solved value; see
`kernels/conversions.py`. What a cell keeps is the *worth* of the best one: its place in the mover's
order of preference,

    0 none    quick loss .. slow loss    draw    stalemate    slow win .. quick win

Stalemate is a draw; it is told apart because the side that is stalemated may still have to take en
passant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PAWN, PIECES, SQUARES
from unmove.kernels.cells import survey
from unmove.kernels.conversions import (
    KING,
    NOBODY,
    Desk,
    Target,
    convert,
    pick_any,
    pick_equal,
    step_twice,
    translate,
    unblock,
)
from unmove.kernels.scratch import MOST_MEN
from unmove.kernels.settle import Frontier
from unmove.material import Material
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Layout, Man
from unmove.solver.border import Field, Library, material_of
from unmove.solver.crew import Crew
from unmove.store.table import STALEMATE, CellArray, Source, cell_type
from unmove.values import BROKEN, DRAW, Metric, code_before, level_of, loss_code, win_code

_NO_PLANES = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Way:
    """A kind of move: a group (or the king) that moves, one that loses a man, a promotion."""

    mover: int
    victim: int = NOBODY
    promoted: Man | None = None

    def men_behind(self, layout: Layout) -> list[tuple[int, Man]]:
        """The numbers and men after such a move; see `kernels.conversions.make_move`."""
        men = list(enumerate(layout.men))
        gone = {layout.starts[self.victim]} if self.victim != NOBODY else set()
        if self.promoted is not None:
            gone.add(layout.starts[self.mover])
            men.append((len(men), self.promoted))
        return [(number, man) for number, man in men if number not in gone]


def ways_of(layout: Layout, mover: int) -> Iterator[Way]:
    """All kinds of moves of a side that leave a slice."""
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


class Scale:
    """The mover's order of preference over codes."""

    def __init__(self, codes: Iterable[int]) -> None:
        settled = {code for code in codes if code > DRAW}
        losses = sorted(code for code in settled if code % 2 == 0)
        wins = sorted((code for code in settled if code % 2 == 1), reverse=True)
        order = [BROKEN, *losses, DRAW, "stalemate", *wins]
        self.stalemate = order.index("stalemate")
        self.worth = {code: i for i, code in enumerate(order) if isinstance(code, int)}
        self.kind = cell_type(len(order))

    @property
    def last(self) -> int:
        """The largest level among the codes."""
        return max(level_of(code) for code in self.worth if code != BROKEN)


class _Neighbour:
    """A solved table behind some ways, whose planes are loaded as they are wanted."""

    def __init__(self, layout: Layout, source: Source, material: Material, ways: list[Way]) -> None:
        self.source = source
        theirs = source.layout
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


@dataclass
class Conversions:
    """The worth of the best conversion of every cell of a layout, by mover."""

    scale: Scale
    worth: list[CellArray] = field(default_factory=list)
    listed: list[dict[int, NDArray[np.int64]]] = field(default_factory=list)
    """By mover and worth: the planes with such a cell."""


def conversions(
    layout: Layout, metric: Metric, draft: Source, library: Library, crew: Crew
) -> Conversions:
    """What the moves of both sides bring into the slices of a layout; `draft` is its own table."""
    return _Assessment(layout, metric, draft, library, crew).conversions()


class _Assessment:
    def __init__(
        self, layout: Layout, metric: Metric, draft: Source, library: Library, crew: Crew
    ) -> None:
        self.layout = layout
        self.metric = metric
        self.draft = draft
        self.library = library
        self.crew = crew
        self.desks: list[Desk] = []

    def conversions(self) -> Conversions:
        near = [self._neighbours(mover) for mover in (0, 1)]
        codes = {
            code
            for neighbour in (*near[0], *near[1])
            for code in (*self._brings(neighbour.source), *self._answers(neighbour.source))
        }
        scale = Scale(codes)
        self.desks = [_desk(scale) for _ in range(self.crew.workers)]
        result = Conversions(scale)
        for mover in (0, 1):
            shape = self.layout.count, CELLS
            worth = self.crew.arena.zeros(f"worth {mover}", shape, scale.kind)
            for neighbour in near[mover]:
                self._convert(neighbour, mover, scale, worth)
            for neighbour in near[mover]:
                if neighbour.source is self.draft:
                    self._step_twice(neighbour, mover, scale, worth)
            result.worth.append(worth)
            result.listed.append(_listed(worth, len(scale.worth) + 1, self.crew))
        return result

    def _neighbours(self, mover: int) -> list[_Neighbour]:
        """The tables behind the mover's conversions, each with the ways into it."""
        ways: dict[Material, list[Way]] = {}
        for way in ways_of(self.layout, mover):
            behind = material_of([man for _, man in way.men_behind(self.layout)])
            ways.setdefault(behind, []).append(way)
        return [self._neighbour(material, ways[material]) for material in ways]

    def _neighbour(self, material: Material, ways: list[Way]) -> _Neighbour:
        own = material == self.layout.material
        source = self.draft if own else self.library(material.canonical())
        return _Neighbour(self.layout, source, material, ways)

    def _brings(self, source: Source) -> list[int]:
        """By number in a cell: the code of a move that leads there."""
        converts = source is not self.draft
        codes = source.palette.tolist()
        return [code_before(c, self.metric, zeroes=True, converts=converts) for c in codes]

    def _answers(self, source: Source) -> list[int]:
        """By number in a cell: the code of a double step after which en passant leads there."""
        return [
            code_before(code, self.metric, zeroes=True, converts=False)
            for code in self._brings(source)
        ]

    def _convert(self, near: _Neighbour, mover: int, scale: Scale, worth: CellArray) -> None:
        """`worth` counts the mover's conversions into a neighbour, double steps left out."""
        self._apply(near.empty(scale), mover, worth)  # to learn which planes are wanted
        if near.misses:
            meaning = [scale.worth[code] for code in self._brings(near.source)]
            target = near.loaded(1 - mover, meaning, scale, self.crew)
            self._apply(target, mover, worth)

    def _apply(self, target: Target, mover: int, worth: CellArray) -> None:
        frame = self.layout.frame

        def task(worker: int, first: int, stop: int) -> None:
            desk = self.desks[worker]
            convert(first, stop, mover, frame, geometry(), target, desk, worth)

        self.crew.each(len(frame.planes), task)

    def _step_twice(self, near: _Neighbour, mover: int, scale: Scale, worth: CellArray) -> None:
        """`worth` counts double steps into this table, answered by captures that leave it."""
        answers = self._captures_en_passant(int(near.target.mover[0]), mover) or near
        frame = self.layout.frame

        def apply(target: Target, answered: Target) -> None:
            def task(worker: int, first: int, stop: int) -> None:
                step_twice(
                    first,
                    stop,
                    mover,
                    frame,
                    geometry(),
                    target,
                    answered,
                    scale.stalemate,
                    self.desks[worker],
                    worth,
                )

            self.crew.each(len(frame.planes), task)

        apply(near.empty(scale), answers.empty(scale))
        if near.misses:
            meaning = [scale.worth[code] for code in self._brings(near.source)]
            meaning[STALEMATE] = scale.stalemate
            target = near.loaded(1 - mover, meaning, scale, self.crew)
            answered = answers.empty(scale)
            if answers.misses:
                meaning = [scale.worth[code] for code in self._answers(answers.source)]
                answered = answers.loaded(mover, meaning, scale, self.crew, "answered")
            apply(target, answered)

    def _captures_en_passant(self, pawns: int, mover: int) -> _Neighbour | None:
        """The table behind the capture of a pawn of the mover by a pawn; None if there is none."""
        takers = [
            group
            for group, (man, _) in enumerate(self.layout.groups)
            if man == Man(PAWN, 1 - mover)
        ]
        if not takers:
            return None
        way = Way(takers[0], pawns)
        material = material_of([man for _, man in way.men_behind(self.layout)])
        return self._neighbour(material, [way])


def _desk(scale: Scale) -> Desk:
    return Desk(
        squares=np.zeros(MOST_MEN, np.int64),
        behind=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        free=np.zeros(SQUARES, scale.kind),
        plane=np.zeros(CELLS, scale.kind),
        other=np.zeros(CELLS, scale.kind),
    )


def _listed(worth: CellArray, numbers: int, crew: Crew) -> dict[int, NDArray[np.int64]]:
    """The planes that have a cell of each worth, none left out."""
    present = crew.arena.zeros("present", (len(worth), numbers), np.uint8)
    crew.each(len(worth), lambda _, first, stop: survey(worth[first:stop], present[first:stop]))
    found = ((number, np.flatnonzero(present[:, number])) for number in range(1, numbers))
    return {number: planes for number, planes in found if len(planes)}


class ConversionBorder:
    """A `Border` for one winner."""

    def __init__(
        self, layout: Layout, winner: int, known: Conversions, field: Field, crew: Crew
    ) -> None:
        self._frame = layout.frame
        self._winner = winner
        self._known = known
        self._field = field
        self._crew = crew
        self.last = known.scale.last

    def block(self) -> None:
        """See `Border`."""
        worth, blocked = self._known.worth[1 - self._winner], self._field.blocked
        self._crew.each(
            len(self._frame.planes),
            lambda _, first, stop: pick_any(first, stop, self._frame, worth, blocked),
        )

    def lost_at(self, level: int) -> Frontier | None:
        """See `Border`."""
        return self._arrive(self._winner, win_code(level))

    def won_at(self, level: int) -> Frontier | None:
        """See `Border`."""
        loser, blocked = 1 - self._winner, self._field.blocked
        arrivals = self._arrive(loser, loss_code(level))
        if arrivals is not None:
            planes = self._planes(loser, loss_code(level))
            self._crew.each(
                len(planes),
                lambda _, first, stop: unblock(first, stop, planes, arrivals, blocked),
            )
        return arrivals

    def _arrive(self, mover: int, code: int) -> Frontier | None:
        """The mover's positions whose best conversion is worth `code`."""
        planes = self._planes(mover, code)
        if not len(planes):
            return None
        number = self._known.scale.worth[code]
        arrivals, worth = self._field.arrivals, self._known.worth[mover]
        arrivals.live[:] = 0
        self._crew.each(
            len(planes),
            lambda _, first, stop: pick_equal(first, stop, planes, worth, number, arrivals),
        )
        return arrivals

    def _planes(self, mover: int, code: int) -> NDArray[np.int64]:
        """The planes with such positions."""
        number = self._known.scale.worth.get(code, 0)
        return self._known.listed[mover].get(number, _NO_PLANES)
