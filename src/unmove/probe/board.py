"""Which boards can be asked: a FEN that is one, a position that can occur, no castling rights."""

from __future__ import annotations

import chess

from unmove.errors import BadFen, CastlingRights, IllegalPosition

_REASONS = (
    (chess.STATUS_NO_WHITE_KING, "White has no king"),
    (chess.STATUS_NO_BLACK_KING, "Black has no king"),
    (chess.STATUS_TOO_MANY_KINGS, "a side has more than one king"),
    (chess.STATUS_PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
    (chess.STATUS_OPPOSITE_CHECK, "the side that is not to move is in check"),
)


def parse_fen(fen: str) -> chess.Board:
    """The board of a FEN, checked by `check`."""
    text = fen.strip()
    try:
        board = chess.Board(text)
    except ValueError as error:
        raise BadFen(text, str(error)) from error
    check(board, text)
    return board


def check(board: chess.Board, fen: str | None = None) -> None:
    """The board can be asked; IllegalPosition or CastlingRights otherwise.

    Only what a table cannot hold is refused. Positions that no game reaches for subtler reasons
    (three checks at once, say) have a value and get it.
    """
    if board.castling_rights:
        raise CastlingRights(fen or board.fen())
    status = board.status()
    for flag, reason in _REASONS:
        if status & flag:
            if flag == chess.STATUS_OPPOSITE_CHECK and _kings_touch(board):
                reason = "the kings touch"
            raise IllegalPosition(fen or board.fen(), reason)


def _kings_touch(board: chess.Board) -> bool:
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    return white is not None and black is not None and chess.square_distance(white, black) == 1
