"""Questions about endgames: which there are, their statistics, their positions."""

from __future__ import annotations

import secrets
from itertools import islice
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from unmove.api.catalogue import endgames, served_syzygy, served_tables
from unmove.api.lichess.knowledge import OURS, SYZYGY
from unmove.api.lichess.statistics import endgame_statistics
from unmove.api.record import to_json
from unmove.api.sampling import WORDS_OF_KINDS, Wish, random_position
from unmove.api.search import Search, count_zugzwangs, list_zugzwangs, scanner
from unmove.service.answering import kind_for, library_of, represented, watched
from unmove.service.failing import Refused
from unmove.service.question import Question, material_of
from unmove.service.representing import encoded
from unmove.values import SIDES, Metric
from unmove.variants import GAMES

MOST_FOUND: Final = 100
"""Positions on a page."""
FURTHEST: Final = 10_000
"""The last position of a list that is shown."""
MOST_PLIES: Final = 2000
LARGEST_SEED: Final = 9_999_999


async def tables(request: Request) -> Response:
    """All tables that are served, and the Syzygy files."""
    library = library_of(request)

    def work() -> list[dict[str, Any]]:
        ours = [to_json(table) | {"source": OURS} for table in served_tables(library.folder)]
        files = served_syzygy(library.syzygy) if library.syzygy is not None else []
        return ours + [to_json(file) | {"source": SYZYGY} for file in files]

    return await represented(request, "tables", work)


async def index(request: Request) -> Response:
    """All endgames of a number of men, built or not."""
    question, library = Question(request), library_of(request)
    game = GAMES[question.word("game", list(GAMES), "chess")]
    men = question.number("men", 4, most=32, least=2)
    return await represented(
        request,
        ("endgames", game.name, men),
        lambda: [
            to_json(endgame) | {"command": f"unmove build {endgame.material}"}
            for endgame in endgames(library.folder, game, men)
        ],
    )


async def stats(request: Request) -> Response:
    """The statistics of an endgame."""
    library, material = library_of(request), material_of(request.path_params["material"])
    return await represented(
        request, ("stats", str(material)), lambda: endgame_statistics(library.folder, material)
    )


async def find(request: Request) -> Response:
    """The positions that a query is true of, a page of them, and how many there are."""
    question, library = Question(request), library_of(request)
    material, where = question.material(), question.text("where")
    search = Search(material, where, question.metric(material.game))
    offset, limit = _page(question)
    counts = question.number("count", 0, most=1) == 1
    async with watched(request) as deadline:

        def work() -> dict[str, Any]:
            with scanner(library.folder) as opened:
                scan = opened.open(material, search.metric)
                wanted = search.positions(scan, deadline.check, limit=offset + limit + 1)
                found = list(islice(wanted, offset, None))
                hint = search.hint(scan)
                return {
                    "material": str(material),
                    "where": where,
                    "metric": search.metric.value,
                    "positions": [to_json(each) for each in found[:limit]],
                    "count": search.count(scan, deadline.check).positions if counts else None,
                    "more": len(found) > limit,
                    "hint": None if hint is None else hint.hint,
                }

        key = "find", str(material), where, search.metric, offset, limit, counts
        return await represented(request, key, work, deadline)


async def zugzwangs(request: Request) -> Response:
    """The mutual zugzwangs of an endgame, a page of them, and how many there are."""
    question, library = Question(request), library_of(request)
    material = question.material()
    offset, limit = _page(question)
    counts = question.number("count", 1, most=1) == 1
    async with watched(request) as deadline:

        def work() -> dict[str, Any]:
            with scanner(library.folder) as opened:
                scan = opened.open(material)
                found = list(
                    islice(list_zugzwangs(scan, deadline.check), offset, offset + limit + 1)
                )
                told = to_json(count_zugzwangs(scan, deadline.check)) if counts else {}
                return {
                    "material": str(material),
                    "positions": [to_json(each) for each in found[:limit]],
                    "full": told.get("full"),
                    "white": told.get("white"),
                    "black": told.get("black"),
                    "counted": told.get("counted", material.game.symmetry),
                    "more": len(found) > limit,
                }

        key = "zugzwangs", str(material), offset, limit, counts
        return await represented(request, key, work, deadline)


async def chance(request: Request) -> Response:
    """A random position of an endgame. Without a seed it is another one each time."""
    question, library = Question(request), library_of(request)
    material = question.material()
    kind = kind_for(request)
    turn = question.word("turn", ("", "w", "b"), "")
    wish = Wish(
        question.word("kind", list(WORDS_OF_KINDS), "any"),
        question.metric(material.game) or Metric.DTM,
        question.number("min", 0, MOST_PLIES) if question.text("min", "") else None,
        question.number("max", 0, MOST_PLIES) if question.text("max", "") else None,
        SIDES["wb".index(turn)] if turn else None,
    )
    seed = question.number("seed", secrets.randbelow(LARGEST_SEED), LARGEST_SEED)
    async with watched(request) as deadline:
        library.look()
        found = await library.work(
            lambda: random_position(library.tables, material, wish, seed, deadline.check)
        )
    if found is None:
        raise Refused(f"{material} has no such position; ask for another kind.", 404)
    body = encoded(to_json(found), kind)
    return Response(body, headers={"Cache-Control": "no-store"}, media_type=kind)


def _page(question: Question) -> tuple[int, int]:
    """The first position that is shown, and how many."""
    limit = question.number("limit", 12, most=MOST_FOUND, least=1)
    return question.number("offset", 0, most=FURTHEST), limit
