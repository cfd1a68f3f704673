"""A table's file as a source of values for both sides to move.

What is stored is decoded; a win by conversion, which is only marked, is what the best conversion
gives. A side that is not stored is found by a search of one ply over all its moves. Smaller
endgames that this leads to answer in the same way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.answers.moves import Assessment, Scale, all_ways, converting_ways
from unmove.crew.crew import Crew
from unmove.errors import DamagedFile
from unmove.kernels.codes import put_best, put_conversions
from unmove.kernels.legality import mark_legal
from unmove.kernels.scratch import own_scratch
from unmove.planes.geometry import geometry
from unmove.planes.layout import Frame
from unmove.planes.layouts import AnyLayout, of_kings
from unmove.store.reader import TableFile
from unmove.store.table import STALEMATE, CellArray, Library, Run, Source, Table, cell_type
from unmove.values import DRAW, loss_code

CELLS_AT_ONCE = 1 << 24


class Answers:
    """A `Source` on a file. `own`, if given, has the values of what is stored already."""

    def __init__(
        self, file: TableFile, library: Library, crew: Crew, own: Source | None = None
    ) -> None:
        self.file = file
        self._library = library
        self._crew = crew
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

    def read(
        self, side: int, wanted: NDArray[np.int64], out: CellArray, run: Run = map
    ) -> CellArray:
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
        answers = Answers(self.file, self._library, self._crew, table)
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
        conversion = len(self.palette)
        ranks = self.file.ranks(side, places, self._crew.map)
        numbers: CellArray = np.empty(ranks.shape, cell_type(conversion + 1))
        meaning = self.file.order.to_numbers(self.palette, conversion)
        self.file.arrangement.arrange(ranks, meaning, numbers)
        return numbers

    def _kept(self, side: int, places: NDArray[np.int64]) -> CellArray:
        file, conversion = self.file, len(self.palette)
        numbers = self.stored(side, places)
        marked = np.flatnonzero((numbers == conversion).any(axis=1))
        if len(marked):
            layout = of_kings(self.layout)
            ways = converting_ways(layout, side)
            frame = layout.frame_of(file.fold.kept[places[marked]])
            scale, worth = self._assessment(frame).worth(side, ways)
            some = numbers[marked]
            if put_conversions(worth, self._numbers(scale), conversion, some):
                raise DamagedFile(file.path, "has conversions that cannot be")
            numbers[marked] = some
        return numbers.astype(cell_type(conversion), copy=False)

    def _searched(self, side: int, places: NDArray[np.int64]) -> CellArray:
        layout = of_kings(self.layout)
        frame = layout.frame_of(self.file.fold.kept[places])
        scale, worth = self._assessment(frame).worth(side, all_ways(layout, side))
        legal = [np.zeros((len(places), 64), np.uint64) for _ in range(2)]
        mark_legal(0, len(places), frame, geometry(), own_scratch(), *legal)
        mate = np.flatnonzero(self.palette == loss_code(0))
        out: CellArray = np.empty(worth.shape, cell_type(len(self.palette)))
        put_best(
            worth,
            self._numbers(scale),
            legal[side],
            legal[1 - side],
            STALEMATE,
            int(mate[0]) if len(mate) else 0,
            out,
        )
        return out

    def _assessment(self, frame: Frame) -> Assessment:
        """What moves are worth on the planes of a frame."""
        metric = self.file.metric
        return Assessment(
            of_kings(self.layout), frame, metric, self._own, self._library, self._crew
        )

    def _numbers(self, scale: Scale) -> CellArray:
        """By worth: the number in our palette, 0 for codes that are not in it."""
        place = {code: number for number, code in enumerate(self.palette.tolist())}
        place[DRAW] = DRAW
        return np.array([place.get(code, 0) for code in scale.codes], cell_type(len(self.palette)))
