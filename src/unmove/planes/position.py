"""From a board to its cell, and back."""

from __future__ import annotations

from typing import NamedTuple

import chess

from unmove.games.chess import LETTERS
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout, Man

_KINDS = tuple(chess.Piece.from_symbol(letter).piece_type for letter in LETTERS)


class Address(NamedTuple):
    """Where a position stands: in the canonical material's table, with the stronger side White."""

    material: Material
    side: int  # to move
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


def locate(board: chess.Board, layout: Layout) -> Address:
    """The address of a board whose canonical material is the layout's.

    If Black is the stronger side the board is turned: colours exchanged, ranks upside down.
    """
    turned = material_of(board) != layout.material
    flip = 56 if turned else 0

    def squares(kind: chess.PieceType, side: int) -> list[int]:
        color = chess.COLORS[side ^ turned]
        return [square ^ flip for square in board.pieces(kind, color)]

    groups = [squares(_KINDS[man.kind], man.side) for man, _ in layout.groups]
    kings = [squares(chess.KING, side)[0] for side in (0, 1)]
    side = (0 if board.turn == chess.WHITE else 1) ^ turned
    return Address(layout.material, side, layout.cell(groups, kings))


def board_at(layout: Layout, side: int, cell: int) -> chess.Board:
    """The board of a cell, with `side` to move; the inverse of `locate` up to symmetry."""
    plane, kings = divmod(cell, CELLS)
    men = [
        (man, square)
        for (man, _), squares in zip(layout.groups, layout.placement(plane), strict=True)
        for square in squares
    ]
    return _board(men, divmod(kings, 64), side)


def _board(men: list[tuple[Man, int]], kings: tuple[int, int], side: int) -> chess.Board:
    board = chess.Board(None)
    for color, square in zip(chess.COLORS, kings, strict=True):
        board.set_piece_at(square, chess.Piece(chess.KING, color))
    for man, square in men:
        board.set_piece_at(square, chess.Piece(_KINDS[man.kind], chess.COLORS[man.side]))
    board.turn = chess.COLORS[side]
    return board
