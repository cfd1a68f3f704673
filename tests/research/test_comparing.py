"""Our values beside other programs' files: equal, explained by a convention, or wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import chess
import chess.gaviota
import chess.syzygy
import numpy as np
import pytest

from tests.support.commands import run
from tests.support.syzygy import write
from unmove import Metric, Tablebase
from unmove.kernels.arrays import Codes
from unmove.kernels.syzygy import tables
from unmove.material import Material
from unmove.probe.batches import Batch
from unmove.probe.bulk import Values
from unmove.research.comparing import CHECKMATE, Agreement, SyzygyFiles
from unmove.store.folder import Folder
from unmove.values import DRAW

KINDS = (tables.OUTCOMES, tables.DISTANCES)


@pytest.fixture(scope="module", params=[False, True], ids=["plies", "pairs"])
def in_pairs(request: pytest.FixtureRequest) -> bool:
    """Whether files count in pairs of plies."""
    return bool(request.param)


@pytest.fixture(scope="module")
def files(in_pairs: bool, tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """The Syzygy files of three men."""
    folder = tmp_path_factory.mktemp("syzygy")
    for name in ("KQvK", "KRvK", "KBvK", "KNvK", "KPvK"):
        for kind in KINDS:
            write(folder, name, kind, tablebase, pairs=in_pairs)
    return folder


class Mistaken:
    """Our tables, but for draws with White's king on c1 and wins two plies longer on d1."""

    def __init__(self, tables: Tablebase) -> None:
        self._tables = tables

    def probe_many(self, name: Any, squares: Any, turns: Any, metric: str) -> Values:
        values = self._tables.probe_many(name, squares, turns, metric)
        codes = values.codes.copy()
        codes[(squares[:, 0] == chess.C1) & (codes > DRAW)] = DRAW
        codes[(squares[:, 0] == chess.D1) & (codes > DRAW) & (codes % 2 == 1)] += 4
        return Values(codes, values.metric)


@pytest.fixture(scope="module")
def mistaken(
    files: Path, in_pairs: bool, tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase
) -> Path:
    """Files of the queen with values that are wrong."""
    folder = tmp_path_factory.mktemp("mistaken")
    for kind in KINDS:
        write(folder, "KQvK", kind, Mistaken(tablebase), pairs=in_pairs)
    return folder


