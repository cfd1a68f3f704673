"""The moves of planes of court by court, made position by position, with what they lead to.

The counterpart of `forward.py` and `forward_tables.py`, which are for planes of king by king.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import FLIP, KING, LETTERS
from unmove.kernels.arrays import Codes
from unmove.kernels.courts.fixpoint import (
    CourtProofState,
    CourtSuccessors,
    Placing,
    court_proof_scratch,
)
from unmove.kernels.courts.forward import MOVES, CourtProofMen, court_proof_position
from unmove.material import Material
from unmove.planes.court_index import CourtIndex, court_index_of, men_of
from unmove.planes.court_layout import CourtLayout
from unmove.planes.courts import Court
from unmove.planes.layout import Man
from unmove.planes.layouts import of_courts
from unmove.store.source import Source, TableLookup, planes_of
from unmove.values import SIDES, Side, code_before, opponent_of, swapped_if
from unmove.variants import XIANGQI


@dataclass(frozen=True)
class CourtSuccessorTable:
    """The table that one kind of move leads to."""

    source: Source
    layout: CourtLayout
    colours_swapped: bool
    """Whether the table has the sides the other table round."""
    man_map: list[int]
    """For each of its men, the number of our man that plays its role."""


class CourtForwardMoves:
    """The moves of `side` in the endgame of a source; `tables` has the smaller endgames.

    The codes of all tables that they lead to are in memory, the own table's too.
    """

    def __init__(self, source: Source, side: Side, tables: TableLookup) -> None:
        self.source = source
        self.side = side
        self.layout = of_courts(source.layout)
        self._tables = tables

    @cached_property
    def all_men(self) -> list[Man]:
        return men_of(self.layout)

    @cached_property
    def men(self) -> CourtProofMen:
        kings = [self.all_men.index(Man(KING, side)) for side in SIDES]
        return CourtProofMen(
            kinds=np.array([man.kind for man in self.all_men], np.int64),
            sides=np.array([man.side for man in self.all_men], np.int64),
            kings=np.array(kings, np.int64),
        )

    @cached_property
    def successor_tables(self) -> list[CourtSuccessorTable]:
        """That of quiet moves, then that of the capture of each man that can be captured."""
        quiet = CourtSuccessorTable(self.source, self.layout, False, list(range(len(self.all_men))))
        return [quiet, *(self._capture(victim) for victim in self._prey)]

    @cached_property
    def _prey(self) -> list[int]:
        men = enumerate(self.all_men)
        return [i for i, man in men if man.side != self.side and man.kind != KING]

    def _capture(self, victim: int) -> CourtSuccessorTable:
        left = [(i, man) for i, man in enumerate(self.all_men) if i != victim]
        material = _material([man for _, man in left])
        source = self._tables(material.canonical())
        layout = of_courts(source.layout)
        colours_swapped = layout.material != material
        man_map = []
        for man in men_of(layout):
            ours = next(m for m in left if m[1] == man.swapped_if(colours_swapped))
            left.remove(ours)
            man_map.append(ours[0])
        return CourtSuccessorTable(source, layout, colours_swapped, man_map)

    @cached_property
    def index(self) -> CourtIndex:
        return court_index_of([table.layout for table in self.successor_tables])

    @cached_property
    def placing(self) -> Placing:
        white, black = (_squares_of(court) for court in self.layout.courts)
        return Placing(
            attackers=self.layout.frame.squares,
            white=white,
            black=black,
            row_side=self.layout.row_side,
            words=self.layout.row_words,
        )

    @cached_property
    def successors(self) -> CourtSuccessors:
        table = np.full(len(self.all_men), -1, np.int64)
        table[self._prey] = 1 + np.arange(len(self._prey))
        man_map = np.zeros((len(self.successor_tables), len(self.all_men)), np.int64)
        for row, each in zip(man_map, self.successor_tables, strict=True):
            row[: len(each.man_map)] = each.man_map
        base, codes = self._codes()
        return CourtSuccessors(
            table=table,
            man_map=man_map,
            men=np.array([len(table.man_map) for table in self.successor_tables], np.int64),
            colours_swapped=np.array(
                [table.colours_swapped for table in self.successor_tables], np.int64
            ),
            flip=FLIP.astype(np.int64),
            cells=np.array([table.layout.cells for table in self.successor_tables], np.int64),
            base=base,
            codes=codes,
        )

    def state(self) -> CourtProofState:
        """What one thread works with; its own part is made anew."""
        return CourtProofState(
            self.men,
            MOVES,
            self.placing,
            self.index,
            self.successors,
            court_proof_position(len(self.all_men)),
            court_proof_scratch(),
        )

    def _codes(self) -> tuple[NDArray[np.int64], Codes]:
        """Where the codes of each table begin, and the codes; no table is there twice."""
        starts: dict[tuple[Material, bool], int] = {}
        base, parts, end = [], [], 0
        for number, table in enumerate(self.successor_tables):
            key = table.layout.material, table.colours_swapped
            if key not in starts:
                starts[key] = end
                codes = self._codes_of(table, quiet=number == 0)
                parts.append(codes)
                end += len(codes)
            base.append(starts[key])
        return np.array(base, np.int64), Codes(np.concatenate(parts))

    def _codes_of(self, table: CourtSuccessorTable, *, quiet: bool) -> Codes:
        """The code of a move to each cell of a table."""
        metric, palette = self.source.metric, table.source.palette.tolist()
        backed_up = [code_before(c, metric, zeroes=not quiet, converts=not quiet) for c in palette]
        everything = np.arange(table.layout.count)
        side = swapped_if(table.colours_swapped, opponent_of(self.side))
        cells = planes_of(table.source, side, everything)
        return Codes(np.array(backed_up, np.uint16)[cells].ravel())


def _material(men: list[Man]) -> Material:
    sides = ["".join(LETTERS[m.kind] for m in men if m.side == s and m.kind) for s in SIDES]
    return Material.of(*sides, game=XIANGQI)


def _squares_of(court: Court) -> NDArray[np.uint8]:
    return np.array(court.configurations, np.uint8)
