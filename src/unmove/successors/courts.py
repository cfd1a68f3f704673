"""What moves into solved tables of xiangqi are worth, for every cell of a layout.

A capture leads into the table without the victim, so there is one table behind each kind of man of
the other side; see `kernels/courts/captures.py`. Scores are those of `moves.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import FLIP, LETTERS, SQUARES, STANDS
from unmove.kernels.courts.captures import (
    DEFENDER,
    CourtMoveScratch,
    CourtScoring,
    CourtTarget,
    score_moves_of_courts,
)
from unmove.kernels.scores import translate
from unmove.kernels.scratch import MOST_MEN
from unmove.kernels.successors import NO_VICTIM
from unmove.material import Material
from unmove.planes.court_geometry import court_geometry
from unmove.planes.court_layout import CourtLayout
from unmove.planes.courts import Configuration
from unmove.planes.layout import Man
from unmove.pool.workers import WorkerPool
from unmove.store.table import CellArray
from unmove.successors.evaluation import ScoreTable
from unmove.values import Metric, code_before


@dataclass(frozen=True)
class CourtSubtable:
    """The moves that take a man (or nobody), and where what they lead to stands in its table."""

    layout: CourtLayout
    victim: Man | None
    theirs: CourtLayout

    @property
    def colours_swapped(self) -> bool:
        """Whether the table has the sides the other way round."""
        return self.theirs.material != material_after(self.layout, self.victim)

    @property
    def target(self) -> CourtTarget:
        """The same for kernels, with no worths in it."""
        groups = [man for man, _ in self.layout.groups]
        victim, places = NO_VICTIM, np.zeros(0, np.int64)
        if self.victim in groups:
            victim = groups.index(self.victim)
        elif self.victim is not None:
            victim = DEFENDER
            places = np.flatnonzero(STANDS[self.victim.side, self.victim.kind])
        place = np.full(SQUARES, -1, np.int64)
        place[places] = np.arange(len(places))
        row_side = self.layout.row_side
        return CourtTarget(
            victim=victim,
            place=place,
            man_map=np.array(self._man_map(victim), np.int64),
            colours_swapped=int(self.colours_swapped),
            axes=self.theirs.axes,
            rows=self._adds(row_side, places.tolist()),
            bits=self._adds(1 - row_side, places.tolist()),
            score=np.zeros((0, self.theirs.cells), np.uint8),
        )

    def _man_map(self, victim: int) -> list[int]:
        """Our man in the part of each man of the table."""
        men = list(enumerate(self.layout.men))
        if victim >= 0:
            del men[self.layout.starts[victim]]
        man_map = []
        for man in self.theirs.men:
            seat = next(m for m in men if m[1] == Man(man.kind, man.side ^ self.colours_swapped))
            men.remove(seat)
            man_map.append(seat[0])
        return man_map

    def _adds(self, side: int, places: list[int]) -> NDArray[np.int64]:
        """[mirrored, place, configuration of our side]: what it adds to a cell of the table."""
        ours, theirs = self.layout.courts[side], self.theirs.courts[side ^ self.colours_swapped]
        step = self.theirs.row_words * 64 if theirs.side == self.theirs.row_side else 1
        shrinks = self.victim is not None and self.victim.side == side
        adds = np.full((2, max(1, len(places)), len(ours.configurations)), -1, np.int64)
        for place in range(adds.shape[1]):
            for number, squares in enumerate(ours.configurations):
                left: Configuration | None = squares
                if shrinks and places:
                    left = ours.without(squares, places[place])
                if left is not None:
                    seen = theirs.ordered(
                        tuple(FLIP[[*left]].tolist()) if self.colours_swapped else left
                    )
                    mirrored = theirs.mirrored(seen)
                    adds[0, place, number] = step * theirs.number[seen]
                    adds[1, place, number] = step * theirs.number[mirrored]
        return adds


def material_after(layout: CourtLayout, victim: Man | None) -> Material:
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


def backed_up(palette: NDArray[np.int64], metric: Metric, *, capture: bool = True) -> list[int]:
    """By number in a cell of a table: the code of a capture (or other move) that leads there."""
    return [
        code_before(code, metric, zeroes=capture, converts=capture) for code in palette.tolist()
    ]


def scratch_of(layout: CourtLayout) -> CourtMoveScratch:
    """Scratch space for one thread."""
    longest = max(len(court.men.to) + len(court.configurations) for court in layout.courts)
    return CourtMoveScratch(
        squares=np.zeros(MOST_MEN, np.int64),
        moved=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        spots=np.zeros(MOST_MEN, np.int64),
        listed=np.zeros((2, 2), np.int64),
        here=np.zeros((2, 2, longest), np.int64),
        there=np.zeros((2, 2, longest), np.int64),
    )


def cross(
    crossing: CourtSubtable,
    mover: int,
    cells: CellArray,
    lookup: Sequence[int],
    score_table: ScoreTable,
    pool: WorkerPool,
    score: CellArray,
) -> None:
    """worth[plane] counts the mover's moves of this kind.

    `cells` is the table, all planes, with the side to move that is next; meaning[number] is what
    its numbers are worth.
    """
    known = pool.arena.empty("behind", cells.shape, score_table.kind)
    numbers = np.array(lookup, score_table.kind)
    pool.for_ranges(
        len(cells), lambda _, a, b: translate(cells[a:b], numbers, known[a:b]), smallest=16
    )
    target = crossing.target._replace(score=known)
    scratch = [scratch_of(crossing.layout) for _ in range(pool.workers)]
    frame = crossing.layout.frame
    pool.for_ranges(
        len(frame.planes),
        lambda w, a, b: score_moves_of_courts(
            a, b, mover, CourtScoring(frame, court_geometry(), target, scratch[w], score)
        ),
        smallest=16,
    )
