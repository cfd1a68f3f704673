"""The score of the best move into solved tables, for every cell of planes of court by court.

A capture leads into the table without the victim. So each kind of man of the other side has one
table that its capture leads into; see `kernels/courts/captures.py`. Scores are those of
`scores.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import FLIP, LETTERS, SQUARES, STANDS
from unmove.kernels.arrays import CellNumbers, Palette, Score, Scores
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
from unmove.planes.layout import Man, man_map
from unmove.pool.workers import WorkerPool
from unmove.successors.scores import ScoreTable
from unmove.values import WHITE, Code, Metric, Side, code_before, opponent_of, swapped_if


@dataclass(frozen=True)
class CourtSubtable:
    """The moves that capture a man (or nobody), and where they lead in the table `theirs`."""

    layout: CourtLayout
    victim: Man | None
    theirs: CourtLayout

    @property
    def colours_swapped(self) -> bool:
        """Whether the table has the sides the other way round."""
        return self.theirs.material != material_after(self.layout, self.victim)

    @property
    def target(self) -> CourtTarget:
        """The same for kernels, without scores."""
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
            bits=self._adds(opponent_of(row_side), places.tolist()),
            score=Scores(np.zeros((0, self.theirs.cells), np.uint8)),
        )

    def _man_map(self, victim: int) -> list[int]:
        """For each man of `theirs`, the number of our man that plays its role."""
        men = list(enumerate(self.layout.men))
        if victim >= 0:
            del men[self.layout.starts[victim]]
        return man_map(self.theirs.men, men, self.colours_swapped)

    def _adds(self, side: Side, places: list[int]) -> NDArray[np.int64]:
        """[mirrored, place, configuration of our side]: what it adds to a cell of `theirs`."""
        ours = self.layout.courts[side]
        theirs = self.theirs.courts[swapped_if(self.colours_swapped, side)]
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
        if victim.side == WHITE:
            white = white.replace(letter, "", 1)
        else:
            black = black.replace(letter, "", 1)
    return Material.of(white, black, game=layout.material.game)


def victims(layout: CourtLayout, mover: Side) -> Iterator[Man]:
    """The kinds of men the mover can capture."""
    for letter in dict.fromkeys(layout.material.sides[opponent_of(mover)]):
        yield Man(LETTERS.index(letter), opponent_of(mover))


def backed_up(palette: Palette, metric: Metric, *, capture: bool = True) -> list[Code]:
    """[number in a cell]: the code of a capture (or quiet move) that leads there."""
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


def assess_courts(
    subtable: CourtSubtable,
    mover: Side,
    cells: CellNumbers,
    lookup: Sequence[Score],
    score_table: ScoreTable,
    pool: WorkerPool,
    score: Scores,
) -> None:
    """score[plane] is raised to the best of the mover's moves into the subtable.

    `cells` are all planes of the subtable, with the side to move that is next. lookup[number in a
    cell] is the score of a move that leads there.
    """
    theirs = Scores(pool.arena.empty("subtable scores", cells.shape, score_table.kind))
    by_number = Scores(np.array(lookup, score_table.kind))
    pool.for_ranges(
        len(cells),
        lambda _, a, b: translate(CellNumbers(cells[a:b]), by_number, Scores(theirs[a:b])),
        smallest=16,
    )
    target = subtable.target._replace(score=theirs)
    scratch = [scratch_of(subtable.layout) for _ in range(pool.workers)]
    frame = subtable.layout.frame
    pool.for_ranges(
        len(frame.planes),
        lambda w, a, b: score_moves_of_courts(
            a, b, mover, CourtScoring(frame, court_geometry(), target, scratch[w], score)
        ),
        smallest=16,
    )
