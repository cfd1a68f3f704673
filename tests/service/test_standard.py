"""`/standard` and `/xiangqi`: values, categories, the order of moves, what is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.conftest import build_into, linked
from tests.service.conftest import client_of
from unmove import Metric
from unmove.api.lichess.children import san
from unmove.api.lichess.knowledge import Sources, know
from unmove.probe.tablebase import Tablebase
from unmove.store.folder import Folder

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
ROOT_FIELDS = [
    *("checkmate", "stalemate", "variant_win", "variant_loss", "insufficient_material"),
    *("dtz", "precise_dtz", "dtm", "dtw", "dtc", "category", "moves"),
]
MOVE_FIELDS = ["uci", "san", "zeroing", "conversion", *ROOT_FIELDS[:-1]]


def ask(client: TestClient, fen: str, path: str = "/standard", **parameters: str) -> Any:
    """The answer for a position."""
    answer = client.get(path, params={"fen": fen, **parameters})
    assert answer.status_code == 200, answer.text
    return answer.json()


def by_uci(answer: Any) -> dict[str, Any]:
    return {move["uci"]: move for move in answer["moves"]}


def test_fields_stand_in_the_order_of_the_contract(client: TestClient) -> None:
    """A client that reads fields one after the other finds them."""
    answer = ask(client, QUEEN_ROOK)
    assert list(answer)[: len(ROOT_FIELDS)] == ROOT_FIELDS
    assert all(list(move)[: len(MOVE_FIELDS)] == MOVE_FIELDS for move in answer["moves"])


def test_a_queen_wins_against_a_rook(client: TestClient) -> None:
    """The published example: values of the position, of its moves, and their order."""
    answer = ask(client, QUEEN_ROOK)
    assert (answer["dtz"], answer["precise_dtz"], answer["dtm"]) == (55, 55, 65)
    assert (answer["category"], answer["dtc"], answer["dtw"]) == ("win", None, None)
    moves = answer["moves"]
    assert len(moves) == 22
    assert {move["uci"] for move in moves[:2]} == {"a1b2", "b1f5"}
    assert all((move["dtz"], move["dtm"]) == (-54, -64) for move in moves[:2])
    assert (moves[2]["uci"], moves[2]["dtz"], moves[2]["dtm"]) == ("b1f1", -56, -64)
    assert moves[-1]["san"] == "Qb3+"
    assert (moves[-1]["category"], moves[-1]["dtz"], moves[-1]["dtm"]) == ("win", 1, 9)


@pytest.mark.parametrize(
    ("clock", "own", "best"), [(45, "win", "loss"), (46, "cursed-win", "blessed-loss")]
)
def test_the_clock_decides_whether_a_win_is_in_time(
    client: TestClient, clock: int, own: str, best: str
) -> None:
    """55 plies to the next capture are in time at a clock of 45, and one too many at 46."""
    answer = ask(client, QUEEN_ROOK.replace(" 0 1", f" {clock} 1"))
    assert answer["category"] == own
    assert answer["moves"][0]["category"] == best
    assert (answer["dtz"], answer["dtm"]) == (55, 65)
    assert answer["exact"]["outcome50"] == ("win" if clock == 45 else "cursed win")
    assert answer["exact"]["clock"] == clock


@pytest.mark.parametrize(
    ("clock", "own", "mate"),
    [(98, "win", "loss"), (99, "win", "loss"), (100, "cursed-win", "blessed-loss")],
)
def test_mate_on_the_hundredth_ply_counts(
    client: TestClient, clock: int, own: str, mate: str
) -> None:
    """A mate that is the 100th ply wins; after that the draw came first."""
    answer = ask(client, f"7k/8/6K1/5Q2/8/8/8/8 w - - {clock} 90")
    moves = by_uci(answer)
    assert (answer["category"], moves["f5f8"]["category"]) == (own, mate)
    assert moves["f5f8"]["checkmate"] and moves["f5f8"]["san"] == "Qf8#"


def test_who_is_checkmated_has_lost(client: TestClient) -> None:
    """Checkmate: a loss with DTZ -1 and no DTM; no moves."""
    answer = ask(client, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert (answer["checkmate"], answer["category"]) == (True, "loss")
    assert (answer["dtz"], answer["dtm"], answer["moves"]) == (-1, None, [])
    assert answer["exact"]["dtm"] == 0
    late = ask(client, "7k/6Q1/6K1/8/8/8/8/8 b - - 101 90")
    assert late["category"] == "blessed-loss"


def test_stalemate_is_a_draw(client: TestClient) -> None:
    """Stalemate: a draw with zeros; no moves."""
    answer = ask(client, "7k/8/6QK/8/8/8/8/8 b - - 0 1")
    assert (answer["stalemate"], answer["category"]) == (True, "draw")
    assert (answer["dtz"], answer["dtm"], answer["moves"]) == (0, 0, [])


def test_positions_without_the_men_to_mate_are_drawn(client: TestClient) -> None:
    """Insufficient material is known without a table, for the position and its moves."""
    answer = ask(client, "8/8/4k3/8/8/3BK3/8/8 w - - 0 1")
    assert answer["insufficient_material"] and answer["category"] == "draw"
    assert (answer["dtz"], answer["dtm"]) == (0, 0)
    assert all(move["insufficient_material"] for move in answer["moves"])
    other = ask(client, "8/4b3/4k3/8/8/3BK3/8/8 w - - 0 1")
    assert not other["insufficient_material"] and other["category"] == "draw"


def test_en_passant_counts_as_a_legal_move(client: TestClient) -> None:
    """A capture en passant is zeroing and converts."""
    answer = ask(client, "8/8/8/3k4/3Pp3/8/8/3K4 b - d3 0 1")
    move = by_uci(answer)["e4d3"]
    assert move["zeroing"] and move["conversion"]
    assert move["san"] == "exd3"


def test_an_en_passant_square_that_cannot_be_is_dropped(client: TestClient) -> None:
    """No pawn has stepped: the answer is that without the square."""
    plain = "8/8/8/3k4/3Pp3/8/8/3K4 b - - 0 1"
    answer = ask(client, plain.replace(" - - ", " - e3 "))
    assert answer["moves"] == ask(client, plain)["moves"]


def test_castling_rights_leave_values_open(client: TestClient) -> None:
    """No table knows castling; moves that give up the last right are known."""
    answer = ask(client, "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert (answer["dtz"], answer["dtm"]) == (None, None)
    moves = by_uci(answer)
    assert moves["e1g1"]["san"] == "O-O" and moves["e1g1"]["category"] == "loss"
    assert moves["h1h2"]["dtm"] is not None
    assert answer["category"] == "win"
    assert answer["missing"] == []


def test_a_right_to_castle_without_a_rook_is_dropped(client: TestClient) -> None:
    """The answer is that without the right."""
    answer = ask(client, "4k3/8/8/8/8/8/8/4KR2 w K - 0 1")
    assert answer["dtm"] is not None


def test_too_many_men_are_unknown_but_for_mates(client: TestClient) -> None:
    """A mate is never unknown, and neither is a position that a mate follows."""
    start = ask(client, chess.STARTING_FEN)
    assert (start["category"], start["dtz"], len(start["moves"])) == ("unknown", None, 20)
    mate = ask(client, "6k1/5ppp/8/8/8/8/1R3PPP/R5K1 w - - 0 1")
    assert mate["category"] == "win"
    assert mate["moves"][0]["checkmate"]


def test_a_missing_table_is_named_with_its_command(small_tables: Folder, tmp_path: Path) -> None:
    """Values are null, and the answer says which tables would tell them."""
    with client_of(linked(tmp_path, small_tables, "KQvKR")) as client:
        answer = ask(client, QUEEN_ROOK)
    assert (answer["dtz"], answer["category"]) == (None, "unknown")
    wanted = {"material": "KQvKR", "metric": "dtz", "command": "unmove build KQvKR --metric dtz"}
    assert wanted in answer["missing"]


def test_a_short_win_is_in_time_without_dtz(tmp_path: Path) -> None:
    """With DTM alone, a win in few plies is certain, and a long one is not."""
    folder = build_into(tmp_path, "KQvK", metrics=[Metric.DTM])
    with client_of(folder) as client:
        near = ask(client, "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
        far = ask(client, "k7/8/8/8/8/8/8/KQ6 w - - 90 1")
    assert (near["category"], far["category"]) == ("win", "maybe-win")
    assert far["moves"][0]["category"] == "maybe-loss"
    assert near["dtz"] is None


def test_dtc_is_told_in_moves_if_asked_for(client: TestClient) -> None:
    """55 plies to the capture are 28 moves."""
    answer = ask(client, QUEEN_ROOK, dtc="always")
    assert answer["dtc"] == 28
    assert answer["moves"][0]["dtc"] == -27
    assert answer["exact"]["dtc"] == 55


@pytest.mark.parametrize("metric", ["dtm", "dtc", "dtz"])
def test_moves_are_ordered_by_a_metric(
    client: TestClient, tablebase: Tablebase, metric: str
) -> None:
    """The order is that of `Tablebase.moves`."""
    answer = ask(client, QUEEN_ROOK, metric=metric)
    ranked = tablebase.moves(chess.Board(QUEEN_ROOK), metric)
    assert [move["san"] for move in answer["moves"]] == [move.san for move in ranked]


def test_moves_are_played_before_the_question(client: TestClient) -> None:
    """A client without rules plays moves and gets the new position."""
    answer = ask(client, QUEEN_ROOK, play="b1f5,d5d6")
    assert answer["position"]["fen"] == "8/8/3k4/5Q2/8/2r5/8/K7 w - - 2 2"
    assert answer["position"] | {"fen": ""} == {
        "fen": "",
        "game": "chess",
        "material": "KQvKR",
        "men": 4,
        "turn": "w",
        "check": False,
        "metrics": ["dtm", "dtc", "dtz"],
    }


def test_the_endgame_is_named_as_it_stands(client: TestClient) -> None:
    """Black has the queen: KRvKQ."""
    answer = ask(client, "kq6/8/2R5/8/3K4/8/8/8 w - - 0 1")
    assert answer["position"]["material"] == "KRvKQ"


def test_xiangqi_has_the_same_shape(client: TestClient) -> None:
    """No DTZ, moves in WXF, stalemate is a loss, the rule of repetition is named."""
    answer = ask(client, "3k5/4P4/9/9/9/9/9/9/9/4K4", "/xiangqi")
    assert list(answer)[: len(ROOT_FIELDS)] == ROOT_FIELDS
    assert (answer["dtz"], answer["dtm"], answer["category"]) == (None, 1, "win")
    best = answer["moves"][0]
    assert best["stalemate"] and best["category"] == "loss"
    assert {"K5.4", "K5+1"} & {move["san"] for move in answer["moves"]}
    assert "repeated" in answer["rules"]


def test_a_fen_needs_nothing_but_its_men(client: TestClient) -> None:
    """Underscores are spaces, fields are optional, counters saturate."""
    wanted = ask(client, QUEEN_ROOK)
    for short in (
        "8/8/8/3k4/8/2r5/8/KQ6",
        "8/8/8/3k4/8/2r5/8/KQ6_w_-_-_0_1",
        "  8/8/8/3k4/8/2r5/8/KQ6   w",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 0",
        "8/8/8/3k4/8/2r5/8/KQ6[] w - - 3+3 0 1",
    ):
        assert ask(client, short)["moves"] == wanted["moves"], short
    late = ask(client, f"8/8/8/3k4/8/2r5/8/KQ6 w - - {10**30} 1")
    assert late["category"] == "cursed-win"


@given(st.randoms(use_true_random=False))
def test_san_is_that_of_python_chess(random: Any) -> None:
    """Every move of a random game is written like there."""
    board = chess.Board()
    with Tablebase(Path("nowhere")) as tables:
        for _ in range(40):
            moves = list(board.legal_moves)
            if not moves:
                return
            move = random.choice(moves)
            after = board.copy(stack=False)
            after.push(move)
            assert san(board, move, know(Sources(tables), [after])[0], moves) == board.san(move)
            board = after
