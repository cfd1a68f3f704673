"""The boards of all games, and by whose rules each is played."""

from __future__ import annotations

from typing import Any

import chess

from unmove.games import xiangqi, xiangqi_board
from unmove.games.chess_rules import CHESS_RULES
from unmove.games.rules import Rules
from unmove.games.xiangqi_rules import XIANGQI_RULES

Board = chess.Board | xiangqi_board.Board
Move = chess.Move | xiangqi_board.Move


def rules_of(board: Board) -> Rules[Any, Any]:
    """The rules of a board."""
    return CHESS_RULES if isinstance(board, chess.Board) else XIANGQI_RULES


def rules_of_fen(fen: str) -> Rules[Any, Any]:
    """The rules of a FEN, told by its ranks: xiangqi has ten of them."""
    return XIANGQI_RULES if fen.count("/") == xiangqi.RANKS - 1 else CHESS_RULES


def parse_fen(fen: str) -> Board:
    """The board of a FEN that can be asked; BadFen, IllegalPosition or CastlingRights otherwise."""
    board: Board = rules_of_fen(fen).parse(fen)
    return board
