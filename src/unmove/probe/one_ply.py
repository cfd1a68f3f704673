"""Searches of one ply: the values that a file of chess does not store, of many positions at once.

All moves of all positions are listed in one call, and those into the same table looked up in one.
The moves are made on squares, and not on boards. What that leaves out is a double step past a pawn
that may take en passant: a position with one is searched `slowly`, board by board.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unmove.games.boards import AnyBoard, board_of
from unmove.games.chess import LETTERS
from unmove.games.rules import columns_of
from unmove.kernels.children import (
    ALL_KINDS,
    CONVERSIONS,
    CONVERTING_KINDS,
    IN_MATE,
    IN_STALEMATE,
    MARKED_KINDS,
    MAY_BE_PASSED,
    QUIET_KIND,
    Children,
    list_children,
    room_for,
)
from unmove.kernels.proof.forward import CHOICES, ProofMen, empty_position
from unmove.material import Material
from unmove.probe.begun import NOT_IN_FILE
from unmove.values import (
    BLACK,
    BROKEN,
    CHECKMATED,
    DRAW,
    SIDES,
    WHITE,
    Code,
    Side,
    code_before,
    opponent_of,
    preference,
    swapped_if,
)

if TYPE_CHECKING:
    from unmove.probe.table_cache import OpenTable

SearchBoard = Callable[[AnyBoard, bool], Code]
"""Finds the code of a board by its moves, or by its conversions alone, board by board."""

_MOST_OF_A_MAN, _MOST_OF_A_KING = 27, 8  # moves
_before = cache(code_before)
_preference = cache(preference)


@dataclass(frozen=True)
class ChildTable:
    """The table that a kind of move leads to."""

    table: OpenTable
    side: Side
    """Who is to move there, as the table has it."""
    men: NDArray[np.int64]
    """[column of the table]: the number of our man that plays its role."""
    flip: np.uint8
    """What turns our squares into those of the table."""
    zeroes: bool
    converts: bool

    def before(self, code: Code) -> Code:
        """The code of a move that leads to a position with this code."""
        return _before(code, self.table.metric, zeroes=self.zeroes, converts=self.converts)

    def require_values(self, codes: list[Code], squares: NDArray[np.uint8]) -> None:
        """DamagedFile if a legal position has no value."""
        if BROKEN in codes:
            at = squares[codes.index(BROKEN)].tolist()
            raise self.table.no_value(board_of(self.table.file.material, at, self.side))


@dataclass(frozen=True)
class MovesInto:
    """Moves of some positions into one table."""

    child: ChildTable
    squares: NDArray[np.uint8]
    """Where the moves lead to, as the table has it."""
    parents: list[int]
    """The positions that the moves are made in."""
    codes: list[Code]
    """Of the positions that they lead to; NOT_IN_FILE where the file has none."""

    def put(self, best: list[Code | None]) -> list[int]:
        """The best move of each position is at least these; returns which codes are not known."""
        unknown = []
        for i, (parent, code) in enumerate(zip(self.parents, self.codes, strict=True)):
            if code == NOT_IN_FILE:
                unknown.append(i)
                continue
            found, known = self.child.before(code), best[parent]
            if known is None or _preference(found) > _preference(known):
                best[parent] = found
        return unknown


class _Room(threading.local):
    """An empty board of each thread's own."""

    def __init__(self, men: int) -> None:
        self.position = empty_position(men)


