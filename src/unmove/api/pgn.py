"""Best play as a game that other programs read."""

from __future__ import annotations

import chess
import chess.pgn

from unmove.games.boards import AnyBoard, rules_of
from unmove.probe.tablebase import Tablebase
from unmove.research.judging import Judgement
from unmove.research.records import best_play
from unmove.values import DRAW, Metric, Outcome

COLUMNS = 80


def line_pgn(tables: Tablebase, board: AnyBoard, metric: Metric) -> str:
    """Best play by a metric as PGN, only moves marked; in xiangqi with moves in WXF."""
    tables.probe_boards([board], metric)
    decided = tables.probe(board).outcome != Outcome.DRAW
    line = list(best_play(tables, board, metric)) if decided else []
    if isinstance(board, chess.Board):
        return str(_game(board, line, metric)) + "\n"
    rules = rules_of(board)
    moves = rules.line(board, [judged.made.move for judged in line])
    tags = {"Event": _title(metric), "Variant": rules.game.name, "FEN": board.fen()}
    result = _result(board, line)
    head = "\n".join(f'[{name} "{text}"]' for name, text in (tags | {"Result": result}).items())
    return f"{head}\n\n{moves} {result}\n".replace("\n\n ", "\n\n")


def _game(board: chess.Board, line: list[Judgement], metric: Metric) -> chess.pgn.Game:
    game = chess.pgn.Game()
    game.setup(board)
    game.headers["Event"] = _title(metric)
    game.headers["Result"] = _result(board, line)
    node: chess.pgn.GameNode = game
    for judged in line:
        glyphs = [] if judged.mark is None else [judged.mark.glyph]
        node = node.add_variation(judged.made.move, nags=glyphs)
    return game


def _title(metric: Metric) -> str:
    return f"Best play by distance to {metric.goal}"


def _result(board: AnyBoard, line: list[Judgement]) -> str:
    """`1-0`, `0-1` or a draw, by the side that makes the last move."""
    rules = rules_of(board)
    if not line:
        lost = not rules.moves(board) and rules.code_without_moves(board) != DRAW
        return ("0-1", "1-0")[rules.side(board)] if lost else "1/2-1/2"
    last = (rules.side(board) + len(line) - 1) % 2
    return ("1-0", "0-1")[last]
