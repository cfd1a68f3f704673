"""The server as a process: start, stop, its socket, slow and rude clients, a client of lichess."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

import berserk
import pytest

from tests.support.commands import run
from unmove.service import running
from unmove.store.folder import Folder

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
LONGEST_START = 60.0  # seconds, on a busy machine


@dataclass
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1].rstrip("/"))


def started(folder: Folder, *options: str) -> Served:
    """A server on a free port, once it listens."""
    command = [sys.executable, "-m", "unmove", "serve", "--port", "0", "--dir", str(folder)]
    command += options
    command += ["--log-level", "warning"]  # nobody reads the log: a full pipe would stop the server
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("Listening on "), line
    return Served(process, line.split()[2])


@pytest.fixture(scope="module")
def served(small_tables: Folder) -> Iterator[Served]:
    """A server with all tables of up to four men."""
    found = started(small_tables)
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{found.address}ready") as answer:
                assert answer.read() == b"ready"
                break
        except urllib.error.URLError:
            time.sleep(0.1)
    yield found
    found.process.terminate()
    found.process.wait(30)


def test_a_client_of_lichess_works_unmodified(served: Served) -> None:
    """berserk asks, and reads what it reads from lichess."""
    client = berserk.Client(tablebase_url=served.address.rstrip("/"))
    answer = client.tablebase.look_up(QUEEN_ROOK, variant="standard")
    assert answer["category"] == "win"
    assert answer["moves"][0]["uci"] in ("a1b2", "b1f5")
    with pytest.raises(berserk.exceptions.ResponseError):
        client.tablebase.standard("nonsense")


def test_a_bot_finds_what_it_reads(served: Served) -> None:
    """The fields and types that lichess-bot takes from the first moves."""
    query = QUEEN_ROOK.replace(" ", "_")
    with urllib.request.urlopen(f"{served.address}standard?fen={query}") as answer:
        moves = json.load(answer)["moves"]
    known = {"loss", "maybe-loss", "blessed-loss", "draw", "cursed-win", "maybe-win", "win"}
    for move in moves:
        assert isinstance(move["uci"], str) and move["category"] in known
        assert isinstance(move["dtz"], int) and isinstance(move["dtm"], int)


def test_a_head_that_is_never_finished_is_given_up(served: Served) -> None:
    """A connection that sends nothing more is closed, also after a question that was answered.

    Others are answered meanwhile.
    """
    here = "127.0.0.1", served.port
    with socket.create_connection(here) as silent, socket.create_connection(here) as answered:
        answered.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with answered.makefile("rb") as answered_with:
            assert any(line == b"\r\n" for line in answered_with)
            assert answered_with.read(5) == b"alive"
        start = time.monotonic()
        for slow in (silent, answered):
            slow.settimeout(running.SLOWEST_HEAD + 10)
            slow.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-")
        with urllib.request.urlopen(f"{served.address}health") as answer:
            assert answer.status == 200
        for slow in (silent, answered):
            assert slow.recv(100) == b""
            assert time.monotonic() - start < running.SLOWEST_HEAD + 5


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"GET /standard?fen=" + b"8" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /standard?fen=%ff%fe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"POST /standard/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf",
        b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n",
    ],
)
def test_a_rude_client_harms_nobody(served: Served, sent: bytes) -> None:
    """Broken, huge and half-sent questions; the next client is answered."""
    with socket.create_connection(("127.0.0.1", served.port)) as rude:
        rude.sendall(sent)
        rude.settimeout(0.5)
        with pytest.raises(TimeoutError) if b"half" in sent else nullcontext():
            answer = rude.recv(100)
            assert b" 4" in answer[:12]
    with urllib.request.urlopen(f"{served.address}health") as calm:
        assert calm.status == 200


def test_a_second_server_on_the_same_port_is_refused(served: Served, small_tables: Folder) -> None:
    """One sentence, and the exit code of a wrong question."""
    code, _, said = run("serve", "--port", str(served.port), "--dir", str(small_tables))
    assert code == 2
    assert "Address already in use" in said


def test_a_server_is_asked_by_the_address_it_listens_on(small_tables: Folder) -> None:
    """Every address of the loopback network may be chosen, and is a name of the server."""
    found = started(small_tables, "--host", "127.0.0.2")
    assert found.address.startswith("http://127.0.0.2:")
    with urllib.request.urlopen(f"{found.address}health") as answer:
        assert answer.read() == b"alive"
    found.process.terminate()
    found.process.wait(30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_stops_when_it_is_told(small_tables: Folder, number: signal.Signals) -> None:
    """At once, if nothing is under way, without a trace."""
    found = started(small_tables)
    found.process.send_signal(number)
    _, said = found.process.communicate(timeout=30)
    assert "Traceback" not in said
    assert found.process.returncode in (130, -number, 128 + number)


def test_a_socket_that_is_passed_on_is_used(small_tables: Folder) -> None:
    """As systemd does it: the listening socket is number 3."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        code = (
            "import os, sys; os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); "
            f"os.dup2({listening.fileno()}, 3); "
            f"sys.argv = ['unmove', 'serve', '--dir', {str(small_tables)!r}]; "
            "from unmove.cli.app import main; main()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            pass_fds=[listening.fileno()],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert process.stderr is not None
        assert f":{port}/" in process.stderr.readline()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:
            assert answer.read() == b"alive"
        process.terminate()
        process.wait(30)
        process.stderr.close()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--log-level", "loud"), "--log-level loud cannot be used"),
        (("--host", "no.such.host.invalid"), "no.such.host.invalid:8000 cannot be used"),
        (("--cache", "much"), "--cache much cannot be used"),
        (("--host", ""), "--host '' cannot be used"),
        (("--dir", "/no/such/folder"), "There are no tables"),
    ],
)
def test_wrong_options_get_a_sentence(options: tuple[str, ...], sentence: str) -> None:
    """The exit code is that of a wrong question, or of tables that are not there."""
    code, _, said = run("serve", *options)
    assert code in (2, 3)
    assert sentence in said
