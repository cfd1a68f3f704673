"""Tables whose log is on the disk: the same bytes, whatever stops the work."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.conftest import Quiet
from tests.reference.planes import entries
from unmove.cli.app import app
from unmove.cli.failures import told
from unmove.cli.options import memory_of
from unmove.errors import DamagedFile, OutOfDisk, TableBusy, UnmoveError
from unmove.material import Material
from unmove.pool import mapped
from unmove.pool.mapped import MappedArena
from unmove.solver import disk_log
from unmove.solver.build import Means, build
from unmove.solver.disk_log import LogNotes, bands_of, entries_of, piece_of
from unmove.solver.disk_table import Band, _LoggedPart
from unmove.solver.estimate import Estimate, is_logged
from unmove.solver.loop import Progress
from unmove.solver.plan import make_plan
from unmove.store import encoder
from unmove.store.folder import Folder
from unmove.store.log_file import DamagedLog, LogFile, LogRecord
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


class StopsAt(Quiet):
    """A listener behind which somebody presses Ctrl-C at a table's n-th report."""

    def __init__(self, reports: int) -> None:
        super().__init__()
        self.left = reports

    def progressed(self, progress: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture
def small_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bands of so few planes that small tables have many."""
    monkeypatch.setattr(disk_log, "BAND_CELLS", 50 * 4096)


def folder_for(tmp_path: Path, small_tables: Folder, name: str, metric: Metric) -> Folder:
    """A folder with everything that a table needs, and not the table."""
    tmp_path.mkdir(exist_ok=True)
    for material in Material.parse(name).dependencies():
        there = small_tables.file(material, metric)
        if material.name != name and not (tmp_path / there.name).exists():
            (tmp_path / there.name).symlink_to(there)
    return Folder(tmp_path)


def build_on_disk(
    folder: Folder, name: str, metric: Metric, listener: Quiet, threads: int = 1
) -> bytes:
    """The table's file, built with its log on the disk."""
    plan = make_plan([Material.parse(name)], [metric], folder)
    assert [job.material.name for job in plan.jobs] == [name]
    build(plan, folder, Means(threads, patience=0.0), listener)
    return folder.file(Material.parse(name), metric).read_bytes()


CASES = [("KRvKN", Metric.DTC), ("KQvKQ", Metric.DTM), ("KPvK", Metric.DTZ), ("KBvKP", Metric.DTM)]


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_a_table_from_the_disk_has_the_same_bytes(
    tmp_path: Path, small_tables: Folder, small_bands: None, name: str, metric: Metric
) -> None:
    """In many bands, by two threads, and nothing is left beside it."""
    folder = folder_for(tmp_path, small_tables, name, metric)
    expected = small_tables.file(Material.parse(name), metric).read_bytes()
    assert build_on_disk(folder, name, metric, Quiet(), 2) == expected
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_sets_that_are_mapped_from_files_give_the_same_bytes(
    tmp_path: Path,
    small_tables: Folder,
    small_bands: None,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    metric: Metric,
) -> None:
    """With so little memory that no page stays for longer than a band, and nothing left behind."""
    let_go, relieve = [0], MappedArena.relieve

    def counted(self: MappedArena) -> None:
        let_go[0] += len(self._maps)
        relieve(self)

    monkeypatch.setattr(Estimate, "mapped", lambda self, room: 1)
    monkeypatch.setattr(mapped, "resident_memory", lambda: 1 << 60)
    monkeypatch.setattr(MappedArena, "relieve", counted)
    folder = folder_for(tmp_path, small_tables, name, metric)
    expected = small_tables.file(Material.parse(name), metric).read_bytes()
    assert build_on_disk(folder, name, metric, Quiet(), 2) == expected
    assert let_go[0] > 100
    assert not list(tmp_path.glob(".*"))


def test_a_band_that_others_assemble_is_waited_for(
    tmp_path: Path, small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight threads read a table of three bands, all of which take a while."""
    monkeypatch.setattr(disk_log, "LEAST_BANDS", 3)
    monkeypatch.setattr(disk_log, "BAND_CELLS", 1 << 40)
    assembled = _LoggedPart.assembled

    def slowly(self: _LoggedPart, *of: Any) -> Band:
        time.sleep(0.02)
        return assembled(self, *of)

    monkeypatch.setattr(_LoggedPart, "assembled", slowly)
    folder = folder_for(tmp_path, small_tables, "KRvKN", Metric.DTM)
    expected = small_tables.file(Material.parse("KRvKN"), Metric.DTM).read_bytes()
    assert build_on_disk(folder, "KRvKN", Metric.DTM, Quiet(), 8) == expected


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_a_build_that_is_stopped_at_any_ply_goes_on(
    tmp_path: Path, small_tables: Folder, small_bands: None, name: str, metric: Metric
) -> None:
    """Stopped again and again, later each time: the same bytes, and no ply twice."""
    folder, stops = folder_for(tmp_path, small_tables, name, metric), 0
    expected = small_tables.file(Material.parse(name), metric).read_bytes()
    log, _ = (tmp_path / f".{name}.{metric}.unmove.{kind}" for kind in ("log", "journal"))
    sizes = [0]
    while True:
        try:
            found = build_on_disk(folder, name, metric, StopsAt(5 << stops))
            break
        except KeyboardInterrupt:
            stops += 1
            sizes.append(log.stat().st_size)
    assert found == expected
    assert stops > 2
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_writing_that_is_stopped_goes_on(
    tmp_path: Path,
    small_tables: Folder,
    monkeypatch: pytest.MonkeyPatch,
    steps: int,
) -> None:
    """Stopped after some steps of the encoder, which are not done again."""
    monkeypatch.setattr(encoder, "BLOCKS_A_CHUNK", 4)
    note, left = LogNotes.note, [steps]
    noted: list[str] = []

    def until_stopped(self: LogNotes, name: str, pieces: list[bytes]) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        note(self, name, pieces)
        noted.append(name)

    monkeypatch.setattr(LogNotes, "note", until_stopped)
    folder = folder_for(tmp_path, small_tables, "KQvKQ", Metric.DTM)
    with pytest.raises(KeyboardInterrupt):
        build_on_disk(folder, "KQvKQ", Metric.DTM, Quiet())
    assert len(noted) == steps
    left[0] = 10**6
    expected = small_tables.file(Material.parse("KQvKQ"), Metric.DTM).read_bytes()
    assert build_on_disk(folder, "KQvKQ", Metric.DTM, Quiet()) == expected
    assert len(noted) == len(set(noted)) > 7
    assert noted[:3] == ["values", "choice", "model"]


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_flipped_bit_in_a_log_is_solved_again(
    tmp_path: Path, small_tables: Folder, small_bands: None, place: float
) -> None:
    """What a damaged ply and those after it have settled is worked out anew."""
    folder = folder_for(tmp_path, small_tables, "KRvKN", Metric.DTM)
    with pytest.raises(KeyboardInterrupt):
        build_on_disk(folder, "KRvKN", Metric.DTM, StopsAt(40))
    log = tmp_path / ".KRvKN.dtm.unmove.log"
    data = bytearray(log.read_bytes())
    data[int(place * len(data))] ^= 16
    log.write_bytes(bytes(data))
    expected = small_tables.file(Material.parse("KRvKN"), Metric.DTM).read_bytes()
    assert build_on_disk(folder, "KRvKN", Metric.DTM, Quiet()) == expected


def test_a_disk_that_never_gives_back_what_was_written_is_told(
    tmp_path: Path, small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build tries a few times, and then names the file."""
    folder = folder_for(tmp_path, small_tables, "KRvKN", Metric.DTM)

    def damaged(self: LogFile, record: LogRecord, piece: int) -> bytes:
        raise DamagedLog(record)

    monkeypatch.setattr(LogFile, "read", damaged)
    with pytest.raises(DamagedFile, match=r"KRvKN\.dtm\.unmove\.log"):
        build_on_disk(folder, "KRvKN", Metric.DTM, Quiet())


def test_a_full_disk_keeps_the_plies_that_are_done(
    tmp_path: Path, small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says so; with room again the build goes on."""
    folder = folder_for(tmp_path, small_tables, "KRvKN", Metric.DTM)
    write, left = LogFile._write, [700]

    def until_full(self: LogFile, data: bytes) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, data)

    with monkeypatch.context() as patched:
        patched.setattr(LogFile, "_write", until_full)
        with pytest.raises(OutOfDisk):
            build_on_disk(folder, "KRvKN", Metric.DTM, Quiet())
    assert (tmp_path / ".KRvKN.dtm.unmove.log").stat().st_size > 0
    expected = small_tables.file(Material.parse("KRvKN"), Metric.DTM).read_bytes()
    assert build_on_disk(folder, "KRvKN", Metric.DTM, Quiet()) == expected


@pytest.mark.parametrize(
    ("name", "metric", "orbits"),
    [
        *(("KPvK", Metric.DTZ, 3), ("KBvKP", Metric.DTM, 3)),
        pytest.param("KPvKP", Metric.DTM, 37, marks=pytest.mark.slow),
    ],
)
def test_parts_that_are_cut_further_give_the_same_bytes(
    tmp_path: Path,
    small_tables: Folder,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    metric: Metric,
    orbits: int,
) -> None:
    """A few slices at a time where memory is short; a stopped run keeps to its cuts."""
    monkeypatch.setattr(Estimate, "orbits_a_part", lambda self, room=0: orbits)
    folder = folder_for(tmp_path, small_tables, name, metric)
    with pytest.raises(KeyboardInterrupt):
        build_on_disk(folder, name, metric, StopsAt(30))
    monkeypatch.setattr(Estimate, "orbits_a_part", lambda self, room=0: orbits // 3)
    expected = small_tables.file(Material.parse(name), metric).read_bytes()
    assert build_on_disk(folder, name, metric, Quiet()) == expected


def test_parts_are_cut_until_they_fit() -> None:
    """Slices of pawns can be solved apart, endgames without pawns cannot."""
    table = Estimate(Material.parse("KBNvKNP"), Metric.DTM)
    assert table.orbits_a_part() == 4
    assert table.orbits_a_part(table.on_disk() / 2) == 2
    assert table.orbits_a_part(1) == 1
    assert Estimate(Material.parse("KRBvKNN"), Metric.DTM).orbits_a_part(1) == 10


def test_two_builds_of_a_table_are_refused(tmp_path: Path, small_tables: Folder) -> None:
    """The second one says that another is at work."""
    folder = folder_for(tmp_path, small_tables, "KRvKN", Metric.DTM)
    path = folder.file(Material.parse("KRvKN"), Metric.DTM)
    with LogFile(path, Material.parse("KRvKN"), Metric.DTM), pytest.raises(TableBusy):
        build_on_disk(folder, "KRvKN", Metric.DTM, Quiet())


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_a_build_that_is_killed_goes_on(tmp_path: Path, small_tables: Folder, kills: int) -> None:
    """kill -9 at random moments; the file in the end is that of an undisturbed build."""
    name = "KQvKR" if kills < 20 else "KBBvKN"
    folder = folder_for(tmp_path / "killed", small_tables, name, Metric.DTM)
    program = (
        "import sys; from tests.conftest import Quiet; from tests.solver.test_disk import *\n"
        "build_on_disk(Folder(Path(sys.argv[1])), sys.argv[2], Metric.DTM, Quiet(), 2)"
    )
    command = [sys.executable, "-c", program, str(folder.path), name]
    chance = random.Random(kills)
    for _ in range(kills):
        with subprocess.Popen(command) as process:
            while process.poll() is None and not list(folder.path.glob(".*.journal")):
                time.sleep(0.01)
            time.sleep(chance.random() * (1.0 if kills < 20 else 8.0))
            process.send_signal(signal.SIGKILL)
    path = folder.file(Material.parse(name), Metric.DTM)
    found = path.read_bytes() if path.exists() else b""
    found = found or build_on_disk(folder, name, Metric.DTM, Quiet(), 2)
    whole = small_tables
    if kills == 20:
        whole = folder_for(tmp_path / "whole", small_tables, name, Metric.DTM)
        build_on_disk(whole, name, Metric.DTM, Quiet(), 2)
    assert found == whole.file(Material.parse(name), Metric.DTM).read_bytes()


@pytest.mark.parametrize("words", [64, 7, 130])
def test_entries_come_back_from_their_pieces(words: int) -> None:
    """Random entries, sparse and dense, with and without marks of conversions."""
    rng, masks = np.random.default_rng(words), -(-words // 64)
    log: list[int] = []
    for plane in range(0, 5000, 37):
        row = rng.integers(0, 1 << 63, words, np.uint64) & rng.integers(
            0, 1 << 63, words, np.uint64
        )
        row[rng.random(words) < rng.random()] = 0
        row[0] |= np.uint64(1) << np.uint64(63)
        for header in (plane, plane | 1 << 63)[: 1 + plane % 2]:
            found = np.flatnonzero(row)
            log.append(header)
            for first in range(0, words, 64):
                log.append(sum(1 << int(i) - first for i in found if first <= i < first + 64))
            log += row[found].tolist()
    stretch = np.array(log, np.uint64)
    back = entries_of(masks, bytes(piece_of(masks, stretch)))
    assert np.array_equal(back, stretch)
    assert len(list(entries(back, words))) == len(list(entries(stretch, words)))
    assert len(entries_of(masks, bytes(piece_of(masks, np.zeros(0, np.uint64))))) == 0


@pytest.mark.parametrize(
    ("planes", "cells"), [(0, 4096), (1, 4096), (100, 1 << 30), (70_000, 4096)]
)
def test_bands_cover_all_planes(planes: int, cells: int) -> None:
    """One after the other, none empty, none too large."""
    bands = bands_of(planes, cells)
    assert [i for first, stop in bands for i in range(first, stop)] == list(range(planes))
    assert all(first < stop for first, stop in bands)
    assert all((stop - first) * cells <= max(disk_log.BAND_CELLS, cells) for first, stop in bands)


def test_logs_are_in_the_scratch_folder(tmp_path: Path, small_tables: Folder) -> None:
    """While a table is built they are there, and nothing is beside the tables."""
    folder = folder_for(tmp_path / "tables", small_tables, "KRvKN", Metric.DTM)
    (tmp_path / "scratch").mkdir()
    plan = make_plan([Material.parse("KRvKN")], [Metric.DTM], folder)
    means = Means(1, scratch=tmp_path / "scratch", patience=0.0)
    with pytest.raises(KeyboardInterrupt):
        build(plan, folder, means, StopsAt(5))
    assert len(list((tmp_path / "scratch").iterdir())) == 2
    assert not list((tmp_path / "tables").glob(".*"))
    build(plan, folder, means, Quiet())
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize("reports", [2, 9, 60])
def test_a_scratch_folder_that_vanishes_damages_nothing(
    tmp_path: Path, small_tables: Folder, reports: int
) -> None:
    """The table is right, or an error says what is gone and a later build is right."""
    folder = folder_for(tmp_path / "tables", small_tables, "KRvKN", Metric.DTM)
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    class Vanishes(StopsAt):
        def progressed(self, progress: Progress) -> None:
            self.left -= 1
            if self.left == 0:
                shutil.rmtree(scratch)

    plan = make_plan([Material.parse("KRvKN")], [Metric.DTM], folder)
    with contextlib.suppress(UnmoveError):
        build(plan, folder, Means(1, scratch=scratch, patience=0.0), Vanishes(reports))
    expected = small_tables.file(Material.parse("KRvKN"), Metric.DTM).read_bytes()
    found = folder.file(Material.parse("KRvKN"), Metric.DTM)
    if not found.exists():
        build_on_disk(folder, "KRvKN", Metric.DTM, Quiet())
    assert found.read_bytes() == expected


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--memory", "lots", "such as 8G"),
        ("--memory", "-1G", "such as 8G"),
        ("--memory", "0", "at least 200M"),
        ("--memory", "3", "at least 200M"),
        ("--memory", "250M", "are free|may be used"),
        ("--scratch", "nowhere", "no such folder"),
    ],
)
def test_nonsense_limits_get_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, value: str, said: str
) -> None:
    """The command says what is wrong, and builds nothing."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["build", "KQRvKR", "--dir", "t", option, value])
    error = result.exception
    text = told(error) if isinstance(error, UnmoveError) else result.output
    assert result.exit_code != 0
    assert re.search(said, text), text
    assert not list(tmp_path.rglob("*.unmove"))


@pytest.mark.parametrize(
    ("text", "value"),
    [("8G", 8 * 10**9), ("1.5g", 15 * 10**8), ("500MB", 5 * 10**8), ("300000000", 3 * 10**8)],
)
def test_memory_is_read_as_people_write_it(text: str, value: int) -> None:
    """With or without a unit, in either case."""
    assert memory_of(text) == value


def test_six_men_are_planned_with_their_log_on_the_disk(tmp_path: Path) -> None:
    """A table that would not fit into memory does without its cells there."""
    plan = make_plan([Material.parse("KRBvKBN")], [Metric.DTM], Folder(tmp_path))
    job = plan.jobs[-1]
    assert job.estimate.in_memory > 5 * job.estimate.on_disk()
    assert is_logged(job.estimate, 2, 10e9)
    assert plan.cost(2, 10**10).memory < 10**10


def test_promotions_into_a_table_on_the_disk_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_tables: Folder
) -> None:
    """Planes of a logged table are handed on in memory as those of any other."""
    kept: list[str] = []
    keep = SubtableCache.keep

    def noted(self: SubtableCache, solved: Any, planes: Any, *more: Any) -> None:
        keep(self, solved, planes, *more)
        if (solved.layout.material, solved.metric) in self._kept:
            kept.append(f"{solved.layout.material} {type(solved).__name__}")

    monkeypatch.setattr(SubtableCache, "keep", noted)
    folder = folder_for(tmp_path, small_tables, "KPvK", Metric.DTM)
    folder.file(Material.parse("KQvK"), Metric.DTM).unlink()
    plan = make_plan([Material.parse("KPvK")], [Metric.DTM], folder)
    build(plan, folder, Means(2, patience=0.0), Quiet())
    assert kept == ["KQvK TableOnDisk"]
    for job in plan.jobs:
        path = folder.file(job.material, Metric.DTM)
        assert path.read_bytes() == small_tables.file(job.material, Metric.DTM).read_bytes()
