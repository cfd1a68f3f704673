"""The boards of all games, and the rules of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import chess
import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadBoard, BadFen, VariantBoard
from unmove.games import xiangqi, xiangqi_board
from unmove.games.chess_rules import CHESS_RULES
from unmove.games.rules import Rules, columns_of
from unmove.games.xiangqi_rules import XIANGQI_RULES
from unmove.material import Material
from unmove.values import Side
from unmove.variants import CHESS, XIANGQI, Game

AnyBoard = chess.Board | xiangqi_board.Board
AnyMove = chess.Move | xiangqi_board.Move

_RULES: Final[dict[Game, Rules[Any, Any]]] = {CHESS: CHESS_RULES, XIANGQI: XIANGQI_RULES}
_FLIPS: Final = {CHESS: np.arange(64) ^ 56, XIANGQI: xiangqi.FLIP}
_MIRRORS: Final = {CHESS: np.arange(64) ^ 7, XIANGQI: xiangqi.MIRROR}


def rules_of(board: AnyBoard) -> Rules[Any, Any]:
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


def parse_fen(fen: str) -> AnyBoard:
    """The board of a FEN that can be asked; BadFen, IllegalPosition or CastlingRights otherwise."""
    board: AnyBoard = rules_of_fen(fen).parse(fen)
    return board


def board_of(material: Material, squares: Sequence[int], side: Side) -> AnyBoard:
    """The board of men on squares, in the order of the material's name."""
    men = zip(columns_of(material), squares, strict=True)
    board: AnyBoard = _RULES[material.game].set_up(men, side)
    return board


def mirrored(squares: NDArray[np.uint8], game: Game) -> NDArray[np.uint8]:
    """The squares in the other half of the same ranks."""
    return _seen(_MIRRORS[game], squares)


def exchanged(squares: NDArray[np.uint8], material: Material) -> NDArray[np.uint8]:
    """Positions of a material as those of `material.swapped()`: colours exchanged, upside down."""
    others_first = np.roll(squares, -1 - len(material.white), axis=1)
    return _seen(_FLIPS[material.game], others_first)


def _seen(image: NDArray[np.int64], squares: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The images of squares; numbers that are no squares stay."""
    everything = np.arange(256, dtype=np.uint8)
    everything[: len(image)] = image
    return everything[squares]
