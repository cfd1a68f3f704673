"""Layouts of which only the numbers of planes are known: these can be told for seven men, too.

The lead of a `Layout` is a list of all its placements. Here they are counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, pairwise
from math import comb

from unmove.games.chess import PAWN, SQUARES
from unmove.planes.layout import Layout
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.solver.estimate import Estimate
from unmove.values import WHITE
from unmove.variants import CHESS

HALF = SQUARES // 2
DIAGONAL = 8  # squares that stay in place when a board is mirrored at it
PAWN_RANKS = range(1, 7)


@dataclass(frozen=True)
class CountedLayout(Layout):
    """A layout whose lead is not enumerated. It has numbers of planes, and no planes."""

    @cached_property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """See `Layout`."""
        sizes = self._orbits_a_part()
        return tuple(pairwise(accumulate(sizes, initial=0)))

    @cached_property
    def range(self) -> tuple[int, int]:
        """See `Layout`."""
        return 0, self.parts[-1][1]

    def _orbits_a_part(self) -> list[int]:
        if not self.material.has_pawns:
            return [orbits_of_pieces(self.groups[0][1] if self.groups else 0)]
        pawns = {man.side: size for man, size in self.groups if man.kind == PAWN}
        return orbits_of_pawns(pawns.get(WHITE, 0), sum(pawns.values()) - pawns.get(WHITE, 0))


class CountedEstimate(Estimate):
    """The estimate of a table whose lead is not enumerated."""

    @cached_property
    def layout(self) -> AnyLayout:
        """See `Estimate`."""
        material = self.material
        return CountedLayout(material) if material.game == CHESS else layout_of(material)


@cache
def orbits_of_pieces(size: int) -> int:
    """How many sets of so many squares there are modulo the eight symmetries, by Burnside's lemma.

    Three of the symmetries exchange the squares in pairs, two turn them in fours, two are mirrors
    at a diagonal, whose squares stay.
    """
    pairs = 0 if size % 2 else comb(HALF, size // 2)
    fours = 0 if size % 4 else comb(SQUARES // 4, size // 4)
    off = (SQUARES - DIAGONAL) // 2
    mirrored = sum(
        comb(off, moved) * comb(DIAGONAL, size - 2 * moved) for moved in range(size // 2 + 1)
    )
    return (comb(SQUARES, size) + 3 * pairs + 2 * fours + 2 * mirrored) // 8


@cache
def orbits_of_pawns(white: int, black: int) -> list[int]:
    """How many placements of pawns there are modulo the mirroring of files, by steps to go."""
    every, alike = _placements(white, black, files=8, at_once=1), Counter[int]()
    if white % 2 == black % 2 == 0:
        alike = _placements(white // 2, black // 2, files=4, at_once=2)
    return [(every[steps] + alike[steps]) // 2 for steps in sorted(every)]


def _placements(white: int, black: int, files: int, at_once: int) -> Counter[int]:
    """By steps to go: the placements on so many files, each pawn counted `at_once`."""
    found: Counter[tuple[int, int, int]] = Counter({(0, 0, 0): 1})
    for rank in PAWN_RANKS:
        for _ in range(files):
            more: Counter[tuple[int, int, int]] = Counter(found)
            for (whites, blacks, steps), number in found.items():
                if whites < white:
                    more[whites + 1, blacks, steps + at_once * (7 - rank)] += number
                if blacks < black:
                    more[whites, blacks + 1, steps + at_once * rank] += number
            found = more
    chosen = Counter[int]()
    for (whites, blacks, steps), number in found.items():
        if (whites, blacks) == (white, black):
            chosen[steps] += number
    return chosen
