"""Playing against perfect play: judgements, replies, ends, and the terminal."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from typer.testing import CliRunner

from tests.conftest import build_into
from tests.support.commands import run
from unmove import Metric, Outcome, Tablebase
from unmove.cli.app import app
from unmove.cli.views.game import Session
from unmove.errors import BadMove
from unmove.games.boards import parse_fen, rules_of
from unmove.research.judging import sentence
from unmove.research.playing import PlayedGame
from unmove.store.folder import Folder
from unmove.values import WHITE

QUEEN = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
SOLDIER = "3k5/4P4/9/9/9/9/9/9/9/4K4 w"


@pytest.fixture(scope="module")
def soldiers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """A soldier against a king of xiangqi."""
    yield build_into(tmp_path_factory.mktemp("soldiers"), "xiangqi:KPvK", metrics=[Metric.DTM])


def typed(folder: Folder, fen: str, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What is said in a game in which these lines are typed."""
    arguments = ["play", fen, "--dir", str(folder.path), *options]
    done = CliRunner().invoke(app, arguments, input="".join(f"{line}\n" for line in lines))
    assert done.exit_code == 0, done.output
    return done.output


def judged(tables: Tablebase, fen: str, text: str, metric: Metric = Metric.DTM) -> str:
    """The sentence on a move."""
    game = PlayedGame(tables, parse_fen(fen), metric)
    return sentence(game.play(rules_of(game.board).parse_move(game.board, text)))


class Pupil:
    """Types `hint`, and then the move it was told."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._asked = False
        self.moves = 0

    def __call__(self, prompt: str) -> str:
        said = self._capsys.readouterr().out
        self._asked = not self._asked
        if self._asked:
            return "hint"
        self.moves += 1
        return said.split("Try ")[1].split(",")[0]


@pytest.mark.parametrize(
    "fen",
    ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "k7/8/8/8/4K3/8/8/7R b - - 0 1"],
)
def test_hints_lead_to_mate(
    tablebase: Tablebase, capsys: pytest.CaptureFixture[str], fen: str
) -> None:
    """Whoever plays the hints as White mates in as many moves as the table says."""
    board = chess.Board(fen)
    distance = tablebase.probe_dtm(board)
    pupil = Pupil(capsys)
    Session(PlayedGame(tablebase, board), WHITE, pupil).run()
    assert distance is not None
    assert pupil.moves == (abs(distance) + 1) // 2
    assert "Checkmate: White wins." in capsys.readouterr().out


def test_a_game_of_xiangqi_is_played(soldiers: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """Hints in WXF notation lead to the end; coordinates are understood as well."""
    with Tablebase(soldiers.path) as tables:
        pupil = Pupil(capsys)
        Session(PlayedGame(tables, parse_fen("3k5/9/9/9/3P5/9/9/9/9/4K4 w")), WHITE, pupil).run()
        assert "Red wins." in capsys.readouterr().out
    said = typed(soldiers, SOLDIER, "e9f9", "quit")
    assert "Still won, mate in 3; best was K5+1, mate in 1." in said
    assert "Black plays" in said
    assert "Red wins." in typed(soldiers, SOLDIER, "K5+1")


def test_verdicts_compare_with_the_best_move(tablebase: Tablebase) -> None:
    """A best, a slower, a drawing, a losing, an only and a forced move are told apart."""
    fen = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
    assert judged(tablebase, fen, "Kb2") == "Still won, mate in 33, the best there is."
    assert judged(tablebase, fen, "Ka2").startswith("Still won, mate in ")
    assert judged(tablebase, fen, "Qb3+") == (
        "That lets the win slip: now lost, mate in 5. Best was Kb2, mate in 33."
    )
    assert judged(tablebase, QUEEN, "Qf7") == (
        "That lets the win slip: now a draw. Best was Qc8#, mate in 1."
    )
    pawn = "8/3k4/8/2K5/3P4/8/8/8 b - - 0 1"
    assert judged(tablebase, pawn, "Kc7") == (
        "Still a draw. It was the only move that keeps the outcome."
    )
    corner = "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1"
    assert judged(tablebase, corner, "h8h7") == "Still lost, mate in 1. It was the only legal move."


@pytest.mark.parametrize(("metric", "goal"), [(Metric.DTC, "conversion"), (Metric.DTZ, "zeroing")])
def test_verdicts_know_the_metric(tablebase: Tablebase, metric: Metric, goal: str) -> None:
    """A distance is told by what the metric counts to."""
    fen = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
    assert judged(tablebase, fen, "Kb2", metric) == f"Still won, {goal} in 28, the best there is."


def test_a_blunder_to_stalemate_is_told(small_tables: Folder) -> None:
    """The win that slips and the end of the game are both said."""
    said = typed(small_tables, QUEEN, "Qf7")
    assert "That lets the win slip: now a draw." in said
    assert "Stalemate: Black has no move, a draw." in said


def test_bad_moves_are_told_in_one_sentence(small_tables: Folder) -> None:
    """What is no move changes nothing, and says what a move looks like."""
    bad = ("Kz9", "e2e9", "Kh8", "--", "0000", "Qf6f7f8")
    said = typed(small_tables, QUEEN, *bad, "", "fen")
    assert said.count("is no move here") == len(bad)
    assert "SAN, such as" in said
    assert QUEEN in said


def test_moves_are_read_as_people_write_them() -> None:
    """SAN and coordinates mean the same move; a doubt is said to be one."""
    board = parse_fen("7k/8/8/8/R7/8/8/R3K3 w - - 0 1")
    read = rules_of(board).parse_move
    assert read(board, "R4a3") == read(board, "a4a3") == read(board, " A4A3 ")
    with pytest.raises(BadMove, match="several men"):
        read(board, "Ra3")


def test_undo_takes_back_both_moves(small_tables: Folder) -> None:
    """After `undo` it is the same position; there is nothing to take back before it."""
    said = typed(small_tables, QUEEN, "undo", "Kf6", "undo", "fen", "undo")
    assert said.count("There is no move of yours to take back.") == 2
    assert said.index("Taken back.") < said.index(QUEEN)


def test_commands_answer(small_tables: Folder) -> None:
    """`moves` ranks, `line` plays it out, `help` lists the commands, the end of input leaves."""
    said = typed(small_tables, QUEEN, "moves", "line", "help")
    assert "Qc8#" in said.split("mate in")[2]
    assert "1. Qc8#" in said
    assert said.count("hint, moves, line, fen, undo, quit") == 2
    assert said.endswith("Goodbye.\n")


def test_the_other_side_may_begin(small_tables: Folder) -> None:
    """Who plays Black in a position with White to move is answered to first."""
    said = typed(small_tables, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", options=("--side", "black"))
    assert "You play Black." in said
    assert said.index("White plays") < said.index("Black to move>")


def test_ctrl_c_leaves(small_tables: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted game ends with a word and the exit code for it."""

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", interrupted)
    done = CliRunner().invoke(app, ["play", QUEEN, "--dir", str(small_tables.path)])
    assert done.exit_code == 130
    assert done.output.endswith("Goodbye.\n")


