"""How answers look: numbers, distances and outcomes in words."""

from __future__ import annotations

import json
from typing import Any

import typer

from unmove.values import moves_of


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


def emit(answer: Any, *, err: bool = False) -> None:
    """One JSON object on one line of standard output, or of standard error."""
    typer.echo(json.dumps(answer, ensure_ascii=False), err=err)
