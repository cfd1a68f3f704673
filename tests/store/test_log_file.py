"""The log of a solve on the disk: what was written comes back, and nothing else."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unmove.errors import OutOfDisk, TableBusy, UnwritableFolder
from unmove.material import Material
from unmove.store import log_file
from unmove.store.folder import Folder
from unmove.store.log_file import DamagedLog, LogFile, LogRecord
from unmove.values import Metric

KPK = Material.parse("KPvK")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the table will be."""
    return tmp_path / "KPvK.dtm.unmove"


def places(path: Path) -> tuple[Path, Path]:
    """The files of a log: pieces and journal."""
    return path.with_name(f".{path.name}.log"), path.with_name(f".{path.name}.journal")


def written(path: Path, count: int) -> list[list[bytes]]:
    """Some records of different sizes, in a log that is then left as by a crash."""
    rng = np.random.default_rng(3)
    records = [[rng.bytes(10 + 60 * i) for _ in range(i + 1)] for i in range(count)]
    with LogFile(path, KPK, Metric.DTM) as log:
        log.discard()
    with LogFile(path, KPK, Metric.DTM) as log:
        assert log.records == []
        for i, pieces in enumerate(records):
            log.append({"number": i}, [LogFile.packed(piece) for piece in pieces])
    return records


def pieces_of(log: LogFile, record: LogRecord) -> list[bytes]:
    return [log.read(record, i) for i in range(len(record["sizes"]))]


def assert_recovered(path: Path, expected: list[list[bytes]]) -> None:
    """A later run finds just the expected records."""
    with LogFile(path, KPK, Metric.DTM) as log:
        assert [record["number"] for record in log.records] == list(range(len(expected)))
        assert [pieces_of(log, record) for record in log.records] == expected


def test_what_was_written_is_recovered(path: Path) -> None:
    """All records come back, and again, and more can be written after them."""
    records = written(path, 3)
    assert_recovered(path, records)
    with LogFile(path, KPK, Metric.DTM) as log:
        log.append({"number": 3}, [LogFile.packed(piece) for piece in records[1]])
    assert_recovered(path, [*records, records[1]])


def test_a_journal_with_records_is_never_written_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever a run is killed, and on a full disk, the records that were there stay."""
    records = written(path, 3)

    def refuse(*_: object) -> None:
        raise AssertionError("the journal is written anew")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with LogFile(path, KPK, Metric.DTM) as log:
        log.append({"number": 3}, [LogFile.packed(b"more")])
        log.cut(log.records[3])
    assert_recovered(path, records)


def test_the_log_of_another_version_is_not_believed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been cut and encoded in another way."""
    written(path, 2)
    monkeypatch.setattr(log_file, "__version__", "0.0.1")
    with LogFile(path, KPK, Metric.DTM) as log:
        assert log.records == []


def test_a_journal_that_may_not_be_written_gets_a_sentence(path: Path) -> None:
    """A folder in its place, for one."""
    places(path)[1].mkdir()
    with pytest.raises(UnwritableFolder):
        LogFile(path, KPK, Metric.DTM)


def test_a_torn_journal_loses_the_last_record_only(path: Path) -> None:
    """Wherever the last line ends too early, the records before it are recovered."""
    records = written(path, 3)
    pieces, journal = places(path)
    lines, data = journal.read_bytes(), pieces.read_bytes()
    last = lines.rstrip().rindex(b"\n") + 1
    for end in range(last, len(lines) - 1):
        journal.write_bytes(lines[:end])
        pieces.write_bytes(data)
        assert_recovered(path, records[:2])
        assert journal.read_bytes() == lines[:last]


def test_a_torn_file_loses_the_last_record_only(path: Path) -> None:
    """Wherever the pieces end too early, the whole records before are recovered."""
    records = written(path, 3)
    pieces, journal = places(path)
    lines, data = journal.read_bytes(), pieces.read_bytes()
    for missing in (1, 10, 100):
        journal.write_bytes(lines)
        pieces.write_bytes(data[:-missing])
        assert_recovered(path, records[:2])