def compared(folder: Folder, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """`unmove compare --json`: the exit code, its records, and what else it says."""
    code, out, said = run("compare", *arguments, "--json", folder=folder.path)
    records = [json.loads(line) for line in out.splitlines()]
    return code, [record for record in records if "error" not in record], said + out


def plain(
    board: chess.Board, ours: Tablebase, witness: chess.syzygy.Tablebase, in_pairs: bool
) -> Agreement:
    """How both agree on a board whose values are at most 100 plies."""
    mine, theirs = ours.probe_dtz(board) or 0, witness.probe_dtz(board)
    one_less = mine - (mine > 0) + (mine < 0)
    if witness.probe_wdl(board) != ours.probe_wdl50(board):
        return Agreement.WRONG
    if board.is_checkmate():
        return Agreement.MATE
    if mine != theirs:
        return Agreement.SHORT if in_pairs and theirs == one_less else Agreement.WRONG
    return Agreement.EQUAL


@pytest.mark.parametrize("name", ["KPvK", "KvKR"])
def test_every_position_agrees(small_tables: Folder, files: Path, name: str) -> None:
    """All legal positions are counted once. These wins are odd, so pairs of plies are exact."""
    code, (record,), said = compared(small_tables, name, "--syzygy", str(files))
    assert code == 0, said
    with small_tables.open(Material.parse(name).canonical(), Metric.DTZ) as file:
        assert record["positions"] == sum(file.summary.legal)
        mates = sum(by_code.get(CHECKMATE, 0) for by_code in file.summary.histogram)
    assert record["wrong"] == record["cursed"] == 0
    assert record["mate"] == mates
    assert record["short"] == 0
    assert sum(record[each.key] for each in Agreement) == record["positions"]
    assert (record["metric"], record["source"]) == ("dtz", "syzygy")
    assert "no value is wrong" in said


def test_positions_are_judged_as_boards_are(
    tablebase: Tablebase, files: Path, mistaken: Path, in_pairs: bool
) -> None:
    """A plain comparison by python-chess, board by board, of right files and of wrong ones."""
    batch = tablebase.to_numpy("KQvK", "dtz")
    some = np.random.default_rng(5).choice(len(batch), 1200, replace=False)
    values = Values(Codes(batch.values.codes[some]), batch.values.metric)
    part = Batch(batch.material, batch.squares[some], batch.turns[some], values)
    for folder in (files, mistaken):
        with SyzygyFiles(Folder(folder)) as own, chess.syzygy.open_tablebase(str(folder)) as other:
            judged = own.judge_of(part.material, Metric.DTZ)(part)
            for number, found in enumerate(judged.agreement.tolist()):
                squares, turn = part.squares[number].tolist(), part.turns[number]
                board = chess.Board(None)
                for square, man in zip(squares, "KQk", strict=True):
                    board.set_piece_at(square, chess.Piece.from_symbol(man))
                board.turn = not turn
                assert found == plain(board, tablebase, other, in_pairs), board.fen()


def test_a_wrong_value_ends_with_examples(small_tables: Folder, mistaken: Path) -> None:
    """The exit code is that of failed work; people see a FEN with both values."""
    code, out, said = run(
        "compare", "KQvK", "--syzygy", str(mistaken), "--sample", "2000", folder=small_tables.path
    )
    assert code == 5
    assert "ours " in out and ", theirs " in out and "some values are wrong" in out
    assert "only one of both can be right" in out
    assert "Values that differ from the files compared" in said and "unmove verify" in said


def test_a_sample_is_drawn_anew_by_its_seed(small_tables: Folder, mistaken: Path) -> None:
    """The same seed draws the same positions; no more are drawn than there are."""
    asked = ("KQvK", "--syzygy", str(mistaken), "--sample")
    counts = [
        compared(small_tables, *asked, "500", "--seed", seed)[1][0] for seed in ("1", "1", "2")
    ]
    assert [count["positions"] for count in counts] == [500, 500, 500]
    examples = [count["examples"] for count in counts]
    assert examples[0] == examples[1] != examples[2]
    assert compared(small_tables, *asked, "9999999")[1][0]["positions"] < 9999999


def test_a_table_without_distances_to_zeroing_is_compared_by_outcomes(
    small_tables: Folder, files: Path, mistaken: Path
) -> None:
    """Wins and losses that are draws there are wrong; distances do not matter."""
    code, (record,), _ = compared(small_tables, "KQvK", "--metric", "dtm", "--syzygy", str(files))
    assert (code, record["metric"], record["equal"]) == (0, "dtm", record["positions"])
    asked = ("KQvK", "--metric", "dtc", "--syzygy", str(mistaken))
    code, (record,), _ = compared(small_tables, *asked)
    assert (code, record["metric"], set(record["examples"])) == (5, "dtc", {"wrong"})
    assert {(each["ours"], each["theirs"]) for each in record["examples"]["wrong"]} <= {
        (1, 0),
        (-1, 0),
    }
    assert 0 < record["wrong"] < record["equal"]


class Stand(chess.gaviota.PythonTablebase):
    """A reader of Gaviota files that has our values instead, but for one position."""

    ours: Tablebase
    wrong = chess.Board("8/8/8/8/8/2k5/8/KQ6 b - - 0 1")

    def probe_dtm(self, board: chess.Board) -> int:
        return 7 if board == self.wrong else self.ours.probe_dtm(board) or 0


def test_plies_to_mate_are_compared_with_gaviota_files(
    small_tables: Folder, tmp_path: Path, tablebase: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every value is asked of python-chess, and the one that differs is found."""
    Stand.ours = tablebase
    monkeypatch.setattr(chess.gaviota, "PythonTablebase", Stand)
    code, (record,), said = compared(small_tables, "KQvK", "--gaviota", str(tmp_path))
    assert (code, record["metric"], record["source"]) == (5, "dtm", "gaviota")
    assert record["equal"] == record["positions"] - record["wrong"]
    assert record["wrong"] in (0, 1) and (record["wrong"] == 1) == ("differ" in said)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("KQvK",), 2, "--syzygy DIR or --gaviota DIR"),
        (("--syzygy", "."), 2, "Name an endgame"),
        (("KQvK", "--syzygy", ".", "--gaviota", "."), 2, "one kind of files"),
        (("KQvK", "--syzygy", "no/such"), 3, "no such folder"),
        (("KQvK", "--gaviota", "no/such"), 3, "no such folder"),
        (("KQvK", "--syzygy", "FILES", "--sample", "0"), 2, "--sample"),
        (("KQvK", "--syzygy", "FILES", "--sample", "many"), 2, "--sample"),
        (("KQvK", "--syzygy", "FILES", "--seed", "-1"), 2, "--seed"),
        (("KQvK", "--gaviota", "FILES", "--metric", "dtz"), 2, "gaviota files know of dtm"),
        (("xiangqi:KPvKA", "--syzygy", "FILES"), 2, "Syzygy files are of chess"),
        (("xiangqi:KPvKA", "--gaviota", "FILES"), 2, "Gaviota files are of chess"),
        (("KQvKX", "--syzygy", "FILES"), 2, "KQvKX"),
        (("KNNvK", "--syzygy", "FILES"), 3, "KNNvK.rtbz"),
        (("KNNvK", "--metric", "dtm", "--syzygy", "FILES"), 3, "KNNvK.rtbw"),
        (("KQvK", "--gaviota", "FILES"), 3, "There are no Gaviota files in"),
        (("KRRvKRR", "--syzygy", "FILES"), 3, "KRRvKRR"),
        (("KBBvKNN", "--gaviota", "FILES"), 3, "Gaviota files have no more"),
        (("--men", "2", "--syzygy", "FILES"), 2, "--men"),
    ],
)
def test_a_mistake_is_a_sentence(
    small_tables: Folder, files: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """It says what to do, with the right exit code and without a trace."""
    given = [str(files) if each == "FILES" else each for each in arguments]
    found, out, said = run("compare", *given, folder=small_tables.path)
    assert (found, "Traceback" in said + out) == (code, False), said
    assert words in said


@pytest.mark.parametrize("spoil", [b"", b"nonsense" * 10])
def test_a_damaged_file_is_named(
    small_tables: Folder, files: Path, tmp_path: Path, spoil: bytes
) -> None:
    """The exit code is that of a bad file."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    (tmp_path / "KQvK.rtbz").write_bytes(spoil)
    code, _, said = run("compare", "KQvK", "--syzygy", str(tmp_path), folder=small_tables.path)
    assert code == 4
    assert "KQvK.rtbz" in said
