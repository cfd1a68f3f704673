"""What all schemes share: the kings first, then one axis for each group of men.

    number = start of the kings' subrange + mixed-radix number of the axes' ranks

An *axis* places one group of men, on squares that may depend on the kings and on the men placed
before. The number of its ways depends on the kings alone. So the subrange of a pair of kings is a
box with the axes as its edges [Nalimov et al. 2001, 3.2]. k like men on q squares have C(q, k)
ways, in colexicographic order: {a < b < c} is C(c, 3) + C(b, 2) + a.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import comb, prod
from typing import ClassVar, Protocol

import chess

from unmove.errors import BadOption
from unmove.games.chess import LETTERS, PAWN, SQUARES
from unmove.indexes.kings import ALL_SQUARES, Kings
from unmove.indexes.view import OTHER, OWN, BoardView
from unmove.material import Material
from unmove.planes.layout import Man
from unmove.planes.symmetry import MIRROR_FILES, SYMMETRIES
from unmove.values import Side, opponent_of

Group = tuple[Man, int]

PAWN_SQUARES = tuple(range(8, 56))


class Axis(Protocol):
    """One group of men."""

    def size(self, kings: Kings) -> int:
        """In how many ways the group is placed."""

    def rank(self, view: BoardView) -> int | None:
        """Which of them a position has; None if it has none of them."""

    def place(self, rank: int, view: BoardView) -> None:
        """The group's men are added to the view, which has those of the axes before."""


@dataclass(frozen=True)
class SetAxis(ABC):
    """`count` like men on a set of squares, after `first` of them that have an axis before."""

    man: Man
    count: int = 1
    first: int = 0

    @abstractmethod
    def width(self, kings: Kings) -> int:
        """On how many squares the men may stand."""

    @abstractmethod
    def squares(self, view: BoardView) -> Sequence[int]:
        """These squares, ascending; `width` of them, or more if men overlap."""

    def size(self, kings: Kings) -> int:
        return comb(self.width(kings), self.count)

    def standing(self, view: BoardView) -> tuple[int, ...]:
        """Where the men of this axis stand."""
        return view.men[self.man][self.first : self.first + self.count]

    def rank(self, view: BoardView) -> int | None:
        squares = self.squares(view)
        found = 0
        for i, square in enumerate(self.standing(view)):
            if square not in squares:
                return None
            found += comb(squares.index(square), i + 1)
        return found

    def place(self, rank: int, view: BoardView) -> None:
        squares = self.squares(view)
        chosen = [squares[i] for i in _set_at(rank, self.count)]
        view.men[self.man] = tuple(sorted((*view.men.get(self.man, ()), *chosen)))


@dataclass(frozen=True)
class Fixed(SetAxis):
    """Men on squares that depend on nothing."""

    on: tuple[int, ...] = ALL_SQUARES

    def width(self, kings: Kings) -> int:
        return len(self.on)

    def squares(self, view: BoardView) -> Sequence[int]:
        return self.on


@dataclass(frozen=True)
class Free(SetAxis):
    """Men on squares that neither the kings nor the men of the groups `before` occupy."""

    before: tuple[Group, ...] = ()

    def width(self, kings: Kings) -> int:
        return SQUARES - 2 - sum(count for _, count in self.before)

    def squares(self, view: BoardView) -> Sequence[int]:
        occupied = {*view.kings, *(s for man, _ in self.before for s in view.men[man])}
        return [square for square in ALL_SQUARES if square not in occupied]


