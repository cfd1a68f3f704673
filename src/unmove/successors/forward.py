"""The moves of planes of king by king, made position by position, with what they lead to loaded.

The proof checks values by these moves, and research counts them. The solver does not use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.proof.fixpoint import NO_SCORE, NO_VALUE, STALEMATED, ProofValues
from unmove.kernels.proof.forward import ProofMen, empty_position
from unmove.kernels.proof.successors import STEP, ProofState, Rule, mark_wanted, no_successors
from unmove.planes.layout import CELLS
from unmove.planes.layouts import of_kings
from unmove.store.source import STALEMATE, MapFunction, Source, TableLookup, cell_type, planes_of
from unmove.successors.forward_tables import SuccessorTables, men_of, rule_of, successor_tables
from unmove.values import CHECKMATED, Side, opponent_of

PlaneRange = tuple[int, int]
"""The planes first .. stop - 1."""


class ForwardMoves:
    """The moves of `side` in the endgame of a source; `tables` has the smaller endgames."""

    def __init__(self, source: Source, side: Side, tables: TableLookup) -> None:
        self.source = source
        self.side = side
        self.tables: SuccessorTables = successor_tables(source, side, tables)

    @cached_property
    def men(self) -> ProofMen:
        return men_of(of_kings(self.source.layout))

    @cached_property
    def rule(self) -> Rule:
        return rule_of(self.tables)

    def state(self, rule: Rule) -> ProofState:
        """What one thread works with, made anew."""
        men = len(self.men.kinds)
        return ProofState(self.men, rule, empty_position(men), no_successors(men))

    def loaded(self, ranges: Sequence[PlaneRange], run: MapFunction) -> tuple[Rule, ProofValues]:
        """Where moves from these planes lead, and what stands there.

        Of all tables, only the planes that these moves lead to are loaded. `here` is empty: the
        planes themselves are not among them.
        """
        wanted = self._wanted(ranges, run)
        own = self.source.layout.count
        there = planes_of(self.source, opponent_of(self.side), np.flatnonzero(wanted[:own]))
        slot = np.concatenate([np.cumsum(wanted[:own]), np.cumsum(wanted[own:])]) - 1
        beyond = self._beyond(wanted, slot)
        return self.rule._replace(slot=slot), self._values(there, beyond)

    def _wanted(self, ranges: Sequence[PlaneRange], run: MapFunction) -> NDArray[np.bool_]:
        """[slot of `rule`]: whether a move from these planes leads to it."""
        wanted = np.zeros(len(self.rule.slot), np.uint8)

        def mark_range(planes: PlaneRange) -> None:
            mark_wanted(*planes, self.side, self.state(self.rule), wanted)

        for _ in run(mark_range, ranges):
            pass
        return wanted.astype(np.bool_)

    def _beyond(self, wanted: NDArray[np.bool_], slot: NDArray[np.int64]) -> CellNumbers:
        """The wanted planes of other tables, by slot."""
        leaving = self.tables.by_kind[STEP + 1 :]
        bases = [*self.rule.base[STEP + 1 :].tolist(), len(wanted)]
        kind = cell_type(max((len(table.source.palette) for table in leaving), default=0))
        planes = int(wanted[self.source.layout.count :].sum())
        beyond = CellNumbers(np.empty((planes, CELLS), kind))
        for table, (first, stop) in zip(leaving, pairwise(bases), strict=True):
            found = np.flatnonzero(wanted[first:stop])
            if len(found):
                at = slot[first + found[0]]
                table.source.read(table.side, found, CellNumbers(beyond[at : at + len(found)]))
        return beyond

    def _values(self, there: CellNumbers, beyond: CellNumbers) -> ProofValues:
        codes = codes_of(self.source)
        width = max(len(codes), 1 << 8 * beyond.itemsize)
        score = np.full((len(self.tables.by_kind), width), NO_SCORE, np.int16)
        for row, table in zip(score, self.tables.by_kind, strict=True):
            row[: len(table.score)] = table.score
        return ProofValues(
            here=CellNumbers(there[:0]),
            there=there,
            beyond=beyond,
            codes=codes,
            stuck=(codes == STALEMATED) | (codes == CHECKMATED),
            score=score,
        )


def codes_of(source: Source) -> NDArray[np.int64]:
    """[number that a cell can hold]: its code, or NO_VALUE or STALEMATED."""
    palette = source.palette
    codes = np.full(np.iinfo(cell_type(len(palette))).max + 1, NO_VALUE, np.int64)
    codes[: len(palette)] = palette
    codes[STALEMATE] = STALEMATED
    return codes
