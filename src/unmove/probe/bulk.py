"""Many positions at once: grouped by table, looked up plane by plane, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unmove.errors import BadOption, UnmoveError
from unmove.games.boards import AnyBoard, exchanged, parse_fen, rules_of, rules_of_fen
from unmove.games.rules import Placement, columns_of
from unmove.kernels.arrays import Codes
from unmove.material import Material
from unmove.probe.table_cache import OpenTable, TableCache
from unmove.values import (
    BROKEN,
    DRAW,
    FIFTY,
    Code,
    Metric,
    codes_up_to,
    level_of,
    outcome_of,
    value_of,
)

ProbeBoard = Callable[[AnyBoard, Metric], Code]
"""Gives the code of any legal board, or raises what is wrong with it."""

NO_POSITION = -128

_Asked = TypeVar("_Asked")


@dataclass(frozen=True)
class Values:
    """The values of many positions to the side to move, as arrays.

    `codes` are those of `values.py`; BROKEN marks what is no legal position. `clocks` are the
    half-move clocks of the positions, None if all are 0.
    """

    codes: Codes
    metric: Metric
    clocks: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        legal: NDArray[np.bool_] = self.codes != BROKEN
        return legal

    @cached_property
    def outcome(self) -> NDArray[np.int8]:
        """1 win, 0 draw, -1 loss, without the 50-move rule; NO_POSITION where none is legal."""
        return self._each(outcome_of, NO_POSITION).astype(np.int8)

    @cached_property
    def outcome50(self) -> NDArray[np.int8]:
        """2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss; by DTZ only.

        The half-move clock counts, as in `values.outcome50_of`.
        """
        if self.metric != Metric.DTZ:
            raise BadOption("metric", self.metric.value, "the 50-move rule is known by dtz only")
        levels = self._each(level_of, 0)
        late = levels + (0 if self.clocks is None else self.clocks) > FIFTY
        outcome = np.where(late & (levels > 0), self.outcome, self.outcome * np.int8(2))
        return np.where(self.legal, outcome, np.int8(NO_POSITION))

    @cached_property
    def plies(self) -> NDArray[np.int16]:
        """The distance: plus for a win, minus for a loss, 0 for mate, draws and no position.

        `outcome` tells the last three apart.
        """
        return self._each(lambda code: value_of(code, self.metric) or 0, 0)

    def _each(self, function: Callable[[Code], int], none: int) -> NDArray[np.int16]:
        """The function of each code, called once for each code up to the largest."""
        most = int(self.codes.max(initial=DRAW))
        by_code = np.array([none, *map(function, codes_up_to(most))], np.int16)
        return by_code[self.codes]


def codes_of_squares(
    table: OpenTable, material: Material, squares: ArrayLike, turns: ArrayLike
) -> Codes:
    """The codes of positions of one table, given as arrays.

    `material` is that of the table, or the same with the sides exchanged, as in the positions.
    """
    positions, sides = squares_and_sides(material, squares, turns)
    if not material.is_canonical:
        positions, sides = exchanged(positions, material), 1 - sides
    return table.codes(np.ascontiguousarray(positions), np.ascontiguousarray(sides))


def squares_and_sides(
    material: Material, squares: ArrayLike, turns: ArrayLike
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Positions of a material as arrays that fit together; BadOption otherwise."""
    rows, sides = _numbers("squares", squares), sides_of(turns)
    men = len(columns_of(material))
    if rows.ndim != 2 or rows.shape[1] != men or sides.shape != rows.shape[:1]:
        raise BadOption(
            "squares",
            f"of shape {rows.shape} with turns of shape {sides.shape}",
            f"{material} has {men} men: shapes are (n, {men}) and (n,)",
        )
    _check_range("squares", rows, 255, "squares are numbered rank by rank, a1 is 0")
    return rows.astype(np.uint8), sides


_SIDES: Final = {"w": 0, "white": 0, "r": 0, "red": 0, "b": 1, "black": 1}
_TURNS: Final = (
    "0 is White to move and 1 is Black; 'w' and 'b' are read too, and True is chess.WHITE"
)


