"""A plan over a cluster: its jobs are sent as tasks, and their tables collected.

Nothing is known but what is on a disk. A task whose process or machine is lost is sent again, to
the same machine if it is still there, and goes on from its log where that can be reached. A driver
that is started again finds the tables that were collected.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Protocol
from uuid import uuid4

from unmove.cluster.demand import ClusterNode, Demand, demand_of, needs_of, urgency_of
from unmove.cluster.engine import RayEngine, TaskStream
from unmove.cluster.keeping import KeeperOrder
from unmove.cluster.messages import (
    LacksTables,
    Message,
    NodeRules,
    SentTable,
    TableMade,
    TaskFailed,
    TaskOrder,
    TaskStarted,
    WritingTable,
)
from unmove.cluster.parcels import TaskLost, chunks_of, digest_of, put_together
from unmove.cluster.parts_run import PartsRun, demand_of_parts
from unmove.errors import MissingDependency, OutOfDisk, TableBusy, UnwritableFolder, WorkersLost
from unmove.material import Material, work_order
from unmove.solver.build import Listener, Means
from unmove.solver.estimate import Cost, loaded_of, room_for
from unmove.solver.keeping import TableName
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, Plan
from unmove.store.folder import Folder
from unmove.store.format import SUFFIX
from unmove.version import __version__

LOSSES = 4  # at a table whose process is lost
BUSY_TRIES = 20  # at one that another process is at work on: it may be one that is just ending
BUSY_PAUSE = 1.0  # seconds between them
LISTENING = 1.0  # seconds after which nodes are counted again


class ClusterListener(Listener, Protocol):
    """Who is told how a build over a cluster goes on."""

    def has_nodes(self, nodes: list[ClusterNode]) -> None: ...
    def placed(self, job: Job, host: str) -> None: ...
    def lost(self, job: Job, reason: str) -> None: ...
    def exchanged(self, job: Job, parts: int, received: int) -> None: ...


@dataclass(frozen=True)
class Cutting:
    """Which tables are cut into how many parts."""

    parts: int = 0
    """None is cut if it is 0."""
    materials: frozenset[Material] = frozenset()

    def has(self, material: Material) -> bool:
        """Whether a table is cut."""
        return self.parts > 0 and material in self.materials


@dataclass
class _Task:
    """A job, and what has become of it."""

    job: Job
    urgency: float
    near: str | None = None
    """The node that it was on."""
    lost: int = 0
    busy: int = 0
    not_before: float = 0.0

    @property
    def name(self) -> TableName:
        return self.job.material, self.job.metric


@dataclass
class _SentTask:
    """A task that is sent."""

    task: _Task
    demand: Demand
    begun: bool = False


def build_on_cluster(
    plan: Plan,
    folder: Folder,
    means: Means,
    rules: NodeRules,
    engine: RayEngine,
    listener: ClusterListener,
    cut: Cutting | None = None,
) -> Cost:
    """Every job of the plan is published in the folder; returns what it took.

    `means` says what a task may take at most. Memory is the peak of the largest process. Some of
    the tables may be cut.
    """
    if not plan.jobs:
        return Cost(0.0, 0, 0)
    folder = Folder(folder.path.absolute(), tuple(path.absolute() for path in folder.others))
    folder.prepare()
    _check_disk(plan, folder)
    start = perf_counter()
    run = _ClusterRun(plan, folder, means, rules, engine, listener, cut or Cutting())
    with _mark(folder.path) as mark:
        run.finish(mark)
    return Cost(perf_counter() - start, run.peak, run.disk)


class _ClusterRun:
    """A plan that is carried out."""

    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        means: Means,
        rules: NodeRules,
        engine: RayEngine,
        listener: ClusterListener,
        cut: Cutting,
    ) -> None:
        self._cut = cut
        self._folder, self._means, self._rules = folder, means, rules
        self._engine, self._listener = engine, listener
        urgency = urgency_of(plan)
        tasks = [_Task(job, urgency[job.material, job.metric]) for job in plan.jobs]
        self._waiting = sorted(tasks, key=lambda task: -task.urgency)
        self._running: dict[TaskStream, _SentTask] = {}
        self._sent: dict[TableName, SentTable] = {}
        self._loaded = loaded_of(plan.estimates)
        self._nodes: list[ClusterNode] = []
        self._counted = -LISTENING
        self.peak = self.disk = 0

    def finish(self, mark: str) -> None:
        """All tables are published."""
        while self._waiting or self._running:
            self._count_nodes()
            self._send_some(mark)
            if self._running:
                for stream in self._engine.ready(list(self._running), LISTENING):
                    self._hear(stream)
            else:
                sleep(BUSY_PAUSE)

    def _count_nodes(self) -> None:
        if monotonic() - self._counted >= LISTENING:
            self._nodes, self._counted = self._engine.nodes(), monotonic()
            self._listener.has_nodes(self._nodes)

    def _send_some(self, mark: str) -> None:
        """The most urgent tasks are sent: one for each core, and one more for each node.

        A large table waits until its cores are free, so nothing is sent then that would take them.
        """
        cores, used = sum(node.cores for node in self._nodes), self._used()
        missing = {task.name for task in (*self._waiting, *self._tasks_at_work())}
        for task in list(self._waiting):
            if self._cut.has(task.job.material):
                if not (missing & set(needs_of(task.job)) or self._running or not self._nodes):
                    sleep(max(0.0, task.not_before - monotonic()))
                    self._make_in_parts(task, mark)
                    return
                continue
            if self._large_one_waits() or used >= cores + len(self._nodes) or not self._nodes:
                return
            if task.not_before <= monotonic() and not missing & set(needs_of(task.job)):
                demand = demand_of(task.job, self._loaded, self._nodes, self._means)
                stream = self._engine.send(self._order(task.job, demand, mark), demand, task.near)
                self._waiting.remove(task)
                self._running[stream] = _SentTask(task, demand)
                used += demand.cores

    def _make_in_parts(self, task: _Task, mark: str) -> None:
        """A table that is cut is published, while no other is at work.

        If a process is lost, parts begin again from the log, which the keeper has.
        """
        job, means = task.job, self._means
        demand = demand_of_parts(job, self._cut.parts, self._nodes, means.threads, means.memory)
        path = self._folder.file(*task.name)
        room = room_for(demand.cores, demand.limit)
        keeping = KeeperOrder(
            material=job.material,
            metric=job.metric,
            path=path,
            log_path=means.log_path(path),
            parts=self._cut.parts,
            orbits=job.estimate.orbits_a_part(room),
            threads=demand.cores,
        )
        run = PartsRun(
            job,
            self._engine,
            demand,
            self._listener,
            lambda: self._order(job, demand, mark),
            self._put,
        )
        try:
            made = run.made(keeping)
        except TaskLost as lost:
            self._count_loss(task, lost)
            return
        except TableBusy as error:
            self._count_busy(task, error)
            return
        self._waiting.remove(task)
        self.peak = max(self.peak, made.peak)
        self.disk += made.built.size
        self._listener.exchanged(job, made.parts, made.received)
        self._listener.finished(made.built)

    def _count_loss(self, task: _Task, lost: TaskLost) -> None:
        """The listener is told; WorkersLost after too many."""
        task.lost += 1
        self._listener.lost(task.job, str(lost))
        if task.lost == LOSSES:
            material, metric = task.name
            raise WorkersLost(str(material), metric.value, LOSSES, str(lost)) from lost

    def _tasks_at_work(self) -> list[_Task]:
        return [sent.task for sent in self._running.values()]

    def _used(self) -> int:
        """The cores of all tasks that are sent."""
        return sum(sent.demand.cores for sent in self._running.values())

    def _large_one_waits(self) -> bool:
        return any(s.demand.is_large and not s.begun for s in self._running.values())

    def _order(self, job: Job, demand: Demand, mark: str) -> TaskOrder:
        """What is sent to make a table."""
        tables = {
            (material, job.metric): digest_of(self._folder.find(material, job.metric))
            for material in work_order([job.material])
            if material != job.material
        }
        return TaskOrder(
            material=job.material,
            metric=job.metric,
            both=job.both,
            version=__version__,
            target=self._folder,
            mark=mark,
            tables=tables,
            sent={name: self._sent[name] for name in tables if name in self._sent},
            threads=demand.cores,
            memory=demand.limit,
            patience=self._means.patience,
            rules=self._rules,
        )

    def _hear(self, stream: TaskStream) -> None:
        """The next message of a task is taken."""
        sent = self._running[stream]
        try:
            self._take(stream, sent, stream.message())
        except TaskLost as lost:
            self._sent_again(stream)
            self._count_loss(sent.task, lost)

    def _take(self, stream: TaskStream, sent: _SentTask, message: Message | None) -> None:
        task = sent.task
        match message:
            case TaskStarted():
                sent.begun, task.near = True, message.node
                self._listener.placed(task.job, message.host)
            case Progress():
                self._listener.progressed(message)
            case WritingTable():
                self._listener.writing(task.job)
            case LacksTables():
                self._put(message.tables)
                self._sent_again(stream)
            case TableMade():
                self._collect(stream, task, message)
            case TaskFailed():
                self._failed(stream, task, message.error)
            case _:
                raise TaskLost("it ended without an answer")

    def _sent_again(self, stream: TaskStream) -> None:
        """The task will be sent once more, in its turn."""
        self._waiting.append(self._running.pop(stream).task)
        self._waiting.sort(key=lambda task: -task.urgency)

    def _failed(self, stream: TaskStream, task: _Task, error: Exception) -> None:
        """It may have to wait for a process that is just ending; any other error ends the run."""
        self._count_busy(task, error)
        self._sent_again(stream)

    def _count_busy(self, task: _Task, error: Exception) -> None:
        """The task waits, if the error may pass."""
        task.busy += 1
        if not isinstance(error, TableBusy | MissingDependency) or task.busy == BUSY_TRIES:
            raise error
        task.not_before = monotonic() + BUSY_PAUSE

    def _put(self, tables: Sequence[TableName]) -> None:
        """These tables are in the object store."""
        for name in tables:
            if name not in self._sent:
                path = self._folder.find(*name)
                chunks = [self._engine.put(chunk) for chunk in chunks_of(path)]
                self._sent[name] = SentTable(digest_of(path), chunks)

    def _collect(self, stream: TaskStream, task: _Task, message: TableMade) -> None:
        """The table is published. What no later one reads is removed from the object store."""
        path = self._folder.file(*task.name)
        put_together(path, _chunks(stream))
        del self._running[stream]
        self.peak = max(self.peak, message.peak)
        self.disk += message.built.size
        self._listener.finished(message.built)
        if self._sent:
            left = [each.job for each in (*self._waiting, *self._tasks_at_work())]
            read = {(m, job.metric) for job in left for m in work_order([job.material])}
            self._sent = {name: sent for name, sent in self._sent.items() if name in read}


def _chunks(stream: TaskStream) -> Iterator[bytes]:
    """The rest of what a task answers."""
    while (chunk := stream.message()) is not None:
        if not isinstance(chunk, bytes):
            raise TaskLost("it ended within its file")
        yield chunk


@contextmanager
def _mark(folder: Path) -> Iterator[str]:
    """The name of a file in the folder, which whoever sees the folder finds.

    It is named as an unfinished file, so that a later run removes what a killed one has left.
    """
    mark = folder / f".mark{SUFFIX}.{os.getpid()}.{uuid4().hex}.new"
    try:
        mark.touch()
    except OSError as error:
        raise UnwritableFolder(folder, error.strerror or str(error)) from error
    try:
        yield mark.name
    finally:
        mark.unlink(missing_ok=True)


def _check_disk(plan: Plan, folder: Folder) -> None:
    """There is room for all tables; OutOfDisk otherwise."""
    needed, free = sum(each.disk for each in plan.estimates), shutil.disk_usage(folder.path).free
    if needed > free:
        raise OutOfDisk(folder.path, needed, free)
