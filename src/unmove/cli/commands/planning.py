"""The command `unmove plan`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from unmove.cli.options import LEAST_MEMORY, GameName, Json, Pawnless, bytes_of, game_of
from unmove.cli.output import emit, show_table, size_text, time_text
from unmove.errors import BadOption, NothingAsked
from unmove.pool.machine import usable_cores
from unmove.values import Metric
from unmove.variants import CHESS

if TYPE_CHECKING:
    from unmove.cluster.planning import CutPlan, Nodes
    from unmove.material import Material

MOST_NODES = 1 << 16
MOST_SHOWN = 40  # tables; of more only the sums are printed


@dataclass(frozen=True)
class PlannedTable:
    """A table as JSON has it. Sizes are bytes, times seconds."""

    material: str
    metric: str
    nodes: int
    """Those that have a part of it."""
    cut: str
    pieces: int
    memory: int
    fits: bool
    log: int
    file: int
    exchanged: int
    exchanged_a_ply: int
    seconds: dict[str, float]
    total_seconds: float
    limit: str


def plan(
    materials: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATERIAL", help="Name endgames, such as KRBvKNN or KRBNvKRB."),
    ] = None,
    men: Annotated[
        int | None, typer.Option(help="Plan all endgames of just this many men, at most 7.")
    ] = None,
    pawnless: Pawnless = False,
    game: GameName = CHESS.name,
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Plan this distance; give it again for others (default: dtm)."),
    ] = None,
    nodes: Annotated[int, typer.Option(help="Cut each table over this many nodes.")] = 1,
    node_memory: Annotated[str, typer.Option(help="Let each node have so much memory.")] = "64G",
    node_cores: Annotated[
        int,
        typer.Option(
            show_default=False,
            help="Let each node have this many cores, as fast as those of this machine "
            "(default: as many as here).",
        ),
    ] = 0,
    network: Annotated[
        str, typer.Option(help="Let each node send and get so many bits a second at a time.")
    ] = "10G",
    as_json: Json = False,
) -> None:
    """Tell what tables will take that are cut over many machines.

    Nothing is built. A table is planned once its smaller endgames are there.

    \b
    Examples:
      unmove plan KRBvKNN --nodes 4 --node-memory 3G
      unmove plan KRBNvKRB --nodes 16 --node-memory 256G --network 10G
      unmove plan --men 6 --nodes 16 --json
    """
    from unmove.cluster.planning import plan_of

    machines = _nodes_of(nodes, node_memory, node_cores, network)
    wanted = _endgames_of(materials, men, game, pawns=not pawnless)
    plans = plan_of(wanted, metric or [Metric.DTM], machines)
    if as_json:
        for each in plans:
            emit(_record(each))
        return
    console = Console(soft_wrap=True)
    if len(plans) <= MOST_SHOWN:
        for each in plans:
            _describe(each, console)
    if len(plans) > 1:
        _sum_up(plans, console)


def _nodes_of(number: int, memory: str, cores: int, network: str) -> Nodes:
    from unmove.cluster.planning import Nodes

    if not 0 < number <= MOST_NODES:
        raise BadOption("nodes", number, f"it must be from 1 to {MOST_NODES}")
    if cores < 0:
        raise BadOption("node_cores", cores, "it must be at least 1")
    space = bytes_of("node_memory", memory)
    if space < LEAST_MEMORY:
        raise BadOption("node_memory", memory, f"it must be at least {LEAST_MEMORY // 10**6}M")
    bits = re.fullmatch(r"(?i)(\d.*?) ?(bits?(/s)?|bps)?", network.strip())
    try:
        rate = bytes_of("network", bits[1] if bits else network) / 8
    except BadOption:
        rate = 0
    if rate <= 0:
        raise BadOption("network", network, "write a number of bits a second, such as 10G")
    return Nodes(number, space, rate, cores or usable_cores())


def _endgames_of(
    names: list[str] | None, men: int | None, game: str, *, pawns: bool
) -> list[Material]:
    """The named endgames, and all of just so many men; each once, in canonical form."""
    from unmove.cluster.planning import MOST_MEN_PLANNED
    from unmove.material import Material, all_of
    from unmove.planes.layouts import check_men

    chosen = game_of(game)
    wanted = [Material.parse(name, game=chosen) for name in names or ()]
    if men is not None:
        if not 2 <= men <= MOST_MEN_PLANNED:
            raise BadOption("men", men, f"it must be from 2 to {MOST_MEN_PLANNED}")
        if chosen != CHESS:
            check_men(men, chosen)
        wanted += all_of(men, pawns=pawns, game=chosen)
    if not wanted:
        raise NothingAsked("Name an endgame, such as KRBvKNN, or use --men.")
    return list(dict.fromkeys(wanted))


def _record(plan: CutPlan) -> PlannedTable:
    return PlannedTable(
        material=str(plan.material),
        metric=plan.metric.value,
        nodes=plan.parts,
        cut=_cut_text(plan),
        pieces=max(plan.pieces),
        memory=plan.memory,
        fits=plan.fits,
        log=plan.log,
        file=plan.estimate.disk,
        exchanged=plan.exchanged,
        exchanged_a_ply=plan.ply,
        seconds={name: round(seconds, 3) for name, seconds in plan.seconds.items()},
        total_seconds=round(plan.total, 3),
        limit=plan.limit,
    )


def _cut_text(plan: CutPlan) -> str:
    """How a table is cut, in words."""
    if plan.parts == 1:
        return "not cut"
    if plan.slices:
        return f"slices of pawns, at most {max(plan.pieces):,} at a time"
    side = plan.material.game.side_names[plan.side]
    return f"{plan.pieces[0]:,} placements of men of {side}"


def _describe(plan: CutPlan, console: Console) -> None:
    """A few lines about a table."""
    memory, have = size_text(plan.memory), size_text(plan.nodes.memory)
    rows = [
        ("nodes", f"{plan.parts} of {plan.nodes.number}"),
        ("cut", _cut_text(plan)),
        ("memory a node", memory if plan.fits else f"{memory}, more than the {have} there are"),
        ("log, file", f"{size_text(plan.log)}, {size_text(plan.estimate.disk)}"),
        ("bytes a ply", size_text(plan.ply)),
        ("bytes in all", size_text(plan.exchanged)),
        *((name, time_text(seconds)) for name, seconds in plan.seconds.items()),
        ("time", time_text(plan.total)),
        ("limit", plan.limit),
    ]
    table = Table(title=f"{plan.material} {plan.metric}", show_header=False, title_justify="left")
    for row in rows:
        table.add_row(*row)
    show_table(table, console)


def _sum_up(plans: list[CutPlan], console: Console) -> None:
    """One sentence about all tables."""
    largest = max(plans, key=lambda plan: plan.memory)
    unfit = sum(not plan.fits for plan in plans)
    limits = f"{unfit} of them do not fit the nodes" if unfit else "all of them fit the nodes"
    console.print(
        f"{len(plans)} tables, one after the other: {time_text(sum(p.total for p in plans))}, "
        f"{size_text(sum(p.estimate.disk for p in plans))} of files; {limits}. "
        f"The most memory of a node is that of {largest.material}: {size_text(largest.memory)}.",
        highlight=False,
    )
