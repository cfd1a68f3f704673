"""What `unmove probe` and `unmove line` answer."""

from __future__ import annotations

from typing import Any

import chess
from rich.console import Console
from rich.table import Table

from unmove.cli.output import distance_text
from unmove.errors import UnmoveError
from unmove.probe.board import parse_fen
from unmove.probe.tablebase import RankedMove, Tablebase
from unmove.values import Metric, Outcome

SIDE_NAMES = {chess.WHITE: "White", chess.BLACK: "Black"}


def probe_answer(tables: Tablebase, fen: str) -> dict[str, Any]:
    """The answer to one FEN as plain data; an `error` instead if there is none."""
    try:
        board = parse_fen(fen)
        return {
            "fen": fen.strip(),
            "outcome": tables.probe_wdl(board).word,
            "dtm": tables.get_dtm(board),
            "dtc": tables.get_dtc(board),
            "moves": [_move_answer(ranked) for ranked in tables.moves(board)],
        }
    except UnmoveError as error:
        return {
            "fen": fen.strip(),
            "error": str(error),
            "kind": type(error).__name__,
            "exit_code": error.exit_code,
        }


def line_answer(tables: Tablebase, fen: str, metric: Metric) -> dict[str, Any]:
    """Best play from a FEN as plain data."""
    board = parse_fen(fen)
    outcome = tables.probe_wdl(board)
    moves = tables.line(board, metric)
    return {
        "fen": fen.strip(),
        "metric": metric.value,
        "outcome": outcome.word,
        "plies": len(moves) if outcome is not Outcome.DRAW else None,
        "line": chess.Board(board.fen()).variation_san(moves),
        "moves": [move.uci() for move in moves],
    }


def show_probe(tables: Tablebase, fen: str, console: Console) -> None:
    """The board, the verdict and the ranked moves, for a person."""
    board = parse_fen(fen)
    console.print(f"\n{board}\n", highlight=False)
    console.print(verdict(tables, board), highlight=False)
    ranked = tables.moves(board)
    if ranked:
        console.print(_move_table(ranked))


def verdict(tables: Tablebase, board: chess.Board) -> str:
    """One sentence: who wins, and how fast."""
    side = SIDE_NAMES[board.turn]
    outcome = tables.probe_wdl(board)
    dtm, dtc = tables.get_dtm(board), tables.get_dtc(board)
    if board.is_checkmate():
        return f"{side} is checkmated."
    if board.is_stalemate():
        return f"{side} is stalemated: a draw."
    if outcome is Outcome.DRAW:
        return f"{side} to move: a draw."
    word = "wins" if outcome is Outcome.WIN else "loses"
    parts = [
        f"{name} in {distance_text(value)}"
        for name, value in (("mate", dtm), ("conversion", dtc))
        if value is not None
    ]
    return f"{side} to move {word}: {', '.join(parts)}."


def _move_answer(ranked: RankedMove) -> dict[str, Any]:
    return {
        "uci": ranked.move.uci(),
        "san": ranked.san,
        "outcome": ranked.outcome.word,
        "dtm": ranked.dtm,
        "dtc": ranked.dtc,
    }


def _move_table(ranked: list[RankedMove]) -> Table:
    table = Table("move", "outcome", "mate in", "conversion in", box=None, pad_edge=False)
    styles = {Outcome.WIN: "green", Outcome.DRAW: "yellow", Outcome.LOSS: "red"}
    for move in ranked:
        distances = ("" if v is None else distance_text(v) for v in (move.dtm, move.dtc))
        table.add_row(move.san, move.outcome.word, *distances, style=styles[move.outcome])
    return table
