"""Nalimov's index [Nalimov, Haworth, Heinz 2001, section 3]: the reading that gives Tables 9 to 14.

The kings stand in 462 ways, or with pawns in 1806. Then, most significant first:

1. *Own men*, those of the side to move: like men as a set, on every square but the kings' from
   which the man would not give an unblockable check. They do not avoid one another.
2. *The other side's pawns*, as a set, on the 48 squares less those of own pawns. They avoid the
   kings only if the side to move has nothing but its king. (The text says that nobody stands on a
   king's square, and its example KRRNKP has 47 squares for the pawn, with a king on c2. With that,
   KBKP and all others in which a side faces pawns with more than its king come out too small.)
3. *The other side's pieces*, as sets, on squares that nobody has taken.

    KQRKB, White to move: sum over 462 pairs of q(Q) q(R) 60; Black to move: q(B) 61 60
    KPPKB, Black to move: sum over 1806 pairs of q(B) C(48, 2)

Positions in which a pawn may be taken in passing follow in a zone of their own: kings in 1806 ways,
own pieces as before, 14 ways for the two pawns, further pawns on the 44 squares that are neither
these two nor passed over, the other side's pieces on squares that are free and not passed over. Of
two pawns that can take, the one on the lower file makes the entry; the other's entry is broken.

    KBPKP, White to move: + sum over 1806 pairs of q(B) 14; Black to move: + 1806 * 14 * 58

Broken entries at the very end are cut off (C_L of Table 2; none at the beginning). What is cut off
tells the order in which men are placed: sets of several men before single ones, then Q R B N P;
kings and squares ascending, so that the last kings are d4 and h8, with pawns d8 and h8. KRK with
White to move loses six entries, the rook on a8 to f8 giving check; KQRK 366; KQRRK 20,008.

Sizes do not tell the order of the other king pairs and of the other side's groups, nor which of two
takers makes the entry. These are our choice: the numbers need not be those of Nalimov's files.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from unmove.games.chess import PAWN, SQUARES
from unmove.indexes.index import (
    PAWN_SQUARES,
    Axis,
    Free,
    Group,
    Index,
    SetAxis,
    Zone,
    groups_of,
    is_pawn,
)
from unmove.indexes.kings import ALL_SQUARES, Kings, pairs_462, pairs_1806
from unmove.indexes.view import OTHER, OWN, BoardView, checks, neighbours, step_of
from unmove.planes.layout import Man

OWN_PAWN, OTHER_PAWN = Man(PAWN, OWN), Man(PAWN, OTHER)
FIFTH_RANK = range(32, 40)
_ALL_OCCUPIED = (1 << SQUARES) - 1


@cache
def available(man: Man, kings: Kings) -> tuple[int, ...]:
    """The squares of an own man, ascending: no king's, and no unblockable check (Tables 3 to 5).

    A check that cannot be blocked is one even with all other squares occupied.
    """
    return tuple(
        square
        for square in (PAWN_SQUARES if man.kind == PAWN else ALL_SQUARES)
        if square not in kings and not checks(man, square, kings[1], _ALL_OCCUPIED)
    )


class Nalimov(Index):
    """The index of Nalimov's tables."""

    name = "Nalimov"

    @cached_property
    def main(self) -> Zone:
        """The positions without a right to take in passing."""
        pairs = pairs_1806() if self.material.has_pawns else pairs_462()
        own, other = self._groups
        pawns = [group for group in other if is_pawn(group)]
        pieces = [group for group in other if not is_pawn(group)]
        axes: list[Axis] = [OwnSet(man, count) for man, count in own]
        axes += [OtherPawns(man, count, own=tuple(own)) for man, count in pawns]
        axes += _pieces(pieces, [*own, *pawns])
        return Zone(pairs, axes)

    @cached_property
    def passing(self) -> Zone | None:
        """The positions with a right to take in passing, if both sides have pawns."""
        own, other = (dict(groups) for groups in self._groups)
        if OWN_PAWN not in own or OTHER_PAWN not in other:
            return None
        more = [(OWN_PAWN, own.pop(OWN_PAWN) - 1), (OTHER_PAWN, other.pop(OTHER_PAWN) - 1)]
        axes: list[Axis] = [*(OwnSet(man, count) for man, count in own.items()), EnPassant()]
        axes += [MorePawns(man, count) for man, count in more if count]
        before = [(OWN_PAWN, more[0][1] + 1), *own.items(), (OTHER_PAWN, more[1][1] + 1)]
        axes += _pieces(list(other.items()), before, passing=True)
        return Zone(pairs_1806(), axes)

    @cached_property
    def size(self) -> int:
        size = self.full_size
        while size and self.entry(size - 1) is None:
            size -= 1
        return size

    @property
    def full_size(self) -> int:
        """The number of entries before those at the end are cut off."""
        return self.main.size + (self.passing.size if self.passing else 0)

    def rank(self, view: BoardView) -> int | None:
        if view.stepped is None:
            return self.main.rank(view)
        rank = self.passing.rank(view) if self.passing else None
        return None if rank is None else self.main.size + rank

    def entry(self, number: int) -> BoardView | None:
        if self.passing is None or number < self.main.size:
            view = self.main.view_at(number)
        else:
            view = self.passing.view_at(number - self.main.size)
        return view if view.is_legal and self.rank(view) == number else None

    @property
    def _groups(self) -> tuple[list[Group], list[Group]]:
        """The groups of the side to move and of the other: sets before single men, then Q to P."""
        own, other = self.letters
        return _sets_first(groups_of(own, OWN)), _sets_first(groups_of(other, OTHER))


