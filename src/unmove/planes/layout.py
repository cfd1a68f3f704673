"""Which plane a placement of men belongs to.

The men beside the kings are taken in *groups* of like men (same kind, same side). A group of k
men is one axis: the C(64, k) sets of squares it can stand on, in colexicographic order, so that

    {a}: a        {a < b}: C(b, 2) + a        {a < b < c}: C(c, 3) + C(b, 2) + a

and like men are never counted k! times. The first group is the *lead*. It absorbs the eightfold
symmetry of a board without pawns: of all its sets that are images of one another only the first
is kept (a single man: the ten squares a1-d1-d4). A position is brought into its plane by the
symmetry that maps its lead onto that representative; where two symmetries do, both images are
kept, with the same value.

    plane = lead orbit * stride[0] + rank(group 1) * stride[1] + ... + rank(last group)

The groups that move most come last, innermost in memory. Strides may be padded by a plane a step
so that planes one step apart do not compete for the same cache sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.errors import TooManyMen, UnsupportedMaterial
from unmove.games.chess import PIECES, REACH, SHADOW, SQUARES
from unmove.material import Material
from unmove.planes.symmetry import IMAGE, SYMMETRIES

MOST_MEN = 5

CELLS = SQUARES * SQUARES
"""Positions of one plane and side to move: cell = 64 * White's king + Black's king."""

_MAIN_DIAGONAL = 0x8040201008040201
_ANTI_DIAGONAL = 0x0102040810204080


class Man(NamedTuple):
    """A man beside the kings: kind as an index into PIECES, side 0 = White."""

    kind: int
    side: int


class Orbits(NamedTuple):
    """The sets of k squares, modulo the symmetries of the board."""

    first: NDArray[np.int64]  # [orbit]: rank of the representative, the smallest of its images
    orbit: NDArray[np.int64]  # [rank]: the orbit a set belongs to
    symmetry: NDArray[np.int64]  # [rank]: one that brings the set onto the representative
    stabiliser: NDArray[np.bool_]  # [orbit, symmetry]: which map the representative onto itself


class Frame(NamedTuple):
    """A layout as kernels see it. Men are numbered group by group, the lead first."""

    kinds: NDArray[np.int64]  # [man]
    sides: NDArray[np.int64]  # [man]
    group: NDArray[np.int64]  # [man]
    first: NDArray[np.int64]  # [group]: its first man; one more entry closes the last group
    stride: NDArray[np.int64]  # [group]: planes from one set to the next
    orbit: NDArray[np.int64]  # [rank of the lead's set]
    symmetry: NDArray[np.int64]  # [rank of the lead's set]
    planes: NDArray[np.int64]  # the planes on which no two men overlap, ascending
    squares: NDArray[np.uint8]  # [plane, man]: where the men stand, ascending in each group
    moves: NDArray[np.uint64]  # [plane, man]: where a man can go, were there no kings
    share: NDArray[np.int64]  # [plane]: eighths of a position, modulo symmetry, a cell counts
    mirrors: NDArray[np.uint64]  # [plane, 2]: diagonals on which kings make the cell its own image


@dataclass(frozen=True)
class Layout:
    """The planes of one pawnless material. `pad` widens the strides (0 in files)."""

    material: Material
    pad: int = 0

    @cached_property
    def groups(self) -> tuple[tuple[Man, int], ...]:
        """The groups, (man, how many): the lead, then single men before sets, slow before fast.

        The lead is White's, whose moves are tried once a ply; the weaker side's are tried twice,
        to find candidates for a loss and to refute them, and a lead's moves cost the most.
        """
        count: dict[Man, int] = {}
        for side, letters in enumerate(self.material.sides):
            for letter in letters:
                man = Man(PIECES.index(letter), side)
                count[man] = count.get(man, 0) + 1
        groups = sorted(count.items(), key=lambda item: (item[1], item[0]))
        lead = next((group for group in groups if group[0].side == 0), None)
        return tuple(sorted(groups, key=lambda group: group != lead))

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
        lengths = [comb(SQUARES, size) for _, size in self.groups]
        return (len(self._lead.first), *lengths[1:]) if lengths else ()

    @cached_property
    def strides(self) -> tuple[int, ...]:
        strides: list[int] = []
        step = 1
        for size in reversed(self.sizes):
            strides.append(step)
            step = step * size + self.pad
        return tuple(reversed(strides))

    @cached_property
    def count(self) -> int:
        """The number of planes, padding and overlaps included."""
        return self.strides[0] * self.sizes[0] if self.sizes else 1

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """This layout's plane for each plane of the layout without padding."""
        order = np.zeros(1, np.int64)
        for size, stride in zip(self.sizes, self.strides, strict=True):
            order = (order[:, None] + np.arange(size) * stride).ravel()
        return order

    def cell(self, squares: Sequence[Sequence[int]], kings: Sequence[int]) -> int:
        """The index (plane * CELLS + cell) of a position, given each group's squares."""
        symmetry = 0
        plane = 0
        if self.groups:
            lead = rank(squares[0])
            symmetry = int(self._lead.symmetry[lead])
            plane = int(self._lead.orbit[lead]) * self.strides[0]
        to = IMAGE[symmetry]
        for group, stride in zip(squares[1:], self.strides[1:], strict=True):
            plane += rank([int(to[square]) for square in group]) * stride
        return plane * CELLS + int(to[kings[0]]) * SQUARES + int(to[kings[1]])

    def placement(self, plane: int) -> list[tuple[int, ...]]:
        """The squares of each group on a plane; the inverse of `cell` up to symmetry."""
        placement: list[tuple[int, ...]] = []
        for i, ((_, size), stride) in enumerate(zip(self.groups, self.strides, strict=True)):
            index, plane = divmod(plane, stride)
            chosen = int(self._lead.first[index]) if i == 0 else index
            placement.append(tuple(int(square) for square in subsets(size)[chosen]))
        return placement

    @cached_property
    def frame(self) -> Frame:
        """The layout as arrays for kernels."""
        squares = self._squares()
        taken = np.sort(squares[self.order], axis=1)
        overlap = (taken[:, 1:] == taken[:, :-1]).any(axis=1)
        share, mirrors = self._shares(squares)
        return Frame(
            kinds=np.array([man.kind for man in self.men], np.int64),
            sides=np.array([man.side for man in self.men], np.int64),
            group=np.repeat(np.arange(len(self.groups)), [size for _, size in self.groups]).astype(
                np.int64
            ),
            first=np.array(self.starts, np.int64),
            stride=np.array(self.strides, np.int64),
            orbit=self._lead.orbit,
            symmetry=self._lead.symmetry,
            planes=self.order[~overlap],
            squares=squares,
            moves=self._moves(squares),
            share=share,
            mirrors=mirrors,
        )

    @cached_property
    def _lead(self) -> Orbits:
        return orbits(self.groups[0][1] if self.groups else 0)

    def _axes(self) -> NDArray[np.int64]:
        """The coordinate of each plane (in `order`) on each axis, as a rank of squares."""
        axes = np.indices(self.sizes).reshape(len(self.sizes), self.order.size)
        if self.groups:
            axes[0] = self._lead.first[axes[0]]
        return axes

    def _squares(self) -> NDArray[np.uint8]:
        squares = np.zeros((self.count, len(self.men)), np.uint8)
        for axis, (first, stop) in zip(self._axes(), pairwise(self.starts), strict=True):
            squares[self.order, first:stop] = subsets(stop - first)[axis]
        return squares

    def _moves(self, squares: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Each man's reach on each plane, past and not onto the other men."""
        moves = np.zeros(squares.shape, np.uint64)
        for i, man in enumerate(self.men):
            moves[:, i] = REACH[man.kind, squares[:, i]]
            for j in range(len(self.men)):
                if j != i:
                    moves[:, i] &= ~SHADOW[squares[:, i], squares[:, j]]
        return moves

    def _shares(self, squares: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """How to count cells modulo symmetry, by Burnside's lemma within each lead orbit.

        Let the lead's representative be mapped onto itself by g symmetries. The cells of its
        planes fall into (1/g) * sum of (cells fixed by each of the g) classes. A cell is fixed
        only if both kings stay, which no symmetry but the two diagonal mirrors allows.
        """
        share = np.full(self.count, 1, np.int64)
        mirrors = np.zeros((self.count, 2), np.uint64)
        if not self.groups:
            mirrors[:] = _MAIN_DIAGONAL, _ANTI_DIAGONAL
            return share, mirrors
        lead = self.order // self.strides[0]
        share[self.order] = SYMMETRIES // self._lead.stabiliser.sum(axis=1)[lead]
        for i, (symmetry, diagonal) in enumerate(_diagonal_mirrors()):
            fixed = self._lead.stabiliser[lead, symmetry].copy()
            for first, stop in pairwise(self.starts[1:]):
                men = squares[self.order, first:stop]
                fixed &= (np.sort(IMAGE[symmetry][men], axis=1) == men).all(axis=1)
            mirrors[self.order[fixed], i] = diagonal
        return share, mirrors


def check_supported(material: Material) -> None:
    """There is a layout for this material; TooManyMen or UnsupportedMaterial otherwise."""
    if material.men > MOST_MEN:
        raise TooManyMen(material.men, MOST_MEN)
    if material.has_pawns:
        raise UnsupportedMaterial(material.name, "it has pawns")


def rank(squares: Sequence[int]) -> int:
    """The colexicographic rank of a set of squares among the sets of its size."""
    return sum(comb(square, i + 1) for i, square in enumerate(sorted(squares)))


@cache
def subsets(size: int) -> NDArray[np.uint8]:
    """All sets of `size` squares, ascending inside, by rank."""
    sets = np.array(list(combinations(range(SQUARES), size)), np.uint8)
    sets = sets.reshape(comb(SQUARES, size), size)
    return np.ascontiguousarray(sets[np.lexsort(sets.T)]) if size else sets


@cache
def orbits(size: int) -> Orbits:
    """The sets of `size` squares modulo the eight symmetries."""
    sets = subsets(size)
    images = np.stack([_ranks(np.sort(IMAGE[t][sets], axis=1)) for t in range(SYMMETRIES)], axis=1)
    first, orbit = np.unique(images.min(axis=1), return_inverse=True)
    return Orbits(
        first=first.astype(np.int64),
        orbit=orbit.astype(np.int64).ravel(),
        symmetry=images.argmin(axis=1).astype(np.int64),
        stabiliser=images[first] == first[:, None],
    )


def _ranks(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        choose = np.array([comb(square, i + 1) for square in range(SQUARES)], np.int64)
        ranks += choose[sets[:, i]]
    return ranks


def _diagonal_mirrors() -> list[tuple[int, int]]:
    """The two symmetries that leave a diagonal in place, each with its diagonal."""
    found = []
    for diagonal in (_MAIN_DIAGONAL, _ANTI_DIAGONAL):
        on = [square for square in range(SQUARES) if diagonal >> square & 1]
        (symmetry,) = (t for t in range(1, SYMMETRIES) if all(IMAGE[t, s] == s for s in on))
        found.append((symmetry, diagonal))
    return found
