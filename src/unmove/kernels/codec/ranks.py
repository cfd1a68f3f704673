"""The numberings of a cell's value inside the codec: rank, context value, symbol.

`store/codec/order.py` draws the whole chain. Here are its last three links.

A *rank* is a place in this order, which is the order in which the side that moves into the cell
likes it, worst first:

    quickest win .. slowest win   draw   stalemate   conversion   slowest loss .. quickest loss

"Conversion" is a win whose first move is a conversion. Its distance is looked up in another table.

A *context value* is a rank spaced out for comparisons: eight times the rank, with a gap of GAP
ranks between wins, draws and losses, and the *class* in the lowest bits: win, draw, stalemate,
conversion or loss. Context values keep the order of ranks, so one comparison answers every question
of the tree. A cell that is not legal or lies beyond the edge has OUTSIDE, below all values.

A *symbol* is what the entropy coder codes: draw, stalemate, conversion, or the distance of a win
(a loss) from the predicted win (loss), folded onto 0, 1, 2, ...
"""

from __future__ import annotations

from typing import NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.scratch import (
    BITS_OF_CLASS,
    LEAST,
    LOSS,
    MOST,
    UNIT,
    WIN,
    ContextValues,
)
from unmove.kernels.intrinsics import at
from unmove.kernels.jit import inlined

Symbols = NewType("Symbols", NDArray[np.int64])
"""Symbols, in any shape."""

NOTHING, WON, DREW, STALE, CONVERTS, LOST = CLASSES = range(6)  # of a context value
GAP = 32  # ranks left free between wins and draws, and between draws and losses
DRAWN_RANKS = 3  # ranks between the wins and the losses: draw, stalemate, conversion
FIRST_WIN_SYMBOL = DRAWN_RANKS  # the symbols before it are draw, stalemate and conversion


class RankOrder(NamedTuple):
    """How many ranks a table has, what is predicted where no neighbour predicts, and strips."""

    wins: int
    losses: int
    usual_win: int  # among the wins
    usual_loss: int  # among the losses
    strips: int = 1  # that a plane is coded in, see `contexts.py`


@inlined
def first_loss(order: RankOrder) -> int:
    """The rank of the slowest loss."""
    return order.wins + DRAWN_RANKS


def escape_symbol(order: RankOrder) -> int:
    """The symbol after all others, which says that a symbol is rare in its leaf."""
    return order.wins + DRAWN_RANKS + order.losses


@inlined
def context_value(rank: int, order: RankOrder) -> int:
    """The context value of a rank."""
    if rank < order.wins:
        return UNIT * rank + WON
    if rank < first_loss(order):
        return UNIT * (rank + GAP) + DREW + rank - order.wins
    return UNIT * (rank + 2 * GAP) + LOST


@inlined
def rank_of_value(value: int) -> int:
    """The inverse of `context_value`."""
    kind = value & (UNIT - 1)
    return (value >> BITS_OF_CLASS) - GAP * (int(kind >= DREW) + int(kind == LOST))


@inlined
def fold_distance(rank: int, predicted: int, size: int) -> int:
    """The distance of a rank from the prediction, both in 0 .. size-1, as one of 0 .. size-1.

    Near distances become small numbers: 0, -1, 1, -2, 2, ...; beyond the nearer end of the range
    only one sign is left.
    """
    away = rank - predicted
    room = min(predicted, size - 1 - predicted)
    if -room <= away <= room:
        return 2 * away if away >= 0 else -2 * away - 1
    return rank if predicted < size - 1 - predicted else size - 1 - rank


@inlined
def unfold_distance(folded: int, predicted: int, size: int) -> int:
    """The inverse of `fold_distance`: the rank."""
    room = min(predicted, size - 1 - predicted)
    if folded <= 2 * room:
        return predicted + ((folded >> 1) ^ -(folded & 1))
    return folded if predicted < size - 1 - predicted else size - 1 - folded


@inlined
def symbol_of(rank: int, order: RankOrder, space: ContextValues) -> int:
    """The symbol of a rank, given the predictions in the work space."""
    if rank < order.wins:
        return FIRST_WIN_SYMBOL + fold_distance(rank, rank_of_value(space[WIN]), order.wins)
    first = first_loss(order)
    if rank < first:
        return rank - order.wins
    return first + fold_distance(rank - first, rank_of_value(space[LOSS]) - first, order.losses)


@inlined
def value_from(slot: int, away: int, space: ContextValues) -> int:
    """The context value of the symbol that is `away` from a slot; see `loading.describe_leaf`."""
    base = int(space[at(slot)])
    least = int(space[at(slot + LEAST)])
    most = int(space[at(slot + MOST)])
    if least <= base - abs(away) and base + abs(away) <= most:
        return base + away
    steps = away >> BITS_OF_CLASS
    folded = 2 * steps if steps >= 0 else -2 * steps - 1
    size = ((most - least) >> BITS_OF_CLASS) + 1
    return least + UNIT * unfold_distance(folded, (base - least) >> BITS_OF_CLASS, size)
