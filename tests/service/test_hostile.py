"""Questions of people who mean harm, or have a broken program: no crash and no trace."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.service.conftest import client_of
from unmove.store.folder import Folder

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
PATHS = (
    *("/standard", "/standard/mainline", "/standard/reply", "/xiangqi", "/xiangqi/mainline"),
    *("/line.pgn", "/picture.svg", "/find", "/zugzwangs", "/random", "/endgames", "/tables"),
)
NAMES = ("fen", "play", "metric", "dtc", "material", "where", "men", "limit", "offset", "kind")
TEXTS = (
    QUEEN_ROOK,
    "\x00",
    "%00",
    QUEEN_ROOK.replace("8", "\uff18"),  # digits of full width
    QUEEN_ROOK.replace("0", "\uff10"),
    "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1\r\nX-Evil: yes",
    "K" * 5000,
    "/" * 300,
    "-1",
    "NaN",
    "1e999",
    "9" * 400,
    "../../etc/passwd",
    "KQvKR/../../x",
    "xiangqi:KPvKA",
    "KQvKR",
    "<script>alert(1)</script>",
    "(" * 5000,
    "not " * 3000 + "win",
    "win" + " or win" * 3000,
    "dtm == 99999999999999999999999999",
    "a1b2," * 2000,
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
)


@pytest.fixture(scope="module")
def careless(small_tables: Folder) -> Iterator[TestClient]:
    """A client that sees failures as statuses."""
    with client_of(small_tables, raises=False) as client:
        yield client


def test_no_text_in_any_parameter_breaks_a_path(careless: TestClient) -> None:
    """Every failure is one plain sentence, and none is a 500."""
    rng = random.Random(18)
    for _ in range(600):
        path = rng.choice(PATHS)
        asked = {name: rng.choice(TEXTS) for name in rng.sample(NAMES, rng.randint(0, 4))}
        answer = careless.get(path, params=asked)
        assert answer.status_code in (200, 400, 404, 413, 503), (path, asked, answer.text)
        if answer.status_code != 200:
            assert answer.headers["content-type"].startswith("text/plain")
            assert "Traceback" not in answer.text
            assert "x-evil" not in answer.headers


@pytest.mark.parametrize("path", ["/stats/%2e%2e%2f%2e%2e%2fetc%2fpasswd.json", "/stats/.json"])
def test_names_are_read_and_never_part_of_a_path(careless: TestClient, path: str) -> None:
    """What is no endgame is refused."""
    assert careless.get(path).status_code in (400, 404)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"\xff\xfe\x00", 1),
        (b"[" * 100_000, 1),
        (b'{"fen": NaN}\n[1]\n[]', 3),
        (b'"' + b"\\u0000" * 100 + b'"', 1),
        (b"\n\n\n", 0),
        (b"[[[]], {}, 7, null, true]", 5),
        (string.printable.encode() * 50, 50),
    ],
)
def test_a_body_of_rubbish_gets_lines_of_errors(
    careless: TestClient, body: bytes, lines: int
) -> None:
    """Each line of it is told what is wrong."""
    answer = careless.post("/standard/batch", content=body)
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.status_code == 200
    assert len(rows) == lines
    assert all(set(row) == {"fen", "error"} for row in rows)


def test_nothing_is_written_by_any_method(careless: TestClient) -> None:
    """Only GET and HEAD, and POST for many positions."""
    for method in ("PUT", "PATCH", "DELETE", "POST", "TRACE", "BREW"):
        assert careless.request(method, "/standard").status_code == 405, method
    assert careless.get("/standard/batch").status_code == 405


def test_long_headers_are_refused(careless: TestClient) -> None:
    """A few kilobytes are enough for every browser; more is 431 in a sentence."""
    long = {f"x-{number}": "y" * 1000 for number in range(20)}
    answer = careless.get("/health", headers=long)
    assert (answer.status_code, answer.text) == (431, "Send at most 16,384 bytes of headers.")
    assert careless.get("/health", headers={"x-1": "y" * 1000}).status_code == 200
