"""The fixpoint check of a whole table.

Why it proves the table right: by induction on the plies, every position that is won or lost in n
plies has just that value if its successors have theirs; and a value with no game behind it would
need a successor with a smaller one, down to a checkmate or a smaller endgame. So there is one
fixpoint only. It rests on the tables of the smaller endgames, which have proofs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from math import comb

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PIECES, SQUARES
from unmove.kernels.forward import (
    FURTHEST,
    KING,
    NO_VALUE,
    NO_WORTH,
    Men,
    Rule,
    Values,
    behind,
    check,
    position,
)
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout, Man, orbits
from unmove.planes.position import board_at
from unmove.planes.symmetry import IMAGE
from unmove.store.table import Table
from unmove.values import BROKEN, DRAW, Metric, Outcome, loss_code, outcome_of, plies_of, win_code

PLANES_A_RANGE = 64  # half a million cells: a fraction of a second, so that reports flow

Smaller = Callable[[Material], Table]


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
class _Beyond:
    """The endgame behind a capture. `turned`: its table has the sides the other way round."""

    table: Table
    turned: bool


@dataclass(frozen=True)
class _Proof:
    """All the kernel needs: by side to move where the values differ."""

    men: Men
    rule: Rule
    values: tuple[Values, Values]

    def run(self, planes: tuple[int, int]) -> NDArray[np.int64]:
        """The tally of each side to move over the planes; see `kernels.forward.check`."""
        tally = np.zeros((2, 4), np.int64)
        men = len(self.men.kinds)
        room = position(men), behind(men)
        for side in (0, 1):
            check(*planes, side, self.men, self.rule, self.values[side], *room, tally[side])
        return tally


def verify(
    table: Table,
    smaller: Smaller,
    threads: int = 1,
    report: Callable[[float], None] = lambda _: None,
) -> Verdict:
    """The verdict on every cell of a table. `smaller` answers for each endgame a capture away.

    `report` is told the part done, up to 1.0. The verdict does not depend on `threads`.
    """
    proof = _proof(table, [_beyond(table, man, smaller) for man, _ in table.layout.groups])
    total = table.layout.count
    ranges = [(i, min(i + PLANES_A_RANGE, total)) for i in range(0, total, PLANES_A_RANGE)]
    tallies = []
    with ThreadPoolExecutor(threads) as pool:
        for tally in pool.map(proof.run, ranges):
            tallies.append(tally)
            report(len(tallies) / len(ranges))
    return _verdict(table, np.array(tallies))


def _verdict(table: Table, tallies: NDArray[np.int64]) -> Verdict:
    """The sum of all ranges, with the smallest plane's mismatch as the example."""
    positions, mismatches = (int(n) for n in tallies[:, :, :2].sum(axis=(0, 1)))
    found = [
        (int(index), side, int(right))
        for part in tallies
        for side, (_, wrong, index, right) in enumerate(part)
        if wrong
    ]
    example = _example(table, *min(found)) if found else None
    return Verdict(table.material, table.metric, positions, mismatches, example)


def _example(table: Table, index: int, side: int, right: int) -> str:
    """The position of a cell as a FEN, what is stored for it and what its moves give."""
    stored = _codes(table)[table.cells[side][divmod(index, CELLS)]]
    fen = board_at(table.layout, side, index).fen()
    return f"{fen} (stored: {_words(int(stored))}; right: {_words(right)})"


def _words(code: int) -> str:
    if code == NO_VALUE:
        return "no value"
    if code == BROKEN:
        return "broken"
    if code == DRAW:
        return "draw"
    return f"{outcome_of(code).word} in {plies_of(code)} plies"


def _proof(table: Table, beyond: Sequence[_Beyond]) -> _Proof:
    men = [Man(KING, 0), Man(KING, 1), *table.layout.men]
    groups = [-1, -1, *(g for g, (_, size) in enumerate(table.layout.groups) for _ in range(size))]
    return _Proof(
        Men(
            kinds=np.array([man.kind for man in men], np.int64),
            sides=np.array([man.side for man in men], np.int64),
            group=np.array(groups, np.int64),
        ),
        _rule(table.layout, beyond),
        (_values(table, beyond, 0), _values(table, beyond, 1)),
    )


