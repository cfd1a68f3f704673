"""Files for users: complete under their names or not there; and what `unmove export` puts in."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from typer.testing import CliRunner, Result

from tests.conftest import build_into
from unmove import Metric, Tablebase
from unmove.cli.app import app
from unmove.cli.failures import exit_code, told
from unmove.errors import UnfinishedFile, UnmoveError
from unmove.games.boards import board_of
from unmove.games.fens import fens_of
from unmove.interop import columnar
from unmove.interop.columnar import WRITERS, Part, Sheet
from unmove.material import Material
from unmove.research.find import Finder
from unmove.research.query import parse
from unmove.research.scan import Scan
from unmove.store.atomic import replacing, user_file
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache

COMMAND = [sys.executable, "-m", "unmove"]


def exported(folder: Folder, *arguments: str) -> Result:
    """`unmove export` in this process; what it raised is raised."""
    result = CliRunner().invoke(app, ["export", *arguments, "--dir", str(folder.path)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def names_of(path: Path) -> list[str]:
    """The columns of a file of any format."""
    if path.suffix == ".csv":
        return path.read_text().splitlines()[0].split(",")
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return [name for name in arrays if name != "metadata"]
    names: list[str] = pyarrow.parquet.read_schema(path).names
    return names


# --- complete under its name or not there -------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [KeyboardInterrupt(), MemoryError(), OSError(errno.ENOSPC, "full"), SystemExit(1)]
)
@pytest.mark.parametrize("before", ["old", None])
def test_a_file_that_fails_is_as_it_was_before(
    tmp_path: Path, failure: BaseException, before: str | None
) -> None:
    """Whatever happens while a file is written, its old content stays, and nothing else is left."""
    path = tmp_path / "file.csv"
    if before is not None:
        path.write_text(before)
    with pytest.raises(type(failure)), replacing(path) as part:
        part.write_text("half of the ne")
        raise failure
    assert [each.name for each in tmp_path.iterdir()] == ([path.name] if before else [])
    assert before is None or path.read_text() == before


def test_a_written_file_has_the_mode_that_open_would_give_it(tmp_path: Path) -> None:
    """A new file follows the umask, one that is replaced keeps its mode."""
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("old")
    old.chmod(0o604)
    before = os.umask(0o027)
    try:
        for path in (new, old):
            with replacing(path) as part:
                part.write_text("text")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (new, old)] == [0o640, 0o604]


def test_links_lead_to_the_new_file(tmp_path: Path) -> None:
    """A symbolic link, also one to nothing yet, stays a link, and what it leads to is written."""
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "chain").symlink_to(tmp_path / "link")
    for text in ("one", "two"):
        with replacing(tmp_path / "chain") as part:
            part.write_text(text)
        assert (tmp_path / "there" / "file").read_text() == text
        assert (tmp_path / "link").is_symlink() and (tmp_path / "chain").is_symlink()
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match="levels"), replacing(tmp_path / "circle"):
        pass


def test_special_files_are_written_themselves(tmp_path: Path) -> None:
    """Devices, pipes and open files are not replaced by a file of their name."""
    reading, writing = os.pipe()
    with (tmp_path / "open").open("w") as file:
        for path in ("/dev/null", f"/dev/fd/{writing}", f"/dev/fd/{file.fileno()}"):
            with replacing(Path(path)) as part:
                assert str(part) == path
                part.write_text("text")
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "text"
    assert [each.name for each in tmp_path.iterdir()] == ["open"]
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(UnfinishedFile), user_file("output", Path("/dev/full")) as part:
        part.write_text("text")


def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path: Path) -> None:
    """Unfinished files of processes that are no more are removed, those of others are not."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = tmp_path / f".file.csv.{dead.pid}.1.new"
    others = [tmp_path / f".file.csv.{os.getppid()}.1.new", tmp_path / f".b.csv.{dead.pid}.1.new"]
    for path in (left, *others):
        path.touch()
    with replacing(tmp_path / "file.csv") as part:
        part.write_text("text")
    assert set(tmp_path.iterdir()) == {tmp_path / "file.csv", *others}


FULL_DISK = """
import json, resource, sys
from unmove.cli.app import main
found = {}
for command in json.loads(sys.argv[1]):
    sys.argv = ["unmove", *command]
    try:
        main()
    except SystemExit as error:
        found[command[-1]] = error.code
    finally:
        sys.stdout.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
print(json.dumps(found))
"""
"""Commands with a limit of 64 bytes a file from the second on; the exit code of each."""


