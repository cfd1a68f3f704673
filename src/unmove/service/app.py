"""The application: its paths, and what stands around them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path as FilePath
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from unmove.api.lichess.fens import LONGEST_FEN
from unmove.errors import UnmoveError
from unmove.service import asking, looking, watching
from unmove.service.answering import represented
from unmove.service.describing import Path, description
from unmove.service.failing import Refused, failure, refusal
from unmove.service.guarding import NamedHosts, RateLimited, Recorded, ShortHeaders
from unmove.service.library import Library
from unmove.service.picture import picture
from unmove.variants import CHESS, XIANGQI

PAGE: Final = FilePath(__file__).parent / "page"
"""Where the built page is."""

_PICTURE = re.compile(r"picture\.svg\?fen=[^\"]*")

_ASKED = ("fen", "play", "metric", "dtc")
_GAMES = (("standard", CHESS), ("xiangqi", XIANGQI))
_PAGED = ("offset", "limit", "count")

PATHS: Final = (
    *(
        path
        for name, game in _GAMES
        for path in (
            Path(f"/{name}", asking.position(game), "A position and its moves", _ASKED),
            Path(f"/{name}/mainline", asking.best_line(game), "Best play", _ASKED[:3]),
            Path(f"/{name}/reply", asking.training(game), "A move judged and answered", _ASKED[:3]),
            Path(
                f"/{name}/batch",
                asking.batch(game),
                "Many positions, a line of JSON each",
                ("metric", "moves"),
                "POST",
                asking.NDJSON,
            ),
        )
    ),
    Path("/line.pgn", asking.pgn, "Best play as PGN", _ASKED[:3], answer=asking.PGN),
    Path("/picture.svg", picture, "A position as a picture", ("fen",), answer="image/svg+xml"),
    Path("/tables", looking.tables, "All tables that are served"),
    Path("/endgames", looking.index, "All endgames of so many men", ("game", "men")),
    Path("/stats/{material}.json", looking.stats, "Statistics of an endgame", ("material",)),
    Path("/find", looking.find, "Positions by query", ("material", "where", "metric", *_PAGED)),
    Path("/zugzwangs", looking.zugzwangs, "Mutual zugzwangs", ("material", *_PAGED)),
    Path(
        "/random",
        looking.chance,
        "A random position",
        ("material", "kind", "metric", "min", "max", "turn", "seed"),
    ),
    Path("/monitor", watching.monitor, "Counters as a line of Influx", answer="text/plain"),
    Path("/metrics", watching.metrics, "Counters for Prometheus", answer="text/plain"),
    Path("/health", watching.health, "Whether the process lives", answer="text/plain"),
    Path("/ready", watching.ready, "Whether tables answer rightly", answer="text/plain"),
)


def application(library: Library, names: Collection[str] | None = None) -> Starlette:
    """The service of a library, asked by these host names (None for any)."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        watching.begin(library)
        yield
        library.close()

    app = Starlette(
        routes=_routes(),
        lifespan=lifespan,
        middleware=[
            Middleware(Recorded, library.numbers),
            Middleware(ShortHeaders),
            Middleware(NamedHosts, names),
            Middleware(
                CORSMiddleware,
                allow_origins=["*"],
                allow_methods=["GET", "HEAD", "POST"],
                allow_headers=["*"],
            ),
            Middleware(RateLimited, library.numbers),
        ],
        exception_handlers={
            UnmoveError: _failed,
            Refused: _failed,
            HTTPException: _refused,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    app.state.library = library
    return app


def _routes() -> list[BaseRoute]:
    async def described(request: Request) -> Response:
        return await represented(request, "openapi", lambda: description(PATHS))

    return [
        Route("/", _page),
        *(Route(each.path, each.handler, methods=[each.method]) for each in PATHS),
        Route("/openapi.json", described),
        *([Mount("/static", StaticFiles(directory=PAGE / "static"))] if _has_page() else []),
        Route("/{name}", _unknown),
        Route("/{name}/mainline", _unknown),
    ]


def _has_page() -> bool:
    """Whether the page is built. A copy of the sources has none until `make page`."""
    return (PAGE / "static").is_dir()


async def _page(request: Request) -> Response:
    """The page. Programs that show a link to it find a picture of the position of the link."""
    if not _has_page():
        return refusal(404, "The page is not built; run `make page`. The API answers at /standard.")
    headers, fen = {"Cache-Control": "no-cache"}, request.query_params.get("fen")
    if not fen:
        return FileResponse(PAGE / "index.html", headers=headers)
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    link = f"picture.svg?fen={quote(fen[:LONGEST_FEN], safe='')}"
    return HTMLResponse(_PICTURE.sub(link, text, count=1), headers=headers)


async def _unknown(request: Request) -> Response:
    """A game that is not played here."""
    name = request.path_params["name"]
    if name in ("atomic", "antichess"):
        return refusal(404, f"{name} is not played here; ask /standard or /xiangqi.")
    return refusal(400, "There is no such game here; ask /standard or /xiangqi.")


async def _failed(_: Request, error: Exception) -> Response:
    return failure(error)


async def _refused(_: Request, error: Exception) -> Response:
    """A path or a method that is not served."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    sentence = "" if status == 404 else "This path is not asked in this way; see /openapi.json."
    return refusal(status, sentence, dict(headers or {}))
