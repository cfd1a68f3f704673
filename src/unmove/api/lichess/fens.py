"""Positions as clients of a tablebase server write them: FENs that are short or a little wrong.

Fields are divided by spaces or underscores, and all but the first may be left out. A castling right
or an en-passant square that cannot be is dropped in silence, as lichess's server does it. Which
positions are illegal, and in which words, is that server's rule too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import chess

from unmove.errors import AskerError, BadFen
from unmove.games.boards import AnyBoard
from unmove.games.xiangqi_rules import XIANGQI_RULES
from unmove.variants import CHESS, XIANGQI, Game

LONGEST_FEN: Final = 300  # characters; the longest board with counters takes some ninety
LARGEST_COUNTER: Final = 9999
PAWNS: Final = 8

_COUNTER = re.compile(r"[0-9]+")
_CHECKS = re.compile(r"\+?[0-9]\+[0-9]")  # what is left of three checks
_POCKET = re.compile(r"\[[^\]]*\]$")  # men in hand, in crazyhouse
_FIELDS = 6


class IllegalBoard(AskerError):
    """A position that breaks the rules, in the words of lichess's server."""

    def __init__(self, fen: str, reasons: Sequence[str]) -> None:
        self.fen = fen
        self.reasons = tuple(reasons)
        super().__init__(f"illegal position: {', '.join(reasons)}")


def read(text: str, game: Game) -> AnyBoard:
    """The board of a text; an AskerError otherwise. It may have castling rights."""
    if len(text) > LONGEST_FEN:
        raise BadFen(text, f"it has more than {LONGEST_FEN} characters", _example(game))
    fields = text.replace("_", " ").split()
    if not fields:
        raise BadFen(text, "it is empty", _example(game))
    return _read_chess(text, fields) if game == CHESS else _read_xiangqi(text, fields)


def _example(game: Game) -> str:
    if game == XIANGQI:
        return "3k5/4P4/9/9/9/9/9/9/9/4K4 w"
    return "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def _read_xiangqi(text: str, fields: Sequence[str]) -> AnyBoard:
    """Counters are read and forgotten, as there is no rule about them."""
    men, side, *_ = *fields, "w"
    if len(fields) > _FIELDS:
        raise BadFen(text, "it has more than six fields", _example(XIANGQI))
    return XIANGQI_RULES.parse(f"{men} {side.lower()}")


def _read_chess(text: str, fields: Sequence[str]) -> chess.Board:
    fields = [field for field in fields if not _CHECKS.fullmatch(field)]
    if len(fields) > _FIELDS:
        raise BadFen(text, "it has more than six fields", _example(CHESS))
    men, turn, rights, square, clock, number = (*fields, *_DEFAULTS[len(fields) :])
    ranks = _POCKET.sub("", men).split("/")[:8]
    counters = [_counter(text, each) for each in (clock, number)]
    try:
        board = chess.Board(f"{'/'.join(ranks)} {turn.lower()} {rights} {square}")
    except ValueError as error:
        raise BadFen(text, str(error).split(": '")[0], _example(CHESS)) from error
    board.halfmove_clock, board.fullmove_number = counters[0], max(1, counters[1])
    if reasons := list(_flaws(board)):
        raise IllegalBoard(text, reasons)
    board.castling_rights = board.clean_castling_rights()
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    return board


_DEFAULTS: Final = ("", "w", "-", "-", "0", "1")
"""What a field is that was left out."""


def _counter(text: str, digits: str) -> int:
    """The number; what is larger than any game has is LARGEST_COUNTER."""
    if not _COUNTER.fullmatch(digits):
        raise BadFen(text, f"{digits[:20]!r} is no number of moves", _example(CHESS))
    return int(digits) if len(digits) <= len(str(LARGEST_COUNTER)) else LARGEST_COUNTER


def _flaws(board: chess.Board) -> Iterator[str]:
    """Why a position is illegal: these words, in this order."""
    status = board.status()
    kings = [len(board.pieces(chess.KING, color)) for color in chess.COLORS]
    if not board.occupied:
        yield "empty board"
    if min(kings) == 0:
        yield "missing king"
    if max(kings) > 1:
        yield "too many kings"
    if status & chess.STATUS_PAWNS_ON_BACKRANK:
        yield "pawns on backrank"
    if status & chess.STATUS_OPPOSITE_CHECK:
        yield "opposite check"
    if any(_has_too_much(board, color) for color in chess.COLORS):
        yield "too much material"


def _has_too_much(board: chess.Board, color: chess.Color) -> bool:
    """Whether a side has more men than it can begin with or promote to."""
    own = board.occupied_co[color]
    bishops = board.bishops & own
    extra = sum(
        max(0, (men & own).bit_count() - most)
        for men, most in (
            (board.queens, 1),
            (board.rooks, 2),
            (bishops & chess.BB_LIGHT_SQUARES, 1),
            (bishops & chess.BB_DARK_SQUARES, 1),
            (board.knights, 2),
        )
    )
    return (board.pawns & own).bit_count() + extra > PAWNS
