"""Material: which men are on the board, `KRPvKR`, and how endgames lead into one another.

One endgame has many spellings and one canonical form: the side with more men first, then the
one with the stronger men (Q R B N P), each side's men in the order K Q R B N P. A conversion (a
capture or a promotion) leads from an endgame into a smaller or richer one; *dependencies* are
all endgames reached so, in the order in which they have to be solved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations_with_replacement

from unmove.errors import BadMaterial

ORDER = "KQRBNP"
PAWN = "P"
PROMOTIONS = "QRBN"
HELPLESS = ("", "B", "N")  # a side with no more than this beside its king cannot give mate alone
MOST_MEN_OF_A_SIDE = 16


class Complexity(StrEnum):
    """The classes of Wendroff et al. (1993), section 3."""

    TRIVIAL = "trivial"  # neither side can mate from any position
    SIMPLE = "simple"  # no pawns, and all subgames are trivial
    N_SIMPLE = "n-simple"  # no pawns, and all subgames are (n - 1)-simple or less
    COMPLEX = "complex"  # with pawns


@dataclass(frozen=True)
class Material:
    """Two sides' men without their kings, letters in canonical order. White first.

    `parse` gives the canonical form. A Material built by hand may have its sides the other way
    round (`KvKQ`); `canonical` turns it, `swapped` exchanges the sides.
    """

    white: str
    black: str

    @classmethod
    def parse(cls, text: str) -> Material:
        """The canonical material behind any usual spelling: `KQKR`, `KQvKR`, `kqkr`, `KRvKQ`."""
        match = re.fullmatch(r"K([A-Z]*?)V?K([A-Z]*)", text.strip().upper())
        if match is None:
            raise BadMaterial(text, "it does not have the two kings")
        sides = []
        for letters in match.groups():
            unknown = sorted(set(letters) - set(ORDER[1:]))
            if "K" in unknown:
                raise BadMaterial(text, "a side has one king only")
            if unknown:
                raise BadMaterial(text, f"{unknown[0]!r} is no man of chess")
            if len(letters) >= MOST_MEN_OF_A_SIDE:
                raise BadMaterial(text, f"a side has at most {MOST_MEN_OF_A_SIDE} men")
            sides.append(letters)
        return cls.of(*sides).canonical()

    @classmethod
    def of(cls, white: str, black: str) -> Material:
        """The material of these men (kings left out, any order), the sides as they are given."""
        return cls(_ordered(white), _ordered(black))

    @property
    def name(self) -> str:
        return f"K{self.white}vK{self.black}"

    def __str__(self) -> str:
        return self.name

    @property
    def sides(self) -> tuple[str, str]:
        return self.white, self.black

    @property
    def men(self) -> int:
        """The number of men, kings included."""
        return 2 + len(self.white) + len(self.black)

    @property
    def has_pawns(self) -> bool:
        return PAWN in self.white + self.black

    def swapped(self) -> Material:
        """The same men with the sides exchanged."""
        return Material(self.black, self.white)

    def canonical(self) -> Material:
        """The form with the stronger side as White."""
        return max(self, self.swapped(), key=lambda m: (_strength(m.white), _strength(m.black)))

    def captures(self) -> list[Material]:
        """The canonical endgames one capture leads into."""
        return _distinct(
            Material(white, black)
            for side in (0, 1)
            for white, black in _with_side(self, side, _each_removed(self.sides[side]))
        )

    def promotions(self) -> list[Material]:
        """The canonical endgames one promotion without a capture leads into."""
        return _distinct(
            Material(white, black)
            for side in (0, 1)
            if PAWN in self.sides[side]
            for white, black in _with_side(self, side, _each_promoted(self.sides[side]))
        )

    def conversions(self) -> list[Material]:
        """The canonical endgames one conversion leads into, capturing promotions included."""
        promotions = self.promotions()
        both = [capture for promotion in promotions for capture in promotion.captures()]
        return _distinct([*self.captures(), *promotions, *both])

    def dependencies(self) -> list[Material]:
        """All endgames that must be solved before this one, each after its own dependencies."""
        return [material for material in _order_of_work(self) if material != self]

    @property
    def level(self) -> int | None:
        """n for an n-simple endgame, 0 for a trivial one, None for a complex one."""
        if self.has_pawns:
            return None
        return _level(self)

    @property
    def complexity(self) -> Complexity:
        match self.level:
            case None:
                return Complexity.COMPLEX
            case 0:
                return Complexity.TRIVIAL
            case 1:
                return Complexity.SIMPLE
            case _:
                return Complexity.N_SIMPLE


def all_of(men: int, *, pawns: bool = True) -> list[Material]:
    """All canonical endgames of just this many men, by name order of strength."""
    letters = ORDER[1:] if pawns else ORDER[1:].replace(PAWN, "")
    found = _distinct(
        Material("".join(white), "".join(black))
        for others in range(men - 1)
        for black in combinations_with_replacement(letters, others)
        for white in combinations_with_replacement(letters, men - 2 - others)
    )
    return sorted(found, key=lambda m: (_strength(m.white), _strength(m.black)), reverse=True)


def work_order(wanted: Iterable[Material]) -> list[Material]:
    """The wanted endgames and all they depend on, each once, dependencies first."""
    order: dict[Material, None] = {}
    for material in wanted:
        order.update(dict.fromkeys(_order_of_work(material)))
    return list(order)


def _ordered(letters: str) -> str:
    return "".join(sorted(letters, key=ORDER.index))


def _strength(letters: str) -> tuple[int, tuple[int, ...]]:
    return len(letters), tuple(-ORDER.index(letter) for letter in letters)


def _each_removed(letters: str) -> Iterator[str]:
    for letter in dict.fromkeys(letters):
        yield letters.replace(letter, "", 1)


def _each_promoted(letters: str) -> Iterator[str]:
    for letter in PROMOTIONS:
        yield _ordered(letters.replace(PAWN, letter, 1))


def _with_side(material: Material, side: int, variants: Iterator[str]) -> Iterator[tuple[str, str]]:
    for letters in variants:
        yield (letters, material.black) if side == 0 else (material.white, letters)


def _distinct(materials: Iterable[Material]) -> list[Material]:
    return list(dict.fromkeys(material.canonical() for material in materials))


@cache
def _order_of_work(material: Material) -> tuple[Material, ...]:
    order: dict[Material, None] = {}
    for smaller in material.conversions():
        order.update(dict.fromkeys(_order_of_work(smaller)))
    order[material] = None
    return tuple(order)


@cache
def _level(material: Material) -> int:
    if material.black == "" and material.white in HELPLESS:
        return 0
    return 1 + max(_level(smaller) for smaller in material.captures())
