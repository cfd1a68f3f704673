"""Positions as arrays: a material, the squares of its men, the side to move.

The columns of `squares` are the men in the order of the material's name: for KQvKR White's king and
queen, then Black's king and rook. Names are canonical, the stronger side is White; a board on which
Black is stronger is turned: colours exchanged, ranks upside down.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from math import comb
from typing import NamedTuple

import chess
import numpy as np

from unmove.games.chess import LETTERS, SQUARES
from unmove.kernels.locate import Chart
from unmove.material import Material
from unmove.planes.fold import Fold
from unmove.planes.layout import Layout
from unmove.planes.symmetry import IMAGE

NAMES = "KQRBNP"  # the order of a name
DIGITS = "12345678"


class Placement(NamedTuple):
    """One position."""

    material: Material
    squares: list[int]
    side: int  # to move


def placement_of(board: chess.Board) -> Placement | None:
    """The placement of a board; None unless each side has one king."""
    kinds = board.kings, board.queens, board.rooks, board.bishops, board.knights, board.pawns
    sides: list[list[int]] = []
    counts: list[int] = []
    for color in chess.COLORS:
        own = board.occupied_co[color]
        squares: list[int] = []
        for kind in kinds:
            mask = kind & own
            counts.append(mask.bit_count())
            while mask:
                low = mask & -mask
                squares.append(low.bit_length() - 1)
                mask ^= low
        sides.append(squares)
    return _placement(tuple(counts), sides[0], sides[1], 0 if board.turn else 1)


def placement_of_fen(fen: str) -> Placement | None:
    """The placement of a plain FEN; None if there is anything about it to be looked at closely.

    Plain is one without rights to castle or to take en passant. Whether the position is legal is
    not asked: it has a value in its table or not.
    """
    fields = fen.split()
    if len(fields) not in (4, 6) or fields[1] not in ("w", "b") or fields[2:4] != ["-", "-"]:
        return None
    if fields[4:] and not (
        fields[4].isdecimal() and int(fields[4]) <= 99 and fields[5].isdecimal()
    ):
        return None
    found: dict[str, list[int]] = {letter: [] for letter in NAMES + NAMES.lower()}
    ranks = fields[0].split("/")
    for row, text in enumerate(ranks):
        square = 56 - 8 * row
        if any(one in DIGITS and other in DIGITS for one, other in pairwise(text)):
            return None
        for letter in text:
            if letter in found:
                found[letter].append(square)
                square += 1
            elif letter in DIGITS:
                square += int(letter)
            else:
                return None
        if square != 64 - 8 * row:
            return None
    if len(ranks) != 8:
        return None
    return _placement(
        tuple(len(squares) for squares in found.values()),
        [square for letter in NAMES for square in found[letter]],
        [square for letter in NAMES.lower() for square in found[letter]],
        0 if fields[1] == "w" else 1,
    )


def _placement(
    counts: tuple[int, ...], white: list[int], black: list[int], side: int
) -> Placement | None:
    """The placement of so many men of each kind; turned if Black is the stronger side."""
    found = _material(counts)
    if found is None:
        return None
    material, turned = found
    if not turned:
        return Placement(material, white + black, side)
    return Placement(material, [square ^ 56 for square in black + white], 1 - side)


@lru_cache(maxsize=4096)
def _material(counts: tuple[int, ...]) -> tuple[Material, bool] | None:
    """The canonical material of so many men of each kind, White's first; whether it is turned."""
    white, black = counts[: len(NAMES)], counts[len(NAMES) :]
    if white[0] != 1 or black[0] != 1:
        return None
    letters = [
        "".join(c * n for c, n in zip(NAMES[1:], s[1:], strict=True)) for s in (white, black)
    ]
    given = Material.of(*letters)
    material = given.canonical()
    return material, material != given


@cache
def columns_of(material: Material) -> tuple[str, ...]:
    """The men of the columns, as in a FEN: upper case for White."""
    white, black = ("K" + letters for letters in material.sides)
    return (*white, *black.lower())


def chart_of(layout: Layout, fold: Fold) -> Chart:
    """The chart of a layout without padding."""
    columns = columns_of(layout.material)
    free = list(range(len(columns)))

    def take(letter: str) -> int:
        column = next(i for i in free if columns[i] == letter)
        free.remove(column)
        return column

    kings = [take("K"), take("k")]
    letters = [LETTERS[man.kind] for man in layout.men]
    seats = [
        take(letter.lower() if man.side else letter)
        for letter, man in zip(letters, layout.men, strict=True)
    ]
    return Chart(
        seat=np.array(seats, np.int64),
        kings=np.array(kings, np.int64),
        leaders=layout.leaders,
        first=np.array(layout.starts, np.int64),
        stride=np.array(layout.group_strides, np.int64),
        sets=np.array([comb(SQUARES, size) for _, size in layout.groups], np.int64),
        orbit=layout.lead.orbit,
        symmetry=layout.lead.symmetry,
        place=fold.place,
        mirror=fold.symmetry,
        image=IMAGE,
    )
