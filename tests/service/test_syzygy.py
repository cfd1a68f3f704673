"""The service with Syzygy files: they answer where our DTZ table is missing, and are named."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import pytest
from starlette.testclient import TestClient

from tests.conftest import linked
from tests.service.conftest import client_of
from tests.support.syzygy import write
from unmove import Tablebase, open_syzygy
from unmove.games.boards import board_of
from unmove.kernels.syzygy import tables
from unmove.material import Material, all_of
from unmove.service import library
from unmove.store.folder import Folder
from unmove.values import SIDES

THREE_MEN = [material.name for material in all_of(3)]
ROOK = "8/8/8/8/8/k7/8/KR6 w - - 0 1"
QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
PAWN = "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"
UNSURE = {"maybe-win": "win", "maybe-loss": "loss"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """Files of three men that count in pairs of plies, as the published ones do."""
    place = tmp_path_factory.mktemp("syzygy")
    for name in THREE_MEN:
        for kind in (tables.OUTCOMES, tables.DISTANCES):
            write(place, name, kind, tablebase, pairs=kind == tables.DISTANCES)
    return place


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("nothing"))


@pytest.fixture(scope="module")
def by_files(nothing: Folder, files: Path) -> Iterator[TestClient]:
    """Asks a service that has no tables of ours."""
    with client_of(nothing, syzygy=open_syzygy(files)) as found:
        yield found


@pytest.fixture(scope="module")
def by_tables(small_tables: Folder) -> Iterator[TestClient]:
    """Asks a service that has no Syzygy files."""
    with client_of(small_tables) as found:
        yield found


def ask(client: TestClient, fen: str, path: str = "/standard", **parameters: str) -> Any:
    answer = client.get(path, params={"fen": fen, **parameters})
    assert answer.status_code == 200, answer.text
    return answer.json()


def boards_of(name: str, number: int) -> list[chess.Board]:
    """Some legal positions of an endgame, with any half-move clock."""
    rng, found = random.Random(name), list[chess.Board]()
    material = Material.parse(name)
    while len(found) < number:
        board = board_of(material, rng.sample(range(64), material.men), rng.choice(SIDES))
        assert isinstance(board, chess.Board)
        board.halfmove_clock = rng.choice((0, 0, 1, 50, rng.randrange(60, 101)))
        if board.is_valid():
            found.append(board)
    return found


@pytest.mark.parametrize("name", THREE_MEN)
def test_distances_are_those_of_python_chess(
    name: str, by_files: TestClient, files: Path, small_tables: Folder
) -> None:
    """Of a position and after each of its moves. They are named, and not called precise."""
    with chess.syzygy.open_tablebase(str(files)) as theirs:
        for board in boards_of(name, 25):
            answer = ask(by_files, board.fen())
            asked = [(answer, board)]
            for move in answer["moves"]:
                child = board.copy()
                child.push_uci(move["uci"])
                asked.append((move, child))
            for told, position in asked:
                assert told["dtz"] == theirs.probe_dtz(position)
                over = position.is_game_over(claim_draw=False)
                assert told["source"] == ("unmove" if over else "syzygy")
                assert told["precise_dtz"] == (told["dtz"] if over else None)
                assert told["dtm"] is None or over


@pytest.mark.parametrize("name", THREE_MEN)
def test_categories_are_ours_or_unsure(
    name: str, by_files: TestClient, by_tables: TestClient
) -> None:
    """With any clock. What is unsure is 100 plies from a draw, in the file's count."""
    for board in boards_of(name, 60):
        files, exact = ask(by_files, board.fen()), ask(by_tables, board.fen())
        theirs = {move["uci"]: move for move in exact["moves"]}
        pairs = [(files, exact), *((move, theirs[move["uci"]]) for move in files["moves"])]
        for told, true in pairs:
            sure = true["category"].replace("cursed-win", "win").replace("blessed-loss", "loss")
            if told["category"] in UNSURE:
                assert UNSURE[told["category"]] == sure
                assert board.halfmove_clock and told["exact"]["outcome50"] is None
            else:
                assert told["category"] == true["category"], board.fen()
            assert told["exact"]["outcome"] == true["exact"]["outcome"]
            assert told["exact"]["outcome50"] in (None, true["exact"]["outcome50"])
            assert told["exact"]["dtz"] is None or told["source"] == "unmove"


