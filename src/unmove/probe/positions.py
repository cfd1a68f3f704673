"""From arrays of squares to planes and cells of a table, and back.

The columns of an array are the men in the order of the material's name: for KQvKR White's king and
queen, then Black's king and rook.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.games import chess, xiangqi
from unmove.games.rules import columns_of
from unmove.kernels.courts.find import locate_courts
from unmove.kernels.locate import Chart, locate
from unmove.planes.court_index import court_index_of, men_of
from unmove.planes.court_layout import CourtLayout
from unmove.planes.fold import Fold
from unmove.planes.kinds import resolved
from unmove.planes.layout import Layout, Man
from unmove.planes.layouts import AnyLayout
from unmove.planes.symmetry import IMAGE, MIRROR_FILES, SYMMETRIES
from unmove.values import WHITE


class PositionMap(Protocol):
    """From squares to places and cells, and back."""

    def seek(
        self,
        squares: NDArray[np.uint8],
        places: NDArray[np.int32],
        cells: NDArray[np.int32],
    ) -> None:
        """places[i], cells[i] = where squares[i] stands; NOT_FOUND if there is no such position."""

    def squares_at(self, planes: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.uint8]:
        """[i]: the squares of the men of a cell of planes[i]."""

    def representative(self, planes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[plane, cell]: whether no symmetry maps the cell to an earlier one of its plane.

        The symmetries are those under which all images of a position are counted as one.
        """

    def images(self, planes: NDArray[np.int64]) -> NDArray[np.int64]:
        """[plane]: how many positions a cell of it stands for, as positions are counted.

        2: itself and its mirror image, which has no cell of its own.
        """

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """[i, square]: the square's image under a symmetry whose images are counted as one."""


class KingsPositionMap:
    """See `PositionMap`."""

    def __init__(self, layout: Layout, fold: Fold) -> None:
        self._layout = layout
        self._fold = fold
        self._chart = chart_of(layout, fold)

    def seek(
        self,
        squares: NDArray[np.uint8],
        places: NDArray[np.int32],
        cells: NDArray[np.int32],
    ) -> None:
        """See `PositionMap`."""
        locate(squares, self._chart, places, cells)

    def squares_at(self, planes: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.uint8]:
        """See `PositionMap`."""
        chart = self._chart
        squares = np.empty((len(planes), len(chart.man_map) + 2), np.uint8)
        squares[:, chart.man_map] = self._layout.squares_at(planes)
        squares[:, chart.kings[0]], squares[:, chart.kings[1]] = np.divmod(cells, 64)
        return squares

    def representative(self, planes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """See `PositionMap`."""
        everything = np.arange(self._layout.cells)
        later = [everything <= (image[:, None] * 64 + image).ravel() for image in IMAGE]
        kinds, which = np.unique(self._fold.own[planes], return_inverse=True)
        chosen = np.ones((len(kinds), self._layout.cells), np.bool_)
        for row, own in zip(chosen, kinds.tolist(), strict=True):
            row &= np.all([later[t] for t in range(SYMMETRIES) if own >> t & 1], axis=0)
        return chosen[which]

    def images(self, planes: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `PositionMap`."""
        return np.ones(len(planes), np.int64)

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """See `PositionMap`; with pawns only the mirroring of files is left."""
        return IMAGE[: MIRROR_FILES + 1] if self._layout.material.has_pawns else IMAGE


class CourtsPositionMap:
    """See `PositionMap`. Mirror images have a cell each where the lead is its own image."""

    def __init__(self, layout: CourtLayout, fold: Fold) -> None:
        self._layout = layout
        self._fold = fold
        self._court_index = court_index_of([layout])
        letters = [_letter(xiangqi.LETTERS, man) for man in men_of(layout)]
        self._columns_of_men = np.array(_man_map(columns_of(layout.material), letters), np.int64)
        self._courts = [np.array(court.configurations, np.uint8) for court in layout.courts]

    def seek(
        self,
        squares: NDArray[np.uint8],
        places: NDArray[np.int32],
        cells: NDArray[np.int32],
    ) -> None:
        """See `PositionMap`."""
        men, place = self._columns_of_men, self._fold.stored_index
        scratch = np.zeros(len(men), np.int64)
        locate_courts(squares, men, place, self._court_index, scratch, places, cells)

    def squares_at(self, planes: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.uint8]:
        """See `PositionMap`."""
        row, bit = np.divmod(cells, 64 * self._layout.row_words)
        white, black = (row, bit) if self._layout.row_side == WHITE else (bit, row)
        attackers = self._layout.squares_at(planes)
        men = [attackers, self._courts[0][white], self._courts[1][black]]
        squares = np.empty((len(planes), len(self._columns_of_men)), np.uint8)
        squares[:, self._columns_of_men] = np.concatenate(men, axis=1)
        return squares

    def representative(self, planes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """See `PositionMap`; mirror images are counted apart, so every cell is one."""
        return np.broadcast_to(np.True_, (len(planes), self._layout.cells))

    def images(self, planes: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `PositionMap`."""
        return np.where(self._layout.lead.alone[planes // self._layout.strides[0]], 1, 2)

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """See `PositionMap`; there is none but the identity."""
        return np.arange(xiangqi.SQUARES)[None]


def spread(images: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The positions that cells stand for, given the number of images of each cell.

    For each position, images side by side: the number of its cell, and whether it is the mirror
    image.
    """
    which = np.repeat(np.arange(len(images)), images)
    return which, np.diff(which, prepend=-1) == 0


def position_map_of(layout: AnyLayout, fold: Fold) -> PositionMap:
    """The position map of a layout without padding."""
    position_map: PositionMap = resolved(layout.kind.position_map)(layout, fold)
    return position_map


def chart_of(layout: Layout, fold: Fold) -> Chart:
    """The chart of a layout without padding."""
    letters = ["K", "k", *(_letter(chess.LETTERS, man) for man in layout.men)]
    white, black, *man_map = _man_map(columns_of(layout.material), letters)
    return Chart(
        man_map=np.array(man_map, np.int64),
        kings=np.array([white, black], np.int64),
        leaders=layout.leaders,
        first=np.array(layout.starts, np.int64),
        stride=np.array(layout.group_strides, np.int64),
        sets=np.array([comb(chess.SQUARES, size) for _, size in layout.groups], np.int64),
        orbit=layout.lead.orbit,
        symmetry=layout.lead.symmetry,
        place=fold.stored_index,
        mirror=fold.symmetry,
        image=IMAGE,
    )


def _letter(letters: str, man: Man) -> str:
    return letters[man.kind].lower() if man.side else letters[man.kind]


def _man_map(columns: Sequence[str], letters: Sequence[str]) -> list[int]:
    """A column for each of the letters, none twice."""
    free = list(range(len(columns)))
    man_map = []
    for letter in letters:
        column = next(i for i in free if columns[i] == letter)
        free.remove(column)
        man_map.append(column)
    return man_map
