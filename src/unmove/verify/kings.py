"""The proof of a table of chess: what its kernels are told.

One side to move and one part of the table at a time: of the tables behind conversions, only the
planes that this part's moves lead to are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.proof.fixpoint import (
    CHECKMATED,
    NO_SCORE,
    STALEMATED,
    ProofValues,
    check_planes,
)
from unmove.kernels.proof.forward import ProofMen, empty_position
from unmove.kernels.proof.successors import STEP, ProofState, Rule, mark_wanted, no_successors
from unmove.planes.layout import CELLS
from unmove.planes.layouts import of_kings
from unmove.store.table import CellArray, MapFunction, Table, cell_type
from unmove.verify.successor_tables import SuccessorTables, men_of, rule_of, ways_of
from unmove.verify.tally import Smaller, Tally, codes_of


class KingsProof:
    """The check of all positions of a table with one side to move."""

    def __init__(self, table: Table, side: int, smaller: Smaller) -> None:
        self.table = table
        self.side = side
        self.ways: SuccessorTables = ways_of(table, side, smaller)

    @cached_property
    def men(self) -> ProofMen:
        return men_of(of_kings(self.table.layout))

    @cached_property
    def rule(self) -> Rule:
        return rule_of(self.ways)

    def state(self, rule: Rule) -> ProofState:
        """What one thread works with, made anew."""
        men = len(self.men.kinds)
        return ProofState(self.men, rule, empty_position(men), no_successors(men))

    def check(self, ranges: list[tuple[int, int]], run: MapFunction) -> Iterator[Tally]:
        """The tally of each range of planes."""
        rule, values = self.known(ranges, run)

        def check_range(planes: tuple[int, int]) -> Tally:
            tally = np.zeros(4, np.int64)
            check_planes(*planes, self.side, values, self.state(rule), tally)
            return Tally(self.side, *tally.tolist())

        yield from run(check_range, ranges)

    def known(self, ranges: list[tuple[int, int]], run: MapFunction) -> tuple[Rule, ProofValues]:
        """Where moves from these planes lead, and what stands there."""
        rule, beyond = self._load(self._wanted(ranges, run))
        return rule, self._values(beyond)

    def _wanted(self, ranges: list[tuple[int, int]], run: MapFunction) -> NDArray[np.bool_]:
        """Which slots of `rule` the moves from these planes lead to."""
        wanted = np.zeros(len(self.rule.slot), np.uint8)

        def mark_range(planes: tuple[int, int]) -> None:
            mark_wanted(*planes, self.side, self.state(self.rule), wanted)

        for _ in run(mark_range, ranges):
            pass
        return wanted.astype(np.bool_)

    def _load(self, wanted: NDArray[np.bool_]) -> tuple[Rule, CellArray]:
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
                way.source.read(way.side, planes, beyond[at : at + len(planes)])
        return self.rule._replace(slot=slot), beyond

    def _values(self, beyond: CellArray) -> ProofValues:
        cells, codes = self.table.cells, codes_of(self.table)
        width = max(len(codes), 1 << 8 * beyond.itemsize)
        score = np.full((len(self.ways.ways), width), NO_SCORE, np.int16)
        for row, way in zip(score, self.ways.ways, strict=True):
            row[: len(way.score)] = way.score
        return ProofValues(
            here=cells[self.side],
            there=cells[1 - self.side],
            beyond=beyond,
            codes=codes,
            stuck=(codes == STALEMATED) | (codes == CHECKMATED),
            score=score,
        )
