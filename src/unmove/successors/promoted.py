"""The planes of a table that promotions lead into: a new piece stands where pawns promote.

They are the only planes of a table that another one of as many men reads while it is solved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import LETTERS, SQUARES
from unmove.kernels.successors import NO_VICTIM
from unmove.material import Material
from unmove.planes.kinds import KING_PLANES
from unmove.planes.layout import Layout, Man
from unmove.planes.layouts import layout_of, of_kings
from unmove.successors.moves import zeroing_moves
from unmove.values import BLACK, SIDES, WHITE, Side, opponent_of, swapped_if

_LAST_RANK = (7, 0)
_EDGE = (0, 7)


class Promotion(NamedTuple):
    """A promotion without a capture, as the table sees it that it leads into."""

    table: Material
    piece: Man
    side: Side
    """Who is to move then."""


def promotions_of(material: Material) -> Iterator[Promotion]:
    """The promotions of both sides."""
    if layout_of(material).kind != KING_PLANES:
        return
    layout = of_kings(layout_of(material))
    for mover in SIDES:
        for move in zeroing_moves(layout, mover):
            if move.promoted is not None and move.victim == NO_VICTIM:
                after = move.leads_to(layout)
                swapped = not after.is_canonical
                side = swapped_if(swapped, opponent_of(mover))
                yield Promotion(after.canonical(), move.promoted.swapped_if(swapped), side)


def planes_after(promotions: Iterable[Promotion]) -> dict[Side, NDArray[np.int64]]:
    """The planes of a table that these promotions can lead into, by side to move, ascending."""
    found: dict[Side, set[Man]] = {}
    for promotion in promotions:
        found.setdefault(promotion.side, set()).add(promotion.piece)
        layout = of_kings(layout_of(promotion.table))
    return {side: _planes_with(layout, pieces) for side, pieces in found.items()}


def share_after(promotions: Iterable[Promotion]) -> float:
    """About how many of the planes of a table these are, both sides to move together.

    Of k like men none stands on n of the squares in C(64 - n, k) of C(64, k) cases.
    """
    free = {WHITE: 1.0, BLACK: 1.0}
    for table, piece, side in set(promotions):
        squares = 8 if table.has_pawns else 28
        men = table.sides[piece.side].count(LETTERS[piece.kind])
        free[side] *= comb(SQUARES - squares, men) / comb(SQUARES, men)
    return sum(1 - share for share in free.values())


def _planes_with(layout: Layout, pieces: Iterable[Man]) -> NDArray[np.int64]:
    """The planes that have one of these pieces on its last rank, or on an image of it."""
    squares = layout.squares_at(np.arange(layout.count))
    there = np.zeros(layout.count, np.bool_)
    for piece in pieces:
        own = squares[:, [man == piece for man in layout.men]]
        if layout.material.has_pawns:
            there |= (own // 8 == _LAST_RANK[piece.side]).any(axis=1)
        else:
            there |= (np.isin(own // 8, _EDGE) | np.isin(own % 8, _EDGE)).any(axis=1)
    return np.flatnonzero(there)
