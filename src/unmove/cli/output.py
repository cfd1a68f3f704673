"""How answers look: numbers and distances in words, tables, errors, JSON."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from unmove.errors import UnmoveError
from unmove.values import moves_of

WIDEST = 10_000  # columns of a table


def size_text(size: float) -> str:
    """Bytes as a person reads them."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def time_text(seconds: float) -> str:
    """A time span as a person reads it."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def distance_text(value: int) -> str:
    """A distance in moves and plies."""
    moves, plies = moves_of(value), abs(value)
    return f"{moves} move{'' if moves == 1 else 's'} ({plies} {'ply' if plies == 1 else 'plies'})"


def show_table(table: Table, console: Console) -> None:
    """The table is printed as wide as it is: no cell is cut or broken on a narrow screen."""
    table.width = console.measure(table, options=console.options.update(width=WIDEST)).maximum
    console.print(table, soft_wrap=True)


def tell(error: UnmoveError | str) -> None:
    """What went wrong is said on standard error."""
    typer.echo(f"unmove: {error}", err=True)


def emit(answer: Any, *, err: bool = False) -> None:
    """One JSON object on one line of standard output, or of standard error.

    It is in ASCII, so that any locale can print it.
    """
    typer.echo(json.dumps(answer), err=err)
