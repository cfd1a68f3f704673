"""Values of a solved table that the best of some moves gives, so that a file may only mark them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Palette, PositionSet, Scores
from unmove.kernels.codec.cells import mark_equal
from unmove.planes.layouts import AnyLayout, of_kings
from unmove.pool.arena import Fresh
from unmove.pool.workers import WorkerPool
from unmove.store.source import Source, TableLookup, planes_of
from unmove.successors.evaluation import MoveScores
from unmove.successors.moves import MoveKind, converting_moves, marked_moves
from unmove.values import DRAW, Metric, Outcome, Side, outcome_of


class MarkedTable:
    """A `SolvedSource` on any source of both sides. Any number of threads may read it."""

    def __init__(self, source: Source, tables: TableLookup) -> None:
        self._source = source
        self._tables = tables
        self._alone = WorkerPool(1, Fresh())  # a thread of the encoder's waits for no other one

    @property
    def layout(self) -> AnyLayout:
        return self._source.layout

    @property
    def metric(self) -> Metric:
        return self._source.metric

    @property
    def palette(self) -> Palette:
        return self._source.palette

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        return self._source.read(side, wanted, out)

    def keep(self, side: Side, wanted: NDArray[np.int64]) -> None:
        """See `SolvedSource`; the source is as fast the second time."""

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `SolvedSource`: the wins whose value is that of the best conversion."""
        moves = converting_moves(of_kings(self.layout), side)
        return self._equal(side, wanted, moves, [Outcome.WIN])

    def followed(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """The wins and losses whose value is that of the best conversion or move of the king."""
        moves = marked_moves(of_kings(self.layout), side, second=True)
        return self._equal(side, wanted, moves, [Outcome.WIN, Outcome.LOSS])

    def _equal(
        self,
        side: Side,
        wanted: NDArray[np.int64],
        moves: Iterable[MoveKind],
        outcomes: Iterable[Outcome],
    ) -> PositionSet:
        """The cells with these outcomes whose value is that of the best of these moves."""
        layout, some = of_kings(self.layout), set(outcomes)
        frame = layout.frame_of(wanted)
        scores = MoveScores(layout, frame, self.metric, self, self._tables, self._alone)
        score_table, score = scores.score(side, moves)
        best = [
            score_table.score.get(code, 0) if code > DRAW and outcome_of(code) in some else 0
            for code in self.palette.tolist()
        ]
        marked = PositionSet(np.zeros((len(wanted), layout.words), np.uint64))
        by_number = Scores(np.array(best, score_table.kind))
        mark_equal(planes_of(self, side, wanted), by_number, score, marked)
        return marked