def test_a_full_disk_leaves_every_file_as_it_was(small_tables: Folder, tmp_path: Path) -> None:
    """Exports, plots, games, lines and Markdown: exit code 5, a sentence, and the old file."""
    outputs = {
        name: tmp_path / name
        for name in ("a.parquet", "a.npz", "a.csv", "a.svg", "a.png", "a.pgn", "a.txt", "a.md")
    }
    for path in outputs.values():
        path.write_text("old")
    options = {".svg": "--plot", ".png": "--plot", ".pgn": "--pgn", ".txt": "--lines"}
    commands = [["stats", "KRvK", "--plot", str(tmp_path / "warm.svg")]]
    for path in outputs.values():
        if path.suffix in options:
            commands.append(["stats", "KRvK", options[path.suffix], str(path)])
        elif path.suffix == ".md":
            commands.append(["reproduce", "zellner", "--no-build", "--markdown", str(path)])
        else:
            commands.append(["export", "KRvK", "--output", str(path)])
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, json.dumps(commands)],
        capture_output=True,
        text=True,
        env={**os.environ, "UNMOVE_DIR": str(small_tables.path)},
    )
    assert "Traceback" not in done.stderr, done.stderr
    codes = json.loads(done.stdout.splitlines()[-1])
    assert [codes[str(path)] for path in outputs.values()] == [5] * len(outputs), done.stderr
    assert done.stderr.count("could not be written to its end") == len(outputs)
    assert {path.name for path in tmp_path.iterdir()} == {*outputs, "warm.svg"}
    assert {path.read_text() for path in outputs.values()} == {"old"}


