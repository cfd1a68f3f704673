"""How urgent a job is, and which cores and memory its task is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unmove.errors import OutOfMemory
from unmove.pool.machine import slowness
from unmove.solver.build import Means
from unmove.solver.estimate import START, Cost, is_logged, loaded_of, memory_of
from unmove.solver.keeping import TableName
from unmove.solver.plan import Job, Plan

RAY_IN_A_PROCESS = 120_000_000  # bytes; docs/reports/0010-cluster.md


@dataclass(frozen=True)
class ClusterNode:
    """A machine of the cluster, and what it offers."""

    key: str
    host: str
    cores: int
    memory: int
    """Bytes for tasks."""


@dataclass(frozen=True)
class Demand:
    """What a task is given."""

    cores: int
    memory: int
    """Bytes that are set aside for it."""
    limit: int
    """Bytes that its node offers, or that a task may take at most."""
    is_large: bool
    """It has all cores of a node."""


def urgency_of(plan: Plan) -> dict[TableName, float]:
    """The seconds of the longest chain of tables, each of which needs the one before it.

    A chain begins with the table whose urgency it is.
    """
    jobs = {(job.material, job.metric): job for job in plan.jobs}
    urgency: dict[TableName, float] = dict.fromkeys(jobs, 0.0)
    for name, job in reversed(jobs.items()):  # those that need it have been seen
        urgency[name] += job.estimate.seconds
        for needed in needs_of(job):
            if needed in urgency:
                urgency[needed] = max(urgency[needed], urgency[name])
    return urgency


def needs_of(job: Job) -> list[TableName]:
    """The tables that conversions lead into."""
    return [(material, job.metric) for material in job.material.conversions()]


def demand_of(job: Job, loaded: int, nodes: Sequence[ClusterNode], means: Means) -> Demand:
    """What the task of a job is given: a core, or for a large table the cores of a large node.

    `loaded` bytes of smaller endgames may be in the memory of a process that has made other tables,
    and so is Ray.
    OutOfMemory if no node has enough.
    """
    best = max(nodes, key=lambda node: (node.memory, node.cores))
    limit = min(best.memory, means.memory or best.memory)
    cores = max(node.cores for node in nodes if node.memory >= limit)
    is_large = is_logged(job.estimate, min(cores, means.threads), limit, means.patience)
    cores = min(cores, means.threads) if is_large else 1
    others = max(0, loaded - loaded_of([job.estimate]))
    memory = RAY_IN_A_PROCESS + memory_of([job.estimate], cores, limit) + others
    if memory > limit:
        raise OutOfMemory(f"Solving {job.material}", memory, limit)
    return Demand(cores, memory, limit, is_large)


def cluster_cost(plan: Plan, nodes: Sequence[ClusterNode], means: Means) -> Cost:
    """What a build will take, by estimate: seconds, memory of a node, disk.

    No less time than the longest chain takes.
    """
    if not plan.jobs:
        return Cost(0.0, 0, 0)
    cores = sum(node.cores for node in nodes)
    chain = max(urgency_of(plan).values())
    seconds = START + max(sum(each.seconds for each in plan.estimates) / cores, chain)
    loaded = loaded_of(plan.estimates)
    demands = [demand_of(job, loaded, nodes, means) for job in plan.jobs]
    memory = max(d.memory * (1 if d.is_large else _side_by_side(nodes)) for d in demands)
    return Cost(slowness() * seconds, memory, sum(each.disk for each in plan.estimates))


def _side_by_side(nodes: Sequence[ClusterNode]) -> int:
    """The most small tables that a node makes at a time."""
    return max(node.cores for node in nodes)
