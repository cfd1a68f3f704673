"""Files with both sides to move, and tables that are coded anew without being solved."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import BOTH_SIDES, Quiet, build_into, linked
from tests.support.commands import run
from unmove import Metric, Tablebase
from unmove.api.files import FileCheck
from unmove.errors import DamagedFile, UnwritableFolder
from unmove.material import Material
from unmove.planes.layouts import board_at
from unmove.pool.workers import WorkerPool
from unmove.solver.build import Means, build
from unmove.solver.estimate import PATIENCE
from unmove.solver.plan import make_plan
from unmove.store.folder import Folder
from unmove.store.format import BOTH, EACH_ITS_OWN
from unmove.store.reader import TableFile
from unmove.successors.recoding import recode
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import SIDES, value_of

LARGER = [
    *(("KRvKP", Metric.DTM), ("KRvKP", Metric.DTZ)),
    *(("KPvKP", Metric.DTZ), ("KQvKR", Metric.DTM)),
]
TABLES = [
    *(("KPvK", metric) for metric in Metric),
    *(("KvK", Metric.DTM), ("KNvK", Metric.DTM)),
    ("KRvKP", Metric.DTC),  # both sides capture, one promotes
    *(pytest.param(*table, marks=pytest.mark.slow) for table in LARGER),
]
BOARDS = 150  # of a table


def copied(folder: Path, tables: Folder, *names: str) -> Folder:
    """A folder with files of its own of some endgames, and links to all others."""
    target = linked(folder, tables, *names)
    for material, metric in tables.tables():
        if material.name in names:
            path = target.file(material, metric)
            path.write_bytes(tables.file(material, metric).read_bytes())
    return target


def coded_anew(folder: Folder, name: str, metric: Metric, *, both: bool = True) -> Path:
    """The path of a table that is coded anew."""
    with WorkerPool(2) as pool:
        recode(folder, Material.parse(name), metric, pool, both=both)
    return folder.file(Material.parse(name), metric)


@pytest.mark.parametrize(("name", "metric"), TABLES)
def test_a_table_is_coded_with_both_sides_and_back(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path, name: str, metric: Metric
) -> None:
    """All values stay. With one side again the file has the bytes that it had at first."""
    folder, material = copied(tmp_path, small_tables, name), Material.parse(name)
    table = subtables.load(material, metric)
    path = coded_anew(folder, name, metric)
    with TableFile(path) as file, SubtableCache(folder) as other:
        assert (file.meta.stored, file.sides, file.meta.version) == (BOTH, SIDES, EACH_ITS_OWN)
        assert path.read_bytes()[8] == EACH_ITS_OWN
        with small_tables.open(material, metric) as usual:
            assert (file.meta.values, file.summary) == (usual.meta.values, usual.summary)
        file.check()
        again = other.load(material, metric)
    for side in SIDES:
        found, expected = again.cells[side], table.cells[side]
        assert np.array_equal(again.palette[found], table.palette[expected])
    coded_anew(folder, name, metric, both=False)
    assert path.read_bytes() == small_tables.file(material, metric).read_bytes()


def test_a_build_writes_what_a_table_coded_anew_has(small_tables: Folder, tmp_path: Path) -> None:
    """A build of both sides gives the same bytes; a table that is there stays as it is."""
    smaller = linked(tmp_path / "built", small_tables, "KRvKP", "KRvK")
    built = build_into(smaller.path, "KRvKP", metrics=[Metric.DTM], threads=2, both=True)
    folder = copied(tmp_path / "coded", small_tables, "KRvKP", "KRvK")
    for name in ("KRvK", "KRvKP"):
        path = coded_anew(folder, name, Metric.DTM)
        assert path.read_bytes() == built.file(Material.parse(name), Metric.DTM).read_bytes()
    with TableFile(built.file(Material.parse("KQvK"), Metric.DTM)) as file:
        assert file.meta.stored != BOTH


@pytest.mark.parametrize("name", ["KQvKR", "KRvKP", "KPvKP", "KQvKP"])
def test_positions_are_answered_alike(
    small_tables: Folder, both_sides: Folder, subtables: SubtableCache, name: str
) -> None:
    """Boards, moves, many squares and whole tables have the values of the table they came from.

    Of the endgames that these lead to, some files have both sides and some have one.
    """
    metric = BOTH_SIDES.get(name, Metric.DTM)
    table, rng = subtables.load(Material.parse(name), metric), random.Random(name)
    with Tablebase(both_sides, threads=2) as tables, Tablebase(small_tables, threads=2) as usual:
        for side in SIDES:
            codes = table.palette[table.cells[side]].ravel()
            for cell in rng.sample(np.flatnonzero(codes).tolist(), BOARDS):
                board = board_at(table.layout, side, cell)
                value = tables.probe(board).value(metric)
                assert value == value_of(codes[cell], metric), board.fen()
                if cell % 16 == 0:
                    assert tables.moves(board, metric) == usual.moves(board, metric)
        one, other = (each.to_numpy(name, metric) for each in (tables, usual))
        assert np.array_equal(one.values.codes, other.values.codes)
        found = tables.probe_many(name, one.squares, one.turns, metric)
        assert np.array_equal(found.codes, one.values.codes)


def test_a_file_with_both_sides_is_checked(small_tables: Folder, tmp_path: Path) -> None:
    """`check --values` finds it right, and wrong if its blocks are those of another table."""
    folder = copied(tmp_path, small_tables, "KQvK")
    for metric in Metric:
        coded_anew(folder, "KQvK", metric)
    assert all(not file.error for file in FileCheck.of(folder, ["KQvK"]).run(values=True))
    path = folder.file(Material.parse("KQvK"), Metric.DTM)
    data = bytearray(path.read_bytes())
    for place in range(0, len(data), 41):
        data[place] ^= 0x10
        path.write_bytes(bytes(data))
        verdicts = {file.metric: file.error for file in FileCheck.of(folder, ["KQvK"]).run()}
        assert verdicts.pop(Metric.DTM) is not None
        assert not any(verdicts.values())
        data[place] ^= 0x10


def test_a_table_with_other_values_is_not_coded_anew(small_tables: Folder, tmp_path: Path) -> None:
    """A file whose smaller endgames are not those that it was made with stays as it is."""
    folder = copied(tmp_path, small_tables, "KQvKR", "KRvK")
    strange = small_tables.file(Material.parse("KRvK"), Metric.DTC).read_bytes()
    folder.file(Material.parse("KRvK"), Metric.DTM).write_bytes(
        strange.replace(b'"metric":"dtc"', b'"metric":"dtm"')
    )
    path = folder.file(Material.parse("KQvKR"), Metric.DTM)
    before = path.read_bytes()
    with pytest.raises(DamagedFile):
        coded_anew(folder, "KQvKR", Metric.DTM)
    assert path.read_bytes() == before


def test_nothing_is_left_of_a_file_that_cannot_be_written(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that may not be written keeps its file, and there is a sentence."""
    folder = copied(tmp_path, small_tables, "KQvK")
    path = folder.file(Material.parse("KQvK"), Metric.DTM)
    before = path.read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("unmove.store.writer.FileIO", refuse)
    with pytest.raises(UnwritableFolder, match="Permission denied"):
        coded_anew(folder, "KQvK", Metric.DTM)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob(".*.new"))


