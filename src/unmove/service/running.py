"""The server: a socket, its protocol, a log, and an end that finishes what is under way."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from unmove.errors import BadOption
from unmove.service.app import application
from unmove.service.library import Library

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
SLOWEST_HEAD: Final = 10.0
"""Seconds within which a client sends the head of a question."""
GRACE: Final = 20
"""Seconds for what is under way when the server is stopped."""
MOST_AT_ONCE: Final = 512
FIRST_PASSED: Final = 3
"""The number of the first socket that systemd passes on."""


class PatientProtocol(H11Protocol):
    """HTTP, with a connection closed whose client does not finish the head of its question."""

    _timer: asyncio.TimerHandle | None = None  # runs while a head is awaited

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._timer is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(SLOWEST_HEAD, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def serve(
    library: Library, host: str, port: int, *, names: Sequence[str] = (), level: str = "info"
) -> None:
    """Questions are answered until the process is told to stop. BadOption if nobody can listen."""
    bound = listening(host, port)
    log_to_stderr(level)
    config = uvicorn.Config(
        application(library, names_of(host, names)),
        http=PatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_AT_ONCE,
        timeout_graceful_shutdown=GRACE,
    )
    print(f"Listening on {address_of(bound)} (Ctrl-C stops it).", file=sys.stderr, flush=True)
    uvicorn.Server(config).run(sockets=[bound])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens: one that systemd has passed on, or a new one."""
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1":
        return socket.socket(fileno=FIRST_PASSED)
    if not host.strip():
        raise BadOption("host", repr(host), "it is empty; 0.0.0.0 is every address")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        number = error.errno or 0  # negative if the name of the host is not known
        reason = os.strerror(number) if number > 0 else str(error.strerror)
        raise BadOption("port", f"{host}:{port}", reason) from error


def address_of(bound: socket.socket) -> str:
    """Where a browser finds a socket."""
    host, port, *_ = bound.getsockname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def log_to_stderr(level: str) -> None:
    """Events from this level on are on standard error, a line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    least = {"uvicorn.error": logging.WARNING}  # it tells of each start and stop otherwise
    for name in ("unmove.access", "unmove.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(max(logging.getLevelNamesMapping()[level.upper()], least.get(name, 0)))


def names_of(host: str, names: Sequence[str]) -> list[str] | None:
    """The names that a server on this address is asked by; None for any."""
    loopback = host in LOOPBACK or host.startswith("127.")
    return [*LOOPBACK, host, *names] if names or loopback else None
