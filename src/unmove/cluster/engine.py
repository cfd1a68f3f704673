"""Ray, started for a run or joined. The only file that imports it, when it is needed."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any, Final

from unmove.cluster.demand import ClusterNode, Demand
from unmove.cluster.keeping import KeeperActor, KeeperOrder, RayExchange
from unmove.cluster.messages import Message, PartOrder, TaskOrder, TaskStarted
from unmove.cluster.parcels import TaskLost
from unmove.cluster.worker import made
from unmove.errors import BadOption, NoCluster, NodeFailed, UnmoveError

LOCAL, RUNNING = "local", "auto"
STORE: Final = 200_000_000  # bytes of the object store of our own Ray: files pass it in chunks
MESSAGES_AHEAD: Final = 4  # messages that a task may be ahead of who reads them
OTHER_CALLS: Final = 4  # of a keeper at a time, beside one of each part
PATIENCE_TO_CONNECT: Final = 10.0  # seconds

OURS: Final = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # so it listens on the loopback address only
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""The environment of a Ray of our own, before it is imported: other users cannot send it work, and
nothing is reported."""


class RayEngine:
    """A Ray that is joined."""

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray
        self._task = ray.remote(answers)
        self._part = ray.remote(part_answers)

    def nodes(self) -> list[ClusterNode]:
        """The machines that can do something now."""
        return [
            ClusterNode(
                node["NodeID"],
                node["NodeManagerAddress"],
                int(node["Resources"]["CPU"]),
                int(node["Resources"]["memory"]),
            )
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def put(self, chunk: bytes) -> Any:
        """A reference to a chunk in the object store, where it is as long as the reference."""
        return self._ray.put(chunk)

    def send(self, order: TaskOrder, demand: Demand, near: str | None = None) -> TaskStream:
        """A task is sent: to a node if it is there and has room, or else to any."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        where: Any = "DEFAULT"
        if near is not None:
            where = NodeAffinitySchedulingStrategy(near, soft=True)
        task = self._task.options(**_options(demand, where))
        return TaskStream(self._ray, task.remote(order))

    def send_part(self, order: PartOrder, keeper: Any, demand: Demand) -> TaskStream:
        """The task of a part is sent, to a node that has as few others as can be."""
        task = self._part.options(**_options(demand, "SPREAD"))
        return TaskStream(self._ray, task.remote(order, keeper))

    def keeper(self, order: KeeperOrder) -> Any:
        """The keeper of a table, a process on this machine, which sees the folder of the build."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = self._ray.get_runtime_context().get_node_id()
        actor = self._ray.remote(KeeperActor).options(
            num_cpus=0,
            max_concurrency=order.parts + OTHER_CALLS,
            scheduling_strategy=NodeAffinitySchedulingStrategy(here, soft=False),
        )
        return actor.remote(order)

    def call(self, method: Any) -> Any:
        """What a method of a keeper returns; an error of ours as it was raised.

        TaskLost if the keeper is lost.
        """
        from ray.exceptions import RayError, RayTaskError

        try:
            return self._ray.get(method.remote())
        except RayTaskError as error:
            raise getattr(error, "cause", error) from error
        except RayError as error:
            raise TaskLost(_reason(error)) from error

    def tell(self, method: Any, *arguments: Any) -> None:
        """A method of a keeper is called, and nobody waits for it."""
        method.remote(*arguments)

    def dismiss(self, keeper: Any) -> None:
        """There is no keeper any more, and what it kept can be opened by another."""
        with suppress(TaskLost, UnmoveError):
            self.call(keeper.close)
        self._ray.kill(keeper)

    def ready(self, streams: Sequence[TaskStream], timeout: float) -> list[TaskStream]:
        """The streams that have a message, or have ended."""
        by_answers = {stream.answers: stream for stream in streams}
        found, _ = self._ray.wait(list(by_answers), timeout=timeout, num_returns=1)
        return [by_answers[answers] for answers in found]


class TaskStream:
    """The messages of a task, in order."""

    def __init__(self, ray: ModuleType, answers: Any) -> None:
        self._ray = ray
        self.answers = answers

    def message(self) -> Message | None:
        """The next one, which is waited for; None after the last.

        TaskLost if the task was lost, NodeFailed if it ended with an error that is none of ours.
        """
        from ray.exceptions import RayError, RayTaskError

        try:
            found: Message = self._ray.get(next(self.answers))
            return found
        except StopIteration:
            return None
        except RayTaskError as error:
            cause = getattr(error, "cause", error)
            if isinstance(cause, TaskLost):
                raise cause from error
            raise NodeFailed(str(error.ip), str(cause).strip().splitlines()[-1], "") from error
        except RayError as error:
            raise TaskLost(_reason(error)) from error


def answers(order: TaskOrder) -> Iterator[Message]:
    """What runs on a node."""
    yield from made(order, _fetched, _started())


def part_answers(order: PartOrder, keeper: Any) -> Iterator[Message]:
    """What runs on a node that has a part of a table."""
    import ray

    exchange = RayExchange(ray, keeper, order.part)
    yield from made(order.order, _fetched, _started(), exchange)


def _fetched(reference: Any) -> bytes:
    """A chunk of the object store."""
    import ray
    from ray.exceptions import RayError

    try:
        chunk: bytes = ray.get(reference)
        return chunk
    except RayError as error:
        raise TaskLost(_reason(error)) from error


def _started() -> TaskStarted:
    import ray

    host = str(ray.util.get_node_ip_address())  # type: ignore[no-untyped-call]
    return TaskStarted(host, ray.get_runtime_context().get_node_id())


def _options(demand: Demand, where: Any) -> dict[str, Any]:
    """How a task is sent."""
    return {
        "num_cpus": demand.cores,
        "memory": demand.memory,
        "num_returns": "streaming",
        "max_retries": 0,  # the driver sends it again, and says so
        "_generator_backpressure_num_objects": MESSAGES_AHEAD,
        "scheduling_strategy": where,
    }


@contextmanager
def joined(address: str, cores: int) -> Iterator[RayEngine]:
    """The Ray of an address: one that is started here with so many cores, or one that runs.

    BadOption for what is no address, and where Ray is not installed; NoCluster if there is none.
    """
    check_address(address)
    ours = _environment() if address == LOCAL else {}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        ray = _imported(address)
        try:
            _connect(ray, address, cores)
            yield RayEngine(ray)
        finally:
            ray.shutdown()
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def check_address(address: str) -> None:
    """It is `local`, `auto` or HOST:PORT; BadOption otherwise."""
    if address in (LOCAL, RUNNING):
        return
    match = re.fullmatch(r"([\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})", address)
    if match is None or not 0 < int(match[2]) < 1 << 16:
        raise BadOption("cluster", address, "it must be local, auto or HOST:PORT")


def _environment() -> dict[str, str]:
    """That of a Ray of our own, with a token that nobody else knows."""
    return {**OURS, "RAY_AUTH_TOKEN": secrets.token_hex(32)}


def _imported(address: str) -> ModuleType:
    try:
        import ray
    except ImportError as error:
        reason = "a cluster needs an extra; run `pip install 'unmove[cluster]'` first"
        raise BadOption("cluster", address, reason) from error
    return ray


def _connect(ray: ModuleType, address: str, cores: int) -> None:
    """This process is a driver of Ray; NoCluster if it cannot be one."""
    options: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    if address == LOCAL:
        options |= {
            "num_cpus": cores,
            "object_store_memory": STORE,
            "include_dashboard": False,
        }
    elif address != RUNNING:
        _check_reachable(address)
    try:
        ray.init(address, **options)
    except Exception as error:  # Ray raises its own, Python's, and plain `Exception`
        raise NoCluster(address, _reason(error)) from error


def _check_reachable(address: str) -> None:
    """Somebody listens there; NoCluster otherwise, sooner than Ray would find out."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE_TO_CONNECT).close()
    except OSError as error:
        raise NoCluster(address, f"nobody answers ({error.strerror or error})") from error


def _reason(error: Exception) -> str:
    """The first sentence of an error of Ray, which may be a page."""
    text = " ".join(str(error).split()) or type(error).__name__
    return re.split(r"(?<=\w{3})\. |: (?=\w+=)", text, maxsplit=1)[0].rstrip(".")
