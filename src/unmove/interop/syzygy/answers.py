"""What many positions are answered with: their values by Syzygy files, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadOption
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.probe import ILLEGAL_VALUE
from unmove.material import Material
from unmove.values import DRAW, FIFTY, Code, Level, Outcome, Outcome50, loss_code, win_code


class SyzygyValue(StrEnum):
    """What a file tells: the outcome under the 50-move rule, or the distance to zeroing."""

    WDL = "wdl"
    DTZ = "dtz"

    @classmethod
    def of(cls, value: SyzygyValue | str) -> SyzygyValue:
        """The value itself, or that of a name (`dtz`, `DTZ`); BadOption for anything else."""
        try:
            return cls(value.lower())
        except (AttributeError, ValueError):
            reason = f"it must be one of {', '.join(cls)}"
            raise BadOption("value", repr(value), reason) from None

    @property
    def kind(self) -> int:
        """The kind of file."""
        return tables.DISTANCES if self == SyzygyValue.DTZ else tables.OUTCOMES


class SyzygyPath(NamedTuple):
    """A file that is there."""

    material: Material
    value: SyzygyValue
    path: Path


@dataclass(frozen=True)
class SyzygyValues:
    """The values of many positions to the side to move, as `probe_wdl` or `probe_dtz` has them.

    ILLEGAL_VALUE stands in place of the value of what is no legal position.
    """

    numbers: NDArray[np.int16]
    value: SyzygyValue

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Where there is a value."""
        legal: NDArray[np.bool_] = self.numbers != ILLEGAL_VALUE
        return legal

    @cached_property
    def wdl(self) -> NDArray[np.int8]:
        """2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss; -128 for no position."""
        sign = np.sign(self.numbers)
        if self.value == SyzygyValue.DTZ:
            numbers = sign * np.where(np.abs(self.numbers) > FIFTY, 1, 2)
        else:
            numbers = self.numbers
        return np.where(self.legal, numbers, -128).astype(np.int8)


@dataclass(frozen=True, slots=True)
class SyzygyAnswer:
    """What files tell of a position whose side to move has a move, seen by that side."""

    wdl: int
    """As `probe_wdl` has it."""
    dtz: int | None = None
    """As `probe_dtz` has it; None if only the file of outcomes is there."""
    rounded: bool = False
    """Whether the distance may be one ply short."""

    @property
    def outcome(self) -> Outcome:
        """The outcome without the 50-move rule."""
        return Outcome((self.wdl > 0) - (self.wdl < 0))

    @property
    def code(self) -> Code | None:
        """The distance as a code, to compare moves by; None if it is not known."""
        if self.dtz is None:
            return None
        if self.dtz == 0:
            return DRAW
        level = Level(abs(self.dtz))
        return win_code(level) if self.dtz > 0 else loss_code(level)

    @property
    def latest_code(self) -> Code:
        """The same, but no shorter than the distance is: one ply is added if it is rounded.

        Where only the outcome is known, the distance is as long as the outcome lets it be.
        """
        if self.outcome == Outcome.DRAW:
            return DRAW
        in_time = abs(self.wdl) == Outcome50.WIN
        plies = 2 * FIFTY if self.dtz is None else abs(self.dtz) + self.rounded
        level = Level(min(plies, FIFTY) if in_time else plies)
        return win_code(level) if self.wdl > 0 else loss_code(level)

    def outcome50(self, clock: int) -> Outcome50 | None:
        """The outcome with a half-move clock; None if it takes a distance that is not known."""
        if abs(self.wdl) < Outcome50.WIN or clock == 0:
            return Outcome50(self.wdl)
        if self.dtz is None and clock < FIFTY:
            return None
        plies = abs(self.dtz or 1) + clock
        if plies == FIFTY and self.rounded:
            return None
        return Outcome50(self.wdl if plies <= FIFTY else self.wdl // 2)
