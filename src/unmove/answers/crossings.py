"""What moves into solved tables of xiangqi are worth, for every cell of a layout.

A capture leads into the table without the victim, so there is one table behind each kind of man of
the other side; see `kernels/courts/captures.py`. Worths are those of `moves.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.answers.moves import Scale
from unmove.crew.crew import Crew
from unmove.games.xiangqi import FLIP, LETTERS, SQUARES, STANDS
from unmove.kernels.courts.captures import (
    DEFENDER,
    NOBODY,
    CourtDesk,
    CourtTarget,
    convert_courts,
)
from unmove.kernels.scratch import MOST_MEN
from unmove.kernels.worths import translate
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.courts import Configuration
from unmove.planes.layout import Man
from unmove.planes.terrain import terrain
from unmove.store.table import CellArray
from unmove.values import Metric, code_before


@dataclass(frozen=True)
class Crossing:
    """The moves that take a man (or nobody), and where what they lead to stands in its table."""

    layout: CourtLayout
    victim: Man | None
    theirs: CourtLayout

    @property
    def turned(self) -> bool:
        """Whether the table has the sides the other way round."""
        return self.theirs.material != material_behind(self.layout, self.victim)

    @property
    def target(self) -> CourtTarget:
        """The same for kernels, with no worths in it."""
        groups = [man for man, _ in self.layout.groups]
        victim, places = NOBODY, np.zeros(0, np.int64)
        if self.victim in groups:
            victim = groups.index(self.victim)
        elif self.victim is not None:
            victim = DEFENDER
            places = np.flatnonzero(STANDS[self.victim.side, self.victim.kind])
        place = np.full(SQUARES, -1, np.int64)
        place[places] = np.arange(len(places))
        across = self.layout.across
        return CourtTarget(
            victim=victim,
            place=place,
            seat=np.array(self._seats(victim), np.int64),
            turned=int(self.turned),
            axes=self.theirs.axes,
            rows=self._adds(across, places.tolist()),
            bits=self._adds(1 - across, places.tolist()),
            worth=np.zeros((0, self.theirs.cells), np.uint8),
        )

    def _seats(self, victim: int) -> list[int]:
        """Our man in the part of each man of the table."""
        men = list(enumerate(self.layout.men))
        if victim >= 0:
            del men[self.layout.starts[victim]]
        seats = []
        for man in self.theirs.men:
            seat = next(m for m in men if m[1] == Man(man.kind, man.side ^ self.turned))
            men.remove(seat)
            seats.append(seat[0])
        return seats

    def _adds(self, side: int, places: list[int]) -> NDArray[np.int64]:
        """[mirrored, place, configuration of our side]: what it adds to a cell of the table."""
        ours, theirs = self.layout.courts[side], self.theirs.courts[side ^ self.turned]
        step = self.theirs.row_words * 64 if theirs.side == self.theirs.across else 1
        shrinks = self.victim is not None and self.victim.side == side
        adds = np.full((2, max(1, len(places)), len(ours.configurations)), -1, np.int64)
        for place in range(adds.shape[1]):
            for number, squares in enumerate(ours.configurations):
                left: Configuration | None = squares
                if shrinks and places:
                    left = ours.without(squares, places[place])
                if left is not None:
                    seen = theirs.ordered(tuple(FLIP[[*left]].tolist()) if self.turned else left)
                    mirrored = theirs.mirrored(seen)
                    adds[0, place, number] = step * theirs.number[seen]
                    adds[1, place, number] = step * theirs.number[mirrored]
        return adds


def material_behind(layout: CourtLayout, victim: Man | None) -> Material:
    """The material without the victim, sides as they are."""
    white, black = layout.material.sides
    if victim is not None:
        letter = LETTERS[victim.kind]
        if victim.side == 0:
            white = white.replace(letter, "", 1)
        else:
            black = black.replace(letter, "", 1)
    return Material.of(white, black, game=layout.material.game)


def victims(layout: CourtLayout, mover: int) -> Iterator[Man]:
    """The kinds of men the mover can capture."""
    for letter in dict.fromkeys(layout.material.sides[1 - mover]):
        yield Man(LETTERS.index(letter), 1 - mover)


def brings(palette: NDArray[np.int64], metric: Metric, *, capture: bool = True) -> list[int]:
    """By number in a cell of a table: the code of a capture (or other move) that leads there."""
    return [
        code_before(code, metric, zeroes=capture, converts=capture) for code in palette.tolist()
    ]


def desk_of(layout: CourtLayout) -> CourtDesk:
    """Scratch space for one thread."""
    longest = max(len(court.men.to) + len(court.configurations) for court in layout.courts)
    return CourtDesk(
        squares=np.zeros(MOST_MEN, np.int64),
        behind=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        spots=np.zeros(MOST_MEN, np.int64),
        listed=np.zeros((2, 2), np.int64),
        here=np.zeros((2, 2, longest), np.int64),
        there=np.zeros((2, 2, longest), np.int64),
    )


def cross(
    crossing: Crossing,
    mover: int,
    cells: CellArray,
    meaning: Sequence[int],
    scale: Scale,
    crew: Crew,
    worth: CellArray,
) -> None:
    """worth[plane] counts the mover's moves of this kind.

    `cells` is the table, all planes, with the side to move that is next; meaning[number] is what
    its numbers are worth.
    """
    known = crew.arena.empty("behind", cells.shape, scale.kind)
    numbers = np.array(meaning, scale.kind)
    crew.each(len(cells), lambda _, a, b: translate(cells[a:b], numbers, known[a:b]), smallest=16)
    target = crossing.target._replace(worth=known)
    desks = [desk_of(crossing.layout) for _ in range(crew.workers)]
    frame = crossing.layout.frame
    crew.each(
        len(frame.planes),
        lambda w, a, b: convert_courts(a, b, mover, frame, terrain(), target, desks[w], worth),
        smallest=16,
    )
