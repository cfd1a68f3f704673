"""Careless and hostile GUIs: one sentence, no traceback, and the next command is answered."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from tests.engine.dialogue import PROGRAM, SECONDS, Dialogue
from tests.support.commands import run
from unmove import Material, Metric
from unmove.store.folder import Folder

KQVK = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"  # mate in 9
MATE_IN_1 = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
SENTENCE = "info string "
SILENT = ["", "  ", "\t", "ucinewgame", "debug on", "register later", "stop", "ponderhit"]
SILENT += ["joho debug on", "setoption name Ponder value true", "banmoves"]
ONE_SENTENCE = [
    "hello",
    "GO",
    b"\0\1\2",
    b"\xff\xfe",
    "position",
    "position fen",
    "position fen 8/8",
    "position moves e2e4",
    "position startpos moves e2e5",
    "position startpos moves e2e4 0000",
    "position startpos moves \u0663\u0663",
    "position fen 8/8/8/8/8/8/8/KkQ5 w - - 0 1",
    "position fen 8/8/8/8/8/8/8/K6k w - - 999999 1",
    "position fen 8/8/8/8/8/8/8/K6k w - - -1 1",
    "position fen " + "k" * 10_000,
    "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves a9a9",
    "fen",
    "startpos moves e2e4",
    "setoption",
    "setoption name",
    "setoption name Nonsense value 1",
    "setoption name Hash",
    "setoption name Hash value",
    "setoption name Hash value 0",
    "setoption name Hash value -5",
    "setoption name Hash value 1e3",
    "setoption name Hash value \u0663\u0663",
    "setoption name Threads value " + "9" * 5000,
    "setoption name Metric value mate",
    "setoption name UCI_Variant value atomic",
    "setoption name Ponder value maybe",
    "setoption name SyzygyPath value /tables",
    b"x" * 500_000,
]
GO = [
    "go wtime",
    "go wtime abc btime def",
    "go wtime 60000 winc -5",
    "go wtime 99999999999999999999999 btime 1",
    "go movetime 999999999999",
    "go depth -1",
    "go depth 0",
    "go nodes 99999999999999999999",
    "go mate 3",
    "go perft 5",
    "go searchmoves",
    "go searchmoves e9e9 zz b1b2",
    "go searchmoves " + 20_000 * "zz ",
    "go movestogo 0",
    "go depth depth depth",
]


@pytest.fixture(autouse=True)
def chess_again(dialogue: Dialogue) -> None:
    """Whatever a test before has done."""
    dialogue.told("uci")


@pytest.mark.parametrize("command", SILENT, ids=repr)
def test_commands_without_an_answer(dialogue: Dialogue, command: str) -> None:
    """Nothing is said."""
    assert dialogue.told(command) == []


@pytest.mark.parametrize("command", ONE_SENTENCE, ids=lambda command: repr(command)[:50])
def test_a_mistake_is_one_sentence(dialogue: Dialogue, command: str | bytes) -> None:
    """It stands on one line of plain characters, is not endless, and the engine goes on."""
    (said,) = dialogue.told(command)
    assert said.startswith(SENTENCE) and said.endswith(".")
    assert said.isascii() and len(said) < 500
    assert "defect" not in said and "Traceback" not in said


@pytest.mark.parametrize("command", GO, ids=lambda command: command[:50])
def test_limits_that_make_no_sense(dialogue: Dialogue, command: str) -> None:
    """A legal move comes, once."""
    *infos, best = dialogue.ask(f"position fen {KQVK}", command)
    assert chess.Move.from_uci(best.split()[1]) in chess.Board(KQVK).legal_moves
    assert sum(info.startswith(SENTENCE) for info in infos) == ("zz" in command)
    assert dialogue.told() == []


@pytest.mark.parametrize("clock", ["wtime 0", "wtime -500", "movetime 0", "movetime -1"])
def test_an_empty_clock(dialogue: Dialogue, clock: str) -> None:
    """The answer comes at once, be it a legal move only."""
    best = dialogue.ask(f"position fen {KQVK}", f"go {clock}")[-1]
    assert chess.Move.from_uci(best.split()[1]) in chess.Board(KQVK).legal_moves
    assert dialogue.told() == []


@pytest.mark.parametrize(
    "position", ["fen 8/8", "startpos moves e2e5", f"fen {KQVK} moves b1b2 e8e7", "nowhere"]
)
def test_no_move_is_made_in_a_position_that_was_refused(dialogue: Dialogue, position: str) -> None:
    """Not for the position before it either: a GUI would take the move for this one."""
    dialogue.told(f"position fen {KQVK}")
    first, second, best = dialogue.ask(f"position {position}", "go")
    assert first.startswith(SENTENCE) and "refused" in second
    assert best == "bestmove (none)"


@pytest.mark.parametrize(
    ("fen", "score"),
    [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/8/5KQ1/8/8/8/8/8 b - - 0 1", "cp 0")],
)
def test_a_game_that_is_over_has_no_move(dialogue: Dialogue, fen: str, score: str) -> None:
    """Checkmate and stalemate have their score at depth 0."""
    for command in ("go", "go infinite"):
        info, best = dialogue.ask(f"position fen {fen}", command, "stop")
        assert info.startswith("info depth 0 ") and f"score {score} " in info
        assert best == "bestmove (none)"


def test_a_second_go_waits_for_the_first(dialogue: Dialogue) -> None:
    """Each gets its answer; one that would wait for ever is ended."""
    dialogue.send(f"position fen {KQVK}", "go depth 3", "go infinite", "go depth 3")
    assert [dialogue.until("bestmove")[-1].split()[1] for _ in range(3)]
    assert dialogue.told("stop") == []


def test_random_words(dialogue: Dialogue) -> None:
    """A thousand lines of words of the protocol in any order: no defect is met, nobody hangs."""
    words = ["position", "startpos", "fen", KQVK, "moves", "e2e4", "b1b2", "a0a1", "go", "depth"]
    words += ["1", "-1", "infinite", "ponder", "stop", "ponderhit", "isready", "setoption"]
    words += ["name", "MultiPV", "value", "UCI_Variant", "xiangqi", "chess", "banmoves", "uci"]
    words += ["searchmoves", "wtime", "ucci", "UCI_Chess960", "true", "\0", "\u4e2d", "9" * 30]
    drawn = random.Random(4)
    for _ in range(1000):
        dialogue.send(" ".join(drawn.choices(words, k=drawn.randint(1, 8))))
    dialogue.send("stop", "uci", "setoption name UCI_Variant value chess")
    dialogue.send("setoption name MultiPV value 1", f"position fen {MATE_IN_1}", "go")
    assert not [line for line in dialogue.until("bestmove f5") if "defect" in line]


def copied(small_tables: Folder, place: Path) -> Path:
    """A folder with the tables of KQvK by DTM."""
    place.mkdir()
    for name in ("KQvK", "KvK"):
        shutil.copy(small_tables.file(Material.parse(name), Metric.DTM), place)
    return place


def test_a_table_that_appears_is_used(small_tables: Folder, tmp_path: Path) -> None:
    """First it is missing and named, with the command that builds it; then it is there."""
    place = tmp_path / "later"
    engine = Dialogue(place)
    infos = engine.ask("uci", f"position fen {KQVK}", "go")
    assert any("build it with `unmove build KQvK --metric dtm`." in info for info in infos)
    assert not any(" score " in info for info in infos)
    copied(small_tables, place)
    assert any("score mate 9 " in info for info in engine.ask("go"))
    assert engine.end() == (0, "")


def test_the_folder_is_an_option(small_tables: Folder, tmp_path: Path) -> None:
    """One that is not there, or is a file, is told of; the right one is used at once."""
    engine, stray = Dialogue(tmp_path), tmp_path / "file"
    stray.write_text("no folder")
    for path in (tmp_path / "nowhere", stray):
        (said,) = engine.told("uci", f"setoption name TablesPath value {path}")[-1:]
        assert said.startswith(SENTENCE) and "there is no such folder" in said
        assert "TablesPath" in said
    assert engine.ask(f"position fen {KQVK}", "go")[-1].startswith("bestmove ")
    spaced = copied(small_tables, tmp_path / "my tables \u4e2d")
    assert engine.told(f"setoption name TablesPath value {spaced}") == []
    assert any("score mate 9 " in info for info in engine.ask("go"))
    assert engine.told("setoption name TablesPath value <empty>") == []
    assert not any(" score " in info for info in engine.ask("go"))
    assert engine.end() == (0, "")


def test_a_damaged_table_is_told_of(small_tables: Folder, tmp_path: Path) -> None:
    """No value is made of it, and a legal move is made."""
    place = copied(small_tables, tmp_path / "damaged")
    file = place / "KQvK.dtm.unmove"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 255
    file.write_bytes(data)
    engine = Dialogue(place)
    *infos, best = engine.ask(f"position fen {KQVK}", "go")
    assert any("KQvK.dtm.unmove" in info and "delete it and build" in info for info in infos)
    assert chess.Move.from_uci(best.split()[1]) in chess.Board(KQVK).legal_moves
    assert engine.end() == (0, "")


@pytest.mark.parametrize("command", ["go infinite", "go ponder wtime 1000", "go depth 3"])
def test_the_end_of_the_input_ends_the_engine(both_games: str, command: str) -> None:
    """What was asked is answered before."""
    engine = Dialogue(both_games)
    engine.send(f"position fen {KQVK}", command)
    assert engine.end() == (0, "")
    assert engine.rest()[-1].startswith("bestmove ")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_engine(both_games: str, end: signal.Signals) -> None:
    """While it thinks, without a traceback."""
    engine = Dialogue(both_games)
    engine.send("uci", f"position fen {KQVK}", "go infinite")
    engine.until("info depth")
    engine.process.send_signal(end)
    assert engine.process.wait(timeout=SECONDS) == 130
    assert engine.process.stderr is not None and engine.process.stderr.read() == b""


def test_quit_ends_the_engine_at_once(both_games: str) -> None:
    """While it opens tables, or compiles."""
    engine = Dialogue(both_games)
    engine.send(f"position fen {KQVK}", "go infinite", "quit")
    assert engine.process.wait(timeout=SECONDS) == 0
    assert engine.end() == (0, "")


@pytest.mark.parametrize("streams", ["<&-", ">&-", "<&- >&-", "< /dev/null", "| true"])
def test_streams_that_are_closed(streams: str) -> None:
    """The engine ends, with nothing to say on standard error."""
    command = f'printf \'uci\\nisready\\nquit\\n\' | ( sleep 0.2; "$0" -c "$1" {streams} )'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, PROGRAM[-1]], capture_output=True, timeout=SECONDS
    )
    assert done.stderr == b""


def test_the_command_line_has_the_engine_too(both_games: str, tmp_path: Path) -> None:
    """`unmove uci`, with its folder as an option of the command line."""
    code, out, err = run("uci", "--dir", both_games, stdin=f"uci\nposition fen {KQVK}\ngo\n")
    assert (code, err) == (0, "")
    assert f"option name TablesPath type string default {both_games}\n" in out
    assert "score mate 9 " in out and "\nbestmove a1b2 ponder " in out
    code, out, err = run("uci", "--dir", str(tmp_path / "nowhere"), stdin="isready\n")
    assert (code, err) == (0, "")
    assert "there is no such folder" in out and out.endswith("readyok\n")


def test_the_plain_program_has_no_options() -> None:
    """It says so, and where to read more; without any it imports little before it answers."""
    for arguments, code in ((["--help"], 0), (["--version"], 0), (["--dir", "x"], 2), (["x"], 2)):
        done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True)
        assert done.returncode == code
        assert "unmove uci --help" in (done.stderr if code else done.stdout)
    check = "import sys, unmove.engine.program as p; print(sorted({'numba', 'numpy', 'chess'}"
    check += " & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.stdout == "[]\n"
