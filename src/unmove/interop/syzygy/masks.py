"""A board as sets of squares, which the kernels read."""

from __future__ import annotations

import struct
from typing import Final

import chess

from unmove.errors import TooManyMen, VariantBoard
from unmove.games.boards import AnyBoard, rules_of
from unmove.games.chess_rules import CHESS_RULES
from unmove.kernels.syzygy.numbering import MOST_FILE_MEN

MASKS: Final = struct.Struct("=10Q")
NO_SQUARE: Final = 64


def put_masks(board: AnyBoard, buffer: memoryview, offset: int) -> None:
    """The board is in the buffer, as the kernels read it; raises what no file can have."""
    if type(board) is not chess.Board:
        rules_of(board)
    if not isinstance(board, chess.Board):
        raise VariantBoard("xiangqi")
    if board.castling_rights or board.ep_square is not None:
        CHESS_RULES.check(board)
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    square = NO_SQUARE if board.ep_square is None else board.ep_square
    MASKS.pack_into(
        buffer,
        offset,
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        white,
        black,
        not board.turn,
        square,
    )


def refuse(board: chess.Board) -> None:
    """The error that says why a board of chess has no value."""
    CHESS_RULES.check(board)
    raise TooManyMen(len(board.piece_map()), MOST_FILE_MEN)
