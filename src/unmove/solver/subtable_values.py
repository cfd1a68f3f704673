"""What conversions bring into the loop, and when.

A conversion (and, for a slice of pawns, any pawn move) leads into positions that are solved. Its
value *arrives* in the loop at the level of `values.code_before`: that function is all the
difference between metrics. There are two ways to keep these values. `capture_values.py` keeps the
smaller endgames of a pawnless table as sets of positions: a byte a cell of theirs, and none a cell
of its own. `conversion_values.py` keeps the best conversion of each cell, a byte or two, for the
slices of a table with pawns. Either way the endgame, or its part, is in memory as a whole while it
is solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from unmove.kernels.arrays import PositionSet
from unmove.kernels.sets import Frontier
from unmove.values import Level


class SubtableValues(Protocol):
    """Conversions for one winner, level by level."""

    last: Level
    """The last level at which anything can arrive."""

    def block(self) -> None:
        """`blocked` holds the loser's positions with any conversion: none of them loses yet."""

    def lost_at(self, level: Level) -> Frontier | None:
        """The winner's positions with a conversion that wins at this level; None if there are none.

        Valid until the next call, like that of `won_at`.
        """

    def converted(self) -> Frontier:
        """The part of the last `lost_at` that a capture or promotion wins, not just a pawn move."""

    def won_at(self, level: Level) -> Frontier | None:
        """The loser's positions with a conversion that loses at this level.

        They leave `blocked`, unless the loser has another one that does not lose yet.
        """


@dataclass(frozen=True)
class ArrivalBuffers:
    """The sets that values of conversions are written to, [plane, word]."""

    arrivals: Frontier
    blocked: PositionSet
