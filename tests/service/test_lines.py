"""Best play, training, PGN, and many positions at once."""

from __future__ import annotations

import io
import json

import chess
import chess.pgn
import pytest
from starlette.testclient import TestClient

from unmove.probe.tablebase import Tablebase
from unmove.service import asking

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
SOLDIER = "3k5/4P4/9/9/9/9/9/9/9/4K4 w"


def test_the_line_goes_by_dtz(client: TestClient) -> None:
    """The 55th ply takes the rook, the line ends with mate, each step tells the next position."""
    answer = client.get("/standard/mainline", params={"fen": QUEEN_ROOK}).json()
    board = chess.Board(QUEEN_ROOK)
    captures = []
    for ply, step in enumerate(answer["mainline"], start=1):
        move = chess.Move.from_uci(step["uci"])
        assert step["san"] == board.san(move)
        captures += [ply] if board.is_capture(move) else []
        board.push(move)
        assert step["fen"] == board.fen()
    assert captures[0] == 55
    assert board.is_checkmate()
    assert (answer["winner"], answer["dtz"], answer["complete"]) == ("w", 55, True)
    assert answer["mainline"][-1]["dtz"] == -1


@pytest.mark.parametrize("metric", ["dtm", "dtc"])
def test_the_line_of_another_metric_is_that_of_the_program(
    client: TestClient, tablebase: Tablebase, metric: str
) -> None:
    """`Tablebase.line` plays the same moves."""
    asked = {"fen": QUEEN_ROOK, "metric": metric}
    answer = client.get("/standard/mainline", params=asked).json()
    line = tablebase.line(chess.Board(QUEEN_ROOK), metric)
    assert [step["uci"] for step in answer["mainline"]] == [move.uci() for move in line]
    assert {step["mark"] for step in answer["mainline"]} <= {None, "forced", "only", "best"}
    assert (answer["ended"], answer["metric"]) == ("checkmate", metric)


@pytest.mark.parametrize(
    ("fen", "winner", "dtz", "ended"),
    [
        ("8/8/4k3/8/8/3BK3/8/8 w - - 0 1", None, 0, "draw"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "w", -1, "checkmate"),
        ("7k/8/6QK/8/8/8/8/8 b - - 0 1", None, 0, "draw"),
        (QUEEN_ROOK.replace(" 0 1", " 100 1"), None, 55, "50-move rule"),
    ],
)
def test_lines_that_are_empty(
    client: TestClient, fen: str, winner: str | None, dtz: int, ended: str
) -> None:
    """Draws, games that are over, and a clock that has run out."""
    answer = client.get("/standard/mainline", params={"fen": fen}).json()
    told = answer["mainline"], answer["winner"], answer["dtz"], answer["ended"]
    assert told == ([], winner, dtz, ended)


def test_a_cursed_line_ends_at_the_fifty_move_rule(client: TestClient) -> None:
    """The clock reaches 100 before the rook falls: nobody wins."""
    fen = QUEEN_ROOK.replace(" 0 1", " 60 1")
    answer = client.get("/standard/mainline", params={"fen": fen}).json()
    assert len(answer["mainline"]) == 40
    assert (answer["winner"], answer["complete"], answer["ended"]) == (None, False, "50-move rule")


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castling"),
        (chess.STARTING_FEN.replace("KQkq", "-"), "too many"),
        ("8/8/8/3k4/3b4/2r5/8/KQ6 w - - 0 1", "The dtz table of KRBvKQ is not here"),
    ],
)
def test_a_line_that_is_not_known_is_refused(client: TestClient, fen: str, text: str) -> None:
    """404; the sentence names the metric and the endgame."""
    answer = client.get("/standard/mainline", params={"fen": fen})
    assert answer.status_code == 404
    assert text in answer.text


def test_a_line_of_xiangqi(client: TestClient) -> None:
    """It ends without a legal move, which is lost."""
    answer = client.get("/xiangqi/mainline", params={"fen": SOLDIER}).json()
    assert (len(answer["mainline"]), answer["winner"]) == (1, "w")


def test_pgn_is_read_by_others(client: TestClient) -> None:
    """python-chess replays it to mate; xiangqi is told in WXF."""
    text = client.get("/line.pgn", params={"fen": QUEEN_ROOK}).text
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    assert game.end().board().is_checkmate() and game.headers["Result"] == "1-0"
    other = client.get("/line.pgn", params={"fen": SOLDIER}).text
    assert '[Variant "xiangqi"]' in other and "1-0" in other


def test_a_learner_is_judged_and_answered(client: TestClient) -> None:
    """A slow move keeps the win, a blunder does not; the reply is legal."""
    asked = {"fen": QUEEN_ROOK, "play": "b1b2"}
    slow = client.get("/standard/reply", params=asked).json()
    assert slow["judgement"]["keeps"] and "best was" in slow["judgement"]["sentence"]
    board = chess.Board(slow["fen"])
    assert slow["reply"] is not None and board.turn == chess.WHITE and slow["turn"] == "w"
    lost = client.get("/standard/reply", params=asked | {"play": "b1c2"}).json()
    assert not lost["judgement"]["keeps"] and "slip" in lost["judgement"]["sentence"]
    mate = client.get(
        "/standard/reply", params={"fen": "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "play": "f5f8"}
    ).json()
    assert mate["reply"] is None and mate["end"] == "Checkmate: White wins."
    begun = client.get("/standard/reply", params={"fen": QUEEN_ROOK}).json()
    assert begun["judgement"] is None and begun["reply"] is not None


def test_many_positions_are_answered_in_order(client: TestClient) -> None:
    """A bad line is an error object in its place."""
    fens = [QUEEN_ROOK, "nonsense", '"7k/8/6QK/8/8/8/8/8 b - - 0 1"', '{"fen": 5}', "{"]
    answer = client.post("/standard/batch", content="\n".join(fens))
    assert answer.headers["content-type"].startswith(asking.NDJSON)
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert len(rows) == len(fens)
    assert rows[0] == client.get("/standard", params={"fen": QUEEN_ROOK}).json()
    assert "is not a FEN" in rows[1]["error"] and rows[1]["fen"] == "nonsense"
    assert rows[2]["stalemate"]
    assert all("error" in row for row in rows[3:])


def test_a_batch_may_be_an_array_without_moves(client: TestClient) -> None:
    """JSON in, lines out; `moves=0` leaves the moves out."""
    answer = client.post("/standard/batch?moves=0", content=json.dumps([QUEEN_ROOK, None]))
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert rows[0]["dtm"] == 65 and "moves" not in rows[0]
    assert "error" in rows[1] and rows[1]["fen"] == "null"


def test_a_batch_may_be_an_array_of_objects(client: TestClient) -> None:
    """An object with a FEN is read in an array as it is in a line."""
    body = json.dumps([{"fen": QUEEN_ROOK}, {"fen": 5}])
    answer = client.post("/standard/batch?moves=0", content=body)
    known, flawed = (json.loads(line) for line in answer.text.splitlines())
    assert known["dtm"] == 65
    assert flawed["fen"] == '{"fen": 5}' and "is not a FEN" in flawed["error"]


@pytest.mark.parametrize(
    "content", ["8/8 w\n" * (asking.MOST_LINES + 1), "x" * (asking.MOST_BYTES + 1)]
)
def test_a_batch_has_its_limits(client: TestClient, content: str) -> None:
    """413 says how much is answered at once."""
    answer = client.post("/standard/batch", content=content)
    assert answer.status_code == 413
    assert "at most" in answer.text
