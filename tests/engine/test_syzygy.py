"""The engine with `SyzygyPath`: files answer where our DTZ table is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tests.engine.dialogue import Dialogue, field
from tests.support.syzygy import write
from unmove import Tablebase
from unmove.interop.syzygy.answers import SyzygyAnswer
from unmove.kernels.syzygy import tables
from unmove.material import all_of
from unmove.values import Outcome50, outcome50_of

ROOK = "8/8/8/8/8/k7/8/KR6 w - - {} 1"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """Files of three men that count in pairs of plies."""
    place = tmp_path_factory.mktemp("syzygy")
    for material in all_of(3):
        for kind in (tables.OUTCOMES, tables.DISTANCES):
            write(place, material.name, kind, tablebase, pairs=kind == tables.DISTANCES)
    return place


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, files: Path) -> Iterator[Dialogue]:
    """An engine that has no tables of ours."""
    opened = Dialogue(tmp_path_factory.mktemp("nothing"))
    opened.send("uci")
    opened.until("uciok")
    assert not any("SyzygyPath" in line for line in opened.told())
    opened.told(f"setoption name SyzygyPath value {files}")
    yield opened
    assert opened.end() == (0, "")


def test_a_win_is_played_to_mate(talk: Dialogue, tablebase: Tablebase) -> None:
    """Each move keeps the win and no sentence misses a table; scores are those of known wins."""
    board = chess.Board(ROOK.format(0))
    for _ in range(40):
        said = talk.ask(f"position fen {board.fen()}", "go movetime 60000")
        assert not any("string" in line for line in said)
        score = next(line for line in said if " score " in line)
        assert "score mate" in score or int(field(score, "cp")) > 15000
        board.push_uci(said[-1].split()[1])
        assert tablebase.probe_wdl50(board) == Outcome50.LOSS
        if board.is_checkmate():
            return
        board.push(tablebase.moves(board, "dtz")[0].move)
    pytest.fail("no mate")


def test_a_win_that_comes_too_late_is_a_draw(talk: Dialogue) -> None:
    """The clock counts, and the rounding of files is not counted on."""
    said = talk.ask(f"position fen {ROOK.format(95)}", "go movetime 60000")
    assert any("50-move rule makes a draw" in line for line in said)
    assert field(next(line for line in said if " score " in line), "cp") == "0"


def test_a_folder_that_is_not_there_is_told(talk: Dialogue, files: Path) -> None:
    """In a sentence, once it is set; the next one counts."""
    (sentence,) = talk.told("setoption name SyzygyPath value /nowhere/at/all")
    assert sentence.startswith("info string") and "/nowhere/at/all" in sentence
    said = talk.ask(f"position fen {ROOK.format(0)}", "go movetime 60000")
    assert any("build it" in line or "not in" in line for line in said)
    assert talk.told(f"setoption name SyzygyPath value {files}") == []


@pytest.mark.parametrize("clock", [0, 1, 10, 45, 46, 99])
def test_a_rounded_distance_is_never_taken_for_a_shorter_one(clock: int) -> None:
    """The latest distance that a file may mean decides."""
    for wdl in (2, -2, 1, -1):
        for dtz in (*range(1, 101), None) if abs(wdl) == 2 else (*range(101, 140), None):
            told = SyzygyAnswer(wdl, dtz if dtz is None or wdl > 0 else -dtz, rounded=dtz != 100)
            true = 100 if dtz is None else dtz + (dtz != 100)
            code = told.latest_code
            late = abs(wdl) == 1 or true + clock > 100
            assert outcome50_of(code, clock) == (wdl // abs(wdl)) * (1 if late else 2)
