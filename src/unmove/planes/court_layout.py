"""Which plane, and which cell of it, a position of xiangqi belongs to.

A plane is court by court (see `courts.py`): the row is the configuration of one side's court, the
bit is that of the other's. A row has as many words as its bits need.

    word = row * words + bit // 64        cell = 64 * word + bit % 64

The rows are for the court that makes a plane cheaper so. The *attackers*, chariots, cannons, horses
and soldiers of both sides, choose the plane. Like men of a side are a group and one axis: the sets
of squares that they can stand on, in colexicographic order (see `layout.py`). The first group is
the lead. It absorbs the one symmetry of the board: of a set and its mirror image one is kept, and
a position that has the other is mirrored into its plane. Where the lead is its own image, both
images of a position are kept, with the same value. The lead is the group with which there are the
fewest planes. Without attackers there is one plane, and no symmetry is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.errors import TooManyMen
from unmove.games.xiangqi import LETTERS, MIRROR
from unmove.games.xiangqi_board import NO_MAN, Board
from unmove.material import Material
from unmove.planes.attackers import NO_LEAD, CourtLead, count_sets, lead_of, rank, subsets
from unmove.planes.court_geometry import HALF, row_of
from unmove.planes.courts import Configuration, Court, CourtMasks, CourtMen, court
from unmove.planes.kinds import COURT_PLANES
from unmove.planes.layout import Man, within
from unmove.values import BLACK, SIDES, WHITE, Side, opponent_of

MOST_ATTACKERS_SOLVED = 4  # with more there are too many planes for any memory

_SLOW_FIRST = "PHCR"
_WHICH_ATTACKERS = "attackers (R, C, H and P)"


class CourtAxes(NamedTuple):
    """The axes that number planes. Attackers are numbered group by group, the lead first."""

    kinds: NDArray[np.int64]  # [man]: its row in the court_geometry
    first: NDArray[np.int64]  # [group]: its first man; one more entry closes the last group
    stride: NDArray[np.int64]  # [group]: planes from one set to the next
    orbit: NDArray[np.int64]  # [rank of the lead's set]
    mirrored: NDArray[np.int64]  # [rank of the lead's set]


class CourtFrame(NamedTuple):
    """A layout as kernels see it."""

    axes: CourtAxes
    sides: NDArray[np.int64]  # [man]
    group: NDArray[np.int64]  # [man]
    planes: NDArray[np.int64]  # those on which no two men overlap, ascending
    squares: NDArray[np.uint8]  # [plane, man]: where the attackers stand, ascending in each group
    occupied: NDArray[np.uint64]  # [plane, half]: the same as sets
    weight: NDArray[np.int64]  # [plane]: placements, mirror images too, a cell stands for
    row_side: Side  # the side whose court is on the rows
    rows: CourtMen  # its court
    bits: CourtMen  # the other court
    masks: CourtMasks  # of the other court
    words: int  # in a row


@dataclass(frozen=True)
class CourtLayout:
    """The planes of one material of xiangqi; see `Layout` for `cut`."""

    material: Material
    cut: tuple[int, int] | None = None

    kind: ClassVar = COURT_PLANES

    @classmethod
    def of(cls, material: Material, pad: int, part: tuple[int, int] | None) -> CourtLayout:
        """See `layouts.layout_of`."""
        return cls(material)

    @staticmethod
    def check_supported(material: Material) -> None:
        """See `layouts.check_supported`."""
        attackers = sum(man in material.game.attackers for man in material.white + material.black)
        if attackers > MOST_ATTACKERS_SOLVED:
            raise TooManyMen(attackers, MOST_ATTACKERS_SOLVED, _WHICH_ATTACKERS)

    @staticmethod
    def check_men(men: int) -> None:
        """See `layouts.check_men`."""
        most = 2 + MOST_ATTACKERS_SOLVED
        if men > most:
            limit = f"{MOST_ATTACKERS_SOLVED} {_WHICH_ATTACKERS}"
            raise TooManyMen(men, most, hint=f" Larger ones are built by name, with up to {limit}.")

    @cached_property
    def groups(self) -> tuple[tuple[Man, int], ...]:
        """The groups, (man, how many): the lead, then single men before sets, slow before fast."""
        groups = [
            (Man(LETTERS.index(letter), side), letters.count(letter))
            for letter in _SLOW_FIRST
            for side, letters in zip(SIDES, self.material.sides, strict=True)
            if letter in letters
        ]
        groups.sort(key=lambda group: group[1])
        lead = groups[:1]
        if groups:
            saved = [len(lead_of(*group).squares) / count_sets(*group) for group in groups]
            lead = [groups[saved.index(min(saved))]]
        return (*lead, *(group for group in groups if group not in lead))

    @cached_property
    def lead(self) -> CourtLead:
        return lead_of(*self.groups[0]) if self.groups else NO_LEAD

    @cached_property
    def courts(self) -> tuple[Court, Court]:
        """The courts of White and Black."""
        white, black = (
            court(side, letters.count("A"), letters.count("E"))
            for side, letters in zip(SIDES, self.material.sides, strict=True)
        )
        return white, black

    @cached_property
    def row_side(self) -> Side:
        """The side whose court is on the rows. A row costs the time of its words and one more."""
        white, black = self.courts
        costs = [
            len(rows.configurations) * (bits.words + 1)
            for rows, bits in ((white, black), (black, white))
        ]
        return Side(costs.index(min(costs)))

    @property
    def rows(self) -> int:
        return len(self.courts[self.row_side].configurations)

    @property
    def row_words(self) -> int:
        """The words of a row."""
        return self.courts[opponent_of(self.row_side)].words

    @property
    def words(self) -> int:
        """The words of a plane."""
        return self.rows * self.row_words

    @property
    def cells(self) -> int:
        """The cells of a plane; those that fill up the last word of a row are never legal."""
        return 64 * self.words

    @property
    def filled_cells(self) -> int:
        """The cells of a plane that stand for configurations of both courts."""
        white, black = self.courts
        return len(white.configurations) * len(black.configurations)

    @cached_property
    def men(self) -> tuple[Man, ...]:
        """The attackers."""
        return tuple(man for man, size in self.groups for _ in range(size))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first man of each group, and the number of men to close the last one."""
        return tuple(accumulate((size for _, size in self.groups), initial=0))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The length of each axis."""
        return (len(self.lead.squares), *(count_sets(*group) for group in self.groups[1:]))

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Planes from one step to the next, for each axis."""
        return tuple(accumulate(reversed(self.sizes[1:]), lambda a, b: a * b, initial=1))[::-1]

    @cached_property
    def count(self) -> int:
        """The number of planes, those with overlaps included."""
        return self.strides[0] * self.sizes[0]

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """The ranges of orbits that are solved one after the other: all at once."""
        return ((0, self.sizes[0]),)

    @property
    def order(self) -> NDArray[np.int64]:
        """The planes in order: there is no padding."""
        return np.arange(self.count)

    def squares_at(self, planes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """[i, man]: where the attackers of planes[i] stand."""
        squares = np.zeros((len(planes), len(self.men)), np.uint8)
        orbit, rest = np.divmod(planes, self.strides[0])
        squares[:, : self.lead.squares.shape[1]] = self.lead.squares[orbit]
        bounds = pairwise(self.starts[1:])
        for group, (first, stop), stride in zip(
            self.groups[1:], bounds, self.strides[1:], strict=True
        ):
            index, rest = np.divmod(rest, stride)
            squares[:, first:stop] = subsets(*group)[index]
        return squares

    def plane_of(self, squares: Sequence[Sequence[int]]) -> tuple[int, bool]:
        """The plane of each group's squares, and whether it is seen through the mirror."""
        lead = rank(self.groups[0][0], squares[0]) if self.groups else 0
        mirrored = bool(self.lead.mirrored[lead])
        plane = int(self.lead.orbit[lead]) * self.strides[0]
        for (man, _), group, stride in zip(
            self.groups[1:], squares[1:], self.strides[1:], strict=True
        ):
            seen = [int(MIRROR[square]) for square in group] if mirrored else group
            plane += rank(man, seen) * stride
        return plane, mirrored

    def cell_of(self, board: Board) -> int:
        """The index (plane * cells + cell) of a board of this material."""
        where: dict[Man, list[int]] = {}
        for square, letter in enumerate(board.men):
            if letter != NO_MAN:
                man = Man(LETTERS.index(letter.upper()), BLACK if letter.islower() else WHITE)
                where.setdefault(man, []).append(square)
        plane, mirrored = self.plane_of([where[man] for man, _ in self.groups])
        place = []
        for each in self.courts:
            squares: Configuration = tuple(
                square
                for kind in dict.fromkeys(each.kinds)
                for square in where[Man(kind, each.side)]
            )
            place.append(each.number[each.mirrored(squares) if mirrored else squares])
        row, bit = place[self.row_side], place[opponent_of(self.row_side)]
        return plane * self.cells + row * self.row_words * 64 + bit

    def board_at(self, side: Side, index: int) -> Board | None:
        """The board of an index, `side` to move; None if it is no placement or men overlap.

        The inverse of `cell_of` up to the mirror.
        """
        plane, cell = divmod(index, self.cells)
        row, bit = divmod(cell, self.row_words * 64)
        number = (row, bit) if self.row_side == WHITE else (bit, row)
        men = [NO_MAN] * len(MIRROR)
        stand = list(zip(self.men, self.squares_at(np.array([plane]))[0].tolist(), strict=True))
        for each, configuration in zip(self.courts, number, strict=True):
            if configuration >= len(each.configurations):
                return None
            squares = each.configurations[configuration]
            stand += [
                (Man(kind, each.side), s) for kind, s in zip(each.kinds, squares, strict=True)
            ]
        for man, square in stand:
            if men[square] != NO_MAN:
                return None
            letter = LETTERS[man.kind]
            men[square] = letter if man.side == WHITE else letter.lower()
        return Board("".join(men), side)

    @cached_property
    def axes(self) -> CourtAxes:
        """How planes are numbered, as arrays for kernels."""
        return CourtAxes(
            kinds=np.array([row_of(*man) for man in self.men], np.int64),
            first=np.array(self.starts, np.int64),
            stride=np.array(self.strides, np.int64),
            orbit=self.lead.orbit,
            mirrored=self.lead.mirrored,
        )

    def frame_of(self, planes: NDArray[np.int64]) -> CourtFrame:
        """The layout as arrays for kernels, for some planes only, which are numbered from 0."""
        frame = self.frame
        return frame._replace(
            planes=np.arange(len(planes)),
            squares=frame.squares[planes],
            occupied=frame.occupied[planes],
            weight=frame.weight[planes],
        )

    @property
    def apart(self) -> NDArray[np.int64]:
        """The planes on which no two men overlap, those that are cut off included."""
        return CourtLayout(self.material).frame.planes if self.cut else self.frame.planes

    @cached_property
    def frame(self) -> CourtFrame:
        """The layout as arrays for kernels."""
        squares = self.squares_at(np.arange(self.count))
        stand = np.zeros((self.count, 2 * HALF), np.int64)
        for man in range(len(self.men)):
            stand[np.arange(self.count), squares[:, man]] += 1
        bits = np.uint64(1) << np.arange(HALF, dtype=np.uint64)
        halves = [stand[:, :HALF], stand[:, HALF:]]
        occupied = [((half > 0) * bits).sum(axis=1, dtype=np.uint64) for half in halves]
        apart = (stand < 2).all(axis=1)
        planes = np.flatnonzero(apart)
        orbits = np.arange(self.count) // self.strides[0]
        return CourtFrame(
            axes=self.axes,
            sides=np.array([man.side for man in self.men], np.int64),
            group=np.repeat(np.arange(len(self.groups)), np.diff(self.starts)).astype(np.int64),
            planes=planes if self.cut is None else within(planes, self.cut),
            squares=squares,
            occupied=np.stack(occupied, axis=1),
            weight=np.where(self.lead.alone[orbits], 1, 2),
            row_side=self.row_side,
            rows=self.courts[self.row_side].men,
            bits=self.courts[opponent_of(self.row_side)].men,
            masks=self.courts[opponent_of(self.row_side)].masks,
            words=self.row_words,
        )
