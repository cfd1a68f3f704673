"""`unmove probe --syzygy`: what people and programs see, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import pytest

from tests.support.commands import run
from tests.support.syzygy import write
from unmove import Tablebase
from unmove.kernels.syzygy import tables

ROOK = "8/8/8/8/8/k7/8/KR6 w - - 0 1"
MATED = "8/8/8/8/8/1K6/8/k1R5 b - - 0 1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """The files of king and rook against king."""
    place = tmp_path_factory.mktemp("syzygy")
    for kind in (tables.OUTCOMES, tables.DISTANCES):
        write(place, "KRvK", kind, tablebase)
    return place


def test_json_names_its_source(folder: Path, tablebase: Tablebase) -> None:
    """The fields of the document; each move with the values that our table has for it."""
    code, out, _ = run("probe", "--syzygy", str(folder), "--json", ROOK)
    answer, board = json.loads(out), chess.Board(ROOK)
    assert code == 0
    assert set(answer) == {"fen", "source", "outcome50", "dtz", "moves"}
    assert (answer["fen"], answer["source"], answer["outcome50"]) == (ROOK, "syzygy", "win")
    assert answer["dtz"] == answer["moves"][0]["dtz"] == tablebase.probe_dtz(board)
    ours = {move.san: (move.outcome50, move.dtz or 0) for move in tablebase.moves(board)}
    found = {move["san"]: (move["outcome50"], move["dtz"]) for move in answer["moves"]}
    assert found == {
        san: (outcome.word, dtz) for san, (outcome, dtz) in ours.items() if outcome is not None
    }
    assert len(found) == board.legal_moves.count()


def test_people_see_board_verdict_and_moves(folder: Path) -> None:
    """A sentence that names the source, and a row a move; no distance of a mate on the board."""
    code, out, _ = run("probe", "--syzygy", str(folder), ROOK)
    assert code == 0
    assert "White to move: win, zeroing in" in out and "(Syzygy)." in out
    assert "Rb8" in out
    code, out, _ = run("probe", "--syzygy", str(folder), MATED)
    assert code == 0
    assert "Black to move: loss (Syzygy)." in out


def test_many_fens_are_json_lines(folder: Path) -> None:
    """A line that cannot be answered has its error; the exit code is that of the first."""
    lines = f"{ROOK}\n8/8/8/8/8/k7/8/KQ6 w - - 0 1\nnot a fen\n3k5/9/9/9/9/9/9/9/9/4K4 w\n"
    code, out, _ = run("probe", "--syzygy", str(folder), "--input", "-", stdin=lines)
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 3
    kinds = [answer.get("kind") for answer in answers]
    assert kinds == [None, "MissingSyzygyFile", "BadFen", "VariantBoard"]


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_mistakes_are_sentences(folder: Path, tmp_path: Path, json_too: tuple[str, ...]) -> None:
    """A folder that is not there, or has no files; an endgame that it does not have."""
    for where, fen, code, words in (
        (tmp_path / "nowhere", ROOK, 3, "no such folder"),
        (tmp_path, ROOK, 2, "no .rtbw files"),
        (folder, "8/8/8/8/8/k7/8/KQ6 w - - 0 1", 3, "KQvK.rtbw"),
    ):
        found, out, err = run("probe", "--syzygy", str(where), *json_too, fen)
        assert found == code
        assert words in out + err and "Traceback" not in err


def test_a_format_that_is_not_known_is_told_all_there_are(tmp_path: Path) -> None:
    """That of engines is among them."""
    said = run("export", "KQvK", "--format", "Syzygy", "--output", str(tmp_path / "out"))
    assert said[:2] == (2, "") and "parquet, npz, csv, syzygy." in said[2]
