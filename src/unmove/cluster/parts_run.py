"""One table over many nodes: its keeper and its parts, until it is published.

If the process of a part is lost, keeper and parts end, and begin again from the table's log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from unmove.cluster.demand import ClusterNode, Demand
from unmove.cluster.engine import RayEngine, TaskStream
from unmove.cluster.keeping import KeeperOrder
from unmove.cluster.messages import (
    LacksTables,
    PartOrder,
    PartSolved,
    PartStopped,
    TaskFailed,
    TaskOrder,
    TaskStarted,
)
from unmove.cluster.parcels import TaskLost
from unmove.cluster.planning import CutPlan, Nodes
from unmove.errors import BadOption, OutOfMemory
from unmove.solver.build import Built
from unmove.solver.exchange import DamagedStretch
from unmove.solver.keeping import TableName
from unmove.solver.loop import Progress
from unmove.solver.plan import Job

LISTENING = 1.0  # seconds after which it is seen whether the command is to stop


class PartsListener(Protocol):
    """Who is told how parts go on."""

    def placed(self, job: Job, host: str) -> None: ...
    def progressed(self, progress: Progress) -> None: ...
    def writing(self, job: Job) -> None: ...


@dataclass(frozen=True)
class MadeInParts:
    """A table that was made so, and what it took."""

    built: Built
    parts: int
    peak: int
    received: int
    """The bytes that parts got of one another, all of them together."""


def demand_of_parts(
    job: Job, parts: int, nodes: Sequence[ClusterNode], threads: int, memory: int | None
) -> Demand:
    """What each part is given: as many cores as all of them can have at the same time.

    BadOption if there are fewer cores than parts, OutOfMemory if the nodes have too little.
    """
    cores = max((n for n in range(1, threads + 1) if _places(nodes, n) >= parts), default=0)
    if cores == 0:
        have = sum(node.cores for node in nodes)
        raise BadOption("parts", parts, f"the cluster has {have} cores, and each part takes one")
    limit = min(max(node.memory for node in nodes), memory or 1 << 62)
    needed = CutPlan(job.material, job.metric, Nodes(parts, limit, 1.0, cores)).memory
    if needed > limit or sum(node.memory // needed for node in nodes) < parts:
        raise OutOfMemory(f"A part of {job.material}", needed, limit)
    return Demand(cores, needed, limit, is_large=True)


def _places(nodes: Sequence[ClusterNode], cores: int) -> int:
    """How many tasks of so many cores the nodes can do at the same time."""
    return sum(node.cores // cores for node in nodes)


class PartsRun:
    """The parts of one table, and their keeper."""

    def __init__(
        self,
        job: Job,
        engine: RayEngine,
        demand: Demand,
        listener: PartsListener,
        order: Callable[[], TaskOrder],
        put: Callable[[Sequence[TableName]], None],
    ) -> None:
        self._job, self._engine, self._demand, self._listener = job, engine, demand, listener
        self._order, self._put = order, put
        self._streams: dict[TaskStream, int] = {}
        self._lost: Exception | None = None
        self._failed: Exception | None = None
        self._peak = self._received = 0

    def made(self, keeping: KeeperOrder) -> MadeInParts:
        """The table is published; TaskLost if a process was lost on the way."""
        keeper = self._engine.keeper(keeping)
        try:
            parts = self._engine.call(keeper.opened)
            for part in range(parts):
                self._send(keeper, part)
            while self._streams:
                for stream in self._engine.ready(list(self._streams), LISTENING):
                    self._hear(keeper, stream)
            if self._failed or self._lost:
                raise self._failed or self._lost or AssertionError
            self._listener.writing(self._job)
            built, peak = self._engine.call(keeper.written)
            return MadeInParts(built, parts, max(peak, self._peak), self._received)
        finally:
            self._engine.dismiss(keeper)

    def _send(self, keeper: Any, part: int) -> None:
        order = PartOrder(self._order(), part)
        self._streams[self._engine.send_part(order, keeper, self._demand)] = part

    def _hear(self, keeper: Any, stream: TaskStream) -> None:
        """The next message of a part is taken. If one has failed, all of them end."""
        try:
            self._take(keeper, stream)
        except TaskLost as lost:
            self._lost = self._lost or lost
            self._end(keeper, stream)

    def _take(self, keeper: Any, stream: TaskStream) -> None:
        match message := stream.message():
            case TaskStarted():
                self._listener.placed(self._job, message.host)
            case Progress():
                self._listener.progressed(message)
            case LacksTables():
                self._put(message.tables)
                self._send(keeper, self._streams.pop(stream))
            case PartSolved():
                del self._streams[stream]
                self._peak = max(self._peak, message.peak)
                self._received += message.received
            case TaskFailed(error=DamagedStretch() as error):
                raise TaskLost(error.fact)
            case TaskFailed():
                self._failed = self._failed or message.error
                self._end(keeper, stream)
            case PartStopped():
                raise TaskLost("one of its parts has ended")
            case _:
                raise TaskLost("it ended without an answer")

    def _end(self, keeper: Any, stream: TaskStream) -> None:
        del self._streams[stream]
        self._engine.tell(keeper.end, "a part is lost")
