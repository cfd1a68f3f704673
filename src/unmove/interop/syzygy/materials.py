"""What a Syzygy file is called, and which men are on its board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unmove.errors import BadMaterial, TooManyMen
from unmove.kernels.syzygy.numbering import MOST_FILE_MEN
from unmove.material import Material, all_of
from unmove.values import BLACK, SIDES, Side
from unmove.variants import CHESS

CODE_LETTERS: Final = "PNBRQK"
"""A man's letter; its code is its place here, counted from 1."""

OF_BLACK: Final = 8
"""What is added to the code of a man of Black, the side that is named second."""

PAWN_NUMBER: Final = 1
KING_NUMBER: Final = 6


def code_of(letter: str, side: Side) -> int:
    """The code of a man."""
    return CODE_LETTERS.index(letter) + 1 + (OF_BLACK if side == BLACK else 0)


def codes_of(material: Material) -> list[int]:
    """The codes of the men in the order of the name, as `columns_of` has them."""
    sides = zip(SIDES, material.sides, strict=True)
    return [code_of(letter, side) for side, letters in sides for letter in "K" + letters]


def is_symmetric(material: Material) -> bool:
    """Whether both sides have the same men. Then only one side to move is stored."""
    return material.white == material.black


def file_material(name: Material | str) -> Material:
    """The material as a Syzygy file has it: the first side of its name is White.

    That is our canonical form. BadMaterial for other games and bare kings, TooManyMen beyond 7.
    """
    material = Material.as_written(name).canonical()
    if material.game != CHESS:
        raise BadMaterial(str(material), "Syzygy files are of chess")
    if material.men < 3:
        raise BadMaterial(str(material), "two kings are a draw, which no file has")
    if material.men > MOST_FILE_MEN:
        raise TooManyMen(material.men, MOST_FILE_MEN)
    return material


def file_materials(men: int) -> Iterator[Material]:
    """The material of every file of just so many men."""
    return (file_material(material) for material in all_of(men))


def lead_of_pawns(material: Material) -> Side | None:
    """The side whose pawns lead: that with fewer of them, but not none; None without pawns."""
    counts = [letters.count("P") for letters in material.sides]
    with_pawns = [side for side in SIDES if counts[side]]
    return min(with_pawns, key=lambda side: counts[side], default=None)
