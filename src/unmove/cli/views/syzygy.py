"""A position and its moves by our tables and by Syzygy files, for people."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.table import Table

from unmove.api.lichess.knowledge import SYZYGY
from unmove.api.syzygy import SourcedMove, SourcedRanking
from unmove.cli.output import distance_text, show_table
from unmove.cli.views.positions import rule_note
from unmove.games.boards import AnyBoard, parse_fen, rules_of
from unmove.values import Metric, Outcome, Value

NAMES: Final = {"unmove": "our tables", SYZYGY: "Syzygy files"}


def show_position(answer: SourcedRanking, console: Console) -> None:
    """The board, the verdict with its source, and the ranked moves."""
    board = parse_fen(answer.fen)
    console.print(f"\n{rules_of(board).picture(board)}\n", highlight=False)
    console.print(_verdict(board, answer), highlight=False)
    console.print(_sources(answer), highlight=False)
    if answer.moves:
        show_table(_move_table(answer), console)


def _verdict(board: AnyBoard, answer: SourcedRanking) -> str:
    """Who wins, and how fast."""
    rules = rules_of(board)
    side = rules.game.side_names[rules.side(board)]
    if not answer.moves:
        state = (
            "checkmated"
            if answer.outcome == Outcome.LOSS and rules.is_check(board)
            else "stalemated"
        )
        return f"{side} is {state}."
    if answer.outcome == Outcome.DRAW:
        return f"{side} to move: a draw."
    word = "wins" if answer.outcome == Outcome.WIN else "loses"
    parts = [
        f"{metric.goal} in {distance}"
        for metric, distance in zip(Metric, _distances(answer), strict=True)
        if distance
    ]
    how = f": {', '.join(parts)}" if parts else ""
    return f"{side} to move {word}{how}.{_rule(board, answer)}"


def _rule(board: AnyBoard, answer: SourcedRanking) -> str:
    """What the 50-move rule makes of a decided position."""
    clock = rules_of(board).clock(board)
    if answer.source == SYZYGY and answer.outcome50 is None:
        return (
            f" The half-move clock is {clock}: the files do not tell whether the 50-move rule makes"
            " it a draw."
        )
    return rule_note(answer.outcome50, clock)


def _sources(answer: SourcedRanking) -> str:
    """Where the values are from."""
    if answer.source != SYZYGY:
        return f"Source: {NAMES[answer.source]}."
    others = [m.goal for m, v in ((Metric.DTM, answer.dtm), (Metric.DTC, answer.dtc)) if v]
    ours = f"; {' and '.join(others)}: our tables" if others else ""
    short = " (zeroing may be one ply more)" if answer.dtz and answer.moves else ""
    return f"Source: Syzygy files{short}{ours}."


def _move_table(answer: SourcedRanking) -> Table:
    """A row a move: its outcome, and its distances as far as they are known."""
    columns = [_distances(move) for move in answer.moves]
    shown = [any(row[i] for row in columns) for i in range(len(Metric))]
    headings = [f"{metric.goal} in" for metric, show in zip(Metric, shown, strict=True) if show]
    mixed = len({move.source for move in answer.moves}) > 1
    names = ["source"] if mixed else []
    table = Table("move", "outcome", *headings, *names, box=None, pad_edge=False)
    styles = {Outcome.WIN: "green", Outcome.DRAW: "yellow", Outcome.LOSS: "red"}
    for move, row in zip(answer.moves, columns, strict=True):
        cells = [text for text, show in zip(row, shown, strict=True) if show]
        where = [NAMES[move.source]] if mixed else []
        table.add_row(move.san, _word(move), *cells, *where, style=styles[move.outcome])
    return table


def _word(move: SourcedMove) -> str:
    """The outcome of a move, under the 50-move rule if that is known."""
    if move.outcome50 is not None:
        return move.outcome50.word
    return f"maybe {move.outcome.word}" if move.source == SYZYGY else move.outcome.word


def _distances(answer: SourcedRanking | SourcedMove) -> list[str]:
    """Distances by each metric; empty for a draw and for what is not known.

    Those of Syzygy files are in plies alone: in moves they would look exact.
    """
    dtm, dtc, dtz = (_text(value) for value in (answer.dtm, answer.dtc, answer.dtz))
    if answer.source == SYZYGY and answer.dtz:
        plies = abs(answer.dtz)
        dtz = f"{plies} {'ply' if plies == 1 else 'plies'}"
    return [dtm, dtc, dtz]


def _text(value: Value | None) -> str:
    return "" if value is None else distance_text(value)
