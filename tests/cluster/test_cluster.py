"""Builds over two simulated nodes of Ray: the same bytes as from one process, whatever is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import pytest

from tests.conftest import Quiet, build_into
from unmove.cluster import driver
from unmove.cluster.demand import ClusterNode
from unmove.cluster.driver import Cutting, build_on_cluster
from unmove.cluster.engine import OURS, joined
from unmove.cluster.messages import NodeRules
from unmove.errors import BadOption, NodeFailed, TableBusy, WorkersLost
from unmove.material import Material
from unmove.solver.build import Means
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.store.folder import Folder
from unmove.store.log_file import LogFile
from unmove.values import Metric

STORE = 100 << 20
NAMES = ("KQvKR", "KPvK")


class Told(Quiet):
    """A listener that keeps what it is told, and may do something about it."""

    def __init__(self, at_progress: Callable[[Progress], None] = lambda _: None) -> None:
        super().__init__()
        self.at_progress = at_progress
        self.losses: list[str] = []
        self.hosts: set[str] = set()
        self.nodes: list[ClusterNode] = []
        self.received: dict[str, int] = {}

    def progressed(self, progress: Progress) -> None:
        self.at_progress(progress)

    def has_nodes(self, nodes: list[ClusterNode]) -> None:
        self.nodes = nodes

    def placed(self, job: Job, host: str) -> None:
        self.hosts.add(host)

    def exchanged(self, job: Job, parts: int, received: int) -> None:
        self.received[job.material.name] = received

    def lost(self, job: Job, reason: str) -> None:
        self.losses.append(f"{job.material}: {reason}")


@pytest.fixture(scope="module")
def ray_nodes() -> Iterator[Any]:
    """Two nodes of one core, which listen on this machine only.

    They ask for no token: a process that has used Ray without one cannot change that.
    """
    with mock.patch.dict(os.environ, {**OURS, "RAY_AUTH_MODE": "disabled"}):
        from ray.cluster_utils import Cluster

        cluster: Any = Cluster(True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
        add_node(cluster)
        try:
            yield cluster
        finally:
            cluster.shutdown()


def add_node(cluster: Any, tries: int = 3) -> None:
    """One node more; Ray gives up on one that is not there after 30 s, on a busy machine too."""
    try:
        cluster.add_node(num_cpus=1, object_store_memory=STORE)
    except Exception as error:  # that is what Ray raises
        if tries == 1 or "timed out" not in str(error):
            raise
        add_node(cluster, tries - 1)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The same tables from one process."""
    return build_into(tmp_path_factory.mktemp("alone"), *NAMES, metrics=[Metric.DTM])


def build_over(
    cluster: Any,
    folder: Path,
    listener: Told,
    rules: NodeRules,
    names: tuple[str, ...] = NAMES,
    patience: float = 120.0,
    parts: int = 0,
) -> Folder:
    """The tables of a build over the nodes."""
    target = Folder(folder)
    plan = make_plan([Material.parse(name) for name in names], [Metric.DTM], target)
    with joined(cluster.address, 2) as engine:
        means, cut = (
            Means(2, patience=patience),
            Cutting(parts, frozenset(map(Material.parse, names))),
        )
        build_on_cluster(plan, target, means, rules, engine, listener, cut)
    return target


def files(folder: Folder) -> dict[str, bytes]:
    """All that is in the folder, hidden files too."""
    return {path.name: path.read_bytes() for path in folder.path.iterdir()}


def workers(task: str = "ray::answers") -> list[psutil.Process]:
    """The processes at a task of this test's nodes."""
    below = psutil.Process().children(recursive=True)
    return [process for process in below if task in " ".join(_command(process))]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_tables_from_two_nodes_have_the_bytes_of_one_process(
    ray_nodes: Any, alone: Folder, tmp_path: Path
) -> None:
    """Nothing else is left in the folder, and nothing on nodes that see it."""
    listener = Told()
    made = build_over(ray_nodes, tmp_path / "tables", listener, NodeRules(tmp_path / "node"))
    assert files(made) == files(alone)
    assert len(listener.built) == len(files(alone))
    assert sum(node.cores for node in listener.nodes) == 2
    assert not listener.losses
    assert not [path for path in (tmp_path / "node").rglob("*") if path.is_file()]


