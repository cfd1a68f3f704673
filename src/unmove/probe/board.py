"""Which boards can be asked: a FEN that is one, a position that can occur, no castling rights.

An en-passant square must be one that a pawn has just stepped over. Whether an enemy pawn can take
there is another matter: without one the square changes nothing, and is accepted.
"""

from __future__ import annotations

import chess

from unmove.errors import BadFen, CastlingRights, IllegalPosition

_REASONS = (
    (chess.STATUS_NO_WHITE_KING, "White has no king"),
    (chess.STATUS_NO_BLACK_KING, "Black has no king"),
    (chess.STATUS_TOO_MANY_KINGS, "a side has more than one king"),
    (chess.STATUS_PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
    (chess.STATUS_OPPOSITE_CHECK, "the side that is not to move is in check"),
    (chess.STATUS_BAD_CASTLING_RIGHTS, "a castling right has no king and rook in their places"),
    (chess.STATUS_INVALID_EP_SQUARE, "no pawn has just stepped over the en-passant square"),
)
LONGEST_CLOCK = 150  # half-moves, after which a game is over by the 75-move rule


def parse_fen(fen: str) -> chess.Board:
    """The board of a FEN, checked by `check`."""
    text = fen.strip()
    try:
        board = chess.Board(text)
    except ValueError as error:
        raise BadFen(text, str(error)) from error
    if board.halfmove_clock > LONGEST_CLOCK:
        reason = f"the half-move clock is {board.halfmove_clock}, and {LONGEST_CLOCK} at most"
        raise BadFen(text, reason)
    check(board, text)
    return board


def check(board: chess.Board, fen: str | None = None) -> None:
    """The board can be asked; IllegalPosition or CastlingRights otherwise.

    Only what a table cannot hold is refused. Positions that no game reaches for subtler reasons
    (three checks at once, say) have a value and get it.
    """
    status = board.status()
    for flag, reason in _REASONS:
        if status & flag:
            if flag == chess.STATUS_OPPOSITE_CHECK and _kings_touch(board):
                reason = "the kings touch"
            raise IllegalPosition(fen or board.fen(), reason)
    if board.castling_rights:
        raise CastlingRights(fen or board.fen())


def _kings_touch(board: chess.Board) -> bool:
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    return white is not None and black is not None and chess.square_distance(white, black) == 1
