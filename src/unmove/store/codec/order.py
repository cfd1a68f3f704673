"""The order of a table's values: from codes to the ranks that are coded, and back.

`kernels/codec/contexts.py` says what a rank is. A table has a rank for each value that its stored
sides have, as the statistics tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.contexts import Ranks
from unmove.store.summary import Summary
from unmove.store.table import PALETTE, CellArray, cell_type
from unmove.values import DRAW


@dataclass(frozen=True)
class Order:
    """wins: codes, quickest first; losses: codes, slowest first."""

    wins: tuple[int, ...]
    losses: tuple[int, ...]
    start: tuple[int, int]
    """The ranks of the most frequent win and loss, each among its own."""

    @classmethod
    def of(cls, summary: Summary, sides: Sequence[int]) -> Order:
        """The order of a table's stored sides."""
        counts: dict[int, int] = {}
        for side in sides:
            for code, positions in summary.histogram[side].items():
                counts[code] = counts.get(code, 0) + positions
        wins = sorted(code for code in counts if code % 2 == 1)
        losses = sorted((code for code in counts if code % 2 == 0), reverse=True)
        return cls(tuple(wins), tuple(losses), (_most(wins, counts), _most(losses, counts)))

    @cached_property
    def ranks(self) -> Ranks:
        return Ranks(len(self.wins), len(self.losses), *self.start)

    @property
    def draw(self) -> int:
        return len(self.wins)

    @property
    def stalemate(self) -> int:
        return self.draw + 1

    @property
    def conversion(self) -> int:
        return self.draw + 2

    @property
    def illegal(self) -> int:
        """A number that is no rank."""
        return self.draw + 3 + len(self.losses)

    @property
    def kind(self) -> type[np.uint8] | type[np.uint16]:
        """The type of a rank."""
        return cell_type(self.illegal + 1)

    def from_numbers(self, palette: NDArray[np.int64]) -> CellArray:
        """[number of a palette]: its rank; of codes that the stored side does not have, any."""
        ranks = dict(zip(self.wins, range(len(self.wins)), strict=True))
        ranks |= {code: self.draw + 3 + i for i, code in enumerate(self.losses)}
        found = [ranks.get(code, self.illegal) for code in palette.tolist()]
        found[: len(PALETTE)] = self.illegal, self.draw, self.stalemate
        return np.array(found, self.kind)

    def to_numbers(self, palette: NDArray[np.int64], conversion: int) -> CellArray:
        """[rank]: its number in a palette, and `conversion` for conversions."""
        codes = palette.tolist()
        place = {code: number for number, code in enumerate(codes) if number >= len(PALETTE)}
        wins = [place[code] for code in self.wins]
        losses = [place[code] for code in self.losses]
        drawn = [PALETTE.index(DRAW), PALETTE.index(DRAW) + 1, conversion]
        return np.array([*wins, *drawn, *losses, 0], cell_type(max(conversion, len(codes)) + 1))


def _most(codes: list[int], counts: dict[int, int]) -> int:
    """The place of the most frequent code; 0 if there is none."""
    found = [counts[code] for code in codes]
    return found.index(max(found)) if found else 0


def palette_of(summary: Summary) -> NDArray[np.int64]:
    """The codes of both sides' cells, as tables have them in memory."""
    codes = sorted({*summary.histogram[0], *summary.histogram[1]})
    return np.array([*PALETTE, *codes], np.int64)