def test_a_logged_build_writes_the_same(small_tables: Folder, tmp_path: Path) -> None:
    """A table whose log is on the disk gets the bytes of one that is solved in memory."""
    material, files = Material.parse("KPvK"), []
    for patience in (0.0, PATIENCE):
        folder = linked(tmp_path / str(patience), small_tables, "KPvK")
        plan = make_plan([material], [Metric.DTM], folder, both=True)
        build(plan, folder, Means(2, patience=patience), Quiet())
        files.append(folder.file(material, Metric.DTM).read_bytes())
    assert files[0] == files[1]


ASKED = [
    ["stats", "KPvK", "--json"],
    ["find", "KRvKP", "--metric", "dtc", "--where", "btm loss and dtc == max", "--json"],
    ["find", "KPvKP", "--metric", "dtz", "--where", "wtm win and only move", "--limit", "5"],
    ["zugzwangs", "KPvK", "--json"],
    ["export", "KQvK", "--metric", "dtm", "--output", "-"],
    ["export", "KvKQ", "--metric", "dtm", "--sample", "50", "--fen", "--output", "-"],
    ["line", "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1", "--metric", "dtm"],
    ["probe", "8/8/8/3k4/8/2r5/8/KQ6 b - - 0 1", "--json"],
]


@pytest.mark.parametrize("arguments", ASKED, ids=lambda arguments: " ".join(arguments[:3]))
def test_commands_answer_alike(
    small_tables: Folder, both_sides: Folder, arguments: list[str]
) -> None:
    """What the commands print does not depend on how many sides a file stores."""
    usual = run(*arguments, folder=small_tables.path)
    assert usual[0] == 0 and usual[1]
    assert run(*arguments, folder=both_sides.path)[:2] == usual[:2]


@pytest.mark.parametrize("name", ["KPvK", "KRvKP"])
def test_files_with_both_sides_are_proved(both_sides: Folder, name: str) -> None:
    """The proof holds for every position, and `list` and `check` find nothing wrong."""
    folder, metric = str(both_sides.path), BOTH_SIDES[name].value
    assert run("verify", name, "--metric", metric, "--dir", folder)[0] == 0
    assert run("list", "--dir", folder)[0] == 0
    assert run("check", name, "--dir", folder)[0] == 0


def test_other_files_agree_with_both_sides(both_sides: Folder, tmp_path: Path) -> None:
    """Files for engines are made of such a table, and `compare` finds them equal to it."""
    folder = copied(tmp_path / "tables", both_sides, "KPvK", "KQvK", "KRvK")
    for name in ("KQvK", "KRvK", "KPvK"):
        coded_anew(folder, name, Metric.DTZ)
    place, named = str(tmp_path / "syzygy"), ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]
    options = ("--format", "syzygy", "--output", place, "--dir", str(folder.path))
    assert run("export", *named, *options)[0] == 0
    code, out, err = run("compare", "KPvK", "--syzygy", place, "--dir", str(folder.path))
    assert code == 0, (out, err)
