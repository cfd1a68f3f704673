"""`unmove recode` and `unmove build --sides`: what people see, what is refused, the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import linked
from tests.support.commands import run
from unmove import Metric
from unmove.material import Material
from unmove.store.folder import Folder

QUEEN = "8/8/8/8/8/2k5/8/KQ6 w - - 0 1"


@pytest.fixture
def folder(small_tables: Folder, tmp_path: Path) -> Folder:
    """KQvK by all metrics, files of its own, and what captures lead to."""
    target = Folder(tmp_path)
    for metric in Metric:
        for name in ("KvK", "KQvK"):
            material = Material.parse(name)
            data = small_tables.file(material, metric).read_bytes()
            target.file(material, metric).write_bytes(data)
    return target


def stored(folder: Folder, metric: Metric = Metric.DTM) -> str:
    """What `info` says of the table of a queen."""
    code, out, _ = run("info", str(folder.file(Material.parse("KQvK"), metric)), "--json")
    assert code == 0
    return str(json.loads(out)["stored"])


def test_tables_are_coded_anew_and_back(folder: Folder) -> None:
    """By JSON and in words; answers stay, and a table that is stored so already stays too."""
    _, before, _ = run("probe", QUEEN, folder=folder.path)
    code, out, _ = run("recode", "KQvK", "--sides", "both", "--json", folder=folder.path)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [(row["material"], row["metric"], row["stored"]) for row in rows] == [
        ("KQvK", metric, "both") for metric in sorted(Metric)
    ]
    assert all(row["bytes"] > 0 and row["bytes_before"] > 0 for row in rows)
    assert {stored(folder, metric) for metric in Metric} == {"both"}
    assert run("probe", QUEEN, folder=folder.path)[1] == before
    assert run("check", "--values", folder=folder.path)[0] == 0
    assert run("verify", "KQvK", folder=folder.path)[0] == 0
    _, out, _ = run("info", str(folder.file(Material.parse("KQvK"), Metric.DTM)))
    assert "Both sides to move are stored" in out
    name = folder.file(Material.parse("KQvK"), Metric.DTM)
    twice = name.stat().st_mtime_ns
    code, out, _ = run("recode", "KQvK", "--sides", "both", "--metric", "dtm", folder=folder.path)
    assert code == 0 and "KQvK dtm: both stored" in out
    assert name.stat().st_mtime_ns == twice
    assert run("recode", "--sides", "one", folder=folder.path)[0] == 0
    assert {stored(folder, metric) for metric in Metric} <= {"white", "black"}


def test_a_build_may_store_both_sides(folder: Folder) -> None:
    """New tables have both sides; those that are there stay as they are."""
    options = ("--sides", "both", "--metric", "dtm")
    code, _, err = run("build", "KRvK", "KQvK", *options, folder=folder.path)
    assert code == 0 and "unmove:" not in err
    assert stored(folder) != "both"
    path = folder.file(Material.parse("KRvK"), Metric.DTM)
    code, out, _ = run("info", str(path), "--json")
    assert json.loads(out)["stored"] == "both"
    assert run("check", "--values", folder=folder.path)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["KQvK"], 2, "--sides"),
        (["KQvK", "--sides", "white"], 2, "'white'"),
        (["KQvK", "--sides", "True"], 2, "'True'"),
        (["KQQ", "--sides", "both"], 2, "'KQQ'"),
        (["KQvK", "--sides", "both", "--metric", "dtx"], 2, "'dtx'"),
        (["KRvK", "--sides", "both"], 3, "KRvK"),
        (["kkq", "KRvK", "--sides", "one"], 3, "KRvK"),
        (["xiangqi:KPvK", "--sides", "one"], 3, "KPvK"),
    ],
)
def test_what_cannot_be_coded_anew_is_refused(
    folder: Folder, arguments: list[str], code: int, sentence: str
) -> None:
    """One sentence, the right exit code, and files as before."""
    before = {path: path.read_bytes() for path in folder.path.iterdir()}
    found, out, err = run("recode", *arguments, folder=folder.path)
    assert (found, out) == (code, "")
    assert sentence in err and "Traceback" not in err
    assert {path: path.read_bytes() for path in folder.path.iterdir()} == before


def test_a_table_without_its_smaller_endgames_is_refused(
    small_tables: Folder, tmp_path: Path
) -> None:
    """The missing table is named; nothing is changed."""
    folder = linked(tmp_path, small_tables, "KRvK")
    code, _, err = run("recode", "KQvKR", "--sides", "both", folder=folder.path)
    assert code == 3 and "KRvK" in err
    assert folder.file(Material.parse("KQvKR"), Metric.DTM).is_symlink()


def test_xiangqi_stores_both_sides_always(court_tables: Folder, tmp_path: Path) -> None:
    """One side is refused; both are there already."""
    folder = linked(tmp_path, court_tables)
    code, _, err = run("recode", "xiangqi:KPvKA", "--sides", "one", folder=folder.path)
    assert code == 2 and "xiangqi" in err
    code, out, _ = run("recode", "xiangqi:KPvKA", "--sides", "both", folder=folder.path)
    assert code == 0 and "both stored" in out


def test_a_damaged_table_is_not_coded_anew(folder: Folder) -> None:
    """A flipped byte of a block is found before anything is written; a folder may be empty."""
    path = folder.file(Material.parse("KQvK"), Metric.DTM)
    data = bytearray(path.read_bytes())
    data[-64] ^= 1
    path.write_bytes(bytes(data))
    code, _, err = run("recode", "KQvK", "--sides", "both", folder=folder.path)
    assert code == 4 and path.name in err
    assert path.read_bytes() == bytes(data)
    empty = folder.path / "empty"
    empty.mkdir()
    code, _, err = run("recode", "--sides", "both", folder=empty)
    assert code == 3 and "nothing to code" in err
