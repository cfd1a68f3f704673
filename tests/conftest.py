"""Tables for the tests: every endgame of 2 to 4 men, all metrics, built once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from unmove import Metric, Tablebase
from unmove.material import Material, all_of
from unmove.solver.build import Built, build
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.store.folder import Folder


class Quiet:
    """A build listener that keeps what was built."""

    def __init__(self) -> None:
        self.built: list[Built] = []

    def started(self, job: Job) -> None: ...

    def progressed(self, progress: Progress) -> None: ...

    def writing(self, job: Job) -> None: ...

    def finished(self, built: Built) -> None:
        self.built.append(built)


def build_into(folder: Path, *names: str, threads: int = 1) -> Folder:
    """A folder with the named tables and all they depend on, all metrics."""
    target = Folder(folder)
    target.prepare()
    plan = make_plan([Material.parse(name) for name in names], list(Metric), target)
    build(plan, target, threads, Quiet())
    return target


@pytest.fixture(scope="session")
def small_tables(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """All tables of 2 to 4 men."""
    names = [material.name for men in (2, 3, 4) for material in all_of(men)]
    return build_into(tmp_path_factory.mktemp("tables"), *names, threads=2)


@pytest.fixture(scope="session")
def tablebase(small_tables: Folder) -> Iterator[Tablebase]:
    """The same tables, open."""
    with Tablebase(small_tables.path) as tables:
        yield tables
