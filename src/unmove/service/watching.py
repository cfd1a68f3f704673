"""Questions of operators and their machines: does it live, does it answer rightly, how much."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any, Final

import chess
from starlette.requests import Request
from starlette.responses import Response

from unmove.api.lichess.answers import answer
from unmove.errors import UnmoveError
from unmove.games.boards import parse_fen
from unmove.material import Material
from unmove.pool.machine import peak_memory
from unmove.service.answering import kind_for, library_of
from unmove.service.failing import TEXT, log, refusal
from unmove.service.library import Library
from unmove.store.summary import which_win
from unmove.values import SIDES, Metric, Value, value_of
from unmove.variants import Game

QUEEN: Final = chess.Board("8/8/8/8/8/2k5/8/K6Q w - - 0 1")
"""It wins, which needs no table."""


def begin(library: Library) -> None:
    """The first question finds compiled kernels: one is asked now."""
    asyncio.get_running_loop().run_in_executor(None, self_probe, library)


def self_probe(library: Library) -> str | None:
    """What is wrong with an answer that is known beforehand; None if it is right.

    The file of a table tells a longest win. Asking about its position, as clients do, must give its
    distance; so it is with one table of each game. Syzygy files are asked who wins with a queen.
    """
    return _self_probe(library, library.stamp)


@lru_cache(maxsize=1)
def _self_probe(library: Library, _: str) -> str | None:
    asked: set[Game] = set()
    files = library.syzygy
    try:
        if files is not None and files.get_wdl(QUEEN, default=2) != 2:
            return "A Syzygy file has another value than the rules give."
        for material, metric in sorted(library.folder.tables(), key=lambda each: each[0].men):
            if material.game in asked or (win := _longest_win(library, material, metric)) is None:
                continue
            asked.add(material.game)
            told: dict[str, Any] = {**answer(library.sources, parse_fen(win[0]))["exact"]}
            if told[metric] != win[1]:
                return f"{material} has another value than its file tells."
    except UnmoveError as error:
        log.error("the first probe failed: %s", error)
        return "A table cannot be asked; its operator finds more in the log."
    return None if asked or (files and files.names()) else "There is no table to ask."


def _longest_win(library: Library, material: Material, metric: Metric) -> tuple[str, Value] | None:
    """A longest win of the side to move, as a table tells it: its FEN and distance."""
    with library.folder.open(material, metric) as file:
        summary = file.summary
    for winner in SIDES:
        code, which = summary.deepest(winner, winner), which_win(winner, winner)
        value = None if code is None else value_of(code, metric)
        if value is not None and which in summary.longest:
            return summary.longest[which], value
    return None


async def health(_: Request) -> Response:
    """The process lives."""
    return Response("alive", media_type=TEXT)


async def ready(request: Request) -> Response:
    """Tables are there, and one of them answers rightly."""
    library = library_of(request)
    library.look()
    flaw = await library.work(lambda: self_probe(library))
    return refusal(503, flaw) if flaw else Response("ready", media_type=TEXT)


async def monitor(request: Request) -> Response:
    """Counters in the form that lichess's server has."""
    kind_for(request)  # whoever accepts neither is refused here, too
    events = library_of(request).numbers.events
    hits, misses = events["answer_cached"], events["answer_computed"]
    return Response(f"tablebase cache={hits}u,cache_miss={misses}u", media_type=TEXT)


async def metrics(request: Request) -> Response:
    """Counters and gauges."""
    library = library_of(request)
    cache = library.tables.cache
    gauges = (
        ("plane_cache_bytes", "Bytes of decoded planes", cache.bytes),
        ("plane_cache_hits", "Planes found in the cache", cache.hits),
        ("plane_cache_misses", "Planes decoded", cache.misses),
        ("answer_bytes", "Bytes of cached answers", library.cached_bytes),
        ("tables", "Tables in the folder", sum(1 for _ in library.folder.tables())),
        ("peak_memory_bytes", "The most memory the process has held", peak_memory()),
    )
    return Response(library.numbers.text(gauges), media_type=TEXT)
