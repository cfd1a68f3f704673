"""The command `unmove stats`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from unmove.cli.options import Dir, Json, Name, folder_of
from unmove.cli.output import emit
from unmove.material import Material
from unmove.values import Metric


def stats(
    name: Name,
    metric: Annotated[
        Metric | None,
        typer.Option(help="Count by this distance (default: the first that is built)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the histogram into this file, .svg or .png.")
    ] = None,
    pgn: Annotated[
        Path | None,
        typer.Option(help="Write the longest wins of chess to this PGN, played out and annotated."),
    ] = None,
    lines: Annotated[
        Path | None,
        typer.Option(help="Write the longest wins of either game to this file, as text."),
    ] = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Count positions, and show the longest wins.

    Positions are counted by outcome and by distance, for each side to move.

    \b
    Examples:
      unmove stats KQvKR
      unmove stats KQvKR --metric dtc --plot kqkr.svg --pgn kqkr.pgn
    """
    from unmove.api.statistics import statistics
    from unmove.cli.views.statistics import show_statistics, write_files

    folder, material = folder_of(directory), Material.as_written(name)
    written = write_files(folder, material, metric, plot=plot, pgn=pgn, lines=lines)
    if as_json:
        emit(statistics(folder, material))
    else:
        show_statistics(folder, material, metric, Console(soft_wrap=True))
    for line in written:
        typer.echo(line, err=as_json)
