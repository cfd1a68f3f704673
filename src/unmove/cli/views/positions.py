"""A position and its moves, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from unmove.api.positions import BestLine
from unmove.cli.output import distance_text, show_table
from unmove.games.boards import AnyBoard, parse_fen, rules_of
from unmove.probe.answer import Answer, RankedMove
from unmove.probe.tablebase import Tablebase
from unmove.values import Metric, Outcome, Outcome50


def line_note(answer: BestLine) -> str | None:
    """What a person should know of a line; None if it keeps to the 50-move rule."""
    if answer.draw_claim is None:
        return None
    plies = answer.draw_claim
    note = f"After {plies} plies of this line a draw can be claimed by the 50-move rule."
    won_in_time = answer.outcome50 in (Outcome50.WIN, Outcome50.LOSS)
    return f"{note} A line that keeps to the rule: --metric dtz." if won_in_time else note


def show_position(tables: Tablebase, fen: str, console: Console) -> None:
    """The board, the verdict and the ranked moves."""
    board = parse_fen(fen)
    answer = tables.probe(board)
    ranked: list[RankedMove[Any]] = tables.moves(board)
    console.print(f"\n{rules_of(board).picture(board)}\n", highlight=False)
    console.print(verdict(board, answer), highlight=False)
    if ranked:
        show_table(move_table(ranked), console)


def verdict(board: AnyBoard, answer: Answer) -> str:
    """One sentence: who wins, and how fast."""
    rules = rules_of(board)
    side = rules.game.side_names[rules.side(board)]
    if not rules.moves(board):
        end = "a draw" if answer.outcome == Outcome.DRAW else "a loss"
        return (
            f"{side} is checkmated." if rules.is_check(board) else f"{side} is stalemated: {end}."
        )
    if answer.outcome == Outcome.DRAW:
        return f"{side} to move: a draw."
    word = "wins" if answer.outcome == Outcome.WIN else "loses"
    parts = [
        f"{metric.goal} in {distance_text(value)}"
        for metric in Metric
        if (value := answer.value(metric)) is not None
    ]
    return f"{side} to move {word}: {', '.join(parts)}.{rule_note(answer.outcome50, answer.clock)}"


def rule_note(outcome50: Outcome50 | None, clock: int) -> str:
    """What the 50-move rule makes of a decided position; empty if it makes no difference."""
    if outcome50 is None:
        reason = "is not taken into account, because the dtz table is not built"
        return f" The half-move clock ({clock}) {reason}." if clock else ""
    late = outcome50 in (Outcome50.CURSED_WIN, Outcome50.BLESSED_LOSS)
    if not clock:
        return " The 50-move rule makes it a draw." if late else ""
    if late:
        return f" With a half-move clock of {clock} the 50-move rule makes it a draw."
    return f" That is in time for the 50-move rule, with a half-move clock of {clock}."


def move_table(ranked: Sequence[RankedMove[Any]]) -> Table:
    """A row a move: its outcome, and its distances as far as they are built."""
    built = [metric for metric in Metric if metric in ranked[0].codes]
    headings = (f"{metric.goal} in" for metric in built)
    table = Table("move", "outcome", *headings, box=None, pad_edge=False)
    styles = {Outcome.WIN: "green", Outcome.DRAW: "yellow", Outcome.LOSS: "red"}
    for move in ranked:
        values = [move.value(metric) for metric in built]
        distances = ("" if value is None else distance_text(value) for value in values)
        word = (move.outcome if move.outcome50 is None else move.outcome50).word
        table.add_row(move.san, word, *distances, style=styles[move.outcome])
    return table
