"""What many positions are answered with: their values by Syzygy files, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadOption
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.probe import ILLEGAL_VALUE
from unmove.values import FIFTY


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
