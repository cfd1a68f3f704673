"""Many positions at once: sorted by table, answered plane by plane, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadOption, UnmoveError
from unmove.games.boards import Board, parse_fen, rules_of, rules_of_fen
from unmove.games.rules import Placement, columns_of
from unmove.material import Material
from unmove.probe.library import OpenTable, OpenTables
from unmove.values import BROKEN, DRAW, Metric, outcome50_of, outcome_of, value_of

Exactly = Callable[[Board, Metric], int]
"""How to get at the code of a board that is out of the ordinary, or to be told what is wrong."""

NO_POSITION = -128


@dataclass(frozen=True)
class Values:
    """What many positions are worth to the side to move, as arrays.

    `codes` are those of `unmove.values`; BROKEN is no position that can occur.
    """

    codes: NDArray[np.uint16]
    metric: Metric

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        legal: NDArray[np.bool_] = self.codes != BROKEN
        return legal

    @cached_property
    def outcome(self) -> NDArray[np.int8]:
        """1 win, 0 draw, -1 loss, without the 50-move rule; NO_POSITION where nothing can be."""
        return self._each(outcome_of, NO_POSITION).astype(np.int8)

    @cached_property
    def outcome50(self) -> NDArray[np.int8]:
        """2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss; by DTZ only."""
        if self.metric != Metric.DTZ:
            raise BadOption("metric", self.metric.value, "the 50-move rule is known by dtz only")
        return self._each(outcome50_of, NO_POSITION).astype(np.int8)

    @cached_property
    def plies(self) -> NDArray[np.int16]:
        """The distance: plus for a win, minus for a loss, 0 for mate, draws and no position.

        `outcome` tells the last three apart.
        """
        return self._each(lambda code: value_of(code, self.metric) or 0, 0)

    def _each(self, function: Callable[[int], int], none: int) -> NDArray[np.int16]:
        """The function of each code, worked out once for each that there may be."""
        most = int(self.codes.max(initial=DRAW))
        meaning = np.array([none, *map(function, range(DRAW, most + 1))], np.int16)
        return meaning[self.codes]


def codes_of_squares(
    table: OpenTable, squares: NDArray[np.integer], turns: NDArray[np.integer]
) -> NDArray[np.uint16]:
    """The codes of positions of one table, given as arrays."""
    men = len(columns_of(table.file.material))
    if squares.ndim != 2 or squares.shape[1] != men or turns.shape != squares.shape[:1]:
        raise BadOption(
            "squares",
            f"of shape {squares.shape} with turns of shape {turns.shape}",
            f"{table.file.material} has {men} men: shapes are (n, {men}) and (n,)",
        )
    _check_range("squares", squares, 255, "squares are numbered rank by rank, a1 is 0")
    _check_range("turns", turns, 1, "0 is White to move and 1 is Black")
    rows = np.ascontiguousarray(squares, dtype=np.uint8)
    return table.codes(rows, np.ascontiguousarray(turns, dtype=np.uint8))


def _check_range(name: str, numbers: NDArray[np.integer], most: int, meaning: str) -> None:
    for number in (numbers.min(initial=0), numbers.max(initial=0)):
        if not 0 <= number <= most:
            raise BadOption(name, int(number), meaning)


Errors = dict[int, UnmoveError]
"""What is wrong with some of the positions, by their numbers."""


def codes_of_fens(
    fens: Sequence[str], metric: Metric, tables: OpenTables, exactly: Exactly
) -> tuple[NDArray[np.uint16], Errors]:
    """The codes of FENs."""
    plain = [rules_of_fen(fen).placement_of_fen(fen) for fen in fens]
    return _codes(plain, metric, tables, lambda number: parse_fen(fens[number]), exactly)


def codes_of_boards(
    boards: Sequence[Board], metric: Metric, tables: OpenTables, exactly: Exactly
) -> tuple[NDArray[np.uint16], Errors]:
    """The codes of boards."""
    plain = [
        rules.placement(board) if rules.is_plain(board) else None
        for board, rules in zip(boards, map(rules_of, boards), strict=True)
    ]

    def checked(number: int) -> Board:
        rules_of(boards[number]).check(boards[number])
        return boards[number]

    return _codes(plain, metric, tables, checked, exactly)


def _codes(
    placements: Sequence[Placement | None],
    metric: Metric,
    tables: OpenTables,
    checked: Callable[[int], Board],
    exactly: Exactly,
) -> tuple[NDArray[np.uint16], Errors]:
    """The codes of placements; those that are none, or have no value, are asked one by one.

    checked(number) is the board of a number, or raises what is wrong with it: that is told before
    a table that is not there.
    """
    rows: dict[Material, list[int]] = {}
    for number, placement in enumerate(placements):
        if placement is not None:
            rows.setdefault(placement.material, []).append(number)
    codes = np.zeros(len(placements), np.uint16)
    errors: Errors = {}
    for material, numbers in rows.items():
        group = [placement for i in numbers if (placement := placements[i]) is not None]
        squares = np.array([placement.squares for placement in group], np.uint8)
        sides = np.array([placement.side for placement in group], np.uint8)
        try:
            codes[numbers] = tables.table(material, metric).codes(squares, sides)
        except UnmoveError as error:
            errors |= dict.fromkeys(numbers, error)
    for number in np.flatnonzero(codes == BROKEN).tolist():
        try:
            board = checked(number)
            if number not in errors:
                codes[number] = exactly(board, metric)
        except UnmoveError as error:
            errors[number] = error
    return codes, errors
