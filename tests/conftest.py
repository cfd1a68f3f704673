"""Tables for the tests: every endgame of 2 to 4 men, all metrics, built once.

Tests may run in several processes, which share these tables: each metric is built by the process
that comes first, while another one builds the next. $UNMOVE_TEST_TABLES names a folder in which
they may be already, in `chess` and `xiangqi`, and which keeps them for the next run; remove it
after a change of solver or file.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

from unmove import Metric, Tablebase
from unmove.material import Material, all_of
from unmove.pool.workers import WorkerPool
from unmove.solver.build import Built, Means, build
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.store.folder import Folder
from unmove.successors.recoding import recode
from unmove.successors.subtable_cache import SubtableCache

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as a shell's `&` leaves it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Ray reads it when it is first imported: nodes of tests listen on the loopback address only.
os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")


class Quiet:
    """A build listener that keeps what was built."""

    def __init__(self) -> None:
        self.built: list[Built] = []

    def started(self, job: Job) -> None: ...

    def progressed(self, progress: Progress) -> None: ...

    def writing(self, job: Job) -> None: ...

    def finished(self, built: Built) -> None:
        self.built.append(built)


def build_into(
    folder: Path,
    *names: str,
    metrics: Sequence[Metric] = tuple(Metric),
    threads: int = 1,
    both: bool = False,
) -> Folder:
    """A folder with the named tables and all they depend on."""
    target = Folder(folder)
    target.prepare()
    plan = make_plan([Material.parse(name) for name in names], metrics, target, both=both)
    build(plan, target, Means(threads), Quiet())
    return target


def linked(folder: Path, tables: Folder, *but: str) -> Folder:
    """A folder that has the tables of another one, except those of the named endgames."""
    target = Folder(folder)
    target.prepare()
    for material, metric in tables.tables():
        if material.name not in but:
            path = tables.file(material, metric)
            (folder / path.name).symlink_to(path)
    return target


@pytest.fixture(scope="session")
def small_tables(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """All tables of 2 to 4 men."""
    names = [material.name for men in (2, 3, 4) for material in all_of(men)]
    place, worker = _shared_place(tmp_path_factory), os.environ.get("PYTEST_XDIST_WORKER")
    for metric in list(Metric)[:: -1 if worker == "gw1" else 1]:
        with FileLock(place / f"{metric}.lock"):
            build_into(place / "chess", *names, metrics=[metric])
    return Folder(place / "chess")


BOTH_SIDES = {
    "KQvK": Metric.DTM,
    "KPvK": Metric.DTM,
    "KRvKP": Metric.DTC,
    "KPvKP": Metric.DTZ,
    "KQvKR": Metric.DTM,
}
"""Tables that `both_sides` has with both sides to move."""


@pytest.fixture(scope="session")
def both_sides(small_tables: Folder, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The same tables, some of their files with both sides to move."""
    folder = linked(tmp_path_factory.mktemp("both"), small_tables)
    with WorkerPool(2) as pool:
        for name, metric in BOTH_SIDES.items():
            path = folder.file(Material.parse(name), metric)
            data = path.read_bytes()
            path.unlink()  # a link, which would lead to the file of all tests
            path.write_bytes(data)
            recode(folder, Material.parse(name), metric, pool, both=True)
    return folder


@pytest.fixture(scope="session")
def court_tables(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Some tables of xiangqi, by DTM."""
    names, place = ("KPvKA", "KHvKP", "KPPvK"), _shared_place(tmp_path_factory)
    with FileLock(place / "courts.lock"):
        return build_into(
            place / "xiangqi", *(f"xiangqi:{name}" for name in names), metrics=[Metric.DTM]
        )


def _shared_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the processes of a run, or the runs, find each other's tables."""
    place = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        place = place.parent
    if kept := os.environ.get("UNMOVE_TEST_TABLES"):
        place = Path(kept).absolute()
        place.mkdir(parents=True, exist_ok=True)
    return place


@pytest.fixture(scope="session")
def tablebase(small_tables: Folder) -> Iterator[Tablebase]:
    """The same tables, open."""
    with Tablebase(small_tables.path) as tables:
        yield tables


@pytest.fixture(scope="session")
def subtables(small_tables: Folder) -> Iterator[SubtableCache]:
    """The same tables, as the solver reads them: what is loaded stays loaded for the next test."""
    with SubtableCache(small_tables) as found:
        yield found


@pytest.fixture(scope="session")
def xiangqi_tables(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A soldier against a king, and against an advisor, of xiangqi."""
    return build_into(tmp_path_factory.mktemp("xiangqi"), "xiangqi:KPvKA")
