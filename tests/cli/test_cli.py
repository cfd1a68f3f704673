"""The commands: their JSON, their sentences and their exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
import typer
from typer.core import TyperGroup

import unmove.errors
from tests.support.commands import run
from unmove import Metric, Tablebase
from unmove.cli.app import app
from unmove.cli.failures import FLAGS, UNEXPECTED, exit_code, told
from unmove.errors import (
    AskerError,
    BadOption,
    FileError,
    MissingTable,
    UnanswerableError,
    UnmoveError,
    WorkError,
)
from unmove.store.folder import Folder

COMMAND = [sys.executable, "-m", "unmove"]


def answers(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_probe_json_has_the_promised_fields(small_tables: Folder, tmp_path: Path) -> None:
    """One object a line, moves best first, an error where a line cannot be answered."""
    source = tmp_path / "fens.txt"
    source.write_text("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1\n\nnot a fen\n")
    fen = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
    code, out, _ = run("probe", "--json", fen, "--input", str(source), folder=small_tables.path)
    first, second, third = answers(out)
    assert code == 2
    assert first["fen"] == fen
    assert (first["outcome"], first["dtm"], first["dtc"]) == ("win", 1, 1)
    assert first["moves"][0]["dtm"] == 1
    assert (first["outcome50"], first["dtz"]) == ("win", 1)
    assert {"uci", "san", "outcome", "outcome50", "dtm", "dtc", "dtz"} <= set(first["moves"][0])
    assert set(second) == {"fen", "outcome", "outcome50", "dtm", "dtc", "dtz"}
    assert (second["outcome"], second["outcome50"], second["dtm"]) == ("win", "win", 65)
    assert set(third) == {"fen", "error", "kind"}


def test_probe_reads_standard_input(small_tables: Folder) -> None:
    """`--input -` takes FENs from a pipe."""
    code, out, _ = run(
        "probe",
        "--json",
        "--input",
        "-",
        folder=small_tables.path,
        stdin="7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n",
    )
    (answer,) = answers(out)
    assert code == 0
    assert (answer["outcome"], answer["dtm"]) == ("draw", None)


def test_stats_json_has_the_promised_fields(small_tables: Folder) -> None:
    """Longest wins by winner and side to move, counts that add up, null where there is no win."""
    code, out, _ = run("stats", "--json", "kqkr", folder=small_tables.path)
    (answer,) = answers(out)
    assert code == 0
    assert answer["max_dtm_moves"] == {
        "white_wins": {"wtm": 35, "btm": 35},
        "black_wins": {"wtm": 18, "btm": 19},
    }
    assert answer["max_dtc_moves"]["white_wins"] == {"wtm": 31, "btm": 31}
    for count in answer["counts"].values():
        assert count["legal"] == count["win"] + count["draw"] + count["loss"]
    for turn, count in answer["counts50"].items():
        assert sum(count.values()) == answer["counts"][turn]["legal"]
        assert count["cursed_win"] == count["blessed_loss"] == 0
    (answer,) = answers(run("stats", "--json", "KBK", folder=small_tables.path)[1])
    assert answer["max_dtm_moves"]["white_wins"] == {"wtm": None, "btm": None}


def test_people_get_readable_answers(small_tables: Folder) -> None:
    """Without --json the commands speak in words."""
    fen = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
    assert "White to move" in run("probe", fen, folder=small_tables.path)[1]
    assert "1." in run("line", fen, folder=small_tables.path)[1]
    assert "KQvKR" in run("list", folder=small_tables.path)[1]
    assert "Longest wins" in run("stats", "KQvKR", folder=small_tables.path)[1]
    code, out, _ = run("verify", "KQvK", folder=small_tables.path)
    assert code == 0
    assert "every value equals" in out


def test_list_and_line_speak_json(small_tables: Folder) -> None:
    """Every command has --json."""
    rows = answers(run("list", "--json", folder=small_tables.path)[1])
    assert len(rows) == 3 * 36
    fen = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
    (line,) = answers(run("line", "--json", fen, folder=small_tables.path)[1])
    assert line["plies"] == len(line["moves"]) == 1
    (verdict,) = answers(
        run("verify", "--json", "--metric", "dtm", "KRK", folder=small_tables.path)[1]
    )
    assert verdict["mismatches"] == 0
    (built,) = answers(run("build", "--json", "KRK", folder=small_tables.path)[1])
    assert built["material"] == "KRvK"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("stats", "KQQ"), 2, "is no endgame"),
        (("build", "XYZ"), 2, "is no endgame"),
        (("build",), 2, "Name an endgame"),
        (("build", "--men", "1"), 2, "--men 1"),
        (("build", "KQK", "--threads", "-1"), 2, "--threads -1"),
        (("build", "KQRBKQR"), 3, "too many"),
        (("build", "xiangqi:KRRCCHvK"), 3, "5 attackers"),
        (("build", "xiangqi:KPvK", "--metric", "dtz"), 2, "xiangqi has no such distance"),
        (("stats", "xiangqi:KRvK"), 3, "unmove build xiangqi:KRvK"),
        (("build", "KQK", "--dir", "/dev/null/x"), 5, "cannot be written"),
        (("probe",), 2, "Give a FEN"),
        (("probe", "--input", "/no/such/file"), 2, "/no/such/file"),
        (("probe", "x"), 2, "is not a FEN"),
        (("probe", "8/8/8/8/8/8/8/Kk6 w - - 0 1"), 2, "kings touch"),
        (("probe", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"), 2, "castling"),
        (("probe", "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1"), 2, "no king and rook"),
        (("probe", "4k3/8/8/8/8/8/8/4K2P w - - 0 1"), 2, "first or last rank"),
        (("probe", "4k3/8/8/8/4P3/8/8/4K3 b - d3 0 1"), 2, "en-passant square"),
        (("probe", "4k3/8/8/8/4P3/8/8/4K3 b - - 999 1"), 2, "half-move clock"),
        (("probe", "4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1"), 3, "unmove build KQRNvK"),
        (("line", "4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1"), 3, "not in"),
        (("verify", "KQRNK"), 3, "not in"),
        (("export", "KQvK", "--output", "/tmp/x.txt"), 2, "parquet, npz, csv"),
        (("export", "KQvK", "--output", "/no/such/folder/x.csv"), 2, "/no/such/folder"),
        (("check", "KQRNvK"), 3, "not in"),
        (("stats",), 2, "MATERIAL"),
        (("probe", "--metric"), 2, "--metric"),
    ],
)
def test_bad_input_gets_a_sentence_and_its_exit_code(
    small_tables: Folder, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """Each mistake ends with its own code and words, and no traceback."""
    found, _, err = run(*arguments, folder=small_tables.path)
    assert (found, words in err) == (code, True), err


def test_info_tells_what_a_file_holds(small_tables: Folder) -> None:
    """Material, metric, what is stored, sizes and the digest; for people and as JSON."""
    path = str(small_tables.path / "KQvKR.dtm.unmove")
    code, out, _ = run("info", path, "--json")
    (answer,) = answers(out)
    assert code == 0
    assert (answer["material"], answer["metric"], answer["coder"]) == ("KQvKR", "dtm", "tree")
    assert answer["positions"] == 1_119_216 + 1_347_906
    assert answer["bytes"] == Path(path).stat().st_size
    assert answer["max_moves"]["white_wins"] == {"wtm": 35, "btm": 35}
    code, out, _ = run("info", path)
    assert (code, "KQvKR dtm" in out, answer["values"] in out) == (0, True, True)
    code, _, err = run("info", "/no/such/file")
    assert (code, "no such file" in err) == (2, True)


def test_check_finds_the_damaged_file(small_tables: Folder, tmp_path: Path) -> None:
    """Sound tables pass, digests of values included; a flipped bit is found and named, exit 4."""
    for name in ("KvK", "KQvK", "KRvK"):
        source = small_tables.path / f"{name}.dtm.unmove"
        (tmp_path / source.name).write_bytes(source.read_bytes())
    code, out, err = run("check", "--values", folder=tmp_path)
    assert (code, "3 tables checked, 0 damaged" in out) == (0, True), err
    path = tmp_path / "KRvK.dtm.unmove"
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(bytes(data))
    code, out, err = run("check", folder=tmp_path)
    assert (code, "1 damaged" in out, "KRvK.dtm.unmove is damaged" in err) == (4, True, True)
    code, out, _ = run("check", "--json", "KRvK", "KQvK", folder=tmp_path)
    assert code == 4
    assert {a["material"]: a["error"] is None for a in answers(out)} == {
        "KQvK": True,
        "KRvK": False,
    }


@pytest.mark.parametrize("form", ["parquet", "npz", "csv"])
def test_export_writes_every_position(small_tables: Folder, tmp_path: Path, form: str) -> None:
    """Each format reads back as the arrays of the table."""
    path = tmp_path / f"table.{form}"
    code, out, _ = run(
        *("export", "KPvK", "--metric", "dtz", "--output", str(path)), folder=small_tables.path
    )
    assert (code, "positions are in" in out) == (0, True)
    columns = {"parquet": _from_parquet, "npz": _from_npz, "csv": _from_csv}[form](path)
    with Tablebase(small_tables.path) as tables:
        batch = tables.to_numpy("KPvK", Metric.DTZ)
    assert list(columns) == ["wK", "wP", "bK", "turn", "outcome", "outcome50", "plies"]
    for i, name in enumerate(("wK", "wP", "bK")):
        assert np.array_equal(columns[name], batch.squares[:, i])
    assert np.array_equal(columns["turn"], batch.turns)
    assert np.array_equal(columns["outcome50"], batch.values.outcome50)
    assert np.array_equal(columns["plies"], batch.values.plies)


def _from_parquet(path: Path) -> dict[str, Any]:
    table = pyarrow.parquet.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


def _from_npz(path: Path) -> dict[str, Any]:
    with np.load(path) as arrays:
        return {name: array for name, array in arrays.items() if name != "metadata"}


def _from_csv(path: Path) -> dict[str, Any]:
    header, *rows = path.read_text().splitlines()
    numbers = np.array([[int(text) for text in row.split(",")] for row in rows])
    return dict(zip(header.split(","), numbers.T, strict=True))


def test_a_damaged_file_ends_with_its_own_code(small_tables: Folder, tmp_path: Path) -> None:
    """A foreign file under a table's name is refused with exit code 4."""
    (tmp_path / "KQvK.dtm.unmove").write_bytes(b"something else" * 10)
    code, _, err = run("stats", "KQvK", folder=tmp_path)
    assert code == 4
    assert "not an unmove table" in err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--version",), 0, ""),
        (("stats", "KQQ"), 2, "unmove: 'KQQ' is no endgame"),
        (("stats", "KRvK"), 3, "unmove build KRvK"),
        (("stats", "KQvK"), 4, "not an unmove table"),
        (("build", "KQvK", "--dir", "/dev/null/x"), 5, "cannot be written"),
    ],
)
def test_a_process_ends_with_the_code_of_its_command(
    tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """`python -m unmove`, as a shell starts it: the exit code, a sentence, and no traceback."""
    (tmp_path / "KQvK.dtm.unmove").write_bytes(b"something else" * 10)
    environment = os.environ | {"UNMOVE_DIR": str(tmp_path)}
    command = [*COMMAND, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_keeps_finished_tables_and_says_how_to_go_on(tmp_path: Path) -> None:
    """An interrupted build ends with 130 and the next run continues."""
    process = subprocess.Popen(
        [*COMMAND, "build", "KQRvKR", "--dir", str(tmp_path), "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "KQvKR.dtm.unmove").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command again" in err
    code, out, _ = run("probe", "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", folder=tmp_path)
    assert (code, "wins" in out) == (0, True)


ERRORS = [
    value
    for value in vars(unmove.errors).values()
    if isinstance(value, type) and issubclass(value, UnmoveError) and value is not UnmoveError
]


def test_every_error_class_has_an_exit_code() -> None:
    """Each class of the tree belongs to one of the four kinds, and the command line knows it."""
    kinds = {AskerError: 2, UnanswerableError: 3, FileError: 4, WorkError: 5}
    assert len(ERRORS) > 20
    for error in ERRORS:
        (kind,) = (k for k in kinds if issubclass(error, k))
        assert exit_code(error.__new__(error)) == kinds[kind] != UNEXPECTED


def test_the_command_line_advises_by_its_own_options_and_python_does_not() -> None:
    """A missing table: the command says how to build it, the error itself only that it is not."""
    error = MissingTable("KQvKR", "dtm", Path("tables"))
    assert str(error) == "The dtm table of KQvKR is not in tables; build it first."
    assert told(error) == (
        "The dtm table of KQvKR is not in tables; run `unmove build KQvKR --metric dtm` first."
    )
    assert (error.material, error.metric, error.folder) == ("KQvKR", "dtm", Path("tables"))


def test_a_parameter_is_called_by_its_option() -> None:
    """Rooms below speak of parameters, the command line of options, each of which it has."""
    error = BadOption("form", "xml", "it must be one of parquet, npz, csv")
    assert str(error).startswith("form xml cannot be used: ")
    assert told(error).startswith("--format xml cannot be used: ")
    turns = BadOption("turns", 3, "it is too large")  # which no command takes
    assert told(turns) == str(turns)
    program = typer.main.get_command(app)
    assert isinstance(program, TyperGroup)
    options = {
        text
        for command in program.commands.values()
        for each in command.params
        for text in (*each.opts, each.metavar)
    }
    assert set(FLAGS.values()) <= options


def test_the_public_surface_is_what_it_is() -> None:
    """What `import unmove` offers changes only on purpose, and all of it is there."""
    assert all(getattr(unmove, name) is not None for name in unmove.__all__)
    assert sorted(unmove.__all__) == [
        "Answer",
        "Batch",
        "CacheStatistics",
        "Material",
        "Metric",
        "Outcome",
        "Outcome50",
        "RankedMove",
        "SyzygyBatch",
        "SyzygyTablebase",
        "SyzygyValues",
        "Tablebase",
        "UNKNOWN",
        "UnmoveError",
        "Values",
        "__version__",
        "open_syzygy",
        "open_tables",
    ]
