"""The command `unmove build`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from unmove.cli.options import Dir, Json, ThreadsOption, endgames_of, folder_of, threads_of
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
        typer.Option(help="Build all endgames of up to this many men: 5 in chess, 6 in xiangqi."),
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
    """
    from unmove.api.statistics import statistics
    from unmove.cli.views.building import run_plan
    from unmove.solver.plan import make_plan

    workers = threads_of(threads)
    folder = folder_of(directory, new=True)
    if game not in GAMES:
        raise BadOption("game", game, f"it must be one of {', '.join(GAMES)}")
    asked = endgames_of(materials, men, fewest=2, game=GAMES[game], pawns=not pawnless)
    wanted = list(dict.fromkeys(material.canonical() for material in asked))
    plan = make_plan(wanted, metric or list(Metric), folder)
    if plan.jobs:
        folder.prepare()
    console = Console(stderr=as_json, soft_wrap=True)
    run_plan(plan, folder, workers, console)
    if as_json:
        for material in wanted:
            emit(statistics(folder, material))
    elif plan.jobs:
        console.print(f"Done. Try: unmove stats {wanted[-1]}", highlight=False)