class Zone:
    """Pairs of kings, then axes; `alike` if the axes' sizes do not depend on the kings at all."""

    def __init__(self, pairs: Sequence[Kings], axes: Sequence[Axis], alike: bool = False) -> None:
        self.pairs = pairs
        self.axes = axes
        self.alike = alike

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where each pair's subrange begins; the last entry is the size of the zone."""
        if self.alike:
            box = self._box(self.pairs[0])
            return range(0, box * len(self.pairs) + 1, box)
        return list(accumulate(map(self._box, self.pairs), initial=0))

    def _box(self, kings: Kings) -> int:
        return prod(axis.size(kings) for axis in self.axes)

    @cached_property
    def place(self) -> dict[Kings, int]:
        return {kings: place for place, kings in enumerate(self.pairs)}

    @property
    def size(self) -> int:
        return self.starts[-1]

    def rank(self, view: BoardView) -> int | None:
        """The number of a position; None if this zone has no entry for it."""
        if view.kings not in self.place:
            return None
        number = 0
        for axis in self.axes:
            digit = axis.rank(view)
            if digit is None:
                return None
            number = number * axis.size(view.kings) + digit
        return self.starts[self.place[view.kings]] + number

    def view_at(self, number: int) -> BoardView:
        """The kings and men of an entry, which need not be a position."""
        place = bisect_right(self.starts, number) - 1
        view = BoardView(self.pairs[place])
        number -= self.starts[place]
        left = self.starts[place + 1] - self.starts[place]
        for axis in self.axes:
            left //= axis.size(view.kings)
            digit, number = divmod(number, left)
            axis.place(digit, view)
        return view


class Index(ABC):
    """The index of one endgame with one side to move; side 0 is White, first in its name."""

    name: ClassVar[str]

    def __init__(self, material: Material, side: Side) -> None:
        self.material = material
        self.side = side

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of entries."""

    @abstractmethod
    def rank(self, view: BoardView) -> int | None:
        """The number of a position; None if the scheme stores another image of it."""

    @abstractmethod
    def entry(self, number: int) -> BoardView | None:
        """The position of an entry; None if it is broken."""

    def index_of(self, board: chess.Board) -> int:
        """The number of a legal position: the smallest that one of its images has."""
        view = BoardView.of(board)
        if (view.letters(OWN), view.letters(OTHER)) != self.letters:
            mover = self.material.game.side_names[self.side]
            reason = f"this is the index of {self.material} with {mover} to move"
            raise BadOption("position", board.fen(), reason)
        images = (view.through(symmetry) for symmetry in symmetries(self.material))
        found = [number for number in map(self.rank, images) if number is not None]
        if not found or not view.is_legal:
            raise BadOption(
                "position", board.fen(), f"the index of {self.name} has no place for it"
            )
        return min(found)

    def position_at(self, number: int) -> chess.Board | None:
        """The position that has this number, up to symmetry; None if the entry is broken.

        Where both kings stand on the long diagonal a position and its mirror image have an entry
        each, of which `index_of` gives the smaller one.
        """
        if not 0 <= number < self.size:
            raise BadOption("number", number, f"the index has {self.size} entries")
        view = self.entry(number)
        return None if view is None else view.board(chess.COLORS[self.side])

    @property
    def letters(self) -> tuple[str, str]:
        """The men of the side to move, and of the other one."""
        return self.material.sides[self.side], self.material.sides[opponent_of(self.side)]


class OneZone(Index):
    """An index of a single zone."""

    alike: ClassVar = True
    """Whether all pairs of kings leave the other men as many places."""

    @cached_property
    def zone(self) -> Zone:
        return Zone(self.pairs(), self.axes(), self.alike)

    @abstractmethod
    def pairs(self) -> tuple[Kings, ...]:
        """Where the kings stand: of the side to move, of the other one."""

    @abstractmethod
    def axes(self) -> list[Axis]:
        """The other men."""

    @property
    def size(self) -> int:
        return self.zone.size

    def rank(self, view: BoardView) -> int | None:
        return self.zone.rank(view)

    def entry(self, number: int) -> BoardView | None:
        view = self.zone.view_at(number)
        return view if view.is_legal and self.rank(view) == number else None


def groups_of(letters: str, side: Side) -> list[Group]:
    """Like men of one side, in the order Q R B N P."""
    return [(Man(LETTERS.index(x), side), letters.count(x)) for x in dict.fromkeys(letters)]


def is_pawn(group: Group) -> bool:
    return group[0].kind == PAWN


def symmetries(material: Material) -> Sequence[int]:
    """The symmetries of the board that an endgame has."""
    return (0, MIRROR_FILES) if material.has_pawns else range(SYMMETRIES)


def _set_at(rank: int, count: int) -> list[int]:
    """The set of `count` numbers with a colexicographic rank, ascending."""
    found: list[int] = []
    for size in range(count, 0, -1):
        largest = bisect_right(ALL_SQUARES, rank, key=lambda n: comb(n, size)) - 1
        rank -= comb(largest, size)
        found.insert(0, largest)
    return found
