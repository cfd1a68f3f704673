"""From a task to a response: in the type that is accepted, tagged, cached, given up in time."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unmove.service.failing import Refused
from unmove.service.library import Deadline, Library
from unmove.service.question import logged_of
from unmove.service.representing import CBOR, JSON, accepted, encoded

FRESH_FOR = 60  # seconds for which a client need not ask again

Handler = Callable[[Request], Awaitable[Response]]


def library_of(request: Request) -> Library:
    """The library of the service."""
    library: Library = request.app.state.library
    return library


async def represented(
    request: Request, key: Hashable, work: Callable[[], Any], deadline: Deadline | None = None
) -> Response:
    """The answer of a task in JSON or CBOR."""
    kind = kind_for(request)
    return await tagged(request, (key, kind), lambda: encoded(work(), kind), kind, deadline)


def kind_for(request: Request) -> str:
    """JSON or CBOR, as the client likes it; Refused if it accepts neither."""
    kind = accepted(request.headers.get("accept"))
    if kind is None:
        raise Refused(f"Accept {JSON} or {CBOR}.", 406)
    return kind


async def tagged(
    request: Request,
    key: Hashable,
    work: Callable[[], bytes],
    kind: str,
    deadline: Deadline | None = None,
) -> Response:
    """The bytes of a task. An answer that the client has already, by its tag, is not sent again."""
    library = library_of(request)
    library.look()
    tag = _tag(library.stamp, key)
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={FRESH_FOR}", "Vary": "Accept"}
    known = request.headers.get("if-none-match", "")
    if tag in (each.strip().removeprefix("W/") for each in known.split(",")):
        return Response(status_code=304, headers=headers)
    logged_of(request)["cache"] = "hit" if library.is_cached(key) else "miss"
    return Response(await library.cached(key, work, deadline), 200, headers, kind)


@asynccontextmanager
async def watched(request: Request) -> AsyncIterator[Deadline]:
    """A deadline for long work, which is also over when the client leaves."""
    deadline = Deadline()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        deadline.leave()

    watcher = asyncio.create_task(watch())
    try:
        yield deadline
    finally:
        watcher.cancel()
        with suppress(asyncio.CancelledError):
            await watcher


def _tag(stamp: str, key: Hashable) -> str:
    return f'"{stamp}-{hashlib.sha256(repr(key).encode()).hexdigest()[:24]}"'