def test_rounding_leaves_just_one_clock_open(by_files: TestClient) -> None:
    """One ply less on the clock is a win, one more a draw by the rule; so it is for the loser."""
    for board in boards_of("KRvK", 40):
        dtz = ask(by_files, board.fen())["dtz"]
        if abs(dtz) < 3:
            continue
        words = []
        for clock in (99 - abs(dtz), 100 - abs(dtz), 101 - abs(dtz)):
            board.halfmove_clock = clock
            words.append(ask(by_files, board.fen())["category"])
        expected = ("win", "maybe-win", "cursed-win"), ("loss", "maybe-loss", "blessed-loss")
        assert tuple(words) == expected[dtz < 0], board.fen()


def test_moves_have_the_order_of_their_categories(
    by_files: TestClient, by_tables: TestClient
) -> None:
    """By DTZ the best move is as good as ours, but for a ply of rounding."""
    for board in boards_of("KRvK", 30) + boards_of("KPvK", 30):
        board.halfmove_clock = 0
        found = ask(by_files, board.fen(), metric="dtz")["moves"]
        exact = {move["uci"]: move for move in ask(by_tables, board.fen(), metric="dtz")["moves"]}
        best = next(iter(exact.values()), None)
        if best is not None:
            chosen = exact[found[0]["uci"]]
            assert chosen["category"] == best["category"]
            if not (chosen["zeroing"] or best["zeroing"]):
                assert abs(abs(chosen["dtz"]) - abs(best["dtz"])) <= 1


def test_our_own_table_comes_first(small_tables: Folder, files: Path, tmp_path: Path) -> None:
    """Without DTZ, our distances to mate stand beside those of the files."""
    mates = Folder(tmp_path)
    for material, metric in small_tables.tables():
        if metric == "dtm":
            path = small_tables.file(material, metric)
            (tmp_path / path.name).symlink_to(path)
    with client_of(small_tables, syzygy=open_syzygy(files)) as client:
        answer = ask(client, ROOK)
        assert answer["source"] == "unmove" and answer["precise_dtz"] == answer["dtz"]
        assert {move["source"] for move in answer["moves"]} == {"unmove"}
    with client_of(mates, syzygy=open_syzygy(files)) as client:
        mixed = ask(client, ROOK)
        assert mixed["source"] == "syzygy" and mixed["precise_dtz"] is None
        assert mixed["dtm"] == answer["dtm"] and mixed["exact"]["dtm"] == answer["dtm"]
        assert abs(mixed["dtz"] - answer["dtz"]) <= 1
        assert {missing["metric"] for missing in mixed["missing"]} == {"dtc", "dtz"}
        unknown = ask(client, QUEEN_ROOK)
        assert unknown["source"] == "unmove" and unknown["dtz"] is None
    with client_of(linked(tmp_path / "x", small_tables, "KRvK")) as client:
        assert ask(client, ROOK)["source"] is None


def test_what_no_file_has_is_not_known(by_files: TestClient) -> None:
    """Castling rights, an endgame without files, too many men; captures into files are known."""
    for fen in ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", QUEEN_ROOK, chess.STARTING_FEN):
        answer = ask(by_files, fen)
        assert (answer["dtz"], answer["precise_dtz"], answer["source"]) == (None, None, None)
    moves = {
        move["san"]: move for move in ask(by_files, "8/8/8/3k4/8/1r6/8/KQ6 w - - 0 1")["moves"]
    }
    assert moves["Qxb3+"]["source"] == "syzygy" and moves["Qxb3+"]["category"] == "loss"


