"""What a probe needs of a game: which boards are legal, where their men stand, what moves do.

`chess_rules.py` and `xiangqi_rules.py` implement `Rules`; `boards.py` finds the rules of a board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeVar

from unmove.material import Material
from unmove.values import Code, Side, opponent_of
from unmove.variants import Game

B = TypeVar("B")
M = TypeVar("M")


class Placement(NamedTuple):
    """One position: its canonical material, the squares of its men in the order of the name.

    If Black is the stronger side, the colours are exchanged and the board is turned upside down.
    """

    material: Material
    squares: list[int]
    side: Side  # to move
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

    def side(self, board: B) -> Side:
        """The side to move."""

    def clock(self, board: B) -> int:
        """Half-moves since the last zeroing; 0 in a game without the 50-move rule."""

    def is_plain(self, board: B) -> bool:
        """Whether men and side to move are all there is: no castling rights, no en passant."""

    def placement(self, board: B) -> Placement | None:
        """Where the men are; None unless each side has one king."""

    def placement_of_fen(self, fen: str) -> Placement | None:
        """The placement of a plain FEN; None if the FEN needs the full reader.

        Legality is not checked: an illegal position has no value in its table.
        """

    def set_up(self, men: Iterable[tuple[str, int]], side: Side) -> B:
        """The board with men on squares, each by its letter in a FEN; legality is not checked."""

    def swapped(self, board: B) -> B:
        """The board with colours exchanged: upside down, the other side to move."""

    def moves(self, board: B) -> Sequence[M]:
        """All legal moves."""

    def en_passant_moves(self, board: B) -> Sequence[M]:
        """The legal captures en passant, the one kind of move that no table knows of."""

    def without_en_passant(self, board: B) -> B:
        """The board as a table sees it: nobody may capture en passant."""

    def after(self, board: B, move: M) -> Step:
        """What a legal move leads to."""

    def san(self, board: B, move: M) -> str:
        """The move as people write it: SAN, or WXF in xiangqi."""

    def parse_move(self, board: B, text: str) -> M:
        """The legal move of a text, in coordinates or as `san` has it; BadMove if there is none."""

    def line(self, board: B, moves: Sequence[M]) -> str:
        """Moves one after the other as people write them."""

    def is_check(self, board: B) -> bool:
        """Whether the king of the side to move is attacked."""

    def code_without_moves(self, board: B) -> Code:
        """The code of a board without a legal move: mated, or drawn by stalemate."""

    def drawn(self, board: B) -> str | None:
        """Why the game is drawn, though there are moves and whatever came before; None if not."""


def placed(
    game: Game, men: Sequence[list[int]], side: Side, flip: Callable[[int], int], clock: int = 0
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
    return Placement(material, squares, opponent_of(side), clock)


@lru_cache(maxsize=4096)
def _canonical(game: Game, counts: tuple[int, ...]) -> tuple[Material, bool] | None:
    """The canonical material of these numbers of men, and whether the colours are exchanged."""
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