@pytest.mark.parametrize(
    ("name", "number", "code"),
    [
        ("a.csv", signal.SIGINT, 130),
        ("a.parquet", signal.SIGINT, 130),
        ("a.csv", signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_an_export_that_is_stopped_leaves_nothing_under_its_name(
    small_tables: Folder, tmp_path: Path, name: str, number: signal.Signals, code: int
) -> None:
    """Ctrl-C ends an export with 130, a sentence and no file; a kill leaves no file of its name."""
    output = tmp_path / name
    arguments = ["export", "KQvKR", "--fen", "--output", str(output), "--dir"]
    process = subprocess.Popen(
        [*COMMAND, *arguments, str(small_tables.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not any(p.stat().st_size for p in tmp_path.iterdir()):
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err, out) == (code, False, "")
    assert not output.exists()
    if number == signal.SIGINT:
        assert f"Stopped. {output} is as it was before." in err
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", WRITERS)
def test_an_export_without_memory_leaves_no_file(
    small_tables: Folder, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A MemoryError in the midst of the rows removes what was written."""
    write = WRITERS[form]

    def failing(sheet: Sheet, parts: Iterator[Part], path: Path) -> int:
        def some() -> Iterator[Part]:
            yield next(iter(parts))
            raise MemoryError

        return write(sheet, some(), path)

    monkeypatch.setitem(WRITERS, form, failing)
    with pytest.raises(MemoryError):
        exported(small_tables, "KQvK", "--output", str(tmp_path / f"a.{form}"))
    assert list(tmp_path.iterdir()) == []


# --- what is in it ------------------------------------------------------------------------------


def test_several_metrics_stand_in_one_file(small_tables: Folder, tmp_path: Path) -> None:
    """A column a metric, in one order, repeated ones once, each as the table of the metric says."""
    path = tmp_path / "a.parquet"
    asked = [word for metric in ("dtz", "dtm", "dtz", "dtc") for word in ("--metric", metric)]
    exported(small_tables, "KPvK", *asked, "--output", str(path))
    found = {name: column.to_numpy() for name, column in _columns(path)}
    men = ["wK", "wP", "bK"]
    assert list(found) == [*men, "turn", "outcome", "outcome50", "dtm", "dtc", "dtz"]
    with Tablebase(small_tables.path) as tables:
        for metric in Metric:
            batch = tables.to_numpy("KPvK", metric)
            assert np.array_equal(np.stack([found[man] for man in men], axis=1), batch.squares)
            assert np.array_equal(found["turn"], batch.turns)
            assert np.array_equal(found[metric.value], batch.values.plies)
            assert np.array_equal(found["outcome"], batch.values.outcome)
        assert np.array_equal(found["outcome50"], batch.values.outcome50)


def _columns(path: Path) -> Iterator[tuple[str, Any]]:
    table = pyarrow.parquet.read_table(path)
    yield from zip(table.column_names, table.columns, strict=True)


def test_a_query_chooses_the_rows_by_any_metric(small_tables: Folder, tmp_path: Path) -> None:
    """The rows are what `find` finds, also if the query speaks of a metric that is not written."""
    where, path = "zugzwang and dtz < 4", tmp_path / "a.parquet"
    exported(small_tables, "KRvKN", "--where", where, "--fen", "--output", str(path))
    with SubtableCache(small_tables) as subtables, Tablebase(small_tables.path) as tables:
        finder = Finder(Scan(subtables, Material.parse("KRvKN"), Metric.DTZ), parse(where))
        fens = [note.fen for some in finder.matches() for note in finder.notes(some)]
        rows = rows_of(path)
        assert len(fens) > 0 and [row["fen"] for row in rows] == fens
        assert [row["plies"] for row in rows] == tables.probe_fens(fens).plies.tolist()


@pytest.mark.parametrize("where", [(), ("--where", "btm draw")])
def test_a_sample_of_rows_depends_on_its_seed_alone(
    small_tables: Folder, tmp_path: Path, where: tuple[str, ...]
) -> None:
    """Same seed, same rows for all threads; another seed, others; each row is one of them all."""
    texts = []
    for seed, threads in (("1", "1"), ("1", "2"), ("2", "1")):
        path = tmp_path / f"{seed}{threads}.csv"
        drawn = ("--sample", "500", "--seed", seed, "--threads", threads)
        exported(small_tables, "KPvK", *where, *drawn, "--output", str(path))
        texts.append(path.read_text())
    assert texts[0] == texts[1] != texts[2]
    exported(small_tables, "KPvK", *where, "--output", str(tmp_path / "all.csv"))
    sample, everything = texts[0].splitlines(), (tmp_path / "all.csv").read_text().splitlines()
    assert sample[0] == everything[0]
    assert len(set(sample)) == 501 and set(sample) <= set(everything)
    assert {row.split(",")[3] for row in sample[1:]} == ({"1"} if where else {"0", "1"})


def test_a_sample_larger_than_the_table_is_the_table(small_tables: Folder, tmp_path: Path) -> None:
    """Nothing is drawn twice."""
    for name, sample in (("all.csv", ()), ("some.csv", ("--sample", "1000000000"))):
        exported(small_tables, "KQvK", *sample, "--output", str(tmp_path / name))
    texts = [(tmp_path / name).read_text().splitlines() for name in ("all.csv", "some.csv")]
    assert sorted(texts[0]) == sorted(texts[1])


@pytest.mark.parametrize(
    "name", ["KQvK", "KvKQ", "KNNvKP", "KQRBNvKQRBN", "xiangqi:KCPvKAAEE", "xiangqi:KHvKRRPEA"]
)
def test_fens_of_many_positions_are_those_of_their_boards(name: str) -> None:
    """Text made by the million is the text that a board writes, in both games."""
    material, rng = Material.as_written(name), np.random.default_rng(1)
    size = 64 if ":" not in name else 90
    squares = np.array([rng.permutation(size)[: material.men] for _ in range(200)], np.uint8)
    turns = rng.integers(2, size=200).astype(np.uint8)
    boards = [
        board_of(material, each, side)
        for each, side in zip(squares.tolist(), turns.tolist(), strict=True)
    ]
    assert fens_of(material, squares, turns).tolist() == [board.fen() for board in boards]
    assert fens_of(material, squares[:0], turns[:0]).tolist() == []


def test_a_name_the_other_way_round_is_exported_as_written(
    small_tables: Folder, tmp_path: Path
) -> None:
    """In KvKP Black has the pawn: squares, turns, queries and FENs say so, by all metrics."""
    path, metrics = tmp_path / "a.parquet", ("--metric", "dtm", "--metric", "dtz")
    for rows in (("--sample", "300"), ("--where", "black wins and dtm > 40")):
        exported(small_tables, "KvKP", *metrics, *rows, "--fen", "--output", str(path))
        assert names_of(path)[:3] == ["wK", "bK", "bP"]
        found = rows_of(path)
        fens = [row["fen"] for row in found]
        with Tablebase(small_tables.path) as tables:
            for metric in (Metric.DTM, Metric.DTZ):
                values = tables.probe_fens(fens, metric)
                assert [row[metric.value] for row in found] == values.plies.tolist()
                assert [row["outcome"] for row in found] == values.outcome.tolist()
    assert len(found) > 0
    assert all((row["outcome"] > 0) == (row["turn"] == 1) for row in found)


@pytest.mark.parametrize("form", WRITERS)
def test_a_query_without_positions_gives_a_file_with_all_columns(
    small_tables: Folder, tmp_path: Path, form: str
) -> None:
    """No rows, every column with its type."""
    path = tmp_path / f"a.{form}"
    result = exported(
        *(small_tables, "KNNvK", "--metric", "dtz", "--where", "win and moves > 9", "--fen"),
        *("--output", str(path)),
    )
    assert "0 positions are in" in result.output
    columns = ["wK", "wN1", "wN2", "bK", "turn", "outcome", "outcome50", "plies", "fen"]
    assert names_of(path) == columns
    if form == "parquet":
        schema = pyarrow.parquet.read_schema(path)
        types = [str(schema.field(name).type) for name in columns]
        assert types == [*["uint8"] * 5, "int8", "int8", "int16", "string"]
        assert rows_of(path) == []
    elif form == "npz":
        with np.load(path) as arrays:
            found = {name: (arrays[name].dtype.kind, len(arrays[name])) for name in columns}
        assert found["wK"] == ("u", 0) and found["plies"] == ("i", 0) and found["fen"] == ("U", 0)
    else:
        assert len(path.read_text().splitlines()) == 1


def test_a_file_says_what_its_columns_mean(small_tables: Folder, tmp_path: Path) -> None:
    """Parquet and npz have the same description in them; the documentation has every column."""
    asked = ("--metric", "dtm", "--metric", "dtz", "--sample", "5", "--seed", "3", "--fen")
    for form in ("parquet", "npz"):
        exported(small_tables, "KQvKR", *asked, "--output", str(tmp_path / f"a.{form}"))
    schema = pyarrow.parquet.read_schema(tmp_path / "a.parquet")
    described = json.loads(schema.metadata[b"unmove"])
    with np.load(tmp_path / "a.npz") as arrays:
        assert json.loads(str(arrays["metadata"])) == described
    assert (described["material"], described["metrics"]) == ("KQvKR", ["dtm", "dtz"])
    assert (described["sample"], described["seed"], described["where"]) == (5, 3, None)
    assert list(described["columns"]) == schema.names
    for name, lookup in described["columns"].items():
        assert schema.field(name).metadata[b"description"].decode() == lookup
    assert "plies to mate" in described["columns"]["dtm"]
    documented = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
    assert all(f"`{name}`" in documented for name in [*schema.names, "plies", "dtc", *described])


def test_csv_goes_to_standard_output_alone(small_tables: Folder) -> None:
    """`--output -` writes rows and nothing else there; what is to be said stands beside them."""
    arguments = ["export", "KPvK", "--output", "-", "--fen", "--sample", "20000"]
    arguments += ["--dir", str(small_tables.path)]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)
    header, *rows = csv.reader(StringIO(done.stdout))
    assert (done.returncode, header) == (0, ["wK", "wP", "bK", "turn", "outcome", "plies", "fen"])
    assert f"{len(rows):,} positions" in done.stderr and "\r" not in done.stdout
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
    result = exported(small_tables, "KPvK", "--output", "-", "--json", "--sample", "3")
    assert (len(result.stdout.splitlines()), json.loads(result.stderr)["positions"]) == (4, 3)


def test_an_export_of_xiangqi_has_both_mirror_images(tmp_path: Path) -> None:
    """There are as many rows as the statistics count; a distance that the game lacks is refused."""
    folder = build_into(tmp_path / "tables", "xiangqi:KPvK", metrics=[Metric.DTM])
    path = tmp_path / "a.parquet"
    exported(folder, "xiangqi:KPvK", "--fen", "--output", str(path))
    with folder.open(Material.parse("xiangqi:KPvK"), Metric.DTM) as file:
        legal = sum(file.summary.legal)
    rows = rows_of(path)
    fens = [row["fen"] for row in rows]
    assert len(set(fens)) == len(fens) == legal
    with Tablebase(folder.path) as tables:
        assert [row["plies"] for row in rows] == tables.probe_fens(fens).plies.tolist()
    exported(folder, "xiangqi:KPvK", "--where", "wtm or btm", "--fen", "--output", str(path))
    assert {row["fen"] for row in rows_of(path)} == set(fens)
    for asked in (("--metric", "dtz"), ("--where", "cursed")):
        with pytest.raises(UnmoveError, match="xiangqi") as error:
            exported(folder, "xiangqi:KPvK", *asked, "--output", str(path))
        assert exit_code(error.value) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("KQvK", "--output", "x.txt"), 2, "none of parquet, npz, csv"),
        (("KQvK", "--output", "folder"), 2, "it is a folder"),
        (("KQvK", "--output", "folder.csv"), 2, "it is a folder"),
        (("KQvK", "--output", "missing/x.csv"), 2, "there is no such folder"),
        (("KQvK", "--output", "/dev/null/x.csv"), 2, "Not a directory"),
        (("KQvK", "--output", "x.csv", "--format", "xml"), 2, "one of parquet, npz, csv"),
        (("KQvK", "--output", "x.csv", "--format", "npz"), 2, "a file has one format"),
        (("KQvK", "--output", "x", "--format", "npz", "--format", "csv"), 2, "npz and csv"),
        (("KQvK", "--output", "-", "--format", "parquet"), 2, "standard output is CSV"),
        (("KQvK", "--output", "x.csv", "--where", "rubbish"), 2, "'rubbish'"),
        (("KQvK", "--output", "x.csv", "--where", ""), 2, "query ''"),
        (("KQvK", "--output", "x.csv", "--where", "dtm > 1 and dtz > 1"), 2, "dtm and dtz"),
        (("KQQ", "--output", "x.csv"), 2, "is no endgame"),
        (("KQRBvKQR", "--output", "x.csv"), 3, "too many"),
        (("KQRvKQ", "--output", "x.csv"), 3, "unmove build KQRvKQ"),
    ],
)
def test_a_wrong_export_gets_a_sentence_and_no_file(
    small_tables: Folder,
    tmp_path: Path,
    arguments: tuple[str, ...],
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each mistake has its exit code and words, and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    for name in ("folder", "folder.csv"):
        (tmp_path / name).mkdir()
    with pytest.raises(UnmoveError) as error:
        exported(small_tables, *arguments)
    assert (exit_code(error.value), words in told(error.value)) == (code, True), error.value
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "folder.csv"]


@pytest.mark.parametrize(
    "arguments", [("--sample", "0"), ("--sample", "-3"), ("--metric", "dtx"), ("--seed", "-1")]
)
def test_an_impossible_number_or_metric_is_refused(
    small_tables: Folder, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Exit code 2, and no file."""
    result = exported(small_tables, "KQvK", "--output", str(tmp_path / "x.csv"), *arguments)
    assert (result.exit_code, arguments[0] in result.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_its_library_says_what_to_install(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence with the command, and no file."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UnmoveError, match=r"pip install 'unmove\[export\]'"):
        exported(small_tables, "KQvK", "--output", str(tmp_path / "x.parquet"))
    assert list(tmp_path.iterdir()) == []


def test_small_parts_are_gathered_into_row_groups(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row groups of Parquet have enough rows each, however few a part of the table gives."""
    monkeypatch.setattr(columnar, "ROWS_A_GROUP", 40_000)
    path = tmp_path / "a.parquet"
    exported(small_tables, "KRvKN", "--where", "draw", "--output", str(path))
    found = pyarrow.parquet.ParquetFile(path).metadata
    sizes = [found.row_group(i).num_rows for i in range(found.num_row_groups)]
    assert len(sizes) > 1 and min(sizes[:-1]) >= 40_000
    assert json.loads(found.metadata[b"unmove"])["where"] == "draw"


INTERRUPTED_START = """
import signal, threading
from unmove.pool.workers import WorkerPool
start = threading.Thread.start
def interrupted(thread):
    start(thread)
    signal.raise_signal(signal.SIGINT)
threading.Thread.start = interrupted
try:
    WorkerPool(2).for_ranges(10, lambda worker, first, stop: None, smallest=1)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_process_ends_that_is_interrupted_while_its_threads_start() -> None:
    """Ctrl-C is seen to when all threads have started, so that none is left to wait for."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_START], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
