"""The schemes before Nalimov's: naive, Edwards, Wendroff, Thompson, Heinz.

Sizes are those of Nalimov et al. 2001, Table 1 (X a piece, P a pawn):

                KXK        KPK           KXYKZ             KPPKX
    Edwards     10 64^2    32 64^2       10 64^4           32 64^4
    Thompson    462 64     24 64^2       462 64^3          24 48 64^3
    Heinz       462 62     3612 24       462 62 61 60      3612 576 60

Each takes the symmetry out of one man: a king, or with pawns Thompson a pawn; Heinz takes it out of
all pawns at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from unmove.games.chess import PAWN
from unmove.indexes.index import PAWN_SQUARES, Axis, Fixed, Free, Group, OneZone, groups_of, is_pawn
from unmove.indexes.kings import ALL_SQUARES, Kings, on_triangle, pairs_462, pairs_apart
from unmove.indexes.view import OTHER, OWN, BoardView
from unmove.planes.layout import Man
from unmove.planes.lead import Lead, pawn_lead, rank_of_groups
from unmove.values import BLACK

_LEFT_HALF = tuple(square for square in ALL_SQUARES if square % 8 < 4)
_TRIANGLE = tuple(square for square in ALL_SQUARES if on_triangle(square))
_PAWNS_LEFT = tuple(square for square in PAWN_SQUARES if square % 8 < 4)


class _Scheme(OneZone):
    """An index of one zone, with the groups of both sides."""

    @cached_property
    def groups(self) -> list[Group]:
        own, other = self.letters
        return [*groups_of(own, OWN), *groups_of(other, OTHER)]

    @property
    def men(self) -> list[tuple[Man, int]]:
        """Every man beside the kings, with its number among its like."""
        return [(man, i) for man, count in self.groups for i in range(count)]


class Naive(_Scheme):
    """Every man on every square: 64^n."""

    name = "naive"

    def pairs(self) -> tuple[Kings, ...]:
        return _each(ALL_SQUARES, ALL_SQUARES)

    def axes(self) -> list[Axis]:
        return [Fixed(man, first=i) for man, i in self.men]


class Edwards(Naive):
    """The king of the side to move on ten squares, or with pawns on 32 [Edwards 1995]."""

    name = "Edwards"

    def pairs(self) -> tuple[Kings, ...]:
        return _each(_LEFT_HALF if self.material.has_pawns else _TRIANGLE, ALL_SQUARES)


class Wendroff(Naive):
    """Black's king on ten squares [Wendroff et al. 1993, figure 2 and Table 1]: 10 64^(n-1).

    They treat endgames without pawns; those with pawns would have 32 64^(n-1).
    """

    name = "Wendroff"

    def pairs(self) -> tuple[Kings, ...]:
        few = _LEFT_HALF if self.material.has_pawns else _TRIANGLE
        return _each(few, ALL_SQUARES) if self.side == BLACK else _each(ALL_SQUARES, few)


class Thompson(_Scheme):
    """462 king pairs and 64 squares for every piece [Thompson 1986; 1996, section 3].

    With pawns the first of them on the files a to d (24 squares), the others on 48, and kings and
    pieces anywhere.
    """

    name = "Thompson"

    def pairs(self) -> tuple[Kings, ...]:
        return _each(ALL_SQUARES, ALL_SQUARES) if self.material.has_pawns else pairs_462()

    def axes(self) -> list[Axis]:
        pawns = [(man, i) for man, i in self.men if man.kind == PAWN]
        on = [_PAWNS_LEFT, *(PAWN_SQUARES for _ in pawns[1:])]
        return [
            *(Fixed(man, first=i, on=on[j]) for j, (man, i) in enumerate(pawns)),
            *(Fixed(man, first=i) for man, i in self.men if man.kind != PAWN),
        ]


class Heinz(_Scheme):
    """Like men as sets, pieces on free squares only [Heinz 1999].

    With pawns, all of them are placed at once, modulo the mirroring of files: 24 ways for one, 576
    for two of a side, 24 * 47 for one each, 24 * 1081 for two and one; then the kings, apart from
    one another, in 3612 ways, pawns notwithstanding.

    Three pawns of a side have C(48, 3) / 2 = 8648 ways; Table 1 has 8684, two digits exchanged it
    seems, and the overhead of KPPPK in Table 13 and the totals of Table 7 go with it.
    """

    name = "Heinz"

    def pairs(self) -> tuple[Kings, ...]:
        return pairs_apart() if self.material.has_pawns else pairs_462()

    def axes(self) -> list[Axis]:
        pawns = [group for group in self.groups if is_pawn(group)]
        pieces = [group for group in self.groups if not is_pawn(group)]
        return [
            *([_Slices(*(letters.count("P") for letters in self.letters))] if pawns else []),
            *(
                Free(man, count, before=(*pawns, *pieces[:i]))
                for i, (man, count) in enumerate(pieces)
            ),
        ]


@dataclass(frozen=True)
class _Slices:
    """All pawns, modulo the mirroring of files: the lead of our own layouts."""

    own: int
    other: int

    @property
    def lead(self) -> Lead:
        return pawn_lead(self.own, self.other)

    def size(self, kings: Kings) -> int:
        return len(self.lead.squares)

    def rank(self, view: BoardView) -> int | None:
        pawns = [view.men.get(Man(PAWN, side), ()) for side in (OWN, OTHER)]
        rank = rank_of_groups(pawns)
        return int(self.lead.orbit[rank]) if self.lead.symmetry[rank] == 0 else None

    def place(self, rank: int, view: BoardView) -> None:
        squares = tuple(self.lead.squares[rank].tolist())
        for side, group in ((OWN, squares[: self.own]), (OTHER, squares[self.own :])):
            if group:
                view.men[Man(PAWN, side)] = group


def _each(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[Kings, ...]:
    return tuple((a, b) for a in first for b in second)
