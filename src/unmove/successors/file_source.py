"""A table's file as a source of values for both sides to move.

What is stored is decoded; a win by conversion, which is only marked, is what the best conversion
gives. A side that is not stored is found by a search of one ply over all its moves. Smaller
endgames that this leads to answer in the same way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.kernels.codec.cells import put_best, put_conversions
from unmove.kernels.legality import mark_legal
from unmove.kernels.scratch import own_scratch
from unmove.planes.geometry import geometry
from unmove.planes.layout import Frame
from unmove.planes.layouts import AnyLayout, of_kings
from unmove.pool.workers import WorkerPool
from unmove.store.codec.order import CellNumber
from unmove.store.reader import TableFile
from unmove.store.table import STALEMATE, CellArray, Source, Table, TableLookup, cell_type
from unmove.successors.evaluation import MoveScores, ScoreTable, all_moves, converting_moves
from unmove.values import DRAW, loss_code

CELLS_AT_ONCE = 1 << 24


class FileSource:
    """A `Source` on a file. `own`, if given, has the values of what is stored already."""

    def __init__(
        self, file: TableFile, tables: TableLookup, pool: WorkerPool, own: Source | None = None
    ) -> None:
        self.file = file
        self._tables = tables
        self._pool = pool
        self._given = own

    @property
    def _own(self) -> Source:
        """Who has the values of the table itself. No field, so that nothing refers to itself."""
        return self._given or self

    @property
    def layout(self) -> AnyLayout:
        return self.file.layout

    @property
    def palette(self) -> NDArray[np.int64]:
        return self.file.palette

    def read(self, side: int, wanted: NDArray[np.int64], out: CellArray) -> CellArray:
        """See `Source`."""
        fold = self.file.fold
        at_once = max(1, CELLS_AT_ONCE // self.layout.cells)
        for first in range(0, len(wanted), at_once):
            some = slice(first, first + at_once)
            place = fold.place[wanted[some]]
            needed = np.unique(place[place >= 0]).astype(np.int64)
            index = np.where(place < 0, -1, np.searchsorted(needed, place))
            planes = self.planes(side, needed)
            seen = fold.symmetry[wanted[some]]
            self.file.arrangement.unfold(planes, index, seen, out[some])
        return out

    def load(self) -> Table:
        """The whole table."""
        kind, shape = cell_type(len(self.palette)), (self.layout.count, self.layout.cells)
        cells = np.empty(shape, kind), np.empty(shape, kind)
        table = Table(self.file.material, self.file.metric, self.palette, cells)
        everything = np.arange(self.layout.count)
        for side in self.file.sides:
            self.read(side, everything, cells[side])
        answers = FileSource(self.file, self._tables, self._pool, table)
        for side in {0, 1}.difference(self.file.sides):
            answers.read(side, everything, cells[side])
        return table

    def planes(self, side: int, places: NDArray[np.int64]) -> CellArray:
        """The cells of some of the kept planes (ascending)."""
        if side in self.file.sides:
            return self._kept(side, places)
        return self._searched(side, places)

    def stored(self, side: int, places: NDArray[np.int64]) -> CellArray:
        """The cells of some of the kept planes, a stored side to move.

        A conversion has the number after all of the palette.
        """
        conversion = CellNumber(len(self.palette))
        ranks = self.file.ranks(side, places, self._pool.map)
        numbers: CellArray = np.empty(ranks.shape, cell_type(conversion + 1))
        lookup = self.file.order.to_numbers(self.palette, conversion)
        self.file.arrangement.arrange(ranks, lookup, numbers)
        return numbers

    def _kept(self, side: int, places: NDArray[np.int64]) -> CellArray:
        file, conversion = self.file, len(self.palette)
        numbers = self.stored(side, places)
        marked = np.flatnonzero((numbers == conversion).any(axis=1))
        if len(marked):
            layout = of_kings(self.layout)
            moves = converting_moves(layout, side)
            frame = layout.frame_of(file.fold.kept[places[marked]])
            score_table, score = self._assessment(frame).score(side, moves)
            some = numbers[marked]
            if put_conversions(score, self._numbers(score_table), conversion, some):
                raise DamagedFile(file.path, "has conversions that cannot be")
            numbers[marked] = some
        return numbers.astype(cell_type(conversion), copy=False)

    def _searched(self, side: int, places: NDArray[np.int64]) -> CellArray:
        layout = of_kings(self.layout)
        frame = layout.frame_of(self.file.fold.kept[places])
        score_table, score = self._assessment(frame).score(side, all_moves(layout, side))
        legal = [np.zeros((len(places), 64), np.uint64) for _ in range(2)]
        mark_legal(0, len(places), frame, geometry(), own_scratch(), *legal)
        mate = np.flatnonzero(self.palette == loss_code(0))
        out: CellArray = np.empty(score.shape, cell_type(len(self.palette)))
        put_best(
            score,
            self._numbers(score_table),
            legal[side],
            legal[1 - side],
            STALEMATE,
            int(mate[0]) if len(mate) else 0,
            out,
        )
        return out

    def _assessment(self, frame: Frame) -> MoveScores:
        """What moves are worth on the planes of a frame."""
        metric = self.file.metric
        return MoveScores(of_kings(self.layout), frame, metric, self._own, self._tables, self._pool)

    def _numbers(self, score_table: ScoreTable) -> CellArray:
        """By worth: the number in our palette, 0 for codes that are not in it."""
        place = {code: number for number, code in enumerate(self.palette.tolist())}
        place[DRAW] = DRAW
        return np.array(
            [place.get(code, 0) for code in score_table.codes], cell_type(len(self.palette))
        )
