"""What every client relies on: statuses, types, tags, headers, limits."""

from __future__ import annotations

import json

import flynn
import pytest
from starlette.testclient import TestClient

from unmove.api.lichess.answers import StandardAnswer, answer
from unmove.api.lichess.knowledge import Sources
from unmove.games.boards import AnyBoard, rules_of
from unmove.service import watching
from unmove.service.app import application
from unmove.service.guarding import ALLOWANCE, WEIGHTS
from unmove.service.library import Library
from unmove.service.representing import CBOR, JSON, accepted
from unmove.store.folder import Folder

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
ASKED = {"fen": QUEEN_ROOK}


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (None, JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        (CBOR, CBOR),
        ("application/cbor, application/json", CBOR),
        ("application/cbor;q=0.5, application/json", JSON),
        ("text/html, application/cbor;q=0.1, */*;q=0.05", CBOR),
        ("text/html", None),
        ("application/json;q=0", None),
        ("application/json;q=much", None),
        ("", JSON),
    ],
)
def test_the_client_chooses_the_type(header: str | None, kind: str | None) -> None:
    """By quality; the first that is listed wins a tie."""
    assert accepted(header) == kind


def test_cbor_says_the_same_as_json(client: TestClient) -> None:
    """Another library reads the same keys and values in it."""
    plain = client.get("/standard", params=ASKED)
    packed = client.get("/standard", params=ASKED, headers={"Accept": CBOR})
    assert packed.headers["content-type"] == CBOR
    assert plain.headers["content-type"] == JSON
    assert flynn.loads(packed.content) == plain.json()


@pytest.mark.parametrize("path", ["/standard", "/monitor", "/tables"])
def test_nothing_acceptable_is_406(client: TestClient, path: str) -> None:
    """In plain text, whatever is accepted."""
    answer = client.get(path, params=ASKED, headers={"Accept": "text/html"})
    assert answer.status_code == 406
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "The parameter fen is missing"),
        ("fen=", "it is empty"),
        (f"fen={QUEEN_ROOK}&fen={QUEEN_ROOK}", "given twice"),
        ("fen=8/8/8/8/8/8/8/8", "illegal position: empty board, missing king"),
        ("fen=4k3/8/8/8/8/8/8/8", "illegal position: missing king"),
        ("fen=4k2k/8/8/8/8/8/8/4K3", "illegal position: too many kings"),
        ("fen=P3k3/8/8/8/8/8/8/4K3", "illegal position: pawns on backrank"),
        ("fen=4k3/8/8/8/8/8/8/4K2R b - - 0 1 7", "more than six fields"),
        ("fen=4k3/4R3/8/8/8/8/8/4K3 w", "illegal position: opposite check"),
        ("fen=4k3/8/8/8/PPPPPPPP/PPP5/8/4K3", "illegal position: too much material"),
        ("fen=4k3/8/8/8/8/8/8/4K3 w - - -1 1", "no number of moves"),
        ("fen=4k3/8/8/8/8/8/8/4K3 w - - x 1", "no number of moves"),
        (f"fen={QUEEN_ROOK}&dtc=maybe", "dtc 'maybe' cannot be used"),
        (f"fen={QUEEN_ROOK}&metric=dtx", "metric 'dtx' cannot be used"),
        (f"fen={QUEEN_ROOK}&play=a1a8", "it breaks the rules"),
        ("fen=" + "8" * 400, "more than 300 characters"),
    ],
)
def test_a_wrong_question_gets_a_sentence(client: TestClient, query: str, sentence: str) -> None:
    """400 and plain text that says what is wrong."""
    answer = client.get(f"/standard?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert sentence in answer.text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/standard/", 404, ""),
        ("/standard/nothing", 404, ""),
        ("/static/%2e%2e/app.py", 404, ""),
        ("/crazyhouse", 400, "no such game"),
        ("/atomic", 404, "atomic is not played here"),
        ("/antichess/mainline", 404, "antichess is not played here"),
        ("/stats/KQvKR.xml", 404, ""),
        ("/stats/KXvKR.json", 400, "is no endgame"),
        ("/stats/KQQvKRR.json", 404, "KQQvKRR is not here"),
        ("/find?material=KQvKR&where=wtm%20wins%20perhaps", 400, "perhaps"),
        ("/find?material=KQvKR", 400, "where is missing"),
        ("/endgames?men=40", 400, "men '40' cannot be used"),
        ("/endgames?men=9", 404, "too many"),
        ("/random?material=KQvKR&kind=odd", 400, "kind 'odd' cannot be used"),
        ("/random?material=KQvKR&kind=won&min=200", 404, "no such position"),
        ("/xiangqi?fen=3k5/9/9/9/9/9/9/9/9/3K5", 400, "face each other"),
        ("/xiangqi?fen=3k5/4P4/9/9/9/9/9/9/9/4K4&metric=dtz", 400, "no dtz in xiangqi"),
    ],
)
def test_paths_that_lead_nowhere(client: TestClient, path: str, status: int, text: str) -> None:
    """An unknown path is 404 without a word, a wrong name a sentence."""
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert text in answer.text if text else answer.text == ""


