"""Positions as GUIs give them: a FEN or the start of a game, and the moves made since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import chess

from unmove.engine.dialects import CYCLONE, UCI, Dialect
from unmove.errors import BadFen, BadMove, CastlingRights, IllegalPosition
from unmove.games.boards import AnyBoard, AnyMove, rules_of
from unmove.games.chess_rules import CHESS_RULES
from unmove.games.rules import Rules
from unmove.games.xiangqi import RANKS
from unmove.games.xiangqi_board import START_FEN
from unmove.games.xiangqi_rules import XIANGQI_RULES

_GAMES: Final[dict[str, tuple[Rules[Any, Any], str]]] = {
    rules.game.name: (rules, fen)
    for rules, fen in ((CHESS_RULES, chess.STARTING_FEN), (XIANGQI_RULES, START_FEN))
}
"""The rules of each game, and how it starts."""
_EXAMPLES: Final = {"chess": "b6b7", "xiangqi": "h3e3"}
"""A move of each game, with ranks from 1."""


@dataclass(frozen=True)
class Position:
    """A board, and the positions of the game that must not come a third time."""

    board: AnyBoard
    twice: frozenset[str] = frozenset()
    """The positions that have been on the board two times or more, as `key` writes them."""

    def repeats(self, board: AnyBoard) -> bool:
        """Whether a board that a move leads to would be there for the third time."""
        return bool(self.twice) and key(board) in self.twice


REFUSED: Final = Position(chess.Board(None))
"""After a position that was refused: a move for any other one would be wrong."""


def key(board: AnyBoard) -> str:
    """The position without its counters: the same text for the same position."""
    return board.fen().rsplit(" ", 2)[0]


def dialect_of(dialect: Dialect, words: Sequence[str]) -> Dialect:
    """The dialect that a position is written in, told by the ranks of its FEN.

    Ten ranks where chess is spoken are those of a GUI that knows xiangqi alone: it counts ranks
    from 0. Eight ranks bring such an engine back to chess.
    """
    ranks = words[1].count("/") + 1 if words[:1] == ["fen"] and len(words) > 1 else 0
    if dialect == UCI and ranks == RANKS:
        return CYCLONE
    return UCI if dialect == CYCLONE and ranks == len(chess.RANK_NAMES) else dialect


def read_position(words: Sequence[str], dialect: Dialect, *, chess960: bool = False) -> Position:
    """The position of what follows `position`: `fen ...` or `startpos`, `moves ...`.

    BadFen, IllegalPosition or BadMove if there is none. Castling rights are no mistake here.
    """
    rules, start = _GAMES[dialect.game]
    fen_words, moves = _parts(words)
    if fen_words[:1] == ["startpos"]:
        board = _board(rules, start, chess960)
    elif fen_words[:1] == ["fen"]:
        board = _board(rules, " ".join(fen_words[1:]), chess960)
    else:
        raise BadFen(" ".join(words), "`fen` or `startpos` is missing before it")
    times = Counter([key(board)])
    for text in moves:
        board = rules_of(board).after(board, read_move(board, text, dialect)).board
        times[key(board)] += 1
    return Position(board, frozenset(fen for fen, number in times.items() if number > 1))


def read_move(board: AnyBoard, text: str, dialect: Dialect) -> AnyMove:
    """The legal move of a text in coordinates; BadMove if there is none."""
    try:
        move: AnyMove = rules_of(board).parse_move(board, dialect.read_move(text))
    except BadMove as error:
        example = dialect.write_move(_EXAMPLES[dialect.game])
        raise BadMove(text, error.reason, example) from error
    return move


def write_move(board: AnyBoard, move: AnyMove, dialect: Dialect) -> str:
    """A legal move in coordinates; castling is a king's move of two squares unless it is 960's."""
    if isinstance(board, chess.Board) and isinstance(move, chess.Move):
        return board.uci(move)
    return dialect.write_move(str(move))


def _parts(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What comes before `moves`, and what comes after it."""
    if "moves" not in words:
        return words, ()
    place = list(words).index("moves")
    return words[:place], words[place + 1 :]


def _board(rules: Rules[Any, Any], fen: str, chess960: bool) -> AnyBoard:
    """The board of a FEN. With castling rights, too: a game of the GUI may begin with them."""
    try:
        board: AnyBoard = rules.parse(fen)
    except CastlingRights:
        board = chess.Board(fen)
    except IllegalPosition:
        if not chess960 or rules is not CHESS_RULES:
            raise
        board = _board960(fen)
    if isinstance(board, chess.Board):
        board.chess960 = chess960
    return board


def _board960(fen: str) -> chess.Board:
    """The board of a FEN whose castling rights are those of Chess960."""
    board = chess.Board(fen, chess960=True)
    with suppress(CastlingRights):
        CHESS_RULES.check(board)
    return board