def test_every_flipped_bit_of_a_journal_is_found(path: Path) -> None:
    """A journal with one bit changed gives back the records before it, and nothing wrong."""
    records = written(path, 2)
    pieces, journal = places(path)
    lines, data = journal.read_bytes(), pieces.read_bytes()
    for place in range(8 * len(lines)):
        bad = bytearray(lines)
        bad[place // 8] ^= 1 << place % 8
        journal.write_bytes(bytes(bad))
        pieces.write_bytes(data)
        with LogFile(path, KPK, Metric.DTM) as log:
            found = [pieces_of(log, record) for record in log.records]
        assert len(found) >= lines[: place // 8].count(b"\n") - 1
        assert found == records[: len(found)]


def test_every_flipped_bit_of_a_piece_is_found(path: Path) -> None:
    """A record with one bit changed is damaged; cut, the log has what came before it."""
    records = written(path, 2)
    pieces, journal = places(path)
    lines, data = journal.read_bytes(), pieces.read_bytes()
    for place in range(8 * len(data)):
        bad = bytearray(data)
        bad[place // 8] ^= 1 << place % 8
        journal.write_bytes(lines)
        pieces.write_bytes(bytes(bad))
        with LogFile(path, KPK, Metric.DTM) as log, pytest.raises(DamagedLog) as error:
            for record in log.records:
                pieces_of(log, record)
        if place % 97 == 0:
            with LogFile(path, KPK, Metric.DTM) as log:
                log.cut(error.value.record)
            assert_recovered(path, records[: error.value.record["number"]])


def test_threads_read_while_records_are_written(path: Path) -> None:
    """Neither moves the other's place in the file."""
    records = written(path, 4)
    with LogFile(path, KPK, Metric.DTM) as log, ThreadPoolExecutor(2) as pool:
        before = list(log.records)

        def read_all(_: int) -> list[list[bytes]]:
            return [pieces_of(log, record) for record in before]

        found = pool.map(read_all, range(300))
        for number in range(4, 600):
            log.append({"number": number}, [LogFile.packed(bytes(50))])
        assert all(each == records for each in found)
    assert_recovered(path, [*records, *([bytes(50)] for _ in range(4, 600))])


def test_the_journal_of_another_table_is_not_believed(path: Path) -> None:
    """A log of another metric gives nothing."""
    written(path, 2)
    with LogFile(path, KPK, Metric.DTC) as log:
        assert log.records == []


def test_one_run_at_a_time_works_on_a_table(path: Path) -> None:
    """A second run is refused while the first is at work; afterwards nothing is left."""
    with LogFile(path, KPK, Metric.DTM), pytest.raises(TableBusy, match="Another run"):
        LogFile(path, KPK, Metric.DTM)
    with LogFile(path, KPK, Metric.DTM):
        pass
    assert list(path.parent.iterdir()) == []


def test_a_lock_ends_with_a_process_that_is_killed(path: Path) -> None:
    """While it lives the table is busy; killed, it leaves the table to the next run."""
    program = (
        "import sys, time; from pathlib import Path; from unmove.material import Material\n"
        "from unmove.store.log_file import LogFile; from unmove.values import Metric\n"
        "with LogFile(Path(sys.argv[1]), Material.parse('KPvK'), Metric.DTM):\n"
        "    print('locked', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == "locked\n"
            with pytest.raises(TableBusy):
                LogFile(path, KPK, Metric.DTM)
        finally:
            other.kill()
    with LogFile(path, KPK, Metric.DTM) as log:
        assert log.records == []


def test_a_lock_on_a_file_that_is_gone_is_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that begins just when another ends holds the lock that later runs ask for."""
    lock = fcntl.flock
    ended: list[bool] = []

    def flock(file: Any, operation: int) -> None:
        if not ended:
            ended.append(True)
            places(path)[0].unlink()
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with LogFile(path, KPK, Metric.DTM), pytest.raises(TableBusy):
        LogFile(path, KPK, Metric.DTM)


def test_a_log_on_a_full_disk_keeps_what_was_safe(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that could not be written is told and forgotten; those before are recovered."""
    records = written(path, 2)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with LogFile(path, KPK, Metric.DTM) as log, monkeypatch.context() as patched:
        patched.setattr(log_file, "SYNC_AFTER", 0.0)
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutOfDisk):
            log.append({"number": 2}, [LogFile.packed(b"more")])
    assert_recovered(path, records)


def test_a_journal_without_its_file_is_cleared(tmp_path: Path) -> None:
    """What a run leaves that was killed just after publishing goes; a table half built stays."""
    names = [".KQvK.dtm.unmove.journal", ".KRvK.dtm.unmove.journal", ".KRvK.dtm.unmove.log"]
    for name in names:
        (tmp_path / name).touch()
    Folder(tmp_path).prepare()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])
