"""The command `unmove recode`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from unmove.cli.options import (
    Dir,
    Json,
    Sides,
    ThreadsOption,
    folder_of,
    interruptible,
    threads_of,
)
from unmove.cli.output import emit, size_text, time_text
from unmove.values import Metric

INTACT = "Tables are intact, each as it was or coded anew; run the same command again to go on."


def recode(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MATERIAL", help="Name endgames, such as KQvKR (default: all tables)."
        ),
    ] = None,
    sides: Annotated[
        Sides,
        typer.Option(help="Store both sides to move, which is faster to probe, or one."),
    ] = ...,  # type: ignore[assignment]  # so Typer is told that it must be given
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Code this distance anew; give it again for others (default: all)."),
    ] = None,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Store both sides to move of tables that are built, or one. Nothing is solved again.

    A file with both sides is larger, and answers new positions faster. Its values are the same.
    Each file is compared with its table before it takes the place of the old one. The smaller
    endgames of a table must be there.

    \b
    Examples:
      unmove recode KQvKR --sides both
      unmove recode --sides one --metric dtz
    """
    from unmove.api.recoding import Recoding

    recoding = Recoding.of(folder_of(directory), sides.value, names or (), metric or ())
    console = Console(stderr=as_json, soft_wrap=True)
    with interruptible(INTACT):
        for file in recoding.run(threads_of(threads)):
            if as_json:
                emit(file)
            console.print(
                f"{file.material} {file.metric}: {file.stored} stored, "
                f"{size_text(file.bytes)}, before {size_text(file.bytes_before)} "
                f"({time_text(file.seconds)})",
                highlight=False,
            )
