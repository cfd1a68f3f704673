"""How a sub-table of a Syzygy file numbers its placements, and the bytes that say so.

A descriptor lists the men and orders their groups. `numbering` is what the kernels read of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.materials import (
    KING_NUMBER,
    OF_BLACK,
    PAWN_NUMBER,
    code_of,
    codes_of,
    lead_of_pawns,
)
from unmove.kernels.syzygy import numbering as columns
from unmove.kernels.syzygy.board import LEADING_SIZE, PAWN_FILES, SQUARES_OF_PAWNS
from unmove.kernels.syzygy.numbering import Numbering
from unmove.material import Material
from unmove.values import opponent_of

NO_ORDER: Final = 15
"""In place of the order of the other side's pawns, where there are none."""


@dataclass(frozen=True)
class Descriptor:
    """The men of a sub-table in a list, and the significance of two of their groups.

    ValueError for what no reader would understand.
    """

    material: Material
    pieces: tuple[int, ...]
    """The codes of the men, like ones side by side."""
    order: int = 0
    """The place of the lead among the groups; the first varies fastest."""
    second_order: int = NO_ORDER
    """The place of the pawns of the side that does not lead."""
    file: int = 0
    """The file of the first leading pawn, 0 to 3 for a to d; 0 without pawns."""

    def __post_init__(self) -> None:
        if sorted(self.pieces) != sorted(codes_of(self.material)):
            raise ValueError("it lists other men than its name")
        if len(list(groupby(self.pieces))) != len(set(self.pieces)):
            raise ValueError("it does not list like men side by side")
        self._check_lead()
        groups = len(self.groups)
        orders = [self.order, self.second_order] if self.others else [self.order]
        if not all(order < groups for order in orders) or len(set(orders)) < len(orders):
            raise ValueError("it has groups in no order")

    @classmethod
    def usual(cls, material: Material, file: int = 0) -> Descriptor:
        """The simplest one: kings first without pawns, else pawns first."""
        codes, lead = codes_of(material), lead_of_pawns(material)
        if lead is None:
            pieces = sorted(
                codes, key=lambda code: (code % OF_BLACK != KING_NUMBER, codes.count(code), code)
            )
            return cls(material, tuple(pieces))
        first = code_of("P", lead)
        pieces = sorted(codes, key=lambda code: (code != first, code % OF_BLACK != PAWN_NUMBER))
        both = all("P" in letters for letters in material.sides)
        return cls(material, tuple(pieces), 0, 1 if both else NO_ORDER, file)

    @classmethod
    def from_bytes(cls, data: bytes, material: Material, side: int, file: int) -> Descriptor:
        """The descriptor of the sub-table of a side (0 or 1) and file."""
        values = [byte >> 4 if side else byte & 15 for byte in data[: size_of(material)]]
        if len(values) < size_of(material):
            raise ValueError("it is truncated")
        order, second = [*values[: -material.men], NO_ORDER][:2]
        return cls(material, tuple(values[-material.men :]), order, second, file)

    def to_bytes(self, other: Descriptor | None = None) -> bytes:
        """The bytes of this descriptor, and of that of the other side to move if there is one."""
        high = other._values() if other else [0] * size_of(self.material)
        return bytes(a | b << 4 for a, b in zip(self._values(), high, strict=True))

    def _values(self) -> list[int]:
        return [self.order, *([self.second_order] if self.others else []), *self.pieces]

    @property
    def leaders(self) -> int:
        """How many men make up the lead."""
        return self.groups[0]

    @property
    def others(self) -> int:
        """How many pawns the side has that does not lead."""
        return self._pawns[1]

    @property
    def _pawns(self) -> tuple[int, int]:
        """How many pawns each side has, the leading one first."""
        few, many = sorted(letters.count("P") for letters in self.material.sides)
        return (few, many) if few else (many, 0)

    @property
    def _kings_lead(self) -> bool:
        """Whether there are no other men that are single."""
        return sum(self.pieces.count(code) == 1 for code in self.pieces) == 2

    def _check_lead(self) -> None:
        """Those who lead are those that must."""
        side = lead_of_pawns(self.material)
        if side is None:
            if any(self.pieces.count(code) > 1 for code in self.pieces[: self.leaders]):
                raise ValueError("it begins with men that are not single")
            return
        leading, other = (code_of("P", side), code_of("P", opponent_of(side)))
        pawns = (leading,) * self.leaders + (other,) * self.others
        if self.pieces[: len(pawns)] != pawns:
            raise ValueError("it does not list pawns first")

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """How many men each group has, the lead first."""
        lead = self._pawns[0] or (2 if self._kings_lead else 3)
        return lead, *(len(list(men)) for _, men in groupby(self.pieces[lead:]))

    @cached_property
    def numbering(self) -> Numbering:
        """The row of integers that the kernels read."""
        groups = self.groups
        row = np.zeros(columns.NUMBERING_COLUMNS, np.int64)
        row[columns.PLACED_MEN], row[columns.GROUPS] = len(self.pieces), len(groups)
        row[columns.LEAD_FILE], row[columns.OTHERS] = self.file, self.others
        row[columns.LEAD] = self._lead()
        row[columns.FIRST : columns.FIRST + len(groups) + 1] = np.cumsum([0, *groups])
        size = 1
        free = 64 - groups[0] - self.others
        for group in self._by_significance():
            men = groups[group]
            sets, free = self._sets(group, free), free - (0 if self._has_order(group) else men)
            row[columns.FACTOR + group], row[columns.SETS + group] = size, sets
            size *= sets
        row[columns.PLACEMENTS] = size
        row.flags.writeable = False
        return row

    @property
    def size(self) -> int:
        """How many placements there are."""
        return int(self.numbering[columns.PLACEMENTS])

    @cached_property
    def men(self) -> NDArray[np.int64]:
        """[place in the list]: the number of the man in the order of the name."""
        codes = codes_of(self.material)
        numbers: list[int] = []
        for code in self.pieces:
            numbers.append(next(i for i, c in enumerate(codes) if c == code and i not in numbers))
        return np.array(numbers, np.int64)

    def _lead(self) -> int:
        if self._pawns[0]:
            return columns.LEADING_PAWNS
        return columns.KING_PAIR if self._kings_lead else columns.THREE

    def _has_order(self, group: int) -> bool:
        return group == 0 or (group == 1 and self.others > 0)

    def _by_significance(self) -> Sequence[int]:
        """The groups, that whose number varies fastest first."""
        rest = [group for group in range(len(self.groups)) if not self._has_order(group)]
        by_order = [(self.order, 0), (self.second_order, 1)] if self.others else [(self.order, 0)]
        for order, group in sorted(by_order):
            rest.insert(order, group)
        return rest

    def _sets(self, group: int, free: int) -> int:
        """How many placements a group has, if so many squares are free."""
        if group == 0 and self._pawns[0]:
            return int(LEADING_SIZE[self.leaders, self.file])
        if group == 0:
            return int(columns.LEADS[self._lead()])
        if self._has_order(group):
            return comb(SQUARES_OF_PAWNS - self.leaders, self.others)
        return comb(free, self.groups[group])


def size_of(material: Material) -> int:
    """The bytes of a descriptor."""
    return material.men + (2 if all("P" in letters for letters in material.sides) else 1)


def files_of(material: Material) -> range:
    """The files of first leading pawns; a single one without pawns."""
    return range(PAWN_FILES if material.has_pawns else 1)
