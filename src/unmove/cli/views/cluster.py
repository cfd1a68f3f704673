"""A build over a cluster at work, for people."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from unmove.cli.options import GOES_ON, interruptible
from unmove.cli.output import size_text
from unmove.cli.views.building import BuildScreen, cost_text, described
from unmove.cluster.demand import ClusterNode, cluster_cost
from unmove.cluster.driver import Cutting, build_on_cluster
from unmove.cluster.engine import LOCAL, joined
from unmove.cluster.messages import NodeRules
from unmove.cluster.parts_run import demand_of_parts
from unmove.cluster.planning import CutPlan, Nodes
from unmove.material import Material
from unmove.solver.build import Means
from unmove.solver.estimate import Cost
from unmove.solver.plan import Job, Plan
from unmove.store.folder import Folder

FAST_NETWORK = 1.25e9  # bytes a second: what a cluster is taken to have


def run_on_cluster(
    plan: Plan,
    folder: Folder,
    means: Means,
    rules: NodeRules,
    address: str,
    console: Console,
    cut: tuple[int, frozenset[Material]],
) -> None:
    """The plan is carried out by the cluster of an address; Ctrl-C ends the command.

    `cut` says into how many parts which tables are cut.
    """
    with interruptible(GOES_ON):
        if address == LOCAL:
            console.print("Starting Ray on this machine.", highlight=False)
        with joined(address, means.threads) as engine:
            nodes = engine.nodes()
            cutting = Cutting(*cut)
            whole = replace(plan, jobs=[j for j in plan.jobs if not cutting.has(j.material)])
            cost = cluster_cost(whole, nodes, means)
            for job in plan.jobs:
                if cutting.has(job.material):
                    cost = _with_parts(cost, job, cutting.parts, nodes, means)
            console.print(
                f"{described(plan, nodes_text(nodes), cost)}\nTables go to {folder.path}.",
                highlight=False,
            )
            with ClusterScreen(plan, console, nodes) as screen:
                took = build_on_cluster(plan, folder, means, rules, engine, screen, cutting)
    if plan.jobs:
        console.print(f"It took {cost_text(took)} (estimated: {cost_text(cost)}).", highlight=False)


def _with_parts(cost: Cost, job: Job, parts: int, nodes: list[ClusterNode], means: Means) -> Cost:
    """What a build will take, and a table that is cut after it."""
    demand = demand_of_parts(job, parts, nodes, means.threads, means.memory)
    machines = Nodes(parts, demand.limit, FAST_NETWORK, demand.cores)
    found = CutPlan(job.material, job.metric, machines)
    return Cost(
        cost.seconds + found.total,
        max(cost.memory, found.memory),
        cost.disk + found.estimate.disk + found.log,
    )


def nodes_text(nodes: list[ClusterNode]) -> str:
    """How many machines and cores there are."""
    cores = sum(node.cores for node in nodes)
    return (
        f"{len(nodes)} node{'s' if len(nodes) != 1 else ''} of {cores} "
        f"core{'s' if cores != 1 else ''}"
    )


class ClusterScreen(BuildScreen):
    """The screen of a build, and lines for nodes that come and go, and tasks that are lost."""

    def __init__(self, plan: Plan, console: Console, nodes: list[ClusterNode]) -> None:
        super().__init__(plan, console)
        self._nodes = nodes_text(nodes)

    def has_nodes(self, nodes: list[ClusterNode]) -> None:
        found = nodes_text(nodes)
        if found != self._nodes:
            self._nodes = found
            self._console.print(f"The cluster has {found} now.", highlight=False)

    def placed(self, job: Job, host: str) -> None:
        self._show(job, 0.0, f"loading on {host}")

    def lost(self, job: Job, reason: str) -> None:
        self._shares.pop(job, None)
        self._console.print(
            f"{job.material} {job.metric} is made once more: {reason}.", highlight=False
        )

    def exchanged(self, job: Job, parts: int, received: int) -> None:
        self._console.print(
            f"{job.material} {job.metric} was solved in {parts} "
            f"part{'s' if parts != 1 else ''}, which had {size_text(received)} of one another.",
            highlight=False,
        )

    def _show(self, job: Job, share: float, detail: str) -> None:
        super()._show(job, share, f"{self._nodes}, {len(self._shares)} tables at work; {detail}")
