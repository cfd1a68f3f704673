"""The fixpoint check of a whole table.

Why it proves the table right: by induction on the plies, every position that is won or lost in n
plies has just that value if its successors have theirs; and a value with no game behind it would
need a successor with a smaller one, down to a checkmate, a pawn move or a smaller endgame, and
pawns come to an end. So there is one fixpoint only. It rests on the tables behind conversions,
which have proofs of their own.

`kings.py` proves tables of chess, `courts.py` those of xiangqi.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from unmove.kernels.proof.fixpoint import NO_VALUE, STALEMATED
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layouts import board_at
from unmove.store.table import MapFunction, Table
from unmove.values import BROKEN, DRAW, Metric, outcome50_of, outcome_of, plies_of
from unmove.verify.courts import CourtProof
from unmove.verify.kings import KingsProof
from unmove.verify.tally import Smaller, Tally, codes_of

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


class Proof(Protocol):
    """The check of all positions of a table with one side to move."""

    def check(self, ranges: list[tuple[int, int]], run: MapFunction) -> Iterator[Tally]:
        """The tally of each range of planes."""


def verify(
    table: Table,
    smaller: Smaller,
    threads: int = 1,
    report: Callable[[float], None] = lambda _: None,
) -> Verdict:
    """The verdict on every cell of a table. `smaller` answers for each endgame a conversion away.

    `report` is told the part done, up to 1.0. The verdict does not depend on `threads`.
    """
    tallies: list[Tally] = []
    total = 2 * sum(len(_ranges(table, part)) for part in table.layout.parts)
    with ThreadPoolExecutor(threads) as pool:
        for side in (0, 1):
            proof = _proof(table, side, smaller)
            for part in table.layout.parts:
                for tally in proof.check(_ranges(table, part), pool.map):
                    tallies.append(tally)
                    report(len(tallies) / total)
    return _verdict(table, tallies)


def _proof(table: Table, side: int, smaller: Smaller) -> Proof:
    if isinstance(table.layout, CourtLayout):
        return CourtProof(table, side, smaller)
    return KingsProof(table, side, smaller)


def _ranges(table: Table, part: tuple[int, int]) -> list[tuple[int, int]]:
    """The planes of a range of the lead's orbits, a few at a time."""
    first, stop = (orbit * table.layout.strides[0] for orbit in part)
    return [(i, min(i + PLANES_A_RANGE, stop)) for i in range(first, stop, PLANES_A_RANGE)]


def _verdict(table: Table, tallies: list[Tally]) -> Verdict:
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


def _example(table: Table, tally: Tally) -> str:
    """The position of a cell as a FEN, what is stored for it and what its moves give."""
    stored = int(codes_of(table)[table.cells[tally.side][divmod(tally.index, table.layout.cells)]])
    fen = board_at(table.layout, tally.side, tally.index).fen()
    texts = [_words(code, table.metric) for code in (stored, tally.right)]
    return f"{fen} (stored: {texts[0]}; right: {texts[1]})"


def _words(code: int, metric: Metric) -> str:
    names = {NO_VALUE: "no value", STALEMATED: "stalemate", BROKEN: "broken", DRAW: "draw"}
    if code in names:
        return names[code]
    outcome = outcome50_of(code) if metric == Metric.DTZ else outcome_of(code)
    return f"{outcome.word} in {plies_of(code, metric)} plies"
