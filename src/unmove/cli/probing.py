"""What `unmove probe` and `unmove line` answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table

from unmove.cli.output import distance_text, show_table
from unmove.errors import NOT_IN_TABLES, UnmoveError, shortened
from unmove.games.boards import Board, Move, parse_fen, rules_of
from unmove.probe.tablebase import RankedMove, Tablebase
from unmove.values import (
    FIFTY,
    UNKNOWN,
    Metric,
    Outcome,
    Outcome50,
    Unknown,
    outcome_of,
    value_of,
)

FENS_AT_ONCE = 10_000


def probe_answer(tables: Tablebase, fen: str) -> dict[str, Any]:
    """The answer to one FEN as plain data; an `error` instead if there is none."""
    try:
        board = parse_fen(fen)
        return {
            "fen": fen.strip(),
            "outcome": tables.probe_wdl(board).word,
            "outcome50": _word(tables.get_wdl50(board, None)),
            "dtm": tables.get_dtm(board, None),
            "dtc": tables.get_dtc(board, None),
            "dtz": tables.get_dtz(board, None),
            "moves": [_move_answer(ranked) for ranked in tables.moves(board)],
        }
    except UnmoveError as error:
        return _failure(fen, error)


def _failure(fen: str, error: UnmoveError) -> dict[str, Any]:
    return {
        "fen": shortened(fen.strip()),
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
            grave = [error for error in errors if not isinstance(error, NOT_IN_TABLES)]
            if grave or len(errors) == len(Metric):
                yield _failure(fen, (grave or errors)[0])
                continue
            codes = {
                metric: int(values.codes[number])
                for metric, (values, errors_) in found.items()
                if number not in errors_
            }
            outcome50 = None
            if Metric.DTZ in codes:
                outcome50 = Outcome50(found[Metric.DTZ][0].outcome50[number])
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
        "outcome50": _word(tables.get_wdl50(board, None)),
        "plies": len(moves) if outcome != Outcome.DRAW else None,
        "draw_claim": _draw_claim(board, moves),
        "line": rules_of(board).line(board, moves),
        "moves": [str(move) for move in moves],
    }


def _draw_claim(board: Board, moves: Sequence[Move]) -> int | None:
    """The plies of a line after which the 50-move rule lets a player claim a draw; None if never.

    Who is mated by the last of them has nothing to claim.
    """
    for ply, move in enumerate(moves):
        if rules_of(board).clock(board) >= FIFTY:
            return ply
        board = rules_of(board).after(board, move).board
    return None


def line_note(answer: dict[str, Any]) -> str | None:
    """What a person should know of a line of `line_answer`; None if it is in order."""
    claim = answer["draw_claim"]
    if claim is None:
        return None
    note = f"After {claim} plies of this line a draw can be claimed by the 50-move rule."
    won_in_time = answer["outcome50"] in ("win", "loss")
    return f"{note} A line that keeps to the rule: --metric dtz." if won_in_time else note


def show_probe(tables: Tablebase, fen: str, console: Console) -> None:
    """The board, the verdict and the ranked moves, for a person."""
    board = parse_fen(fen)
    console.print(f"\n{rules_of(board).picture(board)}\n", highlight=False)
    console.print(verdict(tables, board), highlight=False)
    ranked = tables.moves(board)
    if ranked:
        show_table(move_table(ranked), console)


def verdict(tables: Tablebase, board: Board) -> str:
    """One sentence: who wins, and how fast."""
    rules = rules_of(board)
    side = rules.game.side_names[rules.side(board)]
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
        if isinstance(value, int)
    ]
    return f"{side} to move {word}: {', '.join(parts)}.{_rule_note(tables, board)}"


def _rule_note(tables: Tablebase, board: Board) -> str:
    """What the 50-move rule makes of a decided position; nothing where there is nothing to say."""
    clock, outcome = rules_of(board).clock(board), tables.get_wdl50(board)
    if outcome == UNKNOWN:
        reason = "is not taken into account, because the dtz table is not built"
        return f" The half-move clock ({clock}) {reason}." if clock else ""
    late = outcome in (Outcome50.CURSED_WIN, Outcome50.BLESSED_LOSS)
    if not clock:
        return " The 50-move rule makes it a draw." if late else ""
    if late:
        return f" With a half-move clock of {clock} the 50-move rule makes it a draw."
    return f" That is in time for the 50-move rule, with a half-move clock of {clock}."


def _word(outcome: Outcome50 | Unknown | None) -> str | None:
    return outcome.word if isinstance(outcome, Outcome50) else None


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
