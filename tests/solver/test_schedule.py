"""Tables side by side: in any order that dependencies allow, with the same bytes."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import Quiet, linked
from unmove.errors import OutOfDisk
from unmove.kernels.arrays import CellNumbers
from unmove.material import Material, all_of
from unmove.solver import build as building
from unmove.solver.build import Means, build
from unmove.solver.keeping import Keeping
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.solver.schedule import Schedule
from unmove.store.encoder import TableEncoder
from unmove.store.folder import Folder
from unmove.store.source import planes_of
from unmove.successors.promoted import planes_after, share_after
from unmove.successors.subtable_cache import PartlyKept, SubtableCache
from unmove.values import SIDES, Metric, Side


def jobs(*names: str) -> list[Job]:
    return [Job(Material.parse(name), Metric.DTM) for name in names]


def name_of(job: Job | None) -> str | None:
    return None if job is None else job.material.name


def test_small_jobs_wait_for_their_dependencies() -> None:
    """Jobs are handed out in order, but for those that depend on one at work."""
    schedule = Schedule(jobs("KQvK", "KRvK", "KQvKR", "KQRvK"), lambda job: False)
    first, second = schedule.small(), schedule.small()
    assert (name_of(first), name_of(second)) == ("KQvK", "KRvK")
    taken: list[str | None] = []
    waiting = Thread(target=lambda: taken.append(name_of(schedule.small())))
    waiting.start()
    assert first is not None and second is not None
    schedule.done(first)
    waiting.join(0.05)
    assert not taken
    schedule.done(second)
    waiting.join(10)
    assert taken == ["KQvKR"]


def test_a_large_job_is_alone() -> None:
    """It is not handed out beside others, and neither is the last one."""
    schedule = Schedule(jobs("KQvK", "KRvK", "KQvKR"), lambda job: job.material.name == "KQvK")
    rook = schedule.small()
    assert name_of(rook) == "KRvK"
    assert rook is not None
    schedule.done(rook)
    assert schedule.small() is None
    queen = schedule.alone()
    assert name_of(queen) == "KQvK"
    assert queen is not None
    schedule.done(queen)
    assert schedule.small() is None
    assert name_of(schedule.alone()) == "KQvKR"
    assert schedule.alone() is None


def test_tables_side_by_side_have_the_same_bytes(tmp_path: Path, small_tables: Folder) -> None:
    """Tables of three men, and of four with pawns on both sides, built by four threads."""
    names = [*(material.name for material in all_of(3)), "KNvKP", "KNvKN", "KQvKN", "KPvKP"]
    folder = linked(tmp_path, small_tables, *names)
    plan = make_plan([Material.parse(name) for name in names], [Metric.DTM], folder)
    assert len(plan.jobs) == len(names)
    build(plan, folder, Means(4), Quiet())
    for job in plan.jobs:
        path = folder.file(job.material, Metric.DTM)
        assert path.read_bytes() == small_tables.file(job.material, Metric.DTM).read_bytes()


def test_promotions_are_read_from_memory(
    tmp_path: Path, small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a table that is kept no plane is read from its file, and at the end none is kept."""
    missed: list[str] = []
    read, kept = PartlyKept.read, SubtableCache.keep
    caches: list[SubtableCache] = []

    def watched(
        self: PartlyKept, side: Side, wanted: NDArray[np.int64], out: CellNumbers
    ) -> CellNumbers:
        if wanted.size and not self._kept[side].has(wanted):
            missed.append(str(self.layout.material))
        return read(self, side, wanted, out)

    def keep(self: SubtableCache, *of: object) -> None:
        caches.append(self)
        kept(self, *of)  # type: ignore[arg-type]

    monkeypatch.setattr(PartlyKept, "read", watched)
    monkeypatch.setattr(SubtableCache, "keep", keep)
    names = ("KBvKP", "KQvKB", "KRvKB", "KBvKB", "KBvKN")
    folder = linked(tmp_path, small_tables, *names)
    build(make_plan([Material.parse("KBvKP")], [Metric.DTM], folder), folder, Means(2), Quiet())
    ours, theirs = (
        each.file(Material.parse("KBvKP"), Metric.DTM).read_bytes()
        for each in (folder, small_tables)
    )
    assert ours == theirs
    assert caches and not caches[0]._kept
    assert not [name for name in missed if Material.parse(name).men == 4]


