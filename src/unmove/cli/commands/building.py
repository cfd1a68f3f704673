"""The command `unmove build`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from unmove.cli.options import (
    Dir,
    Json,
    ThreadsOption,
    endgames_of,
    folder_of,
    memory_of,
    scratch_of,
    threads_of,
)
from unmove.cli.output import emit
from unmove.errors import BadOption
from unmove.values import Metric
from unmove.variants import CHESS, GAMES


def build(
    materials: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATERIAL", help="Name endgames, such as KQvKR or xiangqi:KPvKA."),
    ] = None,
    men: Annotated[
        int | None,
        typer.Option(help="Build all endgames of up to this many men, at most 6."),
    ] = None,
    pawnless: Annotated[
        bool, typer.Option("--pawnless", help="Leave out endgames with pawns, with --men.")
    ] = False,
    game: Annotated[
        str, typer.Option(help="Read names as endgames of chess or of xiangqi.")
    ] = CHESS.name,
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Build this distance; give it again for others (default: all)."),
    ] = None,
    threads: ThreadsOption = 0,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Take at most so much memory, such as 8G (default: what is free, less a tenth)."
        ),
    ] = None,
    scratch: Annotated[
        Path | None,
        typer.Option(
            help="Keep the logs of large tables in this folder (default: with the tables)."
        ),
    ] = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Build tables, and every smaller endgame they need.

    Tables that are there are not built again. A build that was stopped goes on where it was.

    \b
    Examples:
      unmove build KQvKR
      unmove build --men 4 --metric dtm
      unmove build xiangqi:KPvKA
      unmove build KBBvKNN --metric dtm --memory 8G --scratch /mnt/fast
    """
    from unmove.api.statistics import statistics
    from unmove.cli.views.building import run_plan
    from unmove.solver.build import Means
    from unmove.solver.plan import make_plan

    means = Means(threads_of(threads), memory_of(memory), scratch_of(scratch))
    folder = folder_of(directory, new=True)
    if game not in GAMES:
        raise BadOption("game", game, f"it must be one of {', '.join(GAMES)}")
    asked = endgames_of(materials, men, fewest=2, game=GAMES[game], pawns=not pawnless)
    wanted = list(dict.fromkeys(material.canonical() for material in asked))
    plan = make_plan(wanted, metric or list(Metric), folder)
    if plan.jobs:
        folder.prepare()
    console = Console(stderr=as_json, soft_wrap=True)
    run_plan(plan, folder, means, console)
    if as_json:
        for material in wanted:
            emit(statistics(folder, material))
    elif plan.jobs:
        console.print(f"Done. Try: unmove stats {wanted[-1]}", highlight=False)
