"""`unmove probe --syzygy`: what people and programs see, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import pytest

from tests.conftest import linked
from tests.support.commands import run
from tests.support.syzygy import write
from unmove import Tablebase
from unmove.kernels.syzygy import tables
from unmove.material import all_of
from unmove.store.folder import Folder

ROOK = "8/8/8/8/8/k7/8/KR6 w - - 0 1"
QUEEN = "8/8/8/8/8/k7/8/KQ6 w - - 0 1"
PROMOTES = "8/4P3/8/8/8/k7/8/K7 w - - 0 1"
MATED = "8/8/8/8/8/1K6/8/k1R5 b - - 0 1"
FIELDS = ["outcome", "outcome50", "dtm", "dtc", "dtz", "precise_dtz", "source"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """The files of king and rook against king, which count in pairs of plies."""
    place = tmp_path_factory.mktemp("syzygy")
    for kind in (tables.OUTCOMES, tables.DISTANCES):
        write(place, "KRvK", kind, tablebase, pairs=kind == tables.DISTANCES)
    return place


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory, small_tables: Folder) -> str:
    """Our tables without that endgame."""
    return str(linked(tmp_path_factory.mktemp("ours"), small_tables, "KRvK").path)


@pytest.fixture(scope="module")
def mates(tmp_path_factory: pytest.TempPathFactory, small_tables: Folder) -> str:
    """Our tables by DTM alone."""
    place = tmp_path_factory.mktemp("mates")
    for material, metric in small_tables.tables():
        if metric == "dtm":
            path = small_tables.file(material, metric)
            (place / path.name).symlink_to(path)
    return str(place)


def test_json_names_its_source(folder: Path, others: str, tablebase: Tablebase) -> None:
    """The fields of the document; each move with the outcome that our table has for it."""
    code, out, _ = run("probe", "--dir", others, "--syzygy", str(folder), "--json", ROOK)
    answer, board = json.loads(out), chess.Board(ROOK)
    assert code == 0
    assert list(answer) == ["fen", *FIELDS, "moves"]
    assert list(answer["moves"][0]) == ["uci", "san", *FIELDS]
    assert (answer["fen"], answer["source"], answer["outcome50"]) == (ROOK, "syzygy", "win")
    assert (answer["dtm"], answer["dtc"], answer["precise_dtz"]) == (None, None, None)
    ours = {move.san: (move.outcome50, move.dtz or 0) for move in tablebase.moves(board)}
    assert {move["san"] for move in answer["moves"]} == set(ours)
    for move in answer["moves"]:
        outcome, dtz = ours[move["san"]]
        assert outcome is not None and move["outcome50"] == outcome.word
        assert 0 <= abs(dtz) - abs(move["dtz"] or 0) <= 1
        assert (move["dtz"] is None) == (outcome == 0)
    assert 0 <= (tablebase.probe_dtz(board) or 0) - answer["dtz"] <= 1


def test_our_own_table_answers_where_it_is(folder: Path, small_tables: Folder) -> None:
    """The same as without --syzygy, and the source."""
    ours = ("probe", "--dir", str(small_tables.path), "--json", QUEEN)
    answer = json.loads(run(*ours)[1])
    both = json.loads(run(*ours, "--syzygy", str(folder))[1])
    assert (both.pop("source"), both.pop("precise_dtz")) == ("unmove", both["dtz"])
    moves = both["moves"]
    assert all(move.pop("source") == "unmove" for move in moves)
    assert all(move.pop("precise_dtz") == move["dtz"] for move in moves)
    assert sorted(moves, key=str) == sorted(answer.pop("moves"), key=str)
    both.pop("moves")
    assert both == answer
    out = run(*ours[:-2], QUEEN, "--syzygy", str(folder))[1]
    assert "Source: our tables." in out and "Syzygy" not in out


def test_our_distances_stand_beside_those_of_the_files(folder: Path, mates: str) -> None:
    """Mates are ours, zeroing is the files'; each is named."""
    asked = ("probe", "--dir", mates, "--syzygy", str(folder))
    answer = json.loads(run(*asked, "--json", ROOK)[1])
    assert answer["dtm"] and answer["dtz"] and answer["precise_dtz"] is None
    out = run(*asked, ROOK)[1]
    assert "Source: Syzygy files (zeroing may be one ply more); mate: our tables." in out
    out = run(*asked, QUEEN)[1]
    assert "Source: our tables." in out and "zeroing" not in out


