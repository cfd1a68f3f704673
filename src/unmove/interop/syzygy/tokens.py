"""What a Syzygy file needs to know of a table's positions.

A prober looks at captures, and for distances at all zeroing moves, before it reads a file. Where
one of them has the value of the position, the file may hold other values. So each position has a
*token*: free, exact, or at most so much. Those of outcomes are numbers of this module; those of
distances are the numbers of the table's palette, with 0 for what is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.materials import lead_of_pawns
from unmove.kernels.arrays import Scores
from unmove.kernels.successors import NO_VICTIM
from unmove.kernels.syzygy.board import PAWN_TWIST
from unmove.kernels.syzygy.freedom import FREE, put_tokens
from unmove.material import Material
from unmove.planes.fold import Fold
from unmove.planes.layout import CELLS, Layout
from unmove.planes.layouts import of_kings
from unmove.store.source import Source, cell_type, planes_of
from unmove.successors.evaluation import MoveScores
from unmove.successors.moves import MoveKind, zeroing_moves
from unmove.successors.scores import ScoreTable
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BROKEN, DRAW, SIDES, Code, Metric, Outcome50, Side, outcome50_of

OUTCOME_KINDS: Final = 5
EXACT: Final = 1
"""The token of an outcome is this more than the outcome, counted from 0 for a loss."""
AT_MOST: Final = EXACT + OUTCOME_KINDS
"""The same of an outcome that a file may hold, or any below it."""
ALLOWED: Final = np.array(
    [
        0b11111,
        *(1 << n for n in range(OUTCOME_KINDS)),
        *((2 << n) - 1 for n in range(OUTCOME_KINDS)),
    ],
    np.int64,
)
"""[token]: the outcomes that a file may hold, as bits."""
TOKEN_PLANES_AT_ONCE: Final = 512
_NO_MOVE, _NO_POSITION = 254, 255


@dataclass(frozen=True)
class Tokens:
    """The tokens of some planes: arrays of [row, cell] for each side to move."""

    outcomes: tuple[NDArray[np.uint8], ...]
    distances: tuple[NDArray[Any], ...]
    rows: NDArray[np.int32]
    """[plane]: its row, through the fold; -1 for planes that are not here."""


class TokenSource:
    """Makes the tokens of a table."""

    def __init__(self, subtables: SubtableCache, material: Material) -> None:
        self._subtables = subtables
        self.material = material
        self._file = subtables.file_source(material, Metric.DTZ).file

    @property
    def layout(self) -> Layout:
        return of_kings(self._file.layout)

    @property
    def codes(self) -> list[Code]:
        """[token of a distance]: its code."""
        return [Code(code) for code in self._file.palette.tolist()]

    @property
    def fold(self) -> Fold:
        """Which planes of the layout are stored."""
        return self._file.fold

    @cached_property
    def _source(self) -> Source:
        return self._subtables.whole(self.material, Metric.DTZ)

    def planes(self, file: int) -> NDArray[np.int64]:
        """The stored planes on which the first leading pawn is on this file; all without pawns."""
        stored = self._file.fold.stored
        if not self.material.has_pawns:
            return stored
        here: NDArray[np.int64] = stored[self._files[stored // self.layout.strides[0]] == file]
        return here

    @cached_property
    def _files(self) -> NDArray[np.int64]:
        """[slice]: the file of the first leading pawn, or that of its mirror image."""
        layout, side = self.layout, lead_of_pawns(self.material)
        leading = [i for i, man in enumerate(layout.men) if man.kind == layout.men[0].kind]
        pawns = layout.lead.squares[:, [i for i in leading if layout.men[i].side == side]]
        nearest = PAWN_TWIST[pawns].argmax(axis=1)[:, None]
        file = np.take_along_axis(pawns, nearest, axis=1)[:, 0] & 7
        files: NDArray[np.int64] = np.minimum(file, 7 - file).astype(np.int64)
        return files

    def load(self, file: int, report: Callable[[float], None] = lambda share: None) -> Tokens:
        """The tokens of a file's positions; `report` is told the part that is there."""
        planes = self.planes(file)
        shape, kind = (len(planes), CELLS), cell_type(len(self.codes))
        outcomes = tuple(np.empty(shape, np.uint8) for _ in SIDES)
        distances = tuple(np.empty(shape, kind) for _ in SIDES)
        for first in range(0, len(planes), TOKEN_PLANES_AT_ONCE):
            some = slice(first, first + TOKEN_PLANES_AT_ONCE)
            for side in SIDES:
                self._put(side, planes[some], outcomes[side][some], distances[side][some])
            report(min(1.0, some.stop / len(planes)))
        row = np.full(len(self._file.fold.stored), -1, np.int32)
        row[np.searchsorted(self._file.fold.stored, planes)] = np.arange(len(planes))
        return Tokens(outcomes, distances, row[self._file.fold.stored_index])

    def _put(
        self,
        side: Side,
        planes: NDArray[np.int64],
        outcomes: NDArray[np.uint8],
        distances: NDArray[Any],
    ) -> None:
        """The tokens of some planes are there."""
        numbers = planes_of(self._source, side, planes)
        worth = np.array([_worth(code, _NO_POSITION) for code in self.codes], np.uint8)
        (exact, found), settled = self._outcome_tokens, self._distance_tokens
        scores = self._scores(side, planes)
        table, captures = next(scores)
        of_score = np.array([_worth(code, _NO_MOVE) for code in table.codes], np.uint8)
        put_tokens(numbers, captures, worth, of_score, exact, found, outcomes)
        _, zeroing = next(scores)
        put_tokens(numbers, zeroing, worth, of_score, *settled, distances)

    def _scores(self, side: Side, planes: NDArray[np.int64]) -> Iterator[tuple[ScoreTable, Scores]]:
        """The scores of the best captures, then of the best zeroing moves."""
        layout = self.layout
        pool, tables = self._subtables.pool, self._subtables.of(Metric.DTZ)
        frame = layout.frame_of(planes)
        moves = MoveScores(layout, frame, Metric.DTZ, self._source, tables, pool)
        kinds = list(zeroing_moves(layout, side))
        table = moves.score_table(moves.subtables(kinds))
        score = table.zeros((len(planes), CELLS))
        for captures in (True, False):
            some = [kind for kind in kinds if _captures(kind) == captures]
            moves.assess(side, moves.subtables(some), table, score)
            yield table, score

    @cached_property
    def _outcome_tokens(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """[number]: its token, and its token if a capture has its value."""
        exact = [FREE if code == BROKEN else EXACT + _worth(code) for code in self.codes]
        found = [FREE if code == BROKEN else AT_MOST + _worth(code) for code in self.codes]
        return np.array(exact, np.uint8), np.array(found, np.uint8)

    @cached_property
    def _distance_tokens(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The same of distances, if a zeroing move has its value."""
        kind = cell_type(len(self.codes))
        exact = [number if code > DRAW else FREE for number, code in enumerate(self.codes)]
        found = [
            number if code > DRAW and code % 2 == 0 else FREE
            for number, code in enumerate(self.codes)
        ]
        return np.array(exact, kind), np.array(found, kind)


def _captures(kind: MoveKind) -> bool:
    return kind.victim != NO_VICTIM


def _worth(code: Code, broken: int = 0) -> int:
    """The outcome of a code, counted from 0 for a loss."""
    if code == BROKEN:
        return broken
    return int(outcome50_of(code)) - int(Outcome50.LOSS)
