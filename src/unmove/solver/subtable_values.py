"""What conversions bring into the loop, and when.

A conversion (and, for a slice of pawns, any pawn move) leads into positions that are solved. Its
value *arrives* in the loop at the level of `values.code_before`: that function is all the
difference between metrics. There are two ways to keep these values. `capture_values.py` keeps the
smaller endgames of a pawnless table as sets of positions: a byte a cell of theirs, and none a cell
of its own. `conversion_values.py` keeps the best conversion of each cell, a byte or two, for the
slices of a table with pawns and for xiangqi.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from unmove.kernels.arrays import PositionSet
from unmove.kernels.sets import Conversions, SubtableSets
from unmove.values import Code, Level, Side

NO_SETS = PositionSet(np.zeros((0, 0), np.uint64))
NO_SUBTABLES = SubtableSets(np.zeros((0, 0, 64), np.uint64), np.zeros((0, 0), np.uint8))
NO_CONVERSIONS = Conversions(
    arrive=False,
    live=np.zeros(0, np.uint8),
    arriving=NO_SETS,
    leaving=NO_SETS,
    blocked=NO_SETS,
    targets=NO_SUBTABLES,
    saving=NO_SUBTABLES,
)


class SubtableValues(Protocol):
    """Conversions for one winner, level by level. An answer is valid until the next call."""

    last: Level
    """The last level at which anything can arrive."""

    arrivals: frozenset[tuple[Side, Code]]
    """By mover: the codes with which conversions arrive on some of the planes. Where they are not
    known by planes there are none in it. More may be put in, to which no conversion belongs."""

    def standing(self) -> Conversions:
        """None arrives, and any of the loser's saves him: what mates and stalemates have not."""

    def lost_at(self, level: Level) -> Conversions:
        """The winner's conversions that win at this level arrive."""

    def won_at(self, level: Level) -> Conversions:
        """The loser's conversions that lose at this level arrive; those that lose later save him.

        Levels ascend, but may be left out.
        """
