"""How many placements a xiangqi endgame has, counted as Wu and Beal did in 1996.

Their tables give three numbers for each endgame, none of which knows a side to move:

* `all`: every man on any square of its kind, whether others stand there or not;
* `real`: no two men on one square, and the kings do not face each other;
* `database`: the size of their index, in which men of a few groups keep out of each other's way and
  one group is stored without its mirror images.

Like men are told apart in the first two, and are one set in the third. For `real` only a side's
king, advisors and elephants are enumerated. These stay in their half of the board, so the squares
that the two sides take from the attackers add up.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, product
from math import comb, factorial, perm, prod
from typing import NamedTuple

from unmove.games.xiangqi import (
    ADVISOR,
    ELEPHANT,
    FILES,
    KING,
    LETTERS,
    MIRROR,
    SOLDIER,
    SQUARES,
    STANDS,
)
from unmove.material import Material

_HALF = SQUARES // 2
_SHARED = int((STANDS[0, SOLDIER] & STANDS[1, SOLDIER]).sum())  # squares of either side's soldiers
_OWN = int(STANDS[0, SOLDIER].sum()) - _SHARED  # of one side's only: in the other half
_MOST_IN_ONE_GROUP = 2  # advisors and elephants that their index puts together with the king


def count_all(material: Material) -> int:
    """Placements with each man on any square that its kind can stand on."""
    men = f"K{material.white}K{material.black}"
    return prod(int(STANDS[0, LETTERS.index(letter)].sum()) for letter in men)


def count_real(material: Material) -> int:
    """Placements with no two men on a square and no kings face to face; like men are told apart."""
    rest = [[letter for letter in side if letter not in "AE"] for side in material.sides]
    soldiers = rest[0].count("P"), rest[1].count("P")
    others = len(rest[0]) + len(rest[1]) - sum(soldiers)
    whites, blacks = (_halves(side.count("A"), side.count("E")).items() for side in material.sides)
    total = 0
    for (white, n), (black, m) in product(whites, blacks):
        ways = _ways(white.taken, black.taken, soldiers, others)
        if white.open_file is not None and white.open_file == black.open_file:
            gap = [white.taken.plus(white.gap), black.taken.plus(black.gap)]
            ways -= _ways(gap[0], gap[1], soldiers, others)  # nobody stands between the kings
        total += n * m * ways
    return total


def count_database(material: Material) -> int:
    """The size of the 1996 index: a product of groups, one of them modulo the mirror.

    A side's king, advisors and elephants are one group, or two (the elephants by themselves) if
    there are more than two of the latter; then king and elephant may stand on one square. Every
    other man is a group of its own. The group that saves most is the one without mirror images.
    """
    groups = [group for side in material.sides for group in _groups(side)]
    size = prod(group.size for group in groups)
    return min(size // group.size * group.classes for group in groups)


class _Taken(NamedTuple):
    """Squares of a side's own half that are not free, by who might stand on them."""

    shared: int  # soldiers of either side
    other: int  # soldiers of the other side only

    def plus(self, more: _Taken) -> _Taken:
        return _Taken(self.shared + more.shared, self.other + more.other)


class _Half(NamedTuple):
    """What a king and his advisors and elephants leave to the other men."""

    taken: _Taken
    open_file: int | None  # the king's, if none of his men stands before him
    gap: _Taken  # the squares before him as far as the river


def _taken(squares: frozenset[int]) -> _Taken:
    shared = sum(bool(STANDS[0, SOLDIER, square]) for square in squares)
    return _Taken(shared, len(squares) - shared)


@cache
def _halves(advisors: int, elephants: int) -> Counter[_Half]:
    """How many placements of a side's king and defenders there are with each effect.

    Seen from White. Black's half is the same turned upside down.
    """
    found: Counter[_Half] = Counter()
    ordered = factorial(advisors) * factorial(elephants)
    for kings, *others in _placements((KING, 1), (ADVISOR, advisors), (ELEPHANT, elephants)):
        (king,), men = kings, kings.union(*others)
        before = frozenset(range(king + FILES, _HALF, FILES))
        file = king % FILES if before.isdisjoint(men) else None
        found[_Half(_taken(men), file, _taken(before))] += ordered
    return found


def _placements(*men: tuple[int, int]) -> list[tuple[frozenset[int], ...]]:
    """The placements of White's men, (kind, how many), without overlap, a set for each kind."""
    sets = [
        [frozenset(map(int, some)) for some in combinations(STANDS[0, kind].nonzero()[0], count)]
        for kind, count in men
    ]
    number = sum(count for _, count in men)
    return [some for some in product(*sets) if len(frozenset().union(*some)) == number]


def _ways(white: _Taken, black: _Taken, soldiers: tuple[int, int], others: int) -> int:
    """The placements of soldiers and of men that stand anywhere on what is not taken.

    White's soldiers stand on shared squares and on those of Black's half that are theirs alone. So
    many of them as stand on shared ones are in the way of Black's.
    """
    shared = _SHARED - white.shared - black.shared
    whites, blacks = _OWN - black.other, _OWN - white.other
    return sum(
        comb(soldiers[0], n)
        * perm(shared, n)
        * perm(whites, soldiers[0] - n)
        * perm(shared - n + blacks, soldiers[1])
        for n in range(soldiers[0] + 1)
    ) * perm(SQUARES - sum(white) - sum(black) - sum(soldiers), others)


class _Group(NamedTuple):
    """An axis of the 1996 index."""

    size: int
    classes: int  # of placements, mirror images together


def _groups(side: str) -> list[_Group]:
    advisors, elephants = (ADVISOR, side.count("A")), (ELEPHANT, side.count("E"))
    attackers = [_group((LETTERS.index(letter), 1)) for letter in side if letter not in "AE"]
    if advisors[1] + elephants[1] <= _MOST_IN_ONE_GROUP:
        return [_group((KING, 1), advisors, elephants), *attackers]
    return [_group((KING, 1), advisors), _group(elephants), *attackers]


@cache
def _group(*men: tuple[int, int]) -> _Group:
    """The group of these men, (kind, how many)."""
    placements = _placements(*men)
    own_image = sum(
        all({int(MIRROR[square]) for square in squares} == squares for squares in placement)
        for placement in placements
    )
    return _Group(len(placements), (len(placements) + own_image) // 2)