def sides_of(turns: ArrayLike) -> NDArray[np.uint8]:
    """Who is to move, 0 White and 1 Black, from numbers, words or python-chess's colours.

    True is White in python-chess and would be Black as a number, so a mixture of both is refused.
    """
    if isinstance(turns, Sequence) and len({isinstance(t, bool | np.bool_) for t in turns}) > 1:
        raise BadOption("turns", "with numbers and booleans", _TURNS)
    given = _array("turns", turns)
    if given.dtype == np.bool_:
        return np.where(given, 0, 1).astype(np.uint8)
    if given.dtype.kind == "U":
        words, which = np.unique(given, return_inverse=True)
        for word in words.tolist():
            if word.lower() not in _SIDES:
                raise BadOption("turns", repr(word), _TURNS)
        sides = np.array([_SIDES[word.lower()] for word in words.tolist()], np.uint8)
        return sides[which].reshape(given.shape)
    numbers = _numbers("turns", given)
    _check_range("turns", numbers, 1, _TURNS)
    return numbers.astype(np.uint8)


def _array(name: str, given: ArrayLike) -> NDArray[np.generic]:
    try:
        return np.asarray(given)
    except (ValueError, TypeError) as error:  # rows of different lengths, or no array at all
        raise BadOption(name, "given", f"it cannot be made an array ({error})") from error


def _numbers(name: str, given: ArrayLike) -> NDArray[np.integer]:
    """The array, if it holds whole numbers; an empty one does."""
    array = _array(name, given)
    if not array.size:
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise BadOption(name, f"of type {array.dtype}", "whole numbers are expected")
    return cast(NDArray[np.integer], array)


def _check_range(name: str, numbers: NDArray[np.integer], most: int, meaning: str) -> None:
    for number in (numbers.min(initial=0), numbers.max(initial=0)):
        if not 0 <= number <= most:
            raise BadOption(name, int(number), meaning)


Errors = dict[int, UnmoveError]
"""What is wrong with some of the positions, by their numbers."""


def listed(name: str, items: Iterable[_Asked]) -> Sequence[_Asked]:
    """The items as a list; BadOption for a single thing, such as one FEN."""
    return list(several(name, items))


def several(name: str, items: Iterable[_Asked]) -> Iterator[_Asked]:
    """The items one by one; BadOption, at once, for a single thing, such as one FEN."""
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise BadOption(name, f"of type {type(items).__name__}", "a list of them is expected")
    return iter(items)


def values_of_fens(
    fens: Sequence[str], metric: Metric, tables: TableCache, probe_board: ProbeBoard
) -> tuple[Values, Errors]:
    """The values of FENs, and what is wrong with those that have none."""

    def plain(fen: str) -> Placement | None:
        return rules_of_fen(fen).placement_of_fen(fen)

    return _values(fens, plain, parse_fen, metric, tables, probe_board)


def values_of_boards(
    boards: Sequence[AnyBoard], metric: Metric, tables: TableCache, probe_board: ProbeBoard
) -> tuple[Values, Errors]:
    """The values of boards, and what is wrong with those that have none."""

    def plain(board: AnyBoard) -> Placement | None:
        rules = rules_of(board)
        return rules.placement(board) if rules.is_plain(board) else None

    def checked(board: AnyBoard) -> AnyBoard:
        rules_of(board).check(board)
        return board

    return _values(boards, plain, checked, metric, tables, probe_board)


def _values(
    asked: Sequence[_Asked],
    plain: Callable[[_Asked], Placement | None],
    checked: Callable[[_Asked], AnyBoard],
    metric: Metric,
    tables: TableCache,
    probe_board: ProbeBoard,
) -> tuple[Values, Errors]:
    """The values of positions. Those that are not plain, or have no value, are probed one by one.

    `checked` gives the board of a position or raises what is wrong with it: a mistake of the asker
    is reported rather than a missing table.
    """
    codes, clocks = np.zeros(len(asked), np.uint16), np.zeros(len(asked), np.int64)
    rows: dict[Material, list[tuple[int, Placement]]] = {}
    errors: Errors = {}
    for number, one in enumerate(asked):
        try:
            if placement := plain(one):
                rows.setdefault(placement.material, []).append((number, placement))
        except UnmoveError as error:
            errors[number] = error
    for material, group in rows.items():
        numbers = [number for number, _ in group]
        squares = np.array([placement.squares for _, placement in group], np.uint8)
        sides = np.array([placement.side for _, placement in group], np.uint8)
        clocks[numbers] = [placement.clock for _, placement in group]
        try:
            codes[numbers] = tables.table(material, metric).codes(squares, sides)
        except UnmoveError as error:
            errors |= dict.fromkeys(numbers, error)
    for number in np.flatnonzero(codes == BROKEN).tolist():
        try:
            board = checked(asked[number])
            if number not in errors:
                clocks[number] = rules_of(board).clock(board)
                codes[number] = probe_board(board, metric)
        except UnmoveError as error:
            errors[number] = error
    return Values(Codes(codes), metric, clocks), errors
