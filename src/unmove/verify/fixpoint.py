"""The fixpoint check of a whole table.

Why it proves the table right: by induction on the plies, every position that is won or lost in n
plies has just that value if its successors have theirs; and a value with no game behind it would
need a successor with a smaller one, down to a checkmate, a pawn move or a smaller endgame, and
pawns come to an end. So there is one fixpoint only. It rests on the tables behind conversions,
which have proofs of their own.

One side to move and one part of the table at a time: of the tables behind conversions, only the
planes that this part's moves lead to are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.behind import STEP, Rule, behind, mark
from unmove.kernels.fixpoint import CHECKMATED, NO_VALUE, NO_WORTH, STALEMATED, Values, check
from unmove.kernels.forward import Men, position
from unmove.material import Material
from unmove.planes.layout import CELLS
from unmove.planes.position import board_at
from unmove.store.table import STALEMATE, CellArray, Run, Table, cell_type
from unmove.values import BROKEN, DRAW, Metric, outcome50_of, outcome_of, plies_of
from unmove.verify.ways import Smaller, Ways, men_of, rule_of, ways_of

PLANES_A_RANGE = 64  # a quarter of a million cells: a fraction of a second, so that reports flow


@dataclass(frozen=True)
class Verdict:
    """What a check found. `positions` are the legal cells as stored, both sides to move."""

    material: Material
    metric: Metric
    positions: int
    mismatches: int
    example: str | None
    """The first mismatch by plane: its FEN, what is stored and what its moves give."""

    @property
    def clean(self) -> bool:
        return self.mismatches == 0


@dataclass(frozen=True)
class _Tally:
    """What `kernels.fixpoint.check` counted with one side to move."""

    side: int
    positions: int
    mismatches: int
    index: int
    right: int


def verify(
    table: Table,
    smaller: Smaller,
    threads: int = 1,
    report: Callable[[float], None] = lambda _: None,
) -> Verdict:
    """The verdict on every cell of a table. `smaller` answers for each endgame a conversion away.

    `report` is told the part done, up to 1.0. The verdict does not depend on `threads`.
    """
    tallies: list[_Tally] = []
    total = 2 * sum(len(_ranges(table, part)) for part in table.layout.parts)
    with ThreadPoolExecutor(threads) as pool:
        for side in (0, 1):
            proof = _Proof(table, side, ways_of(table, side, smaller))
            for part in table.layout.parts:
                for tally in proof.check(_ranges(table, part), pool.map):
                    tallies.append(tally)
                    report(len(tallies) / total)
    return _verdict(table, tallies)


def _ranges(table: Table, part: tuple[int, int]) -> list[tuple[int, int]]:
    """The planes of a range of the lead's orbits, a few at a time."""
    first, stop = (orbit * table.layout.strides[0] for orbit in part)
    return [(i, min(i + PLANES_A_RANGE, stop)) for i in range(first, stop, PLANES_A_RANGE)]


@dataclass(frozen=True)
class _Proof:
    """The check of all positions of a table with one side to move."""

    table: Table
    side: int
    ways: Ways

    @cached_property
    def men(self) -> Men:
        return men_of(self.table.layout)

    @cached_property
    def rule(self) -> Rule:
        return rule_of(self.ways)

    def check(self, ranges: list[tuple[int, int]], run: Run) -> Iterator[_Tally]:
        """The tally of each range of planes."""
        rule, beyond = self._load(self._wanted(ranges, run), run)
        values = self._values(beyond)
        men = len(self.men.kinds)

        def check_range(planes: tuple[int, int]) -> _Tally:
            tally = np.zeros(4, np.int64)
            room = position(men), behind(men)
            check(*planes, self.side, self.men, rule, values, *room, tally)
            return _Tally(self.side, *tally.tolist())

        yield from run(check_range, ranges)

    def _wanted(self, ranges: list[tuple[int, int]], run: Run) -> NDArray[np.bool_]:
        """Which slots of `rule` the moves from these planes lead to."""
        wanted = np.zeros(len(self.rule.slot), np.uint8)
        men = len(self.men.kinds)

        def mark_range(planes: tuple[int, int]) -> None:
            mark(*planes, self.side, self.men, self.rule, position(men), behind(men), wanted)

        for _ in run(mark_range, ranges):
            pass
        return wanted.astype(np.bool_)

    def _load(self, wanted: NDArray[np.bool_], run: Run) -> tuple[Rule, CellArray]:
        """The wanted planes of other tables, and the rule with their slots."""
        leaving = self.ways.ways[STEP + 1 :]
        bases = [*self.rule.base[STEP + 1 :].tolist(), len(wanted)]
        own = self.table.layout.count
        slot = self.rule.slot.copy()
        slot[own:] = np.cumsum(wanted[own:]) - 1
        kind = cell_type(max((len(way.source.palette) for way in leaving), default=0))
        beyond: CellArray = np.empty((int(wanted[own:].sum()), CELLS), kind)
        for way, (first, stop) in zip(leaving, pairwise(bases), strict=True):
            planes = np.flatnonzero(wanted[first:stop])
            if len(planes):
                at = slot[first + planes[0]]
                way.source.read(way.side, planes, beyond[at : at + len(planes)], run)
        return self.rule._replace(slot=slot), beyond

    def _values(self, beyond: CellArray) -> Values:
        cells, codes = self.table.cells, _codes(self.table)
        width = max(len(codes), 1 << 8 * beyond.itemsize)
        worth = np.full((len(self.ways.ways), width), NO_WORTH, np.int16)
        for row, way in zip(worth, self.ways.ways, strict=True):
            row[: len(way.worth)] = way.worth
        return Values(
            here=cells[self.side],
            there=cells[1 - self.side],
            beyond=beyond,
            codes=codes,
            stuck=(codes == STALEMATED) | (codes == CHECKMATED),
            worth=worth,
        )


def _codes(table: Table) -> NDArray[np.int64]:
    """What each number a cell can hold stands for: its code, or NO_VALUE or STALEMATED."""
    codes = np.full(1 << 8 * table.cells[0].itemsize, NO_VALUE, np.int64)
    codes[: len(table.palette)] = table.palette
    codes[STALEMATE] = STALEMATED
    return codes


def _verdict(table: Table, tallies: list[_Tally]) -> Verdict:
    """The sum of all tallies, with the smallest plane's mismatch as the example."""
    found = [tally for tally in tallies if tally.mismatches]
    first = min(found, key=lambda tally: (tally.index, tally.side), default=None)
    return Verdict(
        table.material,
        table.metric,
        positions=sum(tally.positions for tally in tallies),
        mismatches=sum(tally.mismatches for tally in found),
        example=None if first is None else _example(table, first),
    )


def _example(table: Table, tally: _Tally) -> str:
    """The position of a cell as a FEN, what is stored for it and what its moves give."""
    stored = int(_codes(table)[table.cells[tally.side][divmod(tally.index, CELLS)]])
    fen = board_at(table.layout, tally.side, tally.index).fen()
    texts = [_words(code, table.metric) for code in (stored, tally.right)]
    return f"{fen} (stored: {texts[0]}; right: {texts[1]})"


def _words(code: int, metric: Metric) -> str:
    names = {NO_VALUE: "no value", STALEMATED: "stalemate", BROKEN: "broken", DRAW: "draw"}
    if code in names:
        return names[code]
    outcome = outcome50_of(code) if metric is Metric.DTZ else outcome_of(code)
    return f"{outcome.word} in {plies_of(code, metric)} plies"
