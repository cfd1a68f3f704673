"""Which plane a placement of men belongs to.

The men other than the kings are taken in *groups* of like men (same kind, same side). A group of k
men is one axis: the C(64, k) sets of squares it can stand on, in colexicographic order, so that

    {a}: a        {a < b}: C(b, 2) + a        {a < b < c}: C(c, 3) + C(b, 2) + a

and like men are never counted k! times. The first axis is the *lead*'s (see `lead.py`): a group
of pieces, or all pawns. It absorbs the symmetry of the board: of all its placements that are
images of one another only one is kept (a single piece: the ten squares a1-d1-d4; a single pawn:
files a to d). A position is brought into its plane by the symmetry that maps its lead onto that
representative; where two symmetries do, both images are kept, with the same value.

    plane = lead orbit * stride[0] + rank(first follower) * stride[1] + ... + rank(last follower)

The groups that move most come last, innermost in memory. Each stride may be padded by a plane, so
that planes one step apart do not compete for the same cache sets. A layout may be restricted to a
range of the lead's orbits: a part of the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.errors import TooManyMen
from unmove.games.chess import LETTERS, PAWN, REACH, SHADOW, SQUARES
from unmove.material import Material
from unmove.planes.kinds import KING_PLANES
from unmove.planes.lead import Lead, pawn_lead, piece_lead, rank, rank_of_groups, subsets
from unmove.planes.symmetry import IMAGE, SYMMETRIES
from unmove.values import BLACK, SIDES, WHITE, Side, swapped_if

MOST_MEN_SOLVED = 6

CELLS = SQUARES * SQUARES
"""Positions of one plane and side to move: cell = 64 * White's king + Black's king."""

_MAIN_DIAGONAL = 0x8040201008040201
_ANTI_DIAGONAL = 0x0102040810204080


class Man(NamedTuple):
    """A man that is no king: its kind as an index into LETTERS, and its side."""

    kind: int
    side: Side

    def swapped_if(self, colours_swapped: bool) -> Man:
        """The man as it is in a table that may have the colours swapped."""
        return Man(self.kind, swapped_if(colours_swapped, self.side))


def man_map(
    theirs: Iterable[Man], ours: Iterable[tuple[int, Man]], colours_swapped: bool
) -> list[int]:
    """For each of their men, the number of ours that plays its role; numbers come with our men."""
    left, numbers = list(ours), []
    for man in theirs:
        found = next(mine for mine in left if mine[1] == man.swapped_if(colours_swapped))
        left.remove(found)
        numbers.append(found[0])
    return numbers


class Frame(NamedTuple):
    """A layout as kernels see it. Men are numbered group by group, the lead first."""

    kinds: NDArray[np.int64]  # [man]: the row of REACH that says where it captures
    sides: NDArray[np.int64]  # [man]
    group: NDArray[np.int64]  # [man]
    first: NDArray[np.int64]  # [group]: its first man; one more entry closes the last group
    stride: NDArray[np.int64]  # [group]: planes from one set to the next
    orbit: NDArray[np.int64]  # [rank of the lead's placement]
    symmetry: NDArray[np.int64]  # [rank of the lead's placement]
    planes: NDArray[np.int64]  # the planes on which no two men overlap, ascending
    squares: NDArray[np.uint8]  # [plane, man]: where the men stand, ascending in each group
    moves: NDArray[np.uint64]  # [plane, man]: where a piece could go if there were no kings
    share: NDArray[np.int64]  # [plane]: eighths of a position, modulo symmetry, in a cell
    mirrors: NDArray[np.uint64]  # [plane, 2]: diagonals on which kings make the cell its own image


@dataclass(frozen=True)
class Layout:
    """The planes of one material. `pad` widens the strides (0 in files).

    `part` restricts it to the lead's orbits first .. stop-1, numbered from 0 here. `cut` leaves
    only the planes first .. stop-1 in the frame, which keep their numbers.
    """

    material: Material
    pad: int = 0
    part: tuple[int, int] | None = None
    cut: tuple[int, int] | None = None

    kind: ClassVar = KING_PLANES
    words: ClassVar = SQUARES
    """A plane is so many words of 64 bits, a bit a cell."""
    cells: ClassVar = CELLS
    filled_cells: ClassVar = CELLS
    """The cells of a plane that stand for a pair of squares of the kings: all."""

    @classmethod
    def of(cls, material: Material, pad: int, part: tuple[int, int] | None) -> Layout:
        """See `layouts.layout_of`."""
        return cls(material, pad, part)

    @staticmethod
    def check_supported(material: Material) -> None:
        """See `layouts.check_supported`."""
        Layout.check_men(material.men)

    @staticmethod
    def check_men(men: int) -> None:
        """See `layouts.check_men`."""
        if men > MOST_MEN_SOLVED:
            raise TooManyMen(men, MOST_MEN_SOLVED)

    @cached_property
    def groups(self) -> tuple[tuple[Man, int], ...]:
        """The groups, (man, how many): the lead, then single men before sets, slow before fast.

        A lead of pieces is White's. A lead's moves cost the most, and White's are tried once a ply;
        the weaker side's are tried twice, to find candidates for a loss and to refute them.
        """
        count: dict[Man, int] = {}
        for side, letters in zip(SIDES, self.material.sides, strict=True):
            for letter in letters:
                man = Man(LETTERS.index(letter), side)
                count[man] = count.get(man, 0) + 1
        groups = sorted(count.items(), key=lambda item: (item[1], item[0]))
        pawns = sorted(group for group in groups if group[0].kind == PAWN)
        lead = pawns or [group for group in groups if group[0].side == WHITE][:1]
        return (*lead, *(group for group in groups if group not in lead))

    @cached_property
    def leaders(self) -> int:
        """How many groups make up the lead."""
        return max(1, sum(man.kind == PAWN for man, _ in self.groups))

    @cached_property
    def lead(self) -> Lead:
        pawns = dict(self.groups)
        if self.material.has_pawns:
            return pawn_lead(pawns.get(Man(PAWN, WHITE), 0), pawns.get(Man(PAWN, BLACK), 0))
        return piece_lead(self.groups[0][1] if self.groups else 0)

    @cached_property
    def range(self) -> tuple[int, int]:
        """The orbits of the lead that belong to this layout."""
        return self.part or (0, len(self.lead.squares))

    @cached_property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """The ranges of orbits that are solved one after the other."""
        return self.lead.parts

    @cached_property
    def men(self) -> tuple[Man, ...]:
        return tuple(man for man, size in self.groups for _ in range(size))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first man of each group, and the number of men to close the last one."""
        return tuple(accumulate((size for _, size in self.groups), initial=0))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The length of each axis."""
        first, stop = self.range
        return (stop - first, *(comb(SQUARES, size) for _, size in self.groups[self.leaders :]))

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Planes from one step to the next, for each axis."""
        strides: list[int] = []
        step = 1
        for size in reversed(self.sizes):
            strides.append(step)
            step = step * size + self.pad
        return tuple(reversed(strides))

    @cached_property
    def group_strides(self) -> tuple[int, ...]:
        """The stride of each group's axis; the groups of a lead share one."""
        lead = [self.strides[0]] * self.leaders
        return (*lead, *self.strides[1:])[: len(self.groups)]

    @cached_property
    def count(self) -> int:
        """The number of planes, padding and overlaps included."""
        return self.strides[0] * self.sizes[0]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """[plane of the layout without padding]: the plane here."""
        order = np.zeros(1, np.int64)
        for size, stride in zip(self.sizes, self.strides, strict=True):
            order = (order[:, None] + np.arange(size) * stride).ravel()
        return order

    def cell(self, squares: Sequence[Sequence[int]], kings: Sequence[int]) -> int:
        """The index (plane * CELLS + cell) of a position, given each group's squares."""
        lead = rank_of_groups(squares[: self.leaders])
        plane = (int(self.lead.orbit[lead]) - self.range[0]) * self.strides[0]
        to = IMAGE[self.lead.symmetry[lead]]
        for group, stride in zip(squares[self.leaders :], self.strides[1:], strict=True):
            plane += rank([int(to[square]) for square in group]) * stride
        return plane * CELLS + int(to[kings[0]]) * SQUARES + int(to[kings[1]])

    def placement(self, plane: int) -> list[tuple[int, ...]]:
        """The squares of each group on a plane; the inverse of `cell` up to symmetry."""
        orbit, plane = divmod(plane, self.strides[0])
        men = self.lead.squares[orbit + self.range[0]].tolist()
        starts = self.starts[: self.leaders + 1]
        placement = [tuple(men[first:stop]) for first, stop in pairwise(starts)]
        for (_, size), stride in zip(self.groups[self.leaders :], self.strides[1:], strict=True):
            index, plane = divmod(plane, stride)
            placement.append(tuple(subsets(size)[index].tolist()))
        return placement

    def squares_at(self, planes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """[i, man]: where the men of planes[i] stand; no plane is one of the padding."""
        squares = np.empty((len(planes), len(self.men)), np.uint8)
        orbit, rest = np.divmod(planes, self.strides[0])
        squares[:, : self.lead.squares.shape[1]] = self.lead.squares[orbit + self.range[0]]
        bounds = pairwise(self.starts[self.leaders :])
        for (first, stop), stride in zip(bounds, self.strides[1:], strict=True):
            index, rest = np.divmod(rest, stride)
            squares[:, first:stop] = subsets(stop - first)[index]
        return squares

    @cached_property
    def _squares(self) -> NDArray[np.uint8]:
        """[plane, man]: where the men stand; a1 on planes of the padding."""
        squares = np.zeros((self.count, len(self.men)), np.uint8)
        squares[self.order] = self.squares_at(self.order)
        return squares

    def frame_of(self, planes: NDArray[np.int64]) -> Frame:
        """The layout as arrays for kernels, for some planes only, which are numbered from 0.

        Moves and what counts positions are left out.
        """
        return self._blank._replace(planes=np.arange(len(planes)), squares=self.squares_at(planes))

    @cached_property
    def _blank(self) -> Frame:
        """A frame without planes."""
        men = len(self.men)
        return Frame(
            kinds=np.array([reach_row(man) for man in self.men], np.int64),
            sides=np.array([man.side for man in self.men], np.int64),
            group=np.repeat(np.arange(len(self.groups)), [size for _, size in self.groups]).astype(
                np.int64
            ),
            first=np.array(self.starts, np.int64),
            stride=np.array(self.group_strides, np.int64),
            orbit=self.lead.orbit,
            symmetry=self.lead.symmetry,
            planes=np.zeros(0, np.int64),
            squares=np.zeros((0, men), np.uint8),
            moves=np.zeros((0, men), np.uint64),
            share=np.zeros(0, np.int64),
            mirrors=np.zeros((0, 2), np.uint64),
        )

    @cached_property
    def apart(self) -> NDArray[np.int64]:
        """The planes on which no two men overlap, ascending, those that are cut off included."""
        occupied = np.sort(self._squares[self.order], axis=1)
        overlap = (occupied[:, 1:] == occupied[:, :-1]).any(axis=1)
        planes: NDArray[np.int64] = self.order[~overlap]
        return planes

    @cached_property
    def frame(self) -> Frame:
        """The layout as arrays for kernels.

        What is zero everywhere off the cut takes no memory there.
        """
        squares, planes, order = self._squares, self.apart, self.order
        if self.cut is None:
            moves = self._moves(squares)
        else:
            planes, order = within(planes, self.cut), within(order, self.cut)
            moves = np.zeros(squares.shape, np.uint64)
            moves[slice(*self.cut)] = self._moves(squares[slice(*self.cut)])
        share, mirrors = self._shares(squares, order)
        return self._blank._replace(
            planes=planes, squares=squares, moves=moves, share=share, mirrors=mirrors
        )

    def _moves(self, squares: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Each piece's reach on each plane, blocked by the other men; none for pawns."""
        moves = np.zeros(squares.shape, np.uint64)
        for i, man in enumerate(self.men):
            if man.kind == PAWN:
                continue
            moves[:, i] = REACH[man.kind, squares[:, i]]
            for j in range(len(self.men)):
                if j != i:
                    moves[:, i] &= ~SHADOW[squares[:, i], squares[:, j]]
        return moves

    def _shares(
        self, squares: NDArray[np.uint8], order: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """How to count cells of some planes modulo symmetry, by Burnside's lemma within an orbit.

        Let the lead's representative be mapped onto itself by g symmetries. The cells of its
        planes fall into (1/g) * sum of (cells fixed by each of the g) classes. A cell is fixed
        only if both kings stay, which no symmetry but the two diagonal mirrors allows.
        """
        share = np.full(self.count, 1, np.int64)
        mirrors = np.zeros((self.count, 2), np.uint64)
        lead = order // self.strides[0] + self.range[0]
        share[order] = SYMMETRIES // self.lead.stabiliser.sum(axis=1)[lead]
        for i, (symmetry, diagonal) in enumerate(_diagonal_mirrors()):
            fixed = self.lead.stabiliser[lead, symmetry].copy()
            for first, stop in pairwise(self.starts[self.leaders :]):
                men = squares[order, first:stop]
                fixed &= (np.sort(IMAGE[symmetry][men], axis=1) == men).all(axis=1)
            mirrors[order[fixed], i] = diagonal
        return share, mirrors


def within(planes: NDArray[np.int64], cut: tuple[int, int]) -> NDArray[np.int64]:
    """Of ascending planes those from the first of a cut to before its end."""
    first, stop = np.searchsorted(planes, cut)
    return planes[first:stop]


def reach_row(man: Man) -> int:
    """The row of REACH for a man; pawns have one for each side."""
    return man.kind + man.side if man.kind == PAWN else man.kind


def material_of(men: Sequence[Man]) -> Material:
    """The material of these men and the kings, sides as they are."""
    sides = ["".join(LETTERS[man.kind] for man in men if man.side == side) for side in SIDES]
    return Material.of(*sides)


def _diagonal_mirrors() -> list[tuple[int, int]]:
    """The two symmetries that leave a diagonal in place, each with its diagonal."""
    found = []
    for diagonal in (_MAIN_DIAGONAL, _ANTI_DIAGONAL):
        on = [square for square in range(SQUARES) if diagonal >> square & 1]
        (symmetry,) = (t for t in range(1, SYMMETRIES) if all(IMAGE[t, s] == s for s in on))
        found.append((symmetry, diagonal))
    return found
