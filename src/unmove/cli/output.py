"""How answers look: numbers and distances in words, tables, errors, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unmove.api.record import to_json
from unmove.cli.failures import told
from unmove.errors import UnmoveError
from unmove.values import Value, moves_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from unmove.research.scan import ReportFraction

HOURS_IN_WORDS = 48  # more of them are days
WIDEST = 10_000  # columns of a table


def size_text(size: float) -> str:
    """Bytes as a person reads them."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def time_text(seconds: float) -> str:
    """A time span as a person reads it."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    if hours < HOURS_IN_WORDS:
        return f"{hours} h {minutes} min"
    return f"{hours // 24:,} days {hours % 24} h"


def distance_text(value: Value) -> str:
    """A distance in moves and plies."""
    moves, plies = moves_of(value), abs(value)
    return f"{moves} move{'' if moves == 1 else 's'} ({plies} {'ply' if plies == 1 else 'plies'})"


def show_table(table: Table, console: Console) -> None:
    """The table is printed as wide as it is: no cell is cut or broken on a narrow screen."""
    table.width = console.measure(table, options=console.options.update(width=WIDEST)).maximum
    console.print(table, soft_wrap=True)


@contextmanager
def progress_bar(title: str, console: Console | None = None) -> Iterator[ReportFraction]:
    """A bar on a terminal, by default that of standard error; it is told the part done."""
    console = console or Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda done: bar.update(task, completed=done)


def tell(error: UnmoveError | str) -> None:
    """What went wrong is on standard error."""
    typer.echo(f"unmove: {told(error) if isinstance(error, UnmoveError) else error}", err=True)


def emit(record: DataclassInstance, *, err: bool = False) -> None:
    """A record is on standard output, or on standard error, as JSON on one line."""
    emit_json(to_json(record, told), err=err)


def emit_json(answer: dict[str, Any], *, err: bool = False) -> None:
    """Plain data is printed likewise. It is in ASCII, so that any locale can print it."""
    typer.echo(json.dumps(answer), err=err)