def test_people_see_board_verdict_and_moves(folder: Path, others: str) -> None:
    """A sentence that names the source, and a row a move."""
    asked = ("probe", "--dir", others, "--syzygy", str(folder))
    code, out, _ = run(*asked, ROOK)
    assert code == 0
    assert "White to move wins: zeroing in" in out and "Source: Syzygy files (zeroing" in out
    assert "Rb8" in out and "our tables" not in out
    code, out, _ = run(*asked, MATED)
    assert code == 0
    assert "Black is checkmated." in out


def test_moves_name_their_sources_where_they_differ(
    tmp_path: Path, small_tables: Folder, tablebase: Tablebase
) -> None:
    """Promotions into our tables, and moves that stay with a file."""
    for material in all_of(3):
        for kind in (tables.OUTCOMES, tables.DISTANCES):
            write(tmp_path, material.name, kind, tablebase)
    ours = linked(tmp_path / "ours", small_tables, "KPvK")
    asked = ("probe", "--dir", str(ours.path), "--syzygy", str(tmp_path), PROMOTES)
    rows = {line.split()[0]: line.rstrip() for line in run(*asked)[1].splitlines() if line.strip()}
    assert rows["move"].endswith("source")
    assert rows["e8=Q"].endswith("our tables") and rows["Kb1"].endswith("Syzygy files")
    answer = json.loads(run(*asked, "--json")[1])
    sources = {move["san"]: move["source"] for move in answer["moves"]}
    assert (sources["e8=Q"], sources["Kb1"], answer["source"]) == ("unmove", "syzygy", "syzygy")


def test_a_clock_that_rounding_leaves_open_is_told(folder: Path, others: str) -> None:
    """In text and in JSON; one ply less or more is certain."""
    asked = ("probe", "--dir", others, "--syzygy", str(folder))
    dtz = json.loads(run(*asked, "--json", ROOK)[1])["dtz"]
    words = []
    for clock in (99 - dtz, 100 - dtz, 101 - dtz):
        fen = ROOK.replace("- 0", f"- {clock}")
        words.append(json.loads(run(*asked, "--json", fen)[1])["outcome50"])
        out = run(*asked, fen)[1]
        assert ("the files do not tell" in out) == (words[-1] is None)
        assert ("the 50-move rule makes it a draw." in out) == (words[-1] != "win")
    assert words == ["win", None, "cursed win"]


def test_many_fens_are_json_lines(folder: Path, tmp_path: Path) -> None:
    """A line that cannot be answered has its error; the exit code is that of the first."""
    lines = f"{ROOK}\n{QUEEN}\nnot a fen\n3k5/9/9/9/9/9/9/9/9/4K4 w\n{MATED}\n"
    asked = ("probe", "--dir", str(tmp_path), "--syzygy", str(folder), "--input", "-")
    code, out, _ = run(*asked, stdin=lines)
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 3
    kinds = [answer.get("kind") for answer in answers]
    assert kinds == [None, "MissingSyzygyFile", "BadFen", None, None]
    assert list(answers[0]) == ["fen", *FIELDS]
    assert [answers[i]["source"] for i in (0, 3, 4)] == ["syzygy", "unmove", "unmove"]
    (folder / "KPvK.rtbw").write_bytes(b"damaged")
    code, out, _ = run(*asked, stdin=f"{ROOK}\n8/8/8/8/8/k7/4P3/K7 w - - 0 1\n")
    (folder / "KPvK.rtbw").unlink()
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 4 and answers[0]["source"] == "syzygy"
    assert answers[1]["kind"] in ("DamagedFile", "ForeignFile")


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_mistakes_are_sentences(folder: Path, tmp_path: Path, json_too: tuple[str, ...]) -> None:
    """A folder that is not there, or has no files; an endgame that it does not have."""
    for where, fen, code, words in (
        (tmp_path / "nowhere", ROOK, 3, "no such folder"),
        (tmp_path, ROOK, 2, "no .rtbw files"),
        (folder, QUEEN, 3, "KQvK.rtbw"),
        (folder / "KRvK.rtbw", ROOK, 3, "no such folder"),
    ):
        asked = ("--dir", str(tmp_path), "--syzygy", str(where), *json_too, fen)
        found, out, err = run("probe", *asked)
        assert found == code, (out, err)
        assert words in out + err and "Traceback" not in err


def test_a_format_that_is_not_known_is_told_all_there_are(tmp_path: Path) -> None:
    """That of engines is among them."""
    said = run("export", "KQvK", "--format", "Syzygy", "--output", str(tmp_path / "out"))
    assert said[:2] == (2, "") and "parquet, npz, csv, syzygy." in said[2]
