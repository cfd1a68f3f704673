"""What a public server needs around its answers: who may ask, how much, and a log of it.

Everything is an ASGI wrapper, so that it also guards what fails in a handler.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Collection
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unmove.service.counting import Numbers
from unmove.service.failing import refusal

WEIGHTS: Final = {"mainline": 20, "reply": 5, "batch": 100, "find": 50, "zugzwangs": 50}
"""What a question costs, by the last word of its path. Any other one costs 1."""
ALLOWANCE: Final = 1000.0
REFILL: Final = 100.0
"""A client may spend ALLOWANCE at once, and REFILL a second for ever."""
MOST_CLIENTS: Final = 10_000
"""So many clients are kept account of; the one that has been quiet longest is forgotten."""
MOST_HEADER_BYTES: Final = 1 << 14
POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
SAFE: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)

access = logging.getLogger("unmove.access")


class Recorded:
    """Every answer has headers that protect a browser, and is counted and logged."""

    def __init__(self, app: ASGIApp, numbers: Numbers) -> None:
        self._app, self._numbers = app, numbers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, number, status = time.perf_counter(), secrets.token_hex(6), 500
        scope.setdefault("state", {})

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    (b"x-request-id", number.encode()),
                    *SAFE,
                ]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            seconds = time.perf_counter() - start
            route = route_of(scope)
            self._numbers.asked(route, status, seconds)
            if access.isEnabledFor(logging.INFO):
                access.info(_line(scope, number, route, status, seconds))


class NamedHosts:
    """Only questions to these host names are answered; None for all.

    A page of a stranger can make a browser ask a name of the stranger's that leads here.
    """

    def __init__(self, app: ASGIApp, names: Collection[str] | None) -> None:
        self._app = app
        self._names = None if names is None else {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._names is not None:
            host = Headers(scope=scope).get("host", "")
            name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
            if name.strip("[]").lower() not in self._names:
                sentence = (
                    "This server is not asked by that name; start it with --name to allow it."
                )
                await refusal(400, sentence)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class ShortHeaders:
    """Questions with long headers are refused, however fast they arrive."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = sum(len(name) + len(value) for name, value in scope.get("headers", ()))
        if size > MOST_HEADER_BYTES:
            sentence = f"Send at most {MOST_HEADER_BYTES:,} bytes of headers."
            await refusal(431, sentence)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class RateLimited:
    """A client that asks too much is told to wait. Clients on this machine are not limited."""

    def __init__(self, app: ASGIApp, numbers: Numbers) -> None:
        self._app, self._numbers = app, numbers
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait = self._wait(scope) if scope["type"] == "http" else 0.0
        if wait <= 0:
            await self._app(scope, receive, send)
            return
        self._numbers.happened("limit_hit")
        seconds = int(wait) + 1
        sentence = f"That was too much at once; wait {seconds} seconds before the next question."
        await refusal(429, sentence, {"Retry-After": str(seconds)})(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        """Seconds until the question may be asked; 0 if it may be now, which is then paid for."""
        client = client_of(scope)
        if client is None:
            return 0.0
        cost, now = WEIGHTS.get(scope["path"].rsplit("/", 1)[-1], 1), time.monotonic()
        left, since = self._left.pop(client, (ALLOWANCE, now))
        left = min(ALLOWANCE, left + (now - since) * REFILL)
        enough = left >= cost
        self._left[client] = (left - cost if enough else left), now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if enough else (cost - left) / REFILL


def client_of(scope: Scope) -> str | None:
    """The network of the client, /64 of IPv6; None for a client on this machine."""
    host = scope["client"][0] if scope.get("client") else None
    try:
        address = ipaddress.ip_address(host or "127.0.0.1")
    except ValueError:
        return None
    if address.is_loopback:
        return None
    prefix = 32 if address.version == 4 else 64
    return str(ipaddress.ip_network((address, prefix), strict=False).network_address)


def route_of(scope: Scope) -> str:
    """The path that was matched, without what a client chose; `none` if none was."""
    route = scope.get("route")
    return getattr(route, "path", None) or "none"


def _line(scope: Scope, number: str, route: str, status: int, seconds: float) -> str:
    """A line of the log. The last part of an address is left out."""
    told: dict[str, Any] = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "id": number,
        "method": scope["method"],
        "route": route,
        "status": status,
        "ms": round(1000 * seconds, 2),
        "client": _masked(scope),
    }
    return json.dumps(told | scope["state"].get("logged", {}))


def _masked(scope: Scope) -> str:
    host = str(scope["client"][0]) if scope.get("client") else ""
    if ":" in host:
        return ":".join(host.split(":")[:3]) + "::"
    return ".".join([*host.split(".")[:3], "0"]) if host.count(".") == 3 else ""
