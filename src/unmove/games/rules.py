"""What a probe asks of a game: which boards can be asked, where their men stand, what moves do.

`chess_rules.py` and `xiangqi_rules.py` answer; `boards.py` finds who does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeVar

from unmove.material import Material
from unmove.variants import Game

B = TypeVar("B")
M = TypeVar("M")


class Placement(NamedTuple):
    """One position: its canonical material, the squares of its men in the order of the name.

    A position in which Black is the stronger side is turned: colours exchanged, upside down.
    """

    material: Material
    squares: list[int]
    side: int  # to move
    clock: int = 0  # half-moves since the last zeroing; xiangqi does not count them


class Step(NamedTuple):
    """What a move leads to."""

    board: Any
    zeroes: bool
    converts: bool


class Rules(Protocol[B, M]):
    """A game as far as single boards go."""

    game: Game

    def parse(self, fen: str) -> B:
        """The board of a FEN, checked; BadFen or what `check` raises otherwise."""

    def check(self, board: B) -> None:
        """The board can be asked; IllegalPosition or another of the asker's mistakes otherwise."""

    def picture(self, board: B) -> str:
        """The board in letters, a line a rank."""

    def side(self, board: B) -> int:
        """Who is to move: 0 is White."""

    def clock(self, board: B) -> int:
        """Half-moves since the last zeroing, for the 50-move rule; 0 where there is no such."""

    def is_plain(self, board: B) -> bool:
        """Whether there is nothing about a board but the men and the side to move."""

    def placement(self, board: B) -> Placement | None:
        """Where the men are; None unless each side has one king."""

    def placement_of_fen(self, fen: str) -> Placement | None:
        """That of a plain FEN; None if there is anything to be looked at closely.

        Whether the position is legal is not asked: it has a value in its table or not.
        """

    def set_up(self, men: Iterable[tuple[str, int]], side: int) -> B:
        """The board with men, each by its letter in a FEN, on squares, legal or not."""

    def swapped(self, board: B) -> B:
        """The board with colours exchanged: upside down, the other side to move."""

    def moves(self, board: B) -> Sequence[M]:
        """All legal moves."""

    def unstored(self, board: B) -> Sequence[M]:
        """The legal moves that tables know nothing of: captures en passant."""

    def bare(self, board: B) -> B:
        """The board without such moves."""

    def after(self, board: B, move: M) -> Step:
        """What a legal move leads to."""

    def name(self, board: B, move: M) -> str:
        """The move as people write it."""

    def read(self, board: B, text: str) -> M:
        """The legal move that is meant, as people or in coordinates; BadMove if there is none."""

    def line(self, board: B, moves: Sequence[M]) -> str:
        """Moves one after the other as people write them."""

    def is_check(self, board: B) -> bool:
        """Whether the king of the side to move is attacked."""

    def stuck(self, board: B) -> int:
        """The code of a board without a legal move."""

    def drawn(self, board: B) -> str | None:
        """Why the game is drawn, though there are moves and whatever came before; None if not."""


def placed(
    game: Game, men: Sequence[list[int]], side: int, flip: Callable[[int], int], clock: int = 0
) -> Placement | None:
    """The placement of the men of each kind, White's first; None without a king on each side."""
    found = _canonical(game, tuple(map(len, men)))
    if found is None:
        return None
    material, colours_swapped = found
    if not colours_swapped:
        return Placement(material, list(chain(*men)), side, clock)
    kinds = len(game.letters)
    squares = [flip(s) for s in chain(*men[kinds:], *men[:kinds])]
    return Placement(material, squares, 1 - side, clock)


@lru_cache(maxsize=4096)
def _canonical(game: Game, counts: tuple[int, ...]) -> tuple[Material, bool] | None:
    """The canonical material of so many men of each kind, and whether it is turned."""
    kinds = len(game.letters)
    sides = counts[:kinds], counts[kinds:]
    if any(side[0] != 1 for side in sides):
        return None
    letters = [
        "".join(letter * n for letter, n in zip(game.letters[1:], side[1:], strict=True))
        for side in sides
    ]
    given = Material.of(*letters, game=game)
    material = given.canonical()
    return material, material != given


@cache
def columns_of(material: Material) -> tuple[str, ...]:
    """The men in the order of a name, as in a FEN: upper case for White."""
    white, black = ("K" + letters for letters in material.sides)
    return (*white, *black.lower())