@dataclass(frozen=True)
class OwnSet(SetAxis):
    """Men of the side to move, which give no unblockable check."""

    def width(self, kings: Kings) -> int:
        return len(available(self.man, kings))

    def squares(self, view: BoardView) -> tuple[int, ...]:
        return available(self.man, view.kings)


@dataclass(frozen=True)
class OtherPawns(SetAxis):
    """Pawns of the other side."""

    own: tuple[Group, ...] = ()  # the groups of the side to move

    def width(self, kings: Kings) -> int:
        taken = sum(count for man, count in self.own if man == OWN_PAWN)
        kings_there = 0 if self.own else sum(king in PAWN_SQUARES for king in kings)
        return len(PAWN_SQUARES) - taken - kings_there

    def squares(self, view: BoardView) -> list[int]:
        taken = view.men.get(OWN_PAWN, ()) if self.own else view.kings
        return [square for square in PAWN_SQUARES if square not in taken]


@dataclass(frozen=True)
class EnPassant:
    """A pawn that has stepped to the fifth rank, as the side to move sees it, and its taker."""

    def size(self, kings: Kings) -> int:
        return len(_MEETINGS)

    def rank(self, view: BoardView) -> int | None:
        met = (i for i, two in enumerate(_MEETINGS) if two == (view.stepped, view.taker))
        return next(met, None)

    def place(self, rank: int, view: BoardView) -> None:
        view.stepped, taker = _MEETINGS[rank]
        view.men[OWN_PAWN], view.men[OTHER_PAWN] = (taker,), (view.stepped,)


@dataclass(frozen=True)
class MorePawns(SetAxis):
    """Further pawns of a side where two of them meet."""

    def width(self, kings: Kings) -> int:
        return len(PAWN_SQUARES) - 4

    def squares(self, view: BoardView) -> list[int]:
        closed = _closed(view)
        return [square for square in PAWN_SQUARES if not closed >> square & 1]

    def standing(self, view: BoardView) -> tuple[int, ...]:
        return tuple(s for s in view.men[self.man] if s not in (view.taker, view.stepped))


@dataclass(frozen=True)
class FreeOfStep(Free):
    """Free squares that the pawn which has stepped has not passed over either."""

    def width(self, kings: Kings) -> int:
        return super().width(kings) - 2

    def squares(self, view: BoardView) -> list[int]:
        closed = _closed(view)
        return [square for square in super().squares(view) if not closed >> square & 1]


def _pieces(pieces: list[Group], before: list[Group], passing: bool = False) -> list[Axis]:
    """The axes of the other side's pieces."""
    axis = FreeOfStep if passing else Free
    return [
        axis(man, count, before=(*before, *pieces[:i])) for i, (man, count) in enumerate(pieces)
    ]


def _closed(view: BoardView) -> int:
    """The four squares that a pawn's double step and its taker close to all others."""
    if view.stepped is None or view.taker is None:
        raise ValueError("no pawn can be taken en passant")
    return 1 << view.stepped | 1 << view.taker | step_of(view.stepped)


def _sets_first(groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: -group[1])


_MEETINGS = [(stepped, taker) for stepped in FIFTH_RANK for taker in neighbours(stepped)]
"""The 14 ways in which two pawns stand side by side after a double step."""
