"""A solved table that moves lead into, for planes of king by king.

Its planes are loaded as they are needed. `plan` gives the kernel a target without planes: then the
kernel scores nothing, and marks each plane that it would read. `loaded` reads these planes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import SQUARES
from unmove.kernels.arrays import CellNumbers, Score, Scores
from unmove.kernels.scores import translate
from unmove.kernels.successors import Target
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout, man_map
from unmove.planes.layouts import of_kings
from unmove.pool.workers import WorkerPool
from unmove.store.source import Source, TableLookup, cell_type
from unmove.successors.moves import MoveKind
from unmove.successors.scores import ScoreTable
from unmove.values import Code, Metric, Side, code_before, swapped_if


class Subtable:
    """A solved table, and the kinds of moves of a layout that lead into it."""

    def __init__(
        self,
        layout: Layout,
        source: Source,
        material: Material,
        moves: Sequence[MoveKind],
        metric: Metric,
    ) -> None:
        self.source = source
        self.stays = material == layout.material
        """Whether the moves stay in the layout's own table."""
        self.zeroes = moves[0].zeroes
        self.metric = metric
        theirs = of_kings(source.layout)
        self.colours_swapped = theirs.material != material
        swapped = self.colours_swapped
        maps = [man_map(theirs.men, move.men_after(layout), swapped) for move in moves]
        self.target = Target(
            mover=np.array([move.mover for move in moves], np.int64),
            victim=np.array([move.victim for move in moves], np.int64),
            promotes=np.array([move.promoted is not None for move in moves], np.int64),
            man_map=np.array(maps, np.int64).reshape(len(moves), len(theirs.men)),
            colours_swapped=int(self.colours_swapped),
            leaders=theirs.leaders,
            first=np.array(theirs.starts, np.int64),
            stride=np.array(theirs.group_strides, np.int64),
            sets=np.array([comb(SQUARES, size) for _, size in theirs.groups], np.int64),
            orbit=theirs.lead.orbit,
            symmetry=theirs.lead.symmetry,
            slot=np.full(theirs.count, -1, np.int32),
            wanted=np.zeros(theirs.count, np.uint8),
            score=Scores(np.zeros((0, CELLS), np.uint8)),
        )

    def backed_up(self) -> list[Code]:
        """[number in a cell]: the code of a move that leads there."""
        return [
            code_before(code, self.metric, zeroes=self.zeroes, converts=not self.stays)
            for code in self.source.palette.tolist()
        ]

    def backed_up_twice(self) -> list[Code]:
        """[number in a cell]: the code of a double step after which en passant leads there."""
        return [
            code_before(code, self.metric, zeroes=True, converts=False) for code in self.backed_up()
        ]

    def plan(self, score_table: ScoreTable) -> Target:
        """The target without planes; the kernel marks in its `wanted` what it would read."""
        return self.target._replace(
            wanted=np.zeros_like(self.target.wanted), score=score_table.zeros((0, CELLS))
        )

    def loaded(
        self,
        wanted: NDArray[np.int64],
        side: Side,
        lookup: list[Score],
        score_table: ScoreTable,
        pool: WorkerPool,
        name: str = "subtable",
    ) -> Target:
        """The target with the wanted planes, `side` to move; lookup[number in a cell] = score.

        The scores stay in the pool's memory under `name`.
        """
        shape = len(wanted), CELLS
        kind = cell_type(len(self.source.palette))
        cells = CellNumbers(pool.arena.empty("subtable cells", shape, kind))
        self.source.read(swapped_if(self.colours_swapped, side), wanted, cells)
        score = Scores(pool.arena.empty(f"{name} scores", shape, score_table.kind))
        by_number = Scores(np.array(lookup, score_table.kind))
        pool.for_ranges(
            len(wanted),
            lambda _, a, b: translate(CellNumbers(cells[a:b]), by_number, Scores(score[a:b])),
            smallest=256,
        )
        slot = np.full(len(self.target.slot), -1, np.int32)
        slot[wanted] = np.arange(len(wanted), dtype=np.int32)
        return self.target._replace(slot=slot, score=score)


def subtables(
    layout: Layout, moves: Iterable[MoveKind], metric: Metric, own: Source, tables: TableLookup
) -> list[Subtable]:
    """The tables that moves of these kinds lead into; `own` is the layout's own table."""
    kinds: dict[tuple[Material, bool], list[MoveKind]] = {}
    for move in moves:
        kinds.setdefault((move.leads_to(layout), move.zeroes), []).append(move)

    def source(material: Material) -> Source:
        return own if material == layout.material else tables(material.canonical())

    return [
        Subtable(layout, source(material), material, group, metric)
        for (material, _), group in kinds.items()
    ]
