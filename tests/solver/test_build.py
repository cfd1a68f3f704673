"""Building: it continues, refuses what does not fit, and loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import zstandard

from tests.conftest import Quiet, build_into
from tests.support.fuzz import Parts
from unmove.errors import MissingDependency, OutOfDisk, OutOfMemory, TooManyMen
from unmove.material import Material
from unmove.solver.build import Means, build
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


class Interrupting(Quiet):
    """A listener behind which somebody presses Ctrl-C when a part of a table is begun."""

    def __init__(self, at: str, part: int) -> None:
        super().__init__()
        self.at = at
        self.part = part

    def progressed(self, progress: Progress) -> None:
        if progress.material.name == self.at and progress.part == self.part:
            raise KeyboardInterrupt


class CountingThreads(Quiet):
    """A listener that knows how many threads there were at most."""

    most = 0

    def progressed(self, progress: Progress) -> None:
        self.most = max(self.most, threading.active_count())

    def writing(self, job: Job) -> None:
        self.most = max(self.most, threading.active_count())


class Counting(Quiet):
    """A listener that counts the parts that are solved."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: set[tuple[str, str, int]] = set()

    def progressed(self, progress: Progress) -> None:
        self.parts.add((progress.material.name, progress.metric.value, progress.part))


@pytest.mark.parametrize(("at", "part"), [("KNvK", 0), ("KPvK", 3)])
def test_an_interrupted_build_goes_on_and_gives_the_same_bytes(
    small_tables: Folder, tmp_path: Path, at: str, part: int
) -> None:
    """What was finished stays, the rest follows, and the files equal an uninterrupted run's."""
    name, broken = "KPvK", Folder(tmp_path)
    wanted = [Material.parse(name)]
    plan = everything = make_plan(wanted, list(Metric), broken)
    with pytest.raises(KeyboardInterrupt):
        build(plan, broken, Means(1, patience=0.0), Interrupting(at, part))
    before = list(broken.tables())
    assert before
    plan = make_plan(wanted, list(Metric), broken)
    assert plan.finished == len(before)
    listener = Counting()
    build(plan, broken, Means(1), listener)
    assert len(listener.built) + len(before) == len(everything.jobs)
    first = min((p for n, m, p in listener.parts if (n, m) == (at, "dtm")), default=0)
    assert first == part  # parts solved before the interruption are not solved again
    for material, metric in broken.tables():
        one, other = (
            folder.file(material, metric).read_bytes() for folder in (small_tables, broken)
        )
        assert one == other


def test_a_finished_build_has_nothing_to_do(small_tables: Folder) -> None:
    """A second run builds nothing."""
    plan = make_plan([Material.parse("KQKR")], list(Metric), small_tables)
    assert not plan.jobs
    assert plan.finished == 12


def test_a_damaged_table_is_built_again(tmp_path: Path) -> None:
    """A file that cannot be read counts as missing, also if only its model cannot."""
    folder = build_into(tmp_path, "KQvK")
    path = folder.file(Material.parse("KQvK"), Metric.DTM)
    good = path.read_bytes()
    parts = Parts.of(good)
    longer = zstandard.compress(zstandard.decompress(parts.model) + bytes(8))
    for bad in (good[:100], parts._replace(model=longer).file()):
        path.write_bytes(bad)
        build_into(tmp_path, "KQvK")
        assert path.read_bytes() == good


def test_too_little_memory_is_refused_before_work_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that would not fit in memory says what it needs and what there is."""
    monkeypatch.setattr("unmove.solver.plan.free_memory", lambda: 100_000_000)
    with pytest.raises(OutOfMemory, match=r"needs about .* MB of memory and 100 MB are free"):
        build_into(tmp_path, "KQRvKR")
    assert list(Folder(tmp_path).tables()) == []


def test_too_little_disk_is_refused_before_work_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that would not fit on the disk says so at once."""

    class Usage:
        free = 1000

    monkeypatch.setattr("unmove.solver.plan.shutil.disk_usage", lambda _: Usage)
    with pytest.raises(OutOfDisk, match="choose another folder"):
        build_into(tmp_path, "KQvK")


def test_a_shell_limit_counts_as_memory() -> None:
    """`ulimit -v` makes a large build refuse instead of failing half way."""
    script = (
        "import resource, sys; from unmove.pool.machine import free_memory;"
        "before = free_memory(); limit = 10**9;"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit));"
        "sys.exit(free_memory() >= min(limit, before))"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize("name", ["KQQQvKRR", "KPPPvKPP"])
def test_what_is_not_solved_is_refused(tmp_path: Path, name: str) -> None:
    """Seven men get a clear sentence."""
    with pytest.raises(TooManyMen):
        make_plan([Material.parse(name)], [Metric.DTM], Folder(tmp_path))


def test_a_missing_dependency_is_named(tmp_path: Path) -> None:
    """Without the smaller endgame the error says which one to build."""
    with pytest.raises(MissingDependency, match="dtm table of KQvK is needed"):
        SubtableCache(Folder(tmp_path)).of(Metric.DTM)(Material.parse("KQvK"))


def test_leavings_of_a_killed_run_are_cleared_away(tmp_path: Path) -> None:
    """A file half written by a process that is gone is removed, that of a living one is not."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    gone, there = (tmp_path / f".KQvK.dtm.unmove.{pid}.1.new" for pid in (dead.pid, os.getpid()))
    gone.touch()
    there.touch()
    Folder(tmp_path).prepare()
    assert (gone.exists(), there.exists()) == (False, True)


def test_a_build_starts_as_many_threads_as_it_is_given_and_ends_them(tmp_path: Path) -> None:
    """Who solves a table and who reads the smaller ones are the same threads."""
    folder, listener, before = Folder(tmp_path), CountingThreads(), threading.active_count()
    plan = make_plan([Material.parse("KRvKQ")], [Metric.DTM], folder)
    build(plan, folder, Means(2), listener)
    assert listener.most == before + 2
    assert threading.active_count() == before
