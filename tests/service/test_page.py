"""The explorer in a real browser, by the tests of web/test; the page is that of the sources."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tools import page

from tests.service.test_running import started
from tests.support.syzygy import write
from unmove import Tablebase
from unmove.kernels.syzygy import tables
from unmove.material import all_of
from unmove.store.folder import Folder

LONGEST = 900_000  # milliseconds for a file of tests, on a busy machine
OF_SYZYGY = page.WEB / "test" / "syzygy.test.mjs"
TESTS = sorted(set((page.WEB / "test").glob("*.test.mjs")) - {OF_SYZYGY})


@pytest.fixture(scope="module")
def address(both_games: Folder) -> Iterator[str]:
    """Where a server with the page listens."""
    served = started(both_games)
    yield served.address
    served.process.terminate()
    served.process.wait(30)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """The page and the packages of its tests are there."""
    page.install()
    page.build()


@pytest.mark.parametrize("test", TESTS, ids=lambda path: path.name.split(".")[0])
def test_the_page_in_a_browser(test: Path, address: str) -> None:
    """What the tests of a file expect is so."""
    _check(test, address)


def test_the_page_names_syzygy_files_as_its_source(tmp_path: Path, tablebase: Tablebase) -> None:
    """On a server that has files of three men, and no tables of ours."""
    ours, files = tmp_path / "ours", tmp_path / "files"
    ours.mkdir()
    files.mkdir()
    for material in all_of(3):
        for kind in (tables.OUTCOMES, tables.DISTANCES):
            write(files, material.name, kind, tablebase, pairs=kind == tables.DISTANCES)
    served = started(Folder(ours), "--syzygy", str(files))
    try:
        _check(OF_SYZYGY, served.address)
    finally:
        served.process.terminate()
        served.process.wait(30)


def _check(test: Path, address: str) -> None:
    """The tests of a file pass, with the server that listens there."""
    own = os.environ | {"UNMOVE_URL": address}
    call = [
        *page.command("node"),
        "--test",
        "--test-reporter=tap",
        f"--test-timeout={LONGEST}",
        str(test),
    ]
    done = subprocess.run(call, cwd=page.WEB, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# skipped 0$", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 200),
        ("?fen=3k5/4P4/9/9/9/9/9/9/9/4K4_w", 200),
        ("?fen=%22%3E%3Cscript%3E", 400),
        ("?fen=" + "8" * 5000, 400),
    ],
)
def test_a_link_has_a_picture_of_its_position(client: TestClient, query: str, status: int) -> None:
    """Programs that show links find it; a FEN that is none cannot leave its attribute."""
    text = client.get(f"/{query}").text
    (link,) = re.findall(r'<meta property="og:image" content="([^"]*)">', text)
    answer = client.get(f"/{link}")
    assert answer.status_code == status
    assert text.count("<script") == 1
    if status == 200:
        assert answer.text.startswith("<svg")


def test_the_page_is_that_of_the_sources_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of any source makes the page an old one."""
    assert page.is_current()
    monkeypatch.setattr(page, "PARTS", page.PARTS[:-1])
    assert not page.is_current()


def test_the_sources_are_formatted() -> None:
    """Prettier would change nothing."""
    script = "node_modules/prettier/bin/prettier.cjs"
    call = [*page.command("node"), script, "--check", "--log-level=warn", "."]
    done = subprocess.run(call, cwd=page.WEB, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_file_names_no_registry() -> None:
    """Packages come from wherever the machine gets them, with the digests of the lock file."""
    packages = json.loads(page.LOCK.read_text(encoding="utf-8"))["packages"]
    for name, facts in packages.items():
        assert "resolved" not in facts, name
        assert not name or "integrity" in facts, name


def test_the_page_names_no_host() -> None:
    """No file of the page has an address of another host, but for the names of XML."""
    for path in page.PAGE.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        hosts = set(re.findall(r"(?:https?:)?//([\w.-]+\.[a-z]{2,})", text))
        assert hosts <= {"www.w3.org"}, path
