"""Endgames as a whole: tables, statistics, queries, random positions; a folder that changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest
from starlette.testclient import TestClient

from tests.conftest import linked
from tests.service.conftest import client_of
from unmove.api.search import Search
from unmove.api.statistics import statistics
from unmove.games.boards import parse_fen
from unmove.probe.tablebase import Tablebase
from unmove.service import library as library_module
from unmove.store.folder import Folder
from unmove.values import Outcome

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"


def test_all_tables_are_listed(client: TestClient, both_games: Folder) -> None:
    """Each with its size and the digest of its values."""
    rows = client.get("/tables").json()
    assert len(rows) == len(list(both_games.tables()))
    row = next(r for r in rows if (r["material"], r["metric"]) == ("KQvKR", "dtm"))
    assert (row["men"], row["longest"], row["game"]) == (4, 69, "chess")
    assert len(row["values"]) == 64


def test_the_index_has_what_is_built_and_what_it_would_take(client: TestClient) -> None:
    """Four men are built, five are estimated."""
    four = client.get("/endgames?men=4").json()
    assert len(four) == 30
    assert all(row["built"] == ["dtm", "dtc", "dtz"] and row["estimate"] is None for row in four)
    five = client.get("/endgames?men=5").json()
    row = next(r for r in five if r["material"] == "KQQvKQ")
    assert row["built"] == [] and row["estimate"]["seconds"] > 0
    assert row["command"] == "unmove build KQQvKQ"
    assert client.get("/endgames?men=3&game=xiangqi").status_code == 200


def test_statistics_have_both_shapes(client: TestClient, small_tables: Folder) -> None:
    """The histogram by DTZ sums up to the positions, and ours stands beside it."""
    answer = client.get("/stats/KQvKR.json").json()
    ours = statistics(small_tables, "KQvKR")
    white = answer["histogram"]["white"]
    assert sum(white["win"]) == ours.counts.wtm.win
    assert sum(white["loss"]) == ours.counts.wtm.loss
    assert sum(white["wdl"].values()) == ours.counts.wtm.legal
    assert answer["exact"]["max_dtm_moves"]["white_wins"]["wtm"] == 35
    longest = max(answer["longest"], key=lambda row: row["ply"])
    assert (longest["ply"], longest["wdl"]) == (62, -2)
    assert set(answer["dependencies"]) == {"KQvK", "KRvK"}


def test_statistics_of_the_other_name_have_the_colours_exchanged(client: TestClient) -> None:
    """KRvKQ: Black has the queen."""
    one, other = (client.get(f"/stats/{name}.json").json() for name in ("KQvKR", "KRvKQ"))
    assert one["histogram"]["white"] == other["histogram"]["black"]


def test_positions_are_found_by_query_in_pages(client: TestClient) -> None:
    """Pages do not overlap; the count is that of all."""
    asked = {"material": "KQvKR", "where": "wtm win and dtm == max", "limit": "2"}
    first = client.get("/find", params=asked | {"count": "1"}).json()
    second = client.get("/find", params=asked | {"offset": "2"}).json()
    assert first["more"] and first["count"] > 2 and second["count"] is None
    fens = [row["fen"] for row in first["positions"] + second["positions"]]
    assert len(set(fens)) == len(fens)
    assert first["positions"][0]["comment"] == "White to move wins: mate in 69 plies"
    none = client.get("/find", params=asked | {"where": "win and dtm == 4"}).json()
    assert none["positions"] == [] and none["hint"]


def test_zugzwangs_are_listed_and_counted(client: TestClient) -> None:
    """KPvK has 80 of them."""
    answer = client.get("/zugzwangs", params={"material": "KPvK", "limit": "3"}).json()
    assert (answer["full"], answer["white"], answer["black"]) == (0, 80, 0)
    assert len(answer["positions"]) == 3 and answer["more"]


@pytest.mark.parametrize(
    ("kind", "outcome"), [("won", Outcome.WIN), ("drawn", Outcome.DRAW), ("lost", Outcome.LOSS)]
)
def test_random_positions_are_of_their_kind(
    client: TestClient, tablebase: Tablebase, kind: str, outcome: Outcome
) -> None:
    """Each is what was asked for, and another one follows."""
    asked = {"material": "KRvKP", "kind": kind, "turn": "b"}
    fens = [client.get("/random", params=asked).json()["fen"] for _ in range(5)]
    for fen in fens:
        board = parse_fen(fen)
        assert isinstance(board, chess.Board) and board.turn == chess.BLACK
        assert tablebase.probe_wdl(board) == outcome
    assert len(set(fens)) > 1


def test_a_random_position_of_a_rare_value_is_found(
    client: TestClient, tablebase: Tablebase
) -> None:
    """The longest wins are few, and are searched for."""
    asked = {"material": "KQvKR", "kind": "won", "min": "69", "max": "69", "seed": "7"}
    one, again = (client.get("/random", params=asked).json()["fen"] for _ in range(2))
    assert one == again
    assert tablebase.probe_dtm(chess.Board(one)) == 69


@pytest.mark.parametrize("kind", ["zugzwang", "only"])
def test_random_positions_by_their_moves(client: TestClient, kind: str) -> None:
    """Kinds that depend on moves are searched for as well."""
    answer = client.get("/random", params={"material": "KPvK", "kind": kind})
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"


def test_a_random_position_of_a_frequent_kind_takes_few_probes(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of positions are drawn only for a kind that is rare."""
    drawn: list[int] = []
    probe_many = Tablebase.probe_many

    def counted(tables: Tablebase, material: Any, squares: Any, *others: Any) -> Any:
        drawn.append(len(squares))
        return probe_many(tables, material, squares, *others)

    monkeypatch.setattr(Tablebase, "probe_many", counted)
    asked = {"material": "KQvKR", "kind": "won", "turn": "w", "seed": "1"}
    assert client.get("/random", params=asked).status_code == 200
    assert 0 < sum(drawn) < 1000


