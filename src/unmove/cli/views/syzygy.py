"""A position and its moves by Syzygy files, for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from unmove.api.syzygy import SyzygyPosition
from unmove.cli.output import show_table
from unmove.games.boards import parse_fen, rules_of
from unmove.values import Outcome50


def show_position(answer: SyzygyPosition, console: Console) -> None:
    """The board, the verdict and the ranked moves."""
    board = parse_fen(answer.fen)
    side = rules_of(board).game.side_names[rules_of(board).side(board)]
    console.print(f"\n{rules_of(board).picture(board)}\n", highlight=False)
    distance = _distance(answer.dtz)
    note = f", zeroing in {distance}" if distance and answer.moves else ""
    sentence = f"{side} to move: {answer.outcome50.word}{note} (Syzygy)."
    console.print(sentence, highlight=False)
    if answer.moves:
        show_table(_move_table(answer), console)


def _move_table(answer: SyzygyPosition) -> Table:
    """A row a move: its outcome under the 50-move rule, and its distance."""
    table = Table("move", "outcome", "zeroing in", box=None, pad_edge=False)
    styles = {Outcome50.WIN: "green", Outcome50.LOSS: "red"}
    for move in answer.moves:
        style = styles.get(move.outcome50, "yellow")
        table.add_row(move.san, move.outcome50.word, _distance(move.dtz), style=style)
    return table


def _distance(dtz: int) -> str:
    """A distance in plies; empty for a draw."""
    plies = abs(dtz)
    return f"{plies} {'ply' if plies == 1 else 'plies'}" if dtz else ""
