"""The boards of all games, and by whose rules each is played."""

from __future__ import annotations

from typing import Any, Final

import chess
import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadBoard, BadFen, VariantBoard
from unmove.game import CHESS, XIANGQI, Game
from unmove.games import xiangqi, xiangqi_board
from unmove.games.chess_rules import CHESS_RULES
from unmove.games.rules import Rules
from unmove.games.xiangqi_rules import XIANGQI_RULES

Board = chess.Board | xiangqi_board.Board
Move = chess.Move | xiangqi_board.Move

_FLIPS: Final = {CHESS: np.arange(64) ^ 56, XIANGQI: xiangqi.FLIP}


def rules_of(board: Board) -> Rules[Any, Any]:
    """The rules of a board; VariantBoard or BadBoard if there are none for it here."""
    if isinstance(board, chess.Board):
        if board.uci_variant != chess.Board.uci_variant:
            raise VariantBoard(board.uci_variant or type(board).__name__)
        return CHESS_RULES
    if isinstance(board, xiangqi_board.Board):
        return XIANGQI_RULES
    raise BadBoard(board)


def rules_of_fen(fen: str) -> Rules[Any, Any]:
    """The rules of a FEN, told by its ranks: xiangqi has ten of them."""
    if not isinstance(fen, str):
        raise BadFen(repr(fen), f"it is a {type(fen).__name__} and not a text")
    return XIANGQI_RULES if fen.count("/") == xiangqi.RANKS - 1 else CHESS_RULES


def parse_fen(fen: str) -> Board:
    """The board of a FEN that can be asked; BadFen, IllegalPosition or CastlingRights otherwise."""
    board: Board = rules_of_fen(fen).parse(fen)
    return board


def upside_down(squares: NDArray[np.uint8], game: Game) -> NDArray[np.uint8]:
    """The squares that are to Black what these are to White; numbers that are none stay."""
    image = np.arange(256, dtype=np.uint8)
    image[: len(_FLIPS[game])] = _FLIPS[game]
    return image[squares]
