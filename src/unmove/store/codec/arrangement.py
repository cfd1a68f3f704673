"""How the planes of a layout stand in a file: which of them, which cells, in what order.

Of the planes that are images of one another, a table of chess stores one. It has Black's king as
the outer one and White's as the inner one, as the tree of contexts wants them. A table of xiangqi
stores all planes as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.codec.cells import transpose, unfold_planes
from unmove.kernels.codec.contexts import BOARDS, LANES
from unmove.kernels.codec.facts import PlaneFacts, mark_facts
from unmove.kernels.courts.legality import mark_legal_courts
from unmove.kernels.fold import fold
from unmove.kernels.scores import Translated, Translation, translate
from unmove.kernels.scratch import own_scratch
from unmove.planes.court_geometry import court_geometry
from unmove.planes.court_layout import CourtLayout
from unmove.planes.fold import Fold
from unmove.planes.geometry import geometry
from unmove.planes.kinds import resolved
from unmove.planes.layout import CELLS, Layout
from unmove.planes.layouts import AnyLayout
from unmove.planes.symmetry import IMAGE
from unmove.values import SIDES, Side, opponent_of

MOST_LISTED = 1 << 17  # planes whose men's squares are kept


class FiledCell(NamedTuple):
    """Where a cell stands in a plane of the file."""

    cell: int
    lane: int
    """Lanes are numbered strip by strip; 0 in a plane without lanes."""
    board: int
    """Which board of the lane it is on; 0 in a plane without lanes."""


class Arrangement(Protocol):
    """What depends on the kind of planes."""

    def filed(self, strips: int) -> Sequence[FiledCell]:
        """[cell]: where it stands in a file whose planes are coded in so many strips."""

    def fold(self) -> Fold:
        """Which planes are stored."""

    def facts(self, planes: NDArray[np.int64], side: Side) -> PlaneFacts:
        """The facts of some planes, `side` to move, arranged as in the file."""

    def arrange(self, cells: Translated, lookup: Translation, out: Translation) -> None:
        """out = lookup[number] for the number in each cell, rearranged.

        It converts from memory to file, and from file to memory.
        """

    def unfold(
        self,
        planes: CellNumbers,
        index: NDArray[np.int64],
        seen: NDArray[np.uint8],
        out: CellNumbers,
    ) -> None:
        """out[i] = planes[index[i]] seen through symmetry seen[i]; all 0 where the index is -1."""


class KingsArrangement:
    """See `Arrangement`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        sides = np.array([opponent_of(man.side) for man in layout.men], np.int64)
        self._colours_swapped = layout.frame_of(np.zeros(0, np.int64))._replace(sides=sides)
        """A frame without planes."""
        self._squares: NDArray[np.uint8] | None = None

    def _squares_at(self, planes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """[i, man]: where the men of planes[i] stand; of a small table they are all known."""
        if self._layout.count > MOST_LISTED:
            return self._layout.squares_at(planes)
        if self._squares is None:
            self._squares = self._layout.squares_at(np.arange(self._layout.count))
        return self._squares[planes]

    def filed(self, strips: int) -> Sequence[FiledCell]:
        """See `Arrangement`."""
        return _filed_by_kings(strips)

    def fold(self) -> Fold:
        """See `Arrangement`."""
        return fold(self._layout)

    def facts(self, planes: NDArray[np.int64], side: Side) -> PlaneFacts:
        """See `Arrangement`.

        The kernel expects White's king on the rows, so the sides are exchanged for it.
        """
        squares = self._squares_at(planes)
        frame = self._colours_swapped._replace(planes=np.arange(len(planes)), squares=squares)
        black, white = np.empty((2, len(planes), 64), np.uint64)
        men = np.empty((*squares.shape, 3), np.uint8)
        mark_facts(frame, geometry(), own_scratch(), black, white, men)
        return PlaneFacts.between(*((black, white) if side else (white, black)), men)

    def arrange(self, cells: Translated, lookup: Translation, out: Translation) -> None:
        """See `Arrangement`."""
        transpose(cells, lookup, out)

    def unfold(
        self,
        planes: CellNumbers,
        index: NDArray[np.int64],
        seen: NDArray[np.uint8],
        out: CellNumbers,
    ) -> None:
        """See `Arrangement`."""
        unfold_planes(planes, index, seen, IMAGE, out)


class CourtsArrangement:
    """See `Arrangement`."""

    def __init__(self, layout: CourtLayout) -> None:
        self._layout = layout

    def filed(self, strips: int) -> Sequence[FiledCell]:
        """See `Arrangement`."""
        return _filed_as_it_is(self._layout.cells)

    def fold(self) -> Fold:
        """See `Arrangement`."""
        stored, count = self._layout.frame.planes, self._layout.count
        stored_index = np.full(count, -1, np.int32)
        stored_index[stored] = np.arange(len(stored))
        return Fold(stored, stored_index, np.zeros(count, np.uint8), np.ones(count, np.uint8))

    def facts(self, planes: NDArray[np.int64], side: Side) -> PlaneFacts:
        """See `Arrangement`. There are no facts of the men."""
        frame = self._layout.frame_of(planes)
        legal = [np.zeros((len(planes), self._layout.words), np.uint64) for _ in SIDES]
        mark_legal_courts(0, len(planes), frame, court_geometry(), *legal)
        men = np.zeros((len(planes), 0, 3), np.uint8)
        return PlaneFacts.between(legal[side], legal[opponent_of(side)], men)

    def arrange(self, cells: Translated, lookup: Translation, out: Translation) -> None:
        """See `Arrangement`."""
        translate(cells, lookup, out)

    def unfold(
        self,
        planes: CellNumbers,
        index: NDArray[np.int64],
        seen: NDArray[np.uint8],
        out: CellNumbers,
    ) -> None:
        """See `Arrangement`."""
        found = index >= 0
        out[found] = planes[index[found]]
        out[~found] = 0


def arrangement_of(layout: AnyLayout) -> Arrangement:
    """The arrangement of a layout."""
    arrangement: Arrangement = resolved(layout.kind.arrangement)(layout)
    return arrangement


@cache
def _filed_by_kings(strips: int) -> Sequence[FiledCell]:
    """The same for all tables. A lane has the even ranks of the outer king, or the odd ones."""
    inner, outer = np.divmod(np.arange(CELLS), 64)
    strip, board = np.divmod(8 * (outer >> 4) + (outer & 7), BOARDS // strips)
    columns = 64 * outer + inner, LANES * strip + (outer >> 3 & 1), board
    return [FiledCell._make(row) for row in np.stack(columns, axis=1).tolist()]


@cache
def _filed_as_it_is(cells: int) -> Sequence[FiledCell]:
    return [FiledCell(cell, 0, 0) for cell in range(cells)]
