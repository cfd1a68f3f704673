"""The order of a table's values: from codes to the ranks that are coded, and back.

A cell's value goes by several numbers on its way into a file. Each step can be undone:

    Code            the value of a position, see `values.py`: 2n + 1 wins at level n, ...
      |             a table has a *palette*: a list of the codes in it
    CellNumber      the code's place in the palette: what a cell of a table in memory holds
      |             Order.from_numbers, Order.to_numbers; codes are in the order of preference
    Rank            the place of the value in the file's order
      |             kernels.codec.ranks.context_value, rank_of_value
    context value   the rank, spaced so that one comparison answers any question of the tree
      |             kernels.codec.ranks.symbol_of, value_from; given the cell's predictions
    symbol          what the entropy coder codes

For a table whose stored sides win in 1 or 3 plies, draw, or lose in 0 or 2 plies:

                 broken  +1  +3  draw  stalemate  conversion  -2  -0
    Code              0   3   7     1          1           -   6   2
    CellNumber        0   4   6     1          2           7   5   3
    Rank              7   0   1     2          3           4   5   6

`kernels/codec/ranks.py` says what a rank is. A table has a rank for each value that its stored
sides have; the summary of the file tells which these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmove.kernels.arrays import CellNumber, CellNumbers, Palette, Rank, Ranks
from unmove.kernels.codec.ranks import DRAWN_RANKS, RankOrder
from unmove.store.source import PALETTE, STALEMATE, cell_type
from unmove.store.summary import Summary
from unmove.values import DRAW, Code, Side


@dataclass(frozen=True)
class Order:
    """wins: codes, quickest first; losses: codes, slowest first."""

    wins: tuple[Code, ...]
    losses: tuple[Code, ...]
    usual: tuple[int, int]
    """The most frequent win, by its place among the wins; and loss, among the losses."""
    strips: int = 1
    """How many strips a plane is coded in; see `kernels/codec/contexts.py`."""

    @classmethod
    def of(cls, summary: Summary, sides: Sequence[Side], strips: int = 1) -> Order:
        """The order of a table's stored sides."""
        counts: dict[Code, int] = {}
        for side in sides:
            for code, positions in summary.histogram[side].items():
                counts[code] = counts.get(code, 0) + positions
        wins = sorted(code for code in counts if code % 2 == 1)
        losses = sorted((code for code in counts if code % 2 == 0), reverse=True)
        usual = _most_frequent(wins, counts), _most_frequent(losses, counts)
        return cls(tuple(wins), tuple(losses), usual, strips)

    @cached_property
    def for_kernels(self) -> RankOrder:
        """The order as kernels see it."""
        return RankOrder(len(self.wins), len(self.losses), *self.usual, self.strips)

    @cached_property
    def draw(self) -> Rank:
        """The rank of a draw; those of a stalemate and of a conversion follow."""
        return Rank(len(self.wins))

    @property
    def stalemate(self) -> Rank:
        """The rank of a stalemate."""
        return Rank(self.draw + 1)

    @property
    def conversion(self) -> Rank:
        """The rank of a win whose first move is a conversion."""
        return Rank(self.draw + 2)

    @cached_property
    def illegal(self) -> Rank:
        """The number after all ranks, in a cell that is not legal."""
        return Rank(self.draw + DRAWN_RANKS + len(self.losses))

    @property
    def kind(self) -> type[np.uint8] | type[np.uint16]:
        """The type of a rank in an array."""
        return cell_type(self.illegal + 1)

    def from_numbers(self, palette: Palette) -> Ranks:
        """[number of a palette]: its rank; `illegal` for codes that no stored side has."""
        first_loss = self.draw + DRAWN_RANKS
        ranks: dict[int, int] = {code: rank for rank, code in enumerate(self.wins)}
        ranks |= {code: rank for rank, code in enumerate(self.losses, start=first_loss)}
        found = [ranks.get(code, self.illegal) for code in palette.tolist()]
        found[: len(PALETTE)] = self.illegal, self.draw, self.stalemate
        return Ranks(np.array(found, self.kind))

    def to_numbers(self, palette: Palette, conversion: CellNumber) -> CellNumbers:
        """[rank]: its number in a palette, and `conversion` for conversions."""
        codes = palette.tolist()
        place = {code: number for number, code in enumerate(codes) if number >= len(PALETTE)}
        wins = [place[code] for code in self.wins]
        losses = [place[code] for code in self.losses]
        drawn = [PALETTE.index(DRAW), STALEMATE, conversion]
        numbers = [*wins, *drawn, *losses, 0]
        return CellNumbers(np.array(numbers, cell_type(max(conversion, len(codes)) + 1)))


def _most_frequent(codes: list[Code], counts: dict[Code, int]) -> int:
    """The place of the most frequent code; 0 if there is none."""
    found = [counts[code] for code in codes]
    return found.index(max(found)) if found else 0


def palette_of(summary: Summary) -> Palette:
    """The codes of both sides' cells, as tables have them in memory."""
    codes = sorted({*summary.histogram[0], *summary.histogram[1]})
    return Palette(np.array([*PALETTE, *codes], np.int64))
