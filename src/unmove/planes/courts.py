"""A side's court: its king, advisors and elephants, taken together.

They never leave their own half of the board. So the courts of the two sides do not meet, and each
has few configurations: a king alone has 9, with an advisor 40, with two of each kind 1,410. A court
is one axis of a plane: the number of its configuration.

Configurations that are mirror images of each other are numbered 2k and 2k + 1; those that are their
own images come last. So a court on the bits of a word is mirrored by exchanging neighbouring bits,
and one on the rows of a plane by exchanging neighbouring rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import ADVISOR, ELEPHANT, KING, MIRROR, NOWHERE, STANDS, STEPS
from unmove.planes.court_geometry import HALF, court_geometry, half_word
from unmove.values import Side

Configuration = tuple[int, ...]
"""The squares of the king, the advisors and the elephants, each kind ascending."""


class CourtMen(NamedTuple):
    """A court as kernels see it. Sets of squares are words of its own half of the board.

    Moves are those that its own men leave free, numbered one configuration after the other.
    """

    occupied: NDArray[np.uint64]  # [configuration]: where its men stand
    king: NDArray[np.int64]  # [configuration]: the king's square
    start: NDArray[np.int64]  # [configuration]: its first move; one more entry closes the last
    to: NDArray[np.int64]  # [move]: the configuration after it
    gate: NDArray[np.uint64]  # [move]: what must be free of attackers, an elephant's eye
    landing: NDArray[np.int64]  # [move]: the square it goes to
    paired: int  # how many configurations are not their own mirror images


class CourtMasks(NamedTuple):
    """Sets of configurations, one bit each, as they lie in a plane with the court on its bits."""

    on: NDArray[np.uint64]  # [square of the half, word]: those with a man there
    kings: NDArray[np.uint64]  # [square of the half, word]: those with the king there
    free: NDArray[np.uint64]  # [path, word]: those with nobody on the path
    screen: NDArray[np.uint64]  # [path, word]: those with just one man on it
    pairs: NDArray[np.uint64]  # [word]: the first of each pair of mirror images


@dataclass(frozen=True)
class Court:
    """A side's court with so many advisors and elephants."""

    side: Side
    advisors: int
    elephants: int

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its men, in the order of a configuration."""
        return (KING, *[ADVISOR] * self.advisors, *[ELEPHANT] * self.elephants)

    @cached_property
    def configurations(self) -> tuple[Configuration, ...]:
        """All of them, by number."""
        sets = [
            list(combinations(np.flatnonzero(STANDS[self.side, kind]).tolist(), size))
            for kind, size in ((KING, 1), (ADVISOR, self.advisors), (ELEPHANT, self.elephants))
        ]
        men = 1 + self.advisors + self.elephants
        found = [(*k, *a, *e) for e, a, k in product(*reversed(sets)) if len({*k, *a, *e}) == men]
        pairs = [c for c in found if c < self.mirrored(c)]
        alone = [c for c in found if c == self.mirrored(c)]
        return (*(c for pair in pairs for c in (pair, self.mirrored(pair))), *alone)

    @cached_property
    def number(self) -> dict[Configuration, int]:
        """By configuration."""
        return {squares: number for number, squares in enumerate(self.configurations)}

    @cached_property
    def paired(self) -> int:
        """How many configurations are not their own mirror images."""
        return sum(squares != self.mirrored(squares) for squares in self.configurations)

    @cached_property
    def mirror(self) -> NDArray[np.int64]:
        """[configuration]: its mirror image."""
        numbers = np.arange(len(self.configurations))
        return np.where(numbers < self.paired, numbers ^ 1, numbers)

    @property
    def words(self) -> int:
        """The words a row of all configurations takes."""
        return -(-len(self.configurations) // 64)

    def ordered(self, squares: Configuration) -> Configuration:
        """The squares of the men by kind, ascending in each."""
        first = 1 + self.advisors
        return (squares[0], *sorted(squares[1:first]), *sorted(squares[first:]))

    def mirrored(self, squares: Configuration) -> Configuration:
        return self.ordered(tuple(int(MIRROR[square]) for square in squares))

    def without(self, squares: Configuration, occupied: int) -> Configuration | None:
        """The configuration without the man (no king) on this square; None if none stands there."""
        if occupied not in squares[1:]:
            return None
        return tuple(square for square in squares if square != occupied)

    def moves(self, squares: Configuration) -> list[tuple[Configuration, int, int]]:
        """The moves that its own men leave free: (after it, gate, landing square)."""
        occupied = set(squares)
        found = []
        for i, kind in enumerate(self.kinds):
            for landing, gate in STEPS[self.side, kind, squares[i]].tolist():
                if landing != NOWHERE and not {landing, gate} & occupied:
                    after = self.ordered((*squares[:i], landing, *squares[i + 1 :]))
                    found.append((after, gate, landing))
        return found

    @cached_property
    def occupied(self) -> NDArray[np.uint64]:
        """[configuration]: where its men stand, as a set of squares of its half."""
        return np.array([half_word({*c}, self.side) for c in self.configurations], np.uint64)

    @cached_property
    def king(self) -> NDArray[np.int64]:
        """[configuration]: the king's square."""
        return np.array([squares[0] for squares in self.configurations], np.int64)

    @cached_property
    def men(self) -> CourtMen:
        """The court as arrays for kernels."""
        listed = [self.moves(squares) for squares in self.configurations]
        moves = [move for some in listed for move in some]
        return CourtMen(
            occupied=self.occupied,
            king=self.king,
            start=np.array([0, *np.cumsum([len(some) for some in listed])], np.int64),
            to=np.array([self.number[after] for after, _, _ in moves], np.int64),
            gate=np.array([half_word({gate}, self.side) for _, gate, _ in moves], np.uint64),
            landing=np.array([landing for _, _, landing in moves], np.int64),
            paired=self.paired,
        )

    @cached_property
    def masks(self) -> CourtMasks:
        """Sets of its configurations, for a court on the bits."""
        half = np.arange(HALF)
        crowd = np.bitwise_count(court_geometry().half[:, self.side, None] & self.occupied)
        numbers = np.arange(len(self.configurations))
        return CourtMasks(
            on=pack((self.occupied >> half.astype(np.uint64)[:, None]) & np.uint64(1) == 1),
            kings=pack(self.king == half[:, None] + self.side * HALF),
            free=pack(crowd == 0),
            screen=pack(crowd == 1),
            pairs=pack(((numbers < self.paired) & (numbers % 2 == 0))[None])[0],
        )


@cache
def court(side: Side, advisors: int, elephants: int) -> Court:
    """The court; equal arguments give the same object."""
    return Court(side, advisors, elephants)


def pack(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of flags as words, the first flag in the lowest bit."""
    wide = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), np.bool_)
    wide[:, : flags.shape[1]] = flags
    packed: NDArray[np.uint64] = np.packbits(wide, axis=1, bitorder="little").view(np.uint64)
    return packed
