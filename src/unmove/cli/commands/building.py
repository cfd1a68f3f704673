"""The command `unmove build`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from unmove.cli.options import (
    Dir,
    GameName,
    Json,
    Pawnless,
    Sides,
    ThreadsOption,
    bytes_of,
    endgames_of,
    folder_of,
    game_of,
    memory_of,
    scratch_of,
    threads_of,
)
from unmove.cli.output import emit
from unmove.errors import BadOption
from unmove.values import Metric
from unmove.variants import CHESS

if TYPE_CHECKING:
    from unmove.cluster.messages import NodeRules

MOST_PARTS = 1 << 10
MOST_CORES = 1 << 10  # of a machine that we do not know


def build(
    materials: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATERIAL", help="Name endgames, such as KQvKR or xiangqi:KPvKA."),
    ] = None,
    men: Annotated[
        int | None,
        typer.Option(help="Build all endgames of up to this many men, at most 6."),
    ] = None,
    pawnless: Pawnless = False,
    game: GameName = CHESS.name,
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Build this distance; give it again for others (default: all)."),
    ] = None,
    sides: Annotated[
        Sides,
        typer.Option(
            help="Store one side to move and find the other by a search, or both: larger files, "
            "which answer new positions faster. Tables that are there stay as they are."
        ),
    ] = Sides.ONE,
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
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Build over a cluster: local starts a Ray on this machine, auto joins the one "
            "that runs here, HOST:PORT the one that it names.",
        ),
    ] = None,
    parts: Annotated[
        int | None,
        typer.Option(
            help="Cut each table that is named into so many parts, which nodes of the cluster "
            "solve at the same time."
        ),
    ] = None,
    node_dir: Annotated[
        Path | None,
        typer.Option(help="Keep tables on each node in this folder (default: one of the user's)."),
    ] = None,
    node_cache: Annotated[
        str | None,
        typer.Option(help="Keep at most so much of tables on each node (default: 20G)."),
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
      unmove build --men 4 --sides both
      unmove build xiangqi:KPvKA
      unmove build KBBvKNN --metric dtm --memory 8G --scratch /mnt/fast
      unmove build --men 5 --cluster auto
      unmove build KRBvKNN --metric dtm --cluster auto --parts 4
    """
    from unmove.api.statistics import statistics
    from unmove.cli.views.building import run_plan
    from unmove.cli.views.cluster import run_on_cluster
    from unmove.solver.build import Means
    from unmove.solver.plan import make_plan

    if parts is not None and not 0 < parts <= MOST_PARTS:
        raise BadOption("parts", parts, f"it must be from 1 to {MOST_PARTS}")
    if parts is not None and cluster is None:
        raise BadOption("parts", parts, "it is of a build over a cluster")
    if parts is not None and men is not None:
        raise BadOption("parts", parts, "it is for tables that are named, and not for --men")
    rules = _rules_of(cluster, node_dir, node_cache, scratch_of(scratch))
    cores = None if cluster in (None, "local") else MOST_CORES
    means = Means(threads_of(threads, cores), memory_of(memory), rules.scratch)
    folder = folder_of(directory, new=True)
    asked = endgames_of(materials, men, fewest=2, game=game_of(game), pawns=not pawnless)
    wanted = list(dict.fromkeys(material.canonical() for material in asked))
    both = sides == Sides.BOTH
    plan = make_plan(wanted, metric or list(Metric), folder, both=both)
    if plan.jobs:
        folder.prepare()
    console = Console(stderr=as_json, soft_wrap=True)
    if cluster is None:
        run_plan(plan, folder, means, console)
    else:
        cut = (parts or 0, frozenset(wanted))
        run_on_cluster(plan, folder, means, rules, cluster, console, cut)
    if as_json:
        for material in wanted:
            emit(statistics(folder, material))
    elif plan.jobs:
        console.print(f"Done. Try: unmove stats {wanted[-1]}", highlight=False)


def _rules_of(
    cluster: str | None, node_dir: Path | None, node_cache: str | None, scratch: Path | None
) -> NodeRules:
    """What the options say of a cluster; BadOption if there is none."""
    from unmove.cluster.engine import check_address
    from unmove.cluster.messages import NodeRules

    for name, value in (("node_dir", node_dir), ("node_cache", node_cache)):
        if value is not None and cluster is None:
            raise BadOption(name, value, "it is of a build over a cluster")
    if cluster is not None:
        check_address(cluster)
    node_dir, scratch = (  # nodes may be in another folder
        path and path.expanduser().absolute() for path in (node_dir, scratch)
    )
    rules = NodeRules(node_dir, scratch=scratch)
    return replace(rules, cache=bytes_of("node_cache", node_cache)) if node_cache else rules