def test_best_play_follows_the_files(by_files: TestClient, by_tables: TestClient) -> None:
    """To mate, or to a draw by the rule; no step is called the only best one."""
    for fen in (ROOK, PAWN.replace("4k3", "6k1"), "8/8/8/8/8/8/1R6/2k4K b - - 0 1"):
        line, exact = (ask(client, fen, "/standard/mainline") for client in (by_files, by_tables))
        assert (line["winner"], line["ended"]) == (exact["winner"], exact["ended"])
        board = chess.Board(fen)
        for step in line["mainline"]:
            board.push_uci(step["uci"])
            assert step["fen"] == board.fen() and step["mark"] in (None, "forced", "only")
        assert board.is_checkmate() == (line["winner"] is not None)
        assert line["precise_dtz"] is None
    refused = by_files.get("/standard/mainline", params={"fen": ROOK, "metric": "dtm"})
    assert refused.status_code == 404 and "unmove build" in refused.text
    refused = by_files.get("/standard/mainline", params={"fen": QUEEN_ROOK})
    assert (refused.status_code, "KQvKR.rtbw" in refused.text) == (404, True)


def test_outcomes_alone_are_worth_something(nothing: Folder, files: Path, tmp_path: Path) -> None:
    """Without the file of distances a win is one, as long as the clock is 0."""
    for path in files.glob("*.rtbw"):
        shutil.copy(path, tmp_path)
    with client_of(nothing, syzygy=open_syzygy(tmp_path)) as client:
        answer = ask(client, ROOK)
        assert (answer["category"], answer["dtz"], answer["source"]) == ("win", None, "syzygy")
        assert ask(client, ROOK.replace("- 0", "- 9"))["category"] == "maybe-win"
        refused = client.get("/standard/mainline", params={"fen": ROOK})
        assert (refused.status_code, "KRvK.rtbz" in refused.text) == (404, True)


def test_files_are_listed(by_files: TestClient, files: Path) -> None:
    """With the tables, by men and name. A server that has nothing else is ready."""
    rows = by_files.get("/tables").json()
    assert {row["source"] for row in rows} == {"syzygy"}
    expected = sorted((name, value) for name in THREE_MEN for value in ("dtz", "wdl"))
    assert [(row["material"], row["metric"]) for row in rows] == expected
    sizes = {row["material"]: row["bytes"] for row in rows if row["metric"] == "wdl"}
    assert sizes["KRvK"] == (files / "KRvK.rtbw").stat().st_size
    assert by_files.get("/ready").text == "ready"


def test_a_damaged_file_is_told_to_the_log_alone(
    nothing: Folder, files: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """500 and a sentence without a path. When the file is mended, the answer comes."""
    for path in files.iterdir():
        shutil.copy(path, tmp_path)
    spoiled = tmp_path / "KRvK.rtbz"
    good = spoiled.read_bytes()
    spoiled.write_bytes(good[:64])
    with client_of(nothing, raises=False, syzygy=open_syzygy(tmp_path)) as client:
        refused = client.get("/standard", params={"fen": ROOK})
        assert refused.status_code == 500
        assert str(tmp_path) not in refused.text and "KRvK" not in refused.text
        assert any(str(spoiled) in record.getMessage() for record in caplog.records)
        line = client.post("/standard/batch", content=ROOK).json()
        assert str(tmp_path) not in line["error"]
        spoiled.unlink()
        spoiled.write_bytes(good)
        assert ask(client, ROOK)["source"] == "syzygy"


def test_files_come_and_go(
    nothing: Folder, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a restart. A folder that is gone has no files, and none is a failure."""
    monkeypatch.setattr(library, "LOOK_EVERY", 0.0)
    place = tmp_path / "files"
    place.mkdir()
    for kind in ("rtbw", "rtbz"):
        shutil.copy(files / f"KQvK.{kind}", place)
    with client_of(nothing, syzygy=open_syzygy(place)) as client:
        assert ask(client, ROOK)["source"] is None
        for kind in ("rtbw", "rtbz"):
            shutil.copy(files / f"KRvK.{kind}", place)
        assert ask(client, ROOK)["source"] == "syzygy"
        (place / "KRvK.rtbz").unlink()
        answer = ask(client, ROOK)
        assert (answer["source"], answer["dtz"]) == ("syzygy", None)
        shutil.rmtree(place)
        assert ask(client, ROOK)["source"] is None
        assert client.get("/tables").json() == []
        assert client.get("/ready").status_code == 503