def test_tables_travel_to_nodes_that_do_not_see_the_folder(
    ray_nodes: Any, alone: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are sent when they are needed, and kept up to the limit."""
    monkeypatch.setattr(driver, "_mark", lambda folder: nullcontext("nowhere"))
    rules = NodeRules(tmp_path / "node")
    made = build_over(ray_nodes, tmp_path / "tables", Told(), rules, ("KQvK", "KRvK"))
    (node,) = (tmp_path / "node").iterdir()
    for path in node.glob("KRvK.*"):
        path.unlink()
    made = build_over(ray_nodes, tmp_path / "tables", Told(), rules)
    assert files(made) == files(alone)
    assert {path.name for path in node.glob("*.unmove")} == set(files(alone))


def test_a_table_whose_worker_is_killed_is_made_again_from_its_log(
    ray_nodes: Any, alone: Folder, tmp_path: Path
) -> None:
    """The bytes are the same, and the loss is reported."""
    logs: list[bool] = []

    def kill(progress: Progress) -> None:
        if progress.material.name == "KQvKR" and not logs:
            logs.append((tmp_path / "tables" / ".KQvKR.dtm.unmove.log").exists())
            for process in workers():
                process.kill()

    listener = Told(kill)
    rules = NodeRules(tmp_path / "node")
    made = build_over(ray_nodes, tmp_path / "tables", listener, rules, patience=0.0)
    assert logs == [True]
    assert listener.losses
    assert files(made) == files(alone)


def test_a_table_in_parts_begins_again_where_one_was_killed(
    ray_nodes: Any, alone: Folder, tmp_path: Path
) -> None:
    """The bytes are those of one process, and what was logged is not solved again."""
    levels: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.material.name == "KQvKR" and not listener.losses:
            levels.append(progress.level)
            for process in workers("ray::part_answers")[:1]:
                process.kill()

    listener = Told(kill)
    rules = NodeRules(tmp_path / "node")
    made = build_over(ray_nodes, tmp_path / "tables", listener, rules, parts=2)
    assert levels
    assert listener.losses
    assert files(made) == files(alone)
    assert listener.received["KQvKR"] > listener.received["KPvK"] == 0


@pytest.mark.slow
def test_a_table_in_parts_whose_keeper_is_killed_goes_on(
    ray_nodes: Any, alone: Folder, tmp_path: Path
) -> None:
    """A keeper that is started again reads the log of the one before."""

    def kill(progress: Progress) -> None:
        if not listener.losses:
            for process in workers("ray::KeeperActor"):
                process.kill()

    listener = Told(kill)
    rules = NodeRules(tmp_path / "node")
    made = build_over(ray_nodes, tmp_path / "tables", listener, rules, ("KQvKR",), parts=2)
    assert listener.losses
    path = alone.file(Material.parse("KQvKR"), Metric.DTM)
    assert files(made)[path.name] == path.read_bytes()


def test_parts_that_have_no_cores_are_refused(ray_nodes: Any, tmp_path: Path) -> None:
    """All parts work at the same time; two cores are not enough for three."""
    with pytest.raises(BadOption, match="the cluster has 2 cores, and each part takes one"):
        build_over(ray_nodes, tmp_path, Told(), NodeRules(tmp_path / "node"), ("KQvK",), parts=3)


@pytest.mark.slow
def test_a_table_whose_worker_is_killed_each_time_is_given_up(
    ray_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence; what was finished stays."""
    monkeypatch.setattr(driver, "LOSSES", 2)

    def kill(progress: Progress) -> None:
        if progress.material.name == "KQvKR":
            for process in workers():
                process.kill()

    with pytest.raises(WorkersLost, match="KQvKR was lost 2 times"):
        rules = NodeRules(tmp_path / "node")
        build_over(ray_nodes, tmp_path / "tables", Told(kill), rules, patience=0.0)
    left = {path.name for path in (tmp_path / "tables").glob("*.unmove")}
    assert {"KQvK.dtm.unmove", "KRvK.dtm.unmove"} <= left


@pytest.mark.slow
def test_a_node_that_goes_is_made_up_for_by_one_that_comes(
    ray_nodes: Any, alone: Folder, tmp_path: Path
) -> None:
    """All that is needed is on disk."""
    gone: list[bool] = []

    def exchange(progress: Progress) -> None:
        if not gone:
            gone.append(True)
            ray_nodes.remove_node(next(iter(ray_nodes.worker_nodes)))
            add_node(ray_nodes)

    rules = NodeRules(tmp_path / "node")
    made = build_over(ray_nodes, tmp_path / "tables", Told(exchange), rules)
    assert gone
    assert files(made) == files(alone)


def test_a_table_that_another_run_is_at_work_on_is_refused(
    ray_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while, as the other run may be one that is just ending."""
    monkeypatch.setattr(driver, "BUSY_TRIES", 2)
    monkeypatch.setattr(driver, "BUSY_PAUSE", 0.1)
    folder = Folder(tmp_path / "tables")
    folder.prepare()
    queen = Material.parse("KQvK")
    with LogFile(folder.file(queen, Metric.DTM), queen, Metric.DTM), pytest.raises(TableBusy):
        build_over(ray_nodes, folder.path, Told(), NodeRules(tmp_path / "node"), ("KQvK",))


def test_what_a_node_cannot_do_is_said_with_its_name(ray_nodes: Any, tmp_path: Path) -> None:
    """Its folder cannot be written, or its program is another version."""
    (tmp_path / "file").touch()
    with pytest.raises(NodeFailed, match=r"On the machine 127\.0\.0\.1: .* cannot be written"):
        build_over(ray_nodes, tmp_path / "a", Told(), NodeRules(tmp_path / "file"), ("KQvK",))
    with mock.patch.object(driver, "__version__", "0"), pytest.raises(NodeFailed, match="version"):
        build_over(ray_nodes, tmp_path / "b", Told(), NodeRules(tmp_path / "node"), ("KQvK",))


@pytest.mark.slow
def test_a_local_cluster_ends_with_its_run_and_goes_on_where_it_was_stopped(
    alone: Folder, tmp_path: Path
) -> None:
    """Killed, then interrupted, then left to itself; no process of Ray is left each time."""
    folder = Folder(tmp_path / "tables")
    command = [sys.executable, "-m", "unmove", "build", *NAMES, "--metric", "dtm"]
    command += ["--cluster", "local", "--threads", "1", "--dir", str(folder.path)]
    command += ["--node-dir", str(tmp_path / "node")]
    for stop, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130), (None, 0)):
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert run.stdout is not None
        lines = iter(run.stdout.readline, "")
        text = next(line for line in lines if " dtm " in line)
        started = psutil.Process(run.pid).children(recursive=True)
        assert started
        if stop is not None:
            run.send_signal(stop)
        text += "".join(lines)
        assert run.wait() == code, text
        end_all(started, but_agents=stop == signal.SIGKILL)
    assert files(folder) == files(alone)


def end_all(started: list[psutil.Process], *, but_agents: bool) -> None:
    """All processes have ended by themselves; agents of Ray that was killed take a minute."""
    left = psutil.wait_procs(started, timeout=3 if but_agents else 60)[1]
    for process in left:
        if process.status() == psutil.STATUS_ZOMBIE:  # it has ended, and nobody has asked how
            continue
        assert but_agents and "Agent" in " ".join(_command(process)), process
        process.kill()
    assert not psutil.wait_procs(left, timeout=60)[1]
