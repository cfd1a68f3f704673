"""What `unmove probe` and `unmove line` answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table

from unmove.cli.output import distance_text
from unmove.errors import UnmoveError
from unmove.games.boards import Board, parse_fen, rules_of
from unmove.probe.tablebase import RankedMove, Tablebase
from unmove.values import Metric, Outcome, Outcome50, outcome50_of, outcome_of, value_of

FENS_AT_ONCE = 10_000

SIDE_NAMES = ("White", "Black")


def probe_answer(tables: Tablebase, fen: str) -> dict[str, Any]:
    """The answer to one FEN as plain data; an `error` instead if there is none."""
    try:
        board = parse_fen(fen)
        return {
            "fen": fen.strip(),
            "outcome": tables.probe_wdl(board).word,
            "outcome50": _word(tables.get_wdl50(board)),
            "dtm": tables.get_dtm(board),
            "dtc": tables.get_dtc(board),
            "dtz": tables.get_dtz(board),
            "moves": [_move_answer(ranked) for ranked in tables.moves(board)],
        }
    except UnmoveError as error:
        return _failure(fen, error)


def _failure(fen: str, error: UnmoveError) -> dict[str, Any]:
    return {
        "fen": fen.strip(),
        "error": str(error),
        "kind": type(error).__name__,
        "exit_code": error.exit_code,
    }


def bulk_answers(tables: Tablebase, fens: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The answers to many FENs as plain data, without moves, some thousands at a time."""
    rest = iter(fens)
    while chunk := list(islice(rest, FENS_AT_ONCE)):
        found = {metric: tables.answer_fens(chunk, metric) for metric in Metric}
        for number, fen in enumerate(chunk):
            errors = [errors[number] for _, errors in found.values() if number in errors]
            if len(errors) == len(Metric):
                yield _failure(fen, errors[0])
                continue
            codes = {
                metric: int(values.codes[number])
                for metric, (values, errors_) in found.items()
                if number not in errors_
            }
            outcome50 = outcome50_of(codes[Metric.DTZ]) if Metric.DTZ in codes else None
            yield {
                "fen": fen.strip(),
                "outcome": outcome_of(next(iter(codes.values()))).word,
                "outcome50": _word(outcome50),
                **{
                    metric.value: value_of(codes[metric], metric) if metric in codes else None
                    for metric in Metric
                },
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
        "plies": len(moves) if outcome != Outcome.DRAW else None,
        "line": rules_of(board).line(board, moves),
        "moves": [str(move) for move in moves],
    }


def show_probe(tables: Tablebase, fen: str, console: Console) -> None:
    """The board, the verdict and the ranked moves, for a person."""
    board = parse_fen(fen)
    console.print(f"\n{rules_of(board).picture(board)}\n", highlight=False)
    console.print(verdict(tables, board), highlight=False)
    ranked = tables.moves(board)
    if ranked:
        console.print(move_table(ranked))


def verdict(tables: Tablebase, board: Board) -> str:
    """One sentence: who wins, and how fast."""
    rules = rules_of(board)
    side = SIDE_NAMES[rules.side(board)]
    outcome = tables.probe_wdl(board)
    if not rules.moves(board):
        end = "a draw" if outcome == Outcome.DRAW else "a loss"
        return (
            f"{side} is checkmated." if rules.is_check(board) else f"{side} is stalemated: {end}."
        )
    if outcome == Outcome.DRAW:
        return f"{side} to move: a draw."
    word = "wins" if outcome == Outcome.WIN else "loses"
    values = tables.get_dtm(board), tables.get_dtc(board), tables.get_dtz(board)
    parts = [
        f"{metric.goal} in {distance_text(value)}"
        for metric, value in zip(Metric, values, strict=True)
        if value is not None
    ]
    cursed = tables.get_wdl50(board) in (Outcome50.CURSED_WIN, Outcome50.BLESSED_LOSS)
    rule = " The 50-move rule makes it a draw." if cursed else ""
    return f"{side} to move {word}: {', '.join(parts)}.{rule}"


def _word(outcome: Outcome50 | None) -> str | None:
    return None if outcome is None else outcome.word


def _move_answer(ranked: RankedMove[Any]) -> dict[str, Any]:
    return {
        "uci": str(ranked.move),
        "san": ranked.san,
        "outcome": ranked.outcome.word,
        "outcome50": _word(ranked.outcome50),
        "dtm": ranked.dtm,
        "dtc": ranked.dtc,
        "dtz": ranked.dtz,
    }


def move_table(ranked: Sequence[RankedMove[Any]]) -> Table:
    """A row a move: its outcome, and its distances as far as they are built."""
    built = [metric for metric in Metric if metric in ranked[0].codes]
    headings = (f"{metric.goal} in" for metric in built)
    table = Table("move", "outcome", *headings, box=None, pad_edge=False)
    styles = {Outcome.WIN: "green", Outcome.DRAW: "yellow", Outcome.LOSS: "red"}
    for move in ranked:
        values = [move.value(metric) for metric in built]
        distances = ("" if value is None else distance_text(value) for value in values)
        word = _word(move.outcome50) or move.outcome.word
        table.add_row(move.san, word, *distances, style=styles[move.outcome])
    return table
