"""From a board to its cell, in plain Python: the slow twin of `kernels/locate.py`."""

from __future__ import annotations

from typing import NamedTuple

import chess

from unmove.games.chess import LETTERS
from unmove.material import Material
from unmove.planes.layouts import AnyLayout, of_kings
from unmove.values import BLACK, SIDES, WHITE, Side, swapped_if

_KINDS = tuple(chess.Piece.from_symbol(letter).piece_type for letter in LETTERS)


class Address(NamedTuple):
    """Where a position stands: in the canonical material's table, with the stronger side White."""

    material: Material
    side: Side  # to move
    cell: int  # plane * CELLS + cell of a layout without padding


def material_of(board: chess.Board) -> Material:
    """The men on the board, sides as they are."""
    white, black = (
        "".join(
            chess.piece_symbol(kind).upper() * len(board.pieces(kind, color))
            for kind in range(chess.PAWN, chess.KING)
        )
        for color in chess.COLORS
    )
    return Material.of(white, black)


def locate(board: chess.Board, layout: AnyLayout) -> Address:
    """The address of a board whose canonical material is the layout's.

    If Black is the stronger side the board is turned: colours exchanged, ranks upside down.
    """
    turned = material_of(board) != layout.material
    flip = 56 if turned else 0

    def squares(kind: chess.PieceType, side: Side) -> list[int]:
        color = chess.COLORS[swapped_if(turned, side)]
        return [square ^ flip for square in board.pieces(kind, color)]

    groups = [squares(_KINDS[man.kind], man.side) for man, _ in layout.groups]
    kings = [squares(chess.KING, side)[0] for side in SIDES]
    side = swapped_if(turned, WHITE if board.turn == chess.WHITE else BLACK)
    return Address(layout.material, side, of_kings(layout).cell(groups, kings))