def test_what_cannot_be_played_is_said(small_tables: Folder, tmp_path: Path) -> None:
    """A missing table, a wrong side and a wrong FEN have a sentence and their exit codes."""
    code, _, err = run("play", QUEEN, folder=tmp_path)
    assert (code, "unmove build KQvK" in err) == (3, True)
    code, _, err = run("play", QUEEN, "--side", "red", folder=small_tables.path)
    assert (code, "white, black" in err) == (2, True)
    assert run("play", "nonsense", folder=small_tables.path)[0] == 2


@pytest.mark.parametrize(
    ("fen", "moves", "end"),
    [
        ("7k/8/8/8/8/8/8/KQ6 w - - 99 90", ["Ka2"], "50 moves"),
        ("7k/8/8/8/8/8/8/KQ6 w - - 98 90", ["Qh1+", "Kg7"], "50 moves"),
        ("7k/8/8/8/8/8/1q6/K7 w - - 0 1", ["Kxb2"], "men to mate"),
        (
            "7k/8/8/8/8/8/8/KQ6 w - - 0 1",
            ["Ka2", "Kg7", "Ka1", "Kh8", "Ka2", "Kg7", "Ka1", "Kh8"],
            "three times",
        ),
        ("3k5/3P5/9/9/9/9/9/9/9/4K4 b - - 0 1", ["d10d9"], "men to win"),
        (SOLDIER, ["P5.4", "K4+1", "P4.5", "K4-1"] * 2, "three times"),
    ],
)
def test_games_end_as_the_rules_say(
    tablebase: Tablebase, soldiers: Folder, fen: str, moves: list[str], end: str
) -> None:
    """50 moves, too few men, the third repetition: and not a ply earlier."""
    with Tablebase(soldiers.path) as others:
        board = parse_fen(fen)
        game = PlayedGame(tablebase if isinstance(board, chess.Board) else others, board)
        for move in moves:
            assert game.end() is None
            game.play(rules_of(game.board).parse_move(game.board, move))
        assert end in str(game.end())


def test_the_defender_sets_problems(tablebase: Tablebase) -> None:
    """In a drawn position the reply keeps the draw and leaves the fewest replies that do."""
    board = chess.Board("8/8/8/3k4/8/3K4/3P4/8 w - - 0 1")
    assert tablebase.probe_wdl(board) is Outcome.DRAW
    holding = {}
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        if tablebase.probe_wdl(after) is Outcome.DRAW:
            holding[move] = 0
            for reply in after.legal_moves:
                last = after.copy()
                last.push(reply)
                holding[move] += tablebase.probe_wdl(last) is Outcome.DRAW
    assert len(set(holding.values())) > 1
    chosen = PlayedGame(tablebase, board).reply().made.move
    assert holding[chosen] == min(holding.values())


def test_the_loser_resists_longest(tablebase: Tablebase) -> None:
    """A lost position is defended as long as the table says."""
    board = chess.Board("8/8/8/3k4/8/8/8/KQ6 b - - 0 1")
    before = tablebase.probe_dtm(board)
    game = PlayedGame(tablebase, board)
    game.reply()
    assert isinstance(game.board, chess.Board)
    assert before is not None
    assert tablebase.probe_dtm(game.board) == -before - 1