class OnePly:
    """Searches the positions of a table. Men are numbered as in `kernels/children.py`."""

    def __init__(self, table: OpenTable) -> None:
        self._table = table
        self._children: dict[tuple[Side, int], ChildTable] = {}

    @cached_property
    def columns(self) -> list[int]:
        """[man]: its column. The kings come first."""
        columns = columns_of(self._table.file.material)
        kings = columns.index("K"), columns.index("k")
        return [*kings, *(i for i in range(len(columns)) if i not in kings)]

    @cached_property
    def letters(self) -> list[str]:
        """[man]: its letter in a FEN."""
        columns = columns_of(self._table.file.material)
        return [columns[column] for column in self.columns]

    @cached_property
    def _men(self) -> ProofMen:
        kinds = [(*LETTERS, "K").index(letter.upper()) for letter in self.letters]
        sides = [WHITE if letter.isupper() else BLACK for letter in self.letters]
        none = np.full(len(kinds), -1, np.int64)
        return ProofMen(np.array(kinds, np.int64), np.array(sides, np.int64), none)

    @cached_property
    def _most_moves(self) -> list[int]:
        """[side]: the most moves that it can have."""
        own = [int((self._men.sides == side).sum()) for side in SIDES]
        return [_MOST_OF_A_KING + _MOST_OF_A_MAN * (count - 1) for count in own]

    @cached_property
    def _room(self) -> _Room:
        return _Room(len(self.letters))

    def codes(self, side: Side, squares: NDArray[np.uint8], slowly: SearchBoard) -> list[Code]:
        """The codes of legal positions, found by their moves; in a row the men as in the name.

        If the side to move is stored, they are only marked, and conversions give them; or moves of
        the king, if it is the second side.
        """
        converting = side in self._table.file.sides
        children = self.listed(side, squares, self._kinds(side))
        best = self._without_moves(children.status)
        late = []
        for moves in self._grouped(side, children):
            unknown = moves.put(best)
            if unknown:
                late.append((moves, unknown))
        for moves, unknown in late:
            self._search(moves, unknown, best, slowly)
        codes = []
        for i, (code, status) in enumerate(zip(best, children.status.tolist(), strict=True)):
            if status == MAY_BE_PASSED or code is None:
                board = board_of(self._table.file.material, squares[i].tolist(), side)
                code = slowly(board, converting)
            codes.append(code)
        return codes

    def _kinds(self, side: Side) -> int:
        """The kinds of moves that give the codes that are not in the file."""
        file = self._table.file
        if side not in file.sides:
            return ALL_KINDS
        return MARKED_KINDS if side == file.meta.second else CONVERTING_KINDS

    def _search(
        self, moves: MovesInto, unknown: list[int], best: list[Code | None], slowly: SearchBoard
    ) -> None:
        """The best moves are at least the moves whose codes are not known.

        What a side that is stored first only marks is a win, so the move loses: it matters only
        where there is no better one.
        """
        child = moves.child
        file = child.table.file
        if child.side in file.sides and child.side != file.meta.second:
            unknown = [i for i in unknown if _loses(best[moves.parents[i]])]
        if not unknown:
            return
        squares = moves.squares[unknown]
        codes = child.table.one_ply.codes(child.side, squares, slowly)
        MovesInto(child, squares, [moves.parents[i] for i in unknown], codes).put(best)

    def _without_moves(self, status: NDArray[np.uint8]) -> list[Code | None]:
        """The codes of positions without moves, None for all others."""
        codes = {IN_MATE: CHECKMATED, IN_STALEMATE: DRAW}
        return [codes.get(each) for each in status.tolist()]

    def codes_of_moves(
        self, side: Side, moves: Children, slowly: SearchBoard
    ) -> list[tuple[Code, Code]]:
        """For each listed move the code for its mover, and that of the position it leads to.

        These are found as those of boards are. No pawn can be taken en passant.
        """
        codes = [(BROKEN, BROKEN)] * len(moves.kind)
        for kind, rows in _by_kind(moves).items():
            child = self._child(side, kind)
            squares = moves.squares[rows][:, child.men] ^ child.flip
            found = child.table.codes_of(child.side, squares, _is_legal, slowly)
            child.require_values(found, squares)
            for row, code in zip(rows, found, strict=True):
                codes[row] = child.before(code), code
        return codes

    def listed(
        self, side: Side, squares: NDArray[np.uint8], kinds: int, *, checks: bool = False
    ) -> Children:
        """The moves of some positions; `checks`: with whether they give check."""
        men, count = self._men, len(squares)
        out = room_for(count * self._most_moves[side], count, len(men.kinds), checks=checks)
        by_man = squares.take(self.columns, axis=1)
        end = list_children(side, kinds, by_man, men, self._room.position, out)
        return out.upto(end)

    def _grouped(self, side: Side, children: Children) -> Iterator[MovesInto]:
        """The moves by the tables they lead to, with the codes that these tables have."""
        parents = children.parent.tolist()
        for kind, some in _by_kind(children).items():
            child = self._child(side, kind)
            squares = children.squares[some][:, child.men] ^ child.flip
            codes = child.table.known(child.side, squares)
            child.require_values(codes, squares)
            yield MovesInto(child, squares, [parents[row] for row in some], codes)

    def _child(self, side: Side, kind: int) -> ChildTable:
        """The table that a kind of move leads to."""
        key = side, kind
        if key not in self._children:
            self._children[key] = self._child_table(side, kind)
        return self._children[key]

    def _child_table(self, side: Side, kind: int) -> ChildTable:
        letters = dict(enumerate(self.letters))
        if kind >= CONVERSIONS:
            rest, victim = divmod(kind - CONVERSIONS, 1 + len(letters))
            man, choice = divmod(rest, CHOICES)
            if choice:
                piece = LETTERS[choice - 1]
                letters[man] = piece if side == WHITE else piece.lower()
            if victim:
                del letters[victim - 1]
        given = _material(letters.values())
        material = given.canonical()
        swapped = given != material
        left = list(letters.items())
        men = []
        for letter in columns_of(material):
            ours = letter.swapcase() if swapped else letter
            found = next(item for item in left if item[1] == ours)
            left.remove(found)
            men.append(found[0])
        own = material == self._table.file.material
        return ChildTable(
            table=self._table if own else self._table.tables(material),
            side=swapped_if(swapped, opponent_of(side)),
            men=np.array(men, np.int64),
            flip=np.uint8(56 if swapped else 0),
            zeroes=kind != QUIET_KIND,
            converts=kind >= CONVERSIONS,
        )


def _by_kind(children: Children) -> dict[int, list[int]]:
    """The numbers of the moves of each kind."""
    rows: dict[int, list[int]] = {}
    for row, kind in enumerate(children.kind.tolist()):
        rows.setdefault(kind, []).append(row)
    return rows


def _is_legal(_: int) -> None:
    """Where a legal move leads to is legal."""


def _loses(code: Code | None) -> bool:
    """Whether the best move so far loses, or there is none."""
    return code is None or _preference(code) < 0


def _material(letters: Iterable[str]) -> Material:
    """The material of men by their letters, sides as they are."""
    men = [letter for letter in letters if letter not in "Kk"]
    white = "".join(letter for letter in men if letter.isupper())
    black = "".join(letter.upper() for letter in men if letter.islower())
    return Material.of(white, black)
