"""Material: which men are on the board, `KRPvKR`, and how endgames lead into one another.

One endgame has many spellings and one canonical form: the side with more men first, then the
one with the stronger men, each side's men in the order of its game (K Q R B N P in chess). In
xiangqi (K R C H A E P) the men that can attack are compared first, all men only if these are equal:
`KCPvKAAEE`. A conversion (a capture or a promotion) leads from an endgame into a smaller or richer
one; *dependencies* are all endgames reached so, in the order in which they have to be solved.

A name in chess is the men alone. In any other game its name comes first: `xiangqi:KCPvKAAEE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import combinations_with_replacement

from unmove.errors import BadMaterial
from unmove.values import SIDES, WHITE, Side
from unmove.variants import CHESS, GAMES, Game


class Complexity(StrEnum):
    """The classes of Wendroff et al. (1993), section 3."""

    TRIVIAL = "trivial"  # neither side can win from any position, by `Game.helpless`
    SIMPLE = "simple"  # nobody promotes, and all subgames are trivial
    N_SIMPLE = "n-simple"  # nobody promotes, and all subgames are (n - 1)-simple or less
    COMPLEX = "complex"  # with pawns that promote


@dataclass(frozen=True)
class Material:
    """Two sides' men without their kings, letters in canonical order. White first.

    `parse` gives the canonical form. A Material built by hand may have its sides the other way
    round (`KvKQ`); `canonical` turns it, `swapped` exchanges the sides.
    """

    white: str
    black: str
    game: Game = CHESS

    @classmethod
    def parse(cls, text: str, *, game: Game = CHESS) -> Material:
        """The canonical material of any usual spelling: `KQKR`, `KQvKR`, `kqkr`, `KRvKQ`.

        A game in the text (`xiangqi:KCPvKAAEE`, or with a hyphen as in `stem`) overrides the
        argument.
        """
        return _canonical_of(text, game)

    @classmethod
    def as_written(cls, name: Material | str, *, game: Game = CHESS) -> Material:
        """The material with the sides as they are written: the first is White.

        A question about `KRvKQ` speaks of a White rook, though the table is that of `KQvKR`. A
        material is what it is; BadMaterial for anything else that is not a name.
        """
        if isinstance(name, Material):
            return name
        if not isinstance(name, str):
            raise BadMaterial(repr(name), f"it is a {type(name).__name__} and not a name")
        return _parsed(name, game)

    @classmethod
    def of(cls, white: str, black: str, *, game: Game = CHESS) -> Material:
        """The material of these men (kings left out, any order), the sides as they are given."""
        return cls(game.ordered(white), game.ordered(black), game)

    @property
    def name(self) -> str:
        """The men alone."""
        return f"K{self.white}vK{self.black}"

    def __str__(self) -> str:
        """The name that `parse` reads whatever game it is given."""
        return self.name if self.game == CHESS else f"{self.game.name}:{self.name}"

    @property
    def stem(self) -> str:
        """The name as part of a file name."""
        return str(self).replace(":", "-")

    @property
    def sides(self) -> tuple[str, str]:
        return self.white, self.black

    @property
    def men(self) -> int:
        """The number of men, kings included."""
        return 2 + len(self.white) + len(self.black)

    @property
    def has_pawns(self) -> bool:
        return self.game.pawn in self.white + self.black

    def swapped(self) -> Material:
        """The same men with the sides exchanged."""
        return replace(self, white=self.black, black=self.white)

    def canonical(self) -> Material:
        """The form with the stronger side as White."""
        return max(self, self.swapped(), key=_strength)

    @property
    def is_canonical(self) -> bool:
        """Whether White is the stronger side, or as strong: tables are stored like this."""
        return self == self.canonical()

    def captures(self) -> list[Material]:
        """The canonical endgames one capture leads into."""
        return _distinct(
            self._with_side(side, letters.replace(letter, "", 1))
            for side, letters in zip(SIDES, self.sides, strict=True)
            for letter in letters
        )

    def promotions(self) -> list[Material]:
        """The canonical endgames one promotion without a capture leads into."""
        return _distinct(
            self._with_side(side, letters.replace(self.game.pawn, letter, 1))
            for side, letters in zip(SIDES, self.sides, strict=True)
            if self.game.pawn in letters
            for letter in self.game.promotions
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
        if self.has_pawns and self.game.promotions:
            return None
        return _level(self.canonical())

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

    def _with_side(self, side: Side, letters: str) -> Material:
        white, black = (letters, self.black) if side == WHITE else (self.white, letters)
        return Material.of(white, black, game=self.game)


def all_of(men: int, *, pawns: bool = True, game: Game = CHESS) -> list[Material]:
    """All canonical endgames of just this many men, the strongest first."""
    letters = game.letters[1:] if pawns else game.letters[1:].replace(game.pawn, "")

    def sides(count: int) -> list[str]:
        chosen = ("".join(some) for some in combinations_with_replacement(letters, count))
        return [side for side in chosen if game.flaw(side) is None]

    found = _distinct(
        Material(white, black, game)
        for others in range(men - 1)
        for black in sides(others)
        for white in sides(men - 2 - others)
    )
    return sorted(found, key=_strength, reverse=True)


def work_order(wanted: Iterable[Material]) -> list[Material]:
    """The wanted endgames and all they depend on, each once, dependencies first."""
    order: dict[Material, None] = {}
    for material in wanted:
        order.update(dict.fromkeys(_order_of_work(material)))
    return list(order)


@lru_cache(maxsize=4096)
def _parsed(text: str, game: Game) -> Material:
    """See `Material.as_written`."""
    said = re.fullmatch(r"([A-Za-z]+)[:-](.*)", text.strip())
    if said is not None and said[1].lower() not in GAMES:
        raise BadMaterial(text, f"{said[1]!r} is no game; there are {' and '.join(GAMES)}")
    game = GAMES[said[1].lower()] if said else game
    men = (said[2] if said else text).strip().upper()
    match = re.fullmatch(r"K([A-Z]*?)V?K([A-Z]*)", men)
    if match is None:
        raise BadMaterial(text, "it does not have the two kings", game.examples)
    white, black = (game.read(letters) for letters in match.groups())
    if flaw := game.flaw(white) or game.flaw(black):
        raise BadMaterial(text, flaw, game.examples)
    return Material.of(white, black, game=game)


@lru_cache(maxsize=4096)
def _canonical_of(text: str, game: Game) -> Material:
    """See `Material.parse`."""
    return _parsed(text, game).canonical()


def _strength(material: Material) -> tuple[object, ...]:
    return tuple(material.game.strength(side) for side in material.sides)


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
    attackers = set(material.white + material.black) & set(material.game.attackers)
    if not attackers or (material.black == "" and material.white in material.game.helpless):
        return 0
    return 1 + max(_level(smaller) for smaller in material.captures())
