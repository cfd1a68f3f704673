"""The games, as far as the names of endgames go: letters, what promotes, who can win.

How men move is in `games/`. What is here decides which endgames there are, what they are called and
which lead into which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from unmove.errors import NoSuchMetric
from unmove.values import Metric

MOST_MEN_OF_A_SIDE: Final = 16  # in either game


@dataclass(frozen=True, repr=False)
class Game:
    """A game's men, each by its letter."""

    name: str
    letters: str
    """All men in the order of a name, the king first."""
    attackers: str
    """The men that can attack. If neither side has any, nobody wins."""
    helpless: tuple[str, ...]
    """Men, defenders included, that cannot win against a bare king from any position."""
    promotions: str
    """What a pawn is promoted to; empty where pawns stay pawns."""
    most: tuple[int, ...]
    """How many of a kind a side may have, in the order of `letters`."""
    aliases: tuple[tuple[str, str], ...]
    """Other letters that are read for a man: (as read, ours)."""
    examples: tuple[str, ...]
    """Names of endgames, to show what one looks like."""
    metrics: tuple[Metric, ...]
    """The distances its tables can have."""
    symmetry: str
    """How positions are counted, as a sentence."""
    side_names: tuple[str, str] = ("White", "Black")
    """What people call the sides; names of fields and options say white and black in any game."""
    pawn: str = "P"

    def __repr__(self) -> str:
        return f"Game({self.name!r})"

    def __hash__(self) -> int:
        """By name, as every look-up of a table takes the hash of its game."""
        return hash(self.name)

    def read(self, letters: str) -> str:
        """The men in our letters."""
        for other, ours in self.aliases:
            letters = letters.replace(other, ours)
        return letters

    def ordered(self, letters: str) -> str:
        """The men in the order of the game's letters."""
        return "".join(sorted(letters, key=self.letters.index))

    def require(self, metric: Metric) -> None:
        """Its tables can have this distance; NoSuchMetric otherwise."""
        if metric not in self.metrics:
            raise NoSuchMetric(self.name, metric.value, [each.value for each in self.metrics])

    def strength(self, letters: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """What decides which side is named first: attackers, then all men; number, then kind."""
        attackers = "".join(letter for letter in letters if letter in self.attackers)
        return self._weight(attackers), self._weight(letters)

    def flaw(self, letters: str) -> str | None:
        """Why a side cannot have these men beside its king, or None if it can."""
        unknown = sorted(set(letters) - set(self.letters[1:]))
        if "K" in unknown:
            return "a side has one king only"
        if unknown:
            return f"{unknown[0]!r} is no man of {self.name}"
        for letter, most in zip(self.letters, self.most, strict=True):
            if letters.count(letter) > most:
                return f"a side has at most {most} {letter}"
        if len(letters) >= MOST_MEN_OF_A_SIDE:
            return f"a side has at most {MOST_MEN_OF_A_SIDE} men"
        return None

    def _weight(self, letters: str) -> tuple[int, tuple[int, ...]]:
        return len(letters), tuple(-self.letters.index(letter) for letter in letters)


CHESS: Final = Game(
    name="chess",
    letters="KQRBNP",
    attackers="QRBNP",
    helpless=("B", "N"),
    promotions="QRBN",
    most=(1, *5 * [MOST_MEN_OF_A_SIDE - 1]),  # more than a game can have is allowed
    aliases=(),
    examples=("KQvKR", "KBNvK"),
    metrics=tuple(Metric),
    symmetry="Positions are counted modulo the symmetries of the board; colours are not exchanged.",
)

# Advisors and elephants cannot leave their half. Without an attacker no king is ever in check
# (where kings face, the side that moved last has blundered), and a king with his defenders always
# has a move. A cannon needs a screen, and a bare king gives it none: on his own d or f file, where
# it could mate him together with its king on the e file, no elephant can stand.
XIANGQI: Final = Game(
    name="xiangqi",
    letters="KRCHAEP",
    attackers="RCHP",
    helpless=("C", "CE", "CEE"),
    promotions="",
    most=(1, 2, 2, 2, 2, 2, 5),
    aliases=(("B", "E"), ("N", "H")),
    examples=("xiangqi:KCPvKAAEE", "xiangqi:KRvKH"),
    metrics=(Metric.DTM, Metric.DTC),  # there is no rule about moves that zero nothing
    symmetry="Mirror images are counted apart; colours are not exchanged.",
    side_names=("Red", "Black"),
)

GAMES: Final = {game.name: game for game in (CHESS, XIANGQI)}
