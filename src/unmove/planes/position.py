"""From a cell to its board."""

from __future__ import annotations

import chess

from unmove.games import xiangqi_board
from unmove.games.chess import LETTERS
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layout import CELLS, Layout, Man
from unmove.values import Side

_PIECE_TYPES = tuple(chess.Piece.from_symbol(letter).piece_type for letter in LETTERS)


def board_at(layout: Layout, side: Side, cell: int) -> chess.Board:
    """The board of a cell, with `side` to move; the inverse of `Layout.cell` up to symmetry."""
    plane, kings = divmod(cell, CELLS)
    men = [
        (man, square)
        for (man, _), squares in zip(layout.groups, layout.placement(plane), strict=True)
        for square in squares
    ]
    return _board(men, divmod(kings, 64), side)


def court_board_at(layout: CourtLayout, side: Side, index: int) -> xiangqi_board.Board:
    """The board of a cell, with `side` to move; ValueError if the cell is no placement."""
    board = layout.board_at(side, index)
    if board is None:
        raise ValueError(f"cell {index} of {layout.material} is no placement")
    return board


def _board(men: list[tuple[Man, int]], kings: tuple[int, int], side: Side) -> chess.Board:
    board = chess.Board(None)
    for color, square in zip(chess.COLORS, kings, strict=True):
        board.set_piece_at(square, chess.Piece(chess.KING, color))
    for man, square in men:
        board.set_piece_at(square, chess.Piece(_PIECE_TYPES[man.kind], chess.COLORS[man.side]))
    board.turn = chess.COLORS[side]
    return board
