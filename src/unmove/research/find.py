"""Positions of a table that a query is true of: counted, listed, or a sample of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Codes
from unmove.research.choices import MoveCounts
from unmove.research.notes import Note, valued
from unmove.research.query import Mask, Needs, Query, QueryView
from unmove.research.reasons import why_nothing
from unmove.research.scan import CellPlaces, Chunk, ReportFraction, Scan
from unmove.store.source import STALEMATE
from unmove.values import (
    BLACK,
    DRAW,
    WHITE,
    Outcome,
    Plies,
    Side,
    opponent_of,
    outcome_of,
    plies_of,
)


@dataclass(frozen=True)
class Matches:
    """Positions with one side to move: their places and codes."""

    side: Side
    places: CellPlaces
    codes: Codes

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def index(self) -> NDArray[np.int64]:
        """plane * cells + cell of each; mirror images have the same."""
        return self.places.index

    def where(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> Matches:
        return Matches(self.side, self.places.where(keep), Codes(self.codes[keep]))


class Finder:
    """A query put to a table."""

    def __init__(self, scan: Scan, query: Query) -> None:
        self._scan, self._query = scan, query
        self._values = [self._view(side, scan.codes) for side in (WHITE, BLACK)]
        self._possible = [self._of_values(view) for view in self._values]
        self._counter = cache(lambda side: scan.counter(side))

    def matches(
        self, report: ReportFraction = lambda _: None, *, in_order: bool = True
    ) -> Iterator[Matches]:
        """All of them, in the order of the table, White to move first in each of its chunks.

        The order may be another one if nobody cares for it: that takes less memory.
        """
        sides = [side for side in (WHITE, BLACK) if self._possible[side].any()]
        if not sides:
            return
        read = sides if self._query.needs == Needs.OWN else [WHITE, BLACK]
        by_order = in_order or self._query.needs == Needs.CHOICES  # whose moves lead everywhere
        each = self._scan.each if by_order else self._scan.each_in_any_order
        for found in each(read, partial(self._candidates, sides), report):
            for side, chunk, where in found:
                yield self._settled(side, chunk, where)

    def sample(
        self, size: int, seed: int, report: ReportFraction = lambda _: None
    ) -> list[Matches]:
        """A sample of this size, each set of matches as likely as another; a seed gives the same.

        Every match draws a number, and the smallest numbers win. So only these are kept.
        """
        kept: list[tuple[NDArray[np.float64], Matches]] = []
        for number, found in enumerate(self.matches(report)):
            lots = np.random.default_rng([seed, number]).random(len(found))
            kept = _smallest([*kept, (lots, found)], size)
        return [found for _, found in kept]

    def count(self, report: ReportFraction = lambda _: None) -> int:
        """How many there are."""
        return sum(len(found) for found in self.matches(report, in_order=False))

    @property
    def is_possible(self) -> bool:
        """Whether a value that the table has may match."""
        return any(possible.any() for possible in self._possible)

    def hint(self) -> str | None:
        """Why no distance can match; None if one can, or if the query compares none."""
        if not self._query.compares or self.is_possible:
            return None
        return why_nothing(self._query, self._values, self._scan.material)

    def notes(self, found: Matches) -> Iterator[Note]:
        """The positions with a comment."""
        boards = self._scan.boards(found.side, found.places)
        for board, code in zip(boards, found.codes.tolist(), strict=True):
            yield valued(board, self._scan.metric, code)

    def _view(self, side: Side, codes: Codes) -> QueryView:
        """All values of the table, as one side to move may have them."""
        longest: dict[Outcome, Plies] = {}
        for code in self._scan.summary.histogram[side]:
            outcome, plies = outcome_of(code), plies_of(code, self._scan.metric)
            longest[outcome] = max(plies, longest.get(outcome, plies))
        stuck = np.arange(len(codes)) == STALEMATE
        return QueryView(side, self._scan.metric, codes, stuck, longest)

    def _of_values(self, view: QueryView) -> Mask:
        """[number in a cell]: whether the query may be true of it, and the table has it."""
        summary = self._scan.summary
        there = set(summary.histogram[view.side])
        if summary.counts(view.side)[Outcome.DRAW.word]:
            there.add(DRAW)
        return self._query.test(view)[1] & np.isin(view.codes, list(there))

    def _candidates(self, sides: list[Side], chunk: Chunk) -> list[tuple[Side, Chunk, Mask]]:
        """For each side to move, the positions that may match as far as values tell."""
        found = []
        for side in sides:
            where = self._possible[side][chunk.cells[side]]
            where &= chunk.chosen
            if self._query.needs != Needs.OWN:
                view = self._at(side, chunk, where)
                where[where] = self._query.test(view)[1]
            found.append((side, chunk, where))
        return found

    def _at(
        self, side: Side, chunk: Chunk, where: Mask, choices: MoveCounts | None = None
    ) -> QueryView:
        """The positions of a chunk, seen with the other side to move as well."""
        numbers = chunk.cells[side][where]
        codes, values, opponent = self._scan.codes, self._values[side], opponent_of(side)
        other = codes[chunk.cells[opponent][where]] if opponent in chunk.cells else None
        stuck = numbers == STALEMATE
        return QueryView(side, values.metric, codes[numbers], stuck, values.longest, other, choices)

    def _settled(self, side: Side, chunk: Chunk, where: Mask) -> Matches:
        """The candidates of a chunk that do match."""
        if self._query.needs == Needs.CHOICES:
            busy = np.flatnonzero(where.any(axis=1))
            asked = where[busy]
            counts = self._counter(side).count(chunk.planes[busy], asked)[asked]
            where[where] = self._query.test(self._at(side, chunk, where, MoveCounts(counts)))[0]
        which, places = self._scan.places(chunk, where)
        return Matches(side, places, self._scan.codes[chunk.cells[side][where]][which])


def _smallest(
    drawn: list[tuple[NDArray[np.float64], Matches]], size: int
) -> list[tuple[NDArray[np.float64], Matches]]:
    """The `size` matches with the smallest numbers, in the same order."""
    every = np.concatenate([lots for lots, _ in drawn])
    if len(every) <= size:
        return drawn
    win = np.zeros(len(every), np.bool_)
    win[np.argpartition(every, size - 1)[:size]] = True
    winners = np.split(win, np.cumsum([len(found) for _, found in drawn])[:-1])
    return [
        (lots[own], found.where(own))
        for (lots, found), own in zip(drawn, winners, strict=True)
        if own.any()
    ]