@pytest.mark.parametrize("name", ["KQvKR", "KQvKP", "KQvKQ"])
def test_kept_planes_are_those_of_the_file(small_tables: Folder, name: str) -> None:
    """Read from memory or from the file, and with no room they are not kept at all."""
    material, metric = Material.parse(name), Metric.DTM
    planes = Keeping(jobs("KRvKP", "KQvKP", "KPvKP")).planes(Job(material, metric))
    assert planes
    with SubtableCache(small_tables) as subtables:
        solved = subtables.load(material, metric)
        subtables.keep(solved, planes, room=10)
        assert not isinstance(subtables.of(metric)(material), PartlyKept)
        subtables.keep(solved, planes, room=1 << 30)
        source = subtables.of(metric)(material)
        assert isinstance(source, PartlyKept)
        for side in SIDES:
            wanted = planes.get(side, np.arange(40))[::7]
            expected = planes_of(subtables.file_source(material, metric), side, wanted)
            assert np.array_equal(planes_of(source, side, wanted), expected)
        subtables.forget(material, metric)
        assert not isinstance(subtables.of(metric)(material), PartlyKept)


@pytest.mark.parametrize("name", ["KQvKP", "KRRvK", "KQRvKR", "KQRPvK", "KNNvKQ"])
def test_the_share_of_planes_after_promotions_is_about_right(name: str) -> None:
    """What an estimate says of them is near their number."""
    table = Job(Material.parse(name), Metric.DTM)
    readers = jobs("KPvKP", "KRPvK", "KRPvKR", "KRPPvK", "KNNvKP")
    promotions = Keeping(readers).into(table)
    found = sum(len(planes) for planes in planes_after(promotions).values())
    assert found == pytest.approx(share_after(promotions) * table.estimate.layout.count, rel=0.25)


class Failing(Quiet):
    """A listener that fails at a table."""

    def __init__(self, at: str, error: BaseException) -> None:
        super().__init__()
        self.at, self.error = at, error

    def progressed(self, progress: Progress) -> None:
        if progress.material.name == self.at:
            raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OutOfDisk(Path("x"), 2, 1)])
def test_an_error_at_one_table_ends_the_build(tmp_path: Path, error: BaseException) -> None:
    """It is raised as it is, all threads have ended, and finished tables stay."""
    folder = Folder(tmp_path)
    plan = make_plan([Material.parse("KQvKR")], [Metric.DTM], folder)
    with pytest.raises(type(error)):
        build(plan, folder, Means(2), Failing("KQvKR", error))
    assert folder.has(Material.parse("KQvK"), Metric.DTM)
    assert not folder.has(Material.parse("KQvKR"), Metric.DTM)
    assert not list(tmp_path.glob(".*"))


def test_a_build_that_is_interrupted_stops_whoever_is_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes while the main thread waits for tables that are built side by side."""
    at_work = Event()

    def interrupted(futures: object) -> None:
        assert at_work.wait(60)
        raise KeyboardInterrupt

    def writing(self: TableEncoder, path: Path, coder: str | None = None) -> None:
        at_work.set()
        while True:  # until somebody stops it
            for _ in self.map(lambda item: item, range(10)):
                pass

    monkeypatch.setattr(building, "wait", interrupted)
    monkeypatch.setattr(TableEncoder, "write", writing)
    folder = Folder(tmp_path)
    plan = make_plan([Material.parse("KQvKR")], [Metric.DTM], folder)
    with pytest.raises(KeyboardInterrupt):
        build(plan, folder, Means(2), Quiet())
    assert not list(tmp_path.glob(".*"))
