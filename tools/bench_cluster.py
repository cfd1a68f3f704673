"""Measures a build over simulated nodes of one core, beside that of one process.

    python -m tools.bench_cluster FOLDER --men 4 --nodes 4 --metric dtm
    python -m tools.bench_cluster FOLDER --name KQRvKR --tables DIR --nodes 2 --parts 2 --metric dtm

The figures are those of docs/reports/0010-cluster.md. Tables go to a new folder below FOLDER each
time. With no nodes one process builds them, with `--threads`. With `--parts` the tables that are
named are cut; DIR has smaller ones. Wall time counts from the first task on. CPU time is that of
the driver, of the processes that do tasks, and of those of Ray.
"""

from __future__ import annotations

import argparse
import os
import secrets
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter, process_time
from typing import Any

import psutil
from rich.console import Console

from unmove.cli.views.cluster import ClusterScreen
from unmove.cluster.driver import Cutting, build_on_cluster
from unmove.cluster.engine import OURS, STORE, joined
from unmove.cluster.messages import NodeRules
from unmove.material import Material, all_of
from unmove.pool.machine import usable_cores
from unmove.solver.build import Built, Means, build
from unmove.solver.plan import Job, Plan, make_plan
from unmove.store.folder import Folder
from unmove.values import Metric

SMALL = 10_000_000  # cells of a table whose times are not printed


class Screen(ClusterScreen):
    """Shows nothing but what tables in parts took."""

    def exchanged(self, job: Job, parts: int, received: int) -> None:
        print(f"{job.material} in {parts} parts: {received:,} bytes received")

    def finished(self, built: Built) -> None:
        if built.job.estimate.cells > SMALL:
            print(f"{built.job.material} solved {built.solving:.1f}, written {built.writing:.1f} s")
        super().finished(built)


def main() -> None:
    """One build, and what it took."""
    options = _options()
    root = Path(mkdtemp(dir=options.folder))
    folder = Folder(root / "tables", tuple(options.tables or ()))
    materials = [material for men in range(2, options.men + 1) for material in all_of(men)]
    if options.name:
        materials = [Material.parse(name) for name in options.name]
    plan = make_plan(materials, options.metric or list(Metric), folder)
    if options.nodes:
        cut = Cutting(options.parts, frozenset(materials))
        _over_nodes(plan, folder, options.nodes, root / "node", cut)
    else:
        folder.prepare()
        start = perf_counter()
        with Screen(plan, Console(quiet=True), []) as screen:
            build(plan, folder, Means(options.threads), screen)
        print(f"wall {perf_counter() - start:.1f} s, CPU {process_time():.1f} s")
    print(f"{len(plan.jobs)} tables, SHA-256 of all bytes {_digest(folder)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--men", type=int, default=4)
    parser.add_argument("--name", action="append")
    parser.add_argument("--tables", type=Path, action="append")
    parser.add_argument("--parts", type=int, default=0)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--metric", type=Metric, action="append")
    return parser.parse_args()


def _over_nodes(plan: Plan, folder: Folder, nodes: int, node_dir: Path, cut: Cutting) -> None:
    os.environ |= {**OURS, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    from ray.cluster_utils import Cluster

    start = perf_counter()
    cluster: Any = Cluster(True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1, object_store_memory=STORE)
    try:
        with joined(cluster.address, nodes) as engine:
            print(f"Ray has {len(engine.nodes())} nodes after {perf_counter() - start:.1f} s")
            start = perf_counter()
            with Screen(plan, Console(quiet=True), engine.nodes()) as screen:
                rules = NodeRules(node_dir)
                build_on_cluster(plan, folder, Means(1), rules, engine, screen, cut)
            wall, spent = perf_counter() - start, _spent()
        print(f"wall {wall:.1f} s, CPU {process_time():.1f} s of the driver, ", end="")
        print(f"{spent[True]:.1f} s of tasks, {spent[False]:.1f} s of Ray")
    finally:
        cluster.shutdown()


def _spent() -> dict[bool, float]:
    """CPU seconds of the processes below this one: of those that do tasks, and of all others."""
    spent: defaultdict[bool, float] = defaultdict(float)
    for process in psutil.Process().children(recursive=True):
        try:
            title, times = " ".join(process.cmdline()), process.cpu_times()
        except psutil.Error:  # it has just ended
            continue
        does_tasks = title.startswith("ray::") and "Agent" not in title
        spent[does_tasks] += times.user + times.system
    return spent


def _digest(folder: Folder) -> str:
    """Of the bytes of all tables, in order of their names."""
    digest = sha256()
    for path in sorted(folder.path.glob("*.unmove")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main()
