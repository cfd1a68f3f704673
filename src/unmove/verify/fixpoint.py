"""The fixpoint check of a whole table.

It proves the table right. By induction on the plies, every position that is won or lost in n plies
has just that value if its successors have theirs. A value that no play leads to would need a
successor with a smaller one, and so on down to a checkmate, a pawn move or a smaller endgame; and
pawn moves come to an end. So there is only one fixpoint. The proof relies on the tables that
conversions lead to, which have proofs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from unmove.kernels.proof.fixpoint import NO_VALUE, STALEMATED
from unmove.material import Material
from unmove.planes.kinds import resolved
from unmove.planes.layouts import board_at
from unmove.store.source import MapFunction, Source, TableLookup, planes_of
from unmove.successors.forward import PlaneRange, codes_of
from unmove.values import (
    BLACK,
    BROKEN,
    DRAW,
    WHITE,
    Code,
    Metric,
    Side,
    outcome50_of,
    outcome_of,
    plies_of,
)
from unmove.verify.tally import Tally

CHECKED_AT_ONCE = 64  # planes: a quarter of a million cells take a fraction of a second to check


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
    """The check of the positions of a table with one side to move."""

    def check(self, ranges: Sequence[PlaneRange], run: MapFunction) -> Iterator[Tally]:
        """The tally of each range of planes (ascending)."""


def proof_of(source: Source, side: Side, tables: TableLookup) -> Proof:
    """The proof of a table with one side to move."""
    proof: Proof = resolved(source.layout.kind.proof)(source, side, tables)
    return proof


@dataclass(frozen=True)
class PlaneSample:
    """Some planes of a table, chosen at random."""

    planes: int
    seed: int = 0

    def of(self, count: int) -> list[PlaneRange]:
        """So many of `count` planes, ascending, each as a range; all if there are not more."""
        rng = np.random.default_rng(self.seed)
        chosen = rng.choice(count, min(self.planes, count), replace=False)
        return [(plane, plane + 1) for plane in np.sort(chosen).tolist()]


def verify(
    source: Source,
    tables: TableLookup,
    threads: int = 1,
    report: Callable[[float], None] = lambda _: None,
    sample: PlaneSample | None = None,
) -> Verdict:
    """The verdict on every cell of a table; `tables` has each endgame one conversion away.

    With a sample, only cells of these planes are checked, which is no proof. `report` is told the
    part done, up to 1.0. The verdict does not depend on `threads`.
    """
    tallies: list[Tally] = []
    parts = [_ranges(source, part) for part in source.layout.parts]
    if sample is not None:
        parts = [sample.of(source.layout.count)]
    total = 2 * sum(map(len, parts))
    with ThreadPoolExecutor(threads) as pool:
        for side in (WHITE, BLACK):
            proof = proof_of(source, side, tables)
            for ranges in parts:
                for tally in proof.check(ranges, pool.map):
                    tallies.append(tally)
                    report(len(tallies) / total)
    return _verdict(source, tallies)


def _ranges(source: Source, part: tuple[int, int]) -> list[PlaneRange]:
    """The planes of a range of the lead's orbits, a few at a time."""
    first, stop = (orbit * source.layout.strides[0] for orbit in part)
    return [(i, min(i + CHECKED_AT_ONCE, stop)) for i in range(first, stop, CHECKED_AT_ONCE)]


def _verdict(source: Source, tallies: list[Tally]) -> Verdict:
    """The sum of all tallies, with the smallest plane's mismatch as the example."""
    found = [tally for tally in tallies if tally.mismatches]
    first = min(found, key=lambda tally: (tally.index, tally.side), default=None)
    return Verdict(
        source.layout.material,
        source.metric,
        positions=sum(tally.positions for tally in tallies),
        mismatches=sum(tally.mismatches for tally in found),
        example=None if first is None else _example(source, first),
    )


def _example(source: Source, tally: Tally) -> str:
    """The position of a cell as a FEN, what is stored for it and what its moves give."""
    plane, cell = divmod(tally.index, source.layout.cells)
    stored = codes_of(source)[planes_of(source, tally.side, np.array([plane]))[0, cell]]
    fen = board_at(source.layout, tally.side, tally.index).fen()
    texts = [_words(code, source.metric) for code in (Code(int(stored)), tally.right)]
    return f"{fen} (stored: {texts[0]}; right: {texts[1]})"


def _words(code: Code, metric: Metric) -> str:
    names = {NO_VALUE: "no value", STALEMATED: "stalemate", BROKEN: "broken", DRAW: "draw"}
    if code in names:
        return names[code]
    outcome = outcome50_of(code) if metric == Metric.DTZ else outcome_of(code)
    return f"{outcome.word} in {plies_of(code, metric)} plies"
