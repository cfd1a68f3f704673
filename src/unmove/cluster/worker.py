"""One table, made on a node: what a task answers, message by message.

A process makes many tables, one after the other. The smaller endgames that it has loaded stay in
its memory for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol

from unmove.cluster.messages import (
    LacksTables,
    Message,
    PartSolved,
    PartStopped,
    TableMade,
    TaskFailed,
    TaskOrder,
    TaskStarted,
    WritingTable,
)
from unmove.cluster.node_folder import NodeFolder
from unmove.cluster.parcels import chunks_of
from unmove.errors import MissingDependency, NodeFailed, TableBusy, UnmoveError, WorkError
from unmove.pool.machine import peak_memory
from unmove.pool.workers import WorkerPool
from unmove.solver.build import Built, Means, TableWork
from unmove.solver.exchange import Exchange, PartsEnded
from unmove.solver.loop import Progress
from unmove.solver.part_table import work
from unmove.solver.plan import Job
from unmove.store.folder import Folder
from unmove.store.source import Source
from unmove.successors.subtable_cache import SubtableCache
from unmove.version import __version__

PAUSE = 0.5  # seconds between two reports of progress

Fetch = Callable[[Any], bytes]
"""Gets a chunk by its reference."""


class CountedExchange(Exchange, Protocol):
    """An exchange that counts."""

    received: int
    """Bytes of what other parts had."""


def made(
    order: TaskOrder, fetch: Fetch, started: TaskStarted, exchange: CountedExchange | None = None
) -> Iterator[Message]:
    """What a task answers; that of a part of the table has an exchange.

    Errors of ours are messages, too.
    """
    yield started
    try:
        yield from _answers(order, fetch, started.host, exchange)
    except PartsEnded:
        yield PartStopped()
    except (TableBusy, MissingDependency) as error:  # which may be over when it is sent again
        yield TaskFailed(error)
    except WorkError as error:
        yield TaskFailed(NodeFailed(started.host, error.fact, error.advice))
    except UnmoveError as error:
        yield TaskFailed(error)
    except MemoryError:
        yield TaskFailed(NodeFailed(started.host, "the memory ran out", "let it take less memory"))


def _answers(
    order: TaskOrder, fetch: Fetch, host: str, exchange: CountedExchange | None
) -> Iterator[Message]:
    if order.version != __version__:
        raise NodeFailed(
            host,
            f"unmove is version {__version__}, where the build is started {order.version}",
            "install the same version on all machines",
        )
    node = NodeFolder(order)
    lacking = node.lacking(order.tables)
    if not order.sent.keys() >= set(lacking):
        yield LacksTables(lacking)
        return
    for name in lacking:
        node.take(name, map(fetch, order.sent[name].chunks))
    node.trim(order.tables)
    if exchange is not None:
        yield from _reported(partial(_solved, order, node, exchange))
        return
    yield from _reported(partial(_table_made, order, node))
    path = node.folder.file(order.material, order.metric)
    yield from chunks_of(path)
    if node.shared:  # others read the table where it was collected
        path.unlink(missing_ok=True)
    node.trim(order.tables)


def _reported(make: Callable[[Event, _Relay], TableMade | PartSolved]) -> Iterator[Message]:
    """It is made by a thread of its own, and reported by this one."""
    relay, stop = _Relay(), Event()

    def run() -> None:
        try:
            relay.put(make(stop, relay))
        except BaseException as error:
            relay.put(error)

    thread = Thread(target=run)
    thread.start()
    try:
        yield from relay.messages()
    finally:
        stop.set()
        thread.join()


def _solved(
    order: TaskOrder, node: NodeFolder, exchange: CountedExchange, stop: Event, relay: _Relay
) -> PartSolved:
    """What a part of the table has to do is done."""
    with WorkerPool(order.threads, stop=stop) as pool:
        tables = _opened(node.folder).of(order.metric, pool)
        work(exchange, order.material, order.metric, tables, pool, relay.progressed)
    return PartSolved(peak_memory(), exchange.received)


def _table_made(order: TaskOrder, node: NodeFolder, stop: Event, listener: _Relay) -> TableMade:
    return TableMade(_built(order, node, stop, listener), peak_memory())


def _built(order: TaskOrder, node: NodeFolder, stop: Event, listener: _Relay) -> Built:
    scratch = order.rules.scratch or (order.target.path if node.shared else None)
    means = Means(order.threads, order.memory, scratch, order.patience)
    job = Job(order.material, order.metric, order.both)
    with WorkerPool(order.threads, stop=stop) as pool:
        opened = _opened(node.folder)
        tables, alone = opened.of(order.metric, pool), opened.of(order.metric)
        work = TableWork(job, node.folder, tables, alone, pool, listener, _keep_nothing)
        return work.built(means, order.memory)


def _keep_nothing(solved: Source) -> None:
    """The next table of this process is any other."""


_OPEN: dict[Folder, SubtableCache] = {}
"""The tables of this process, of one folder at a time."""


def _opened(folder: Folder) -> SubtableCache:
    """The tables of a folder; those of another one are closed."""
    if folder not in _OPEN:
        for other in _OPEN.values():
            other.__exit__()
        _OPEN.clear()
        _OPEN[folder] = SubtableCache(folder)
    return _OPEN[folder]


class _Relay:
    """A build listener, which hands what it is told to another thread."""

    def __init__(self) -> None:
        self._told: SimpleQueue[Message | BaseException] = SimpleQueue()
        self._last = -PAUSE

    def put(self, message: Message | BaseException) -> None:
        self._told.put(message)

    def messages(self) -> Iterator[Message]:
        """All up to the last; an error is raised."""
        while True:
            message = self._told.get()
            if isinstance(message, BaseException):
                raise message
            yield message
            if isinstance(message, TableMade | PartSolved):
                return

    def started(self, job: Job) -> None:
        """The driver was told before."""

    def progressed(self, progress: Progress) -> None:
        """Now and then, as each message takes the driver's time."""
        if monotonic() - self._last >= PAUSE:
            self._last = monotonic()
            self.put(progress)

    def writing(self, job: Job) -> None:
        self.put(WritingTable())

    def finished(self, built: Built) -> None:
        """The driver is told by another message."""