def test_a_random_position_that_no_table_has_is_not_looked_for(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statistics of the table say that there is none."""
    monkeypatch.delattr(Tablebase, "probe_many")
    monkeypatch.delattr(Search, "positions")
    answer = client.get("/random", params={"material": "KQvKR", "kind": "won", "min": "600"})
    assert (answer.status_code, answer.text) == (
        404,
        "KQvKR has no such position; ask for another kind.",
    )


def test_words_that_may_be_asked_are_listed(client: TestClient) -> None:
    """A word that stands for leaving the parameter out is not listed."""
    answer = client.get("/random", params={"material": "KQvKR", "turn": "z"})
    assert answer.text == "turn 'z' cannot be used: it must be one of w, b."


def test_a_random_position_of_xiangqi(client: TestClient) -> None:
    """It is legal, so that it can be asked about."""
    fen = client.get("/random", params={"material": "xiangqi:KPvKA", "kind": "won"}).json()["fen"]
    assert client.get("/xiangqi", params={"fen": fen}).json()["category"] == "win"


def test_a_table_that_comes_or_goes_is_noticed(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a restart: values appear with the table and are unknown again without it."""
    monkeypatch.setattr(library_module, "LOOK_EVERY", 0.0)
    linked(tmp_path, small_tables, "KQvKR")
    files = [p for p in small_tables.path.iterdir() if p.name.startswith("KQvKR.")]
    with client_of(Folder(tmp_path)) as client:
        asked = {"fen": QUEEN_ROOK}
        before = client.get("/standard", params=asked)
        for file in files:
            (tmp_path / file.name).symlink_to(file)
        with_table = client.get("/standard", params=asked)
        for file in files:
            (tmp_path / file.name).unlink()
        after = client.get("/standard", params=asked)
    assert [each.json()["dtm"] for each in (before, with_table, after)] == [None, 65, None]
    assert before.headers["etag"] != with_table.headers["etag"]


def test_a_table_that_comes_or_goes_is_noticed_by_a_batch(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that sends nothing but batches sees it, too."""
    monkeypatch.setattr(library_module, "LOOK_EVERY", 0.0)
    linked(tmp_path, small_tables, "KQvKR")
    files = list(small_tables.path.glob("KQvKR.*"))
    answers = []
    with client_of(Folder(tmp_path)) as client:
        answers.append(client.post("/standard/batch", content=QUEEN_ROOK))
        for file in files:
            (tmp_path / file.name).symlink_to(file)
        answers.append(client.post("/standard/batch", content=QUEEN_ROOK))
        for file in files:
            (tmp_path / file.name).unlink()
        answers.append(client.post("/standard/batch", content=QUEEN_ROOK))
    assert [each.json()["dtm"] for each in answers] == [None, 65, None]


def test_a_damaged_table_is_told_without_details(
    small_tables: Folder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """500 in a sentence; the log has the file."""
    linked(tmp_path, small_tables, "KQvKR")
    for metric in ("dtm", "dtc", "dtz"):
        whole = (small_tables.path / f"KQvKR.{metric}.unmove").read_bytes()
        (tmp_path / f"KQvKR.{metric}.unmove").write_bytes(whole[:2000])
    with client_of(Folder(tmp_path)) as client:
        answer = client.get("/standard", params={"fen": QUEEN_ROOK})
    assert answer.status_code == 500
    assert str(tmp_path) not in answer.text and "log" in answer.text
    assert "KQvKR" in caplog.text


def test_a_question_that_takes_too_long_is_given_up(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """503 says what to do."""
    monkeypatch.setattr(library_module.Deadline.__init__, "__defaults__", (-1.0,))
    asked = {"material": "KRvKP", "where": "zugzwang and dtm > 3", "count": "1"}
    answer = client.get("/find", params=asked)
    assert answer.status_code == 503
    assert "too long" in answer.text
