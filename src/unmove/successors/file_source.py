"""A table's file as a source of values for both sides to move.

Stored values are decoded. A win that is only marked as a conversion gets the value of its best
conversion. Of a file with both sides, a mark of the second side stands for the best of the king's
moves as well. A side that is not stored is found by a search of one ply over all its moves. The
smaller endgames that this leads to are read in the same way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.kernels.arrays import CellNumber, CellNumbers, Palette, PositionSet
from unmove.kernels.codec.cells import put_best, put_conversions
from unmove.kernels.legality import mark_legal
from unmove.kernels.scratch import own_scratch
from unmove.planes.geometry import geometry
from unmove.planes.layout import Frame
from unmove.planes.layouts import AnyLayout, of_kings
from unmove.pool.arena import Arena
from unmove.pool.workers import WorkerPool
from unmove.store.reader import TableFile
from unmove.store.source import STALEMATE, Source, TableLookup, cell_type, empty_planes, pick
from unmove.store.table import Table
from unmove.successors.evaluation import MoveScores
from unmove.successors.moves import all_moves, marked_moves
from unmove.successors.scores import ScoreTable
from unmove.values import BLACK, CHECKMATED, DRAW, SIDES, WHITE, Metric, Side, opponent_of

CELLS_AT_ONCE = 1 << 24


class FileSource:
    """A `Source` on a file. `own`, if given, has the stored values already."""

    def __init__(
        self, file: TableFile, tables: TableLookup, pool: WorkerPool, own: Source | None = None
    ) -> None:
        self.file = file
        self._tables = tables
        self._pool = pool
        self._given = own

    @property
    def _own(self) -> Source:
        """The source of the table's own values. It is no field, or the object would hold itself."""
        return self._given or self

    @property
    def layout(self) -> AnyLayout:
        return self.file.layout

    @property
    def metric(self) -> Metric:
        return self.file.metric

    @property
    def palette(self) -> Palette:
        return self.file.palette

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        fold = self.file.fold
        at_once = max(1, CELLS_AT_ONCE // self.layout.cells)
        for first in range(0, len(wanted), at_once):
            some = slice(first, first + at_once)
            places = fold.stored_index[wanted[some]]
            needed = np.unique(places[places >= 0]).astype(np.int64)
            index = np.where(places < 0, -1, np.searchsorted(needed, places))
            planes = self.planes(side, needed)
            seen = fold.symmetry[wanted[some]]
            self.file.arrangement.unfold(planes, index, seen, CellNumbers(out[some]))
        return out

    def load(self) -> Table:
        """The whole table, in memory."""
        kind, shape = cell_type(len(self.palette)), (self.layout.count, self.layout.cells)
        cells = CellNumbers(np.empty(shape, kind)), CellNumbers(np.empty(shape, kind))
        table = Table(self.file.material, self.file.metric, self.palette, cells)
        everything = np.arange(self.layout.count)
        first, *others = self.file.by_dependence
        self.read(first, everything, cells[first])
        searching = FileSource(self.file, self._tables, self._pool, table)
        for other in (*others, *{WHITE, BLACK}.difference(self.file.sides)):
            searching.read(other, everything, cells[other])
        return table

    def planes(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """The cells of some of the stored planes (ascending places), either side to move."""
        if side in self.file.sides:
            return self._decoded(side, places)
        return self._searched(side, places)

    def stored(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """The cells of some of the stored planes, a stored side to move.

        A mark has the first number after the palette.
        """
        conversion = CellNumber(len(self.palette))
        ranks = self.file.ranks(side, places, self._pool.map)
        numbers = CellNumbers(np.empty(ranks.shape, cell_type(conversion + 1)))
        lookup = self.file.order(side).to_numbers(self.palette, conversion)
        self.file.arrangement.arrange(ranks, lookup, numbers)
        return numbers

    def _decoded(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """What is stored, each mark replaced by the value of the best move that it stands for."""
        file, conversion = self.file, len(self.palette)
        numbers = self.stored(side, places)
        marked = np.flatnonzero((numbers == conversion).any(axis=1))
        if len(marked):
            layout = of_kings(self.layout)
            moves = marked_moves(layout, side, second=side == file.meta.second)
            frame = layout.frame_of(file.fold.stored[places[marked]])
            score_table, score = self._move_scores(frame).score(side, moves)
            some = CellNumbers(numbers[marked])
            if put_conversions(score, self._numbers(score_table), conversion, some):
                raise DamagedFile(file.path, "has marks that cannot be")
            numbers[marked] = some
        return CellNumbers(numbers.astype(cell_type(conversion), copy=False))

    def _searched(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """What the best of all moves gives."""
        layout = of_kings(self.layout)
        frame = layout.frame_of(self.file.fold.stored[places])
        score_table, score = self._move_scores(frame).score(side, all_moves(layout, side))
        legal = [PositionSet(np.zeros((len(places), 64), np.uint64)) for _ in SIDES]
        mark_legal(0, len(places), frame, geometry(), own_scratch(), *legal)
        mate = np.flatnonzero(self.palette == CHECKMATED)
        out = empty_planes(self, len(places))
        put_best(
            score,
            self._numbers(score_table),
            legal[side],
            legal[opponent_of(side)],
            STALEMATE,
            int(mate[0]) if len(mate) else 0,
            out,
        )
        return out

    def _move_scores(self, frame: Frame) -> MoveScores:
        """Scores the moves on the planes of a frame."""
        return MoveScores(
            of_kings(self.layout), frame, self.metric, self._own, self._tables, self._pool
        )

    def _numbers(self, score_table: ScoreTable) -> CellNumbers:
        """[score]: the number of its code in the palette, 0 for a code that is not in it."""
        place = {code: number for number, code in enumerate(self.palette.tolist())}
        place[DRAW] = DRAW
        numbers = [place.get(code, 0) for code in score_table.codes]
        return CellNumbers(np.array(numbers, cell_type(len(self.palette))))


class DecodedSource(FileSource):
    """A `FileSource` for somebody who reads all of a table that does not fit into memory.

    The stored planes are decoded once, into large arrays of an arena. To search for a plane of the
    other side takes planes from all over the table.
    """

    def __init__(
        self, file: TableFile, tables: TableLookup, pool: WorkerPool, arena: Arena
    ) -> None:
        super().__init__(file, tables, pool)
        self._arena = arena
        places, kind = np.arange(len(file.fold.stored)), cell_type(len(self.palette))
        self._cells: dict[Side, CellNumbers] = {}
        at_once = max(1, CELLS_AT_ONCE // self.layout.cells)
        for side in file.by_dependence:
            cells = CellNumbers(arena.large((len(places), self.layout.cells), kind))
            for first in range(0, len(places), at_once):
                some = slice(first, first + at_once)
                cells[some] = super().planes(side, places[some])
                arena.relieve()
            self._cells[side] = cells

    def planes(self, side: Side, places: NDArray[np.int64]) -> CellNumbers:
        """See `FileSource`."""
        if side not in self._cells:
            return super().planes(side, places)
        out = empty_planes(self, len(places))
        pick(self._cells[side], places, out)
        self._arena.relieve()
        return out