def test_other_methods_are_refused(client: TestClient) -> None:
    """405 names the methods that are allowed; HEAD is one of them."""
    answer = client.delete("/standard", params=ASKED)
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}
    head = client.head("/standard", params=ASKED)
    assert head.status_code == 200


def test_an_answer_that_is_known_is_not_sent_again(client: TestClient) -> None:
    """304 by the tag, which is another one for another question."""
    first = client.get("/standard", params=ASKED)
    tag = first.headers["etag"]
    again = client.get("/standard", params=ASKED, headers={"If-None-Match": f'"x", W/{tag}'})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(
        "/standard", params=ASKED | {"metric": "dtz"}, headers={"If-None-Match": tag}
    )
    assert other.status_code == 200
    assert first.headers["vary"].startswith("Accept")
    assert "max-age" in first.headers["cache-control"]


def test_every_answer_protects_a_browser(client: TestClient) -> None:
    """Errors too: no sniffing, a strict policy, no frames."""
    for path in ("/standard", "/nothing/at/all", "/health"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_pages_of_others_may_ask(client: TestClient) -> None:
    """CORS for everybody, without credentials; the preflight of a batch is answered."""
    answer = client.get("/standard", params=ASKED, headers={"Origin": "https://example.org"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    preflight = client.options(
        "/standard/batch",
        headers={
            "Origin": "https://example.org",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        },
    )
    assert preflight.status_code == 200


def test_a_strange_host_name_is_refused(small_tables: Folder) -> None:
    """A page of a stranger cannot ask by a name of its own that leads here."""
    app = application(Library(small_tables), names=["localhost", "127.0.0.1", "::1"])
    with TestClient(app) as client:
        answer = client.get("/health", headers={"Host": "evil.example"})
        assert (answer.status_code, "--name" in answer.text) == (400, True)
        for name in ("localhost:8000", "127.0.0.1", "[::1]:8000", "LOCALHOST"):
            assert client.get("/health", headers={"Host": name}).status_code == 200, name


def test_a_client_from_elsewhere_has_an_allowance(small_tables: Folder) -> None:
    """Dear questions use it up; 429 says how long to wait."""
    app = application(Library(small_tables))
    with TestClient(app, client=("203.0.113.7", 1)) as client:
        statuses = [
            client.get("/zugzwangs?material=nonsense").status_code
            for _ in range(int(ALLOWANCE / WEIGHTS["zugzwangs"]) + 3)
        ]
        refused = client.get("/zugzwangs?material=nonsense")
    assert statuses[0] == 400
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    with TestClient(app, client=("203.0.113.8", 1)) as other:
        assert other.get("/health").status_code == 200
    assert library_events(app)["limit_hit"] >= 1


def library_events(app: object) -> dict[str, int]:
    """What was counted."""
    state = getattr(app, "state")  # noqa: B009
    return dict(state.library.numbers.events)


def test_counters_are_told(client: TestClient) -> None:
    """To Influx as lichess's server does, and to Prometheus."""
    client.get("/standard", params=ASKED)
    assert client.get("/monitor").text.startswith("tablebase cache=")
    text = client.get("/metrics").text
    assert 'unmove_questions_total{route="/standard",status="200"}' in text
    assert 'unmove_question_seconds_bucket{le="+Inf"}' in text
    assert client.get("/health").text == "alive"
    assert client.get("/ready").text == "ready"


def test_a_service_is_ready_when_it_has_answered_in_each_game(
    both_games: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What answers clients is tried, so that its kernels are compiled before they ask."""
    games: list[str] = []

    def noted(sources: Sources, board: AnyBoard) -> StandardAnswer:
        games.append(rules_of(board).game.name)
        return answer(sources, board)

    monkeypatch.setattr(watching, "answer", noted)
    library = Library(both_games)
    assert watching.self_probe(library) is None
    assert sorted(games) == ["chess", "xiangqi"]
    library.close()


def test_the_description_has_every_path(client: TestClient) -> None:
    """OpenAPI lists what is served, with its parameters."""
    described = client.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    paths = described["paths"]
    assert {"/standard", "/xiangqi/mainline", "/find", "/stats/{material}.json"} <= set(paths)
    names = [p["name"] for p in paths["/standard"]["get"]["parameters"]]
    assert names == ["fen", "play", "metric", "dtc"]


def test_a_question_is_logged_without_its_client(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    """A line of JSON with path, status, endgame and whether the answer was known."""
    fen = "8/8/8/3k4/8/2r5/8/KQ6 w - - 7 9"
    with caplog.at_level("INFO", logger="unmove.access"):
        answers = [client.get("/standard", params={"fen": fen}) for _ in range(2)]
    first, second = (json.loads(record.message) for record in caplog.records[-2:])
    assert (first["route"], first["status"], first["material"]) == ("/standard", 200, "KQvKR")
    assert [first["cache"], second["cache"]] == ["miss", "hit"]
    assert first["id"] == answers[0].headers["x-request-id"]
    assert first["client"] == "127.0.0.0"