def _beyond(table: Table, victim: Man, smaller: Smaller) -> _Beyond:
    left = list(table.layout.men)
    left.remove(victim)
    sides = ["".join(PIECES[man.kind] for man in left if man.side == side) for side in (0, 1)]
    material = Material.of(*sides)
    canonical = material.canonical()
    return _Beyond(smaller(canonical), material != canonical)


def _rule(layout: Layout, beyond: Sequence[_Beyond]) -> Rule:
    """The index rules of the endgame and of those behind captures, as plain arrays."""
    layouts = [layout, *(near.table.layout for near in beyond)]
    seats = [list(range(2 + len(layout.men)))]
    for group, near in enumerate(beyond):
        seats.append(_seats(layout, group, near))
    leads = [each.groups[0][1] if each.groups else 0 for each in layouts]
    sizes = range(max(leads) + 1)
    begin = list(accumulate((comb(SQUARES, size) for size in sizes), initial=0))
    choose = [[comb(n, k) for n in range(SQUARES)] for k in range(2 + len(layout.men))]
    return Rule(
        seat=_padded(seats),
        start=_padded([[2 + start for start in each.starts] for each in layouts]),
        groups=np.array([len(each.groups) for each in layouts], np.int64),
        stride=_padded([list(each.strides) for each in layouts]),
        lead=np.array([begin[size] for size in leads], np.int64),
        orbit=np.concatenate([orbits(size).orbit for size in sizes]).astype(np.int32),
        symmetry=np.concatenate([orbits(size).symmetry for size in sizes]).astype(np.int32),
        first=orbits(leads[0]).first,
        image=IMAGE,
        choose=np.array(choose, np.int64),
    )


def _seats(layout: Layout, group: int, near: _Beyond) -> list[int]:
    """Our man in the part of each man of the smaller endgame, once the group's first is gone."""
    ours = list(enumerate(layout.men, start=2))
    del ours[layout.starts[group]]
    seats = [1, 0] if near.turned else [0, 1]
    for man in near.table.layout.men:
        wanted = Man(man.kind, man.side ^ near.turned)
        seat = next(pair for pair in ours if pair[1] == wanted)
        ours.remove(seat)
        seats.append(seat[0])
    return seats


def _values(table: Table, beyond: Sequence[_Beyond], side: int) -> Values:
    """The values behind the moves of `side`: the opponent's, here and in the smaller endgames."""
    captures = [np.zeros((0, CELLS), np.int16)]
    for near in beyond:
        cells = near.table.cells[(1 - side) ^ near.turned]
        captures.append(_worth(near.table, capture=True)[cells])
    return Values(
        here=table.cells[side],
        there=table.cells[1 - side],
        codes=_codes(table),
        worth=_worth(table, capture=False),
        base=np.cumsum([0, *map(len, captures)], dtype=np.int64),
        captures=np.concatenate(captures),
    )


def _codes(table: Table) -> NDArray[np.int64]:
    """The code of each number a cell can hold, NO_VALUE for those outside the palette."""
    codes = np.full(1 << 8 * table.cells[0].itemsize, NO_VALUE, np.int64)
    codes[: len(table.palette)] = table.palette
    return codes


def _worth(table: Table, *, capture: bool) -> NDArray[np.int16]:
    """The worth of a move to a cell of the table, by the number the cell holds."""
    converts = capture and table.metric is Metric.DTC
    return np.array([_worth_of(int(code), converts) for code in _codes(table)], np.int16)


def _worth_of(code: int, converts: bool) -> int:
    """The worth of a move after which the opponent has `code`; see `kernels.forward.Values`.

    A conversion is the goal of DTC, however long the endgame behind it takes.
    """
    if not BROKEN < code < FURTHEST - 3:  # 3: what a move can add to a code
        return NO_WORTH
    if code == DRAW:
        return 0
    plies = 1 if converts else 1 + plies_of(code)
    if outcome_of(code) is Outcome.LOSS:
        return FURTHEST - win_code(plies)
    return loss_code(plies) - FURTHEST


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The rows as one array, filled up with zeros."""
    padded = np.zeros((len(rows), max(map(len, rows), default=0)), np.int64)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded
