"""Questions about positions: values, best play, training, many positions at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from unmove.api.lichess.answers import REPETITION, answer
from unmove.api.lichess.fens import read
from unmove.api.lichess.mainline import mainline
from unmove.api.pgn import line_pgn
from unmove.api.record import to_json
from unmove.api.training import reply
from unmove.errors import UnmoveError, shortened
from unmove.games.boards import AnyBoard, rules_of
from unmove.service.answering import Handler, library_of, represented, tagged, watched
from unmove.service.failing import Refused, sentence_of
from unmove.service.library import Library
from unmove.service.question import Question
from unmove.service.representing import JSON, encoded
from unmove.values import Metric
from unmove.variants import CHESS, XIANGQI, Game

MOST_LINES: Final = 1000
MOST_BYTES: Final = 1 << 20
SLOWEST_BODY: Final = 30.0  # seconds
NDJSON: Final = "application/x-ndjson"
PGN: Final = "application/x-chess-pgn"
DTC_WORDS: Final = ("never", "auxiliary", "always")

_LINE_METRIC: Final = {CHESS: Metric.DTZ, XIANGQI: Metric.DTM}


def position(game: Game) -> Handler:
    """Answers a position with its moves."""

    async def handle(request: Request) -> Response:
        question, library = Question(request), library_of(request)
        with_dtc = question.word("dtc", DTC_WORDS, "auxiliary") == "always"
        metric = question.metric(game)
        fen = question.text("fen"), question.text("play", "")

        def work() -> Any:
            return _told(library, question.board(game), metric, with_dtc)

        return await represented(request, (game.name, fen, metric, with_dtc), work)

    return handle


def best_line(game: Game) -> Handler:
    """Answers a position with best play."""

    async def handle(request: Request) -> Response:
        question, library = Question(request), library_of(request)
        metric = question.metric(game) or _LINE_METRIC[game]
        fen = question.text("fen"), question.text("play", "")
        async with watched(request) as deadline:

            def work() -> Any:
                board = question.board(game)
                return mainline(library.sources, board, metric, deadline.check)

            key = game.name, "mainline", fen, metric
            return await represented(request, key, work, deadline)

    return handle


def training(game: Game) -> Handler:
    """Answers a move of a learner with a judgement and a reply."""

    async def handle(request: Request) -> Response:
        question, library = Question(request), library_of(request)
        metric = question.metric(game) or Metric.DTM

        def work() -> Any:
            board = read(question.text("fen"), game)
            return to_json(reply(library.tables, board, question.played(board), metric))

        key = game.name, "reply", question.text("fen"), question.text("play", ""), metric
        return await represented(request, key, work)

    return handle


async def pgn(request: Request) -> Response:
    """Answers a position with best play as PGN; the FEN tells the game."""
    question, library = Question(request), library_of(request)
    game = question.game()
    metric = question.metric(game) or Metric.DTM

    def work() -> bytes:
        return line_pgn(library.tables, question.board(game), metric).encode()

    return await tagged(request, (game.name, "pgn", question.text("fen"), metric), work, PGN)


def batch(game: Game) -> Handler:
    """Answers many positions: a line of JSON for each, in order."""

    async def handle(request: Request) -> Response:
        question, library = Question(request), library_of(request)
        metric = question.metric(game)
        with_moves = question.number("moves", 1, most=1) == 1
        fens = _positions(await _body(request))
        work = partial(_line, library, game, metric, with_moves)
        return StreamingResponse(_lines(library, work, fens), media_type=NDJSON)

    return handle


def _told(library: Library, board: AnyBoard, metric: Metric | None, with_dtc: bool) -> Any:
    told: dict[str, Any] = {**answer(library.sources, board, metric=metric, with_dtc=with_dtc)}
    for table in told["missing"]:
        table["command"] = "unmove build {material} --metric {metric}".format(**table)
    if rules_of(board).game == XIANGQI:
        told["rules"] = REPETITION
    return told


def _line(library: Library, game: Game, metric: Metric | None, with_moves: bool, fen: str) -> bytes:
    """A line of the answer to many positions; what is wrong with a position is told in its line."""
    try:
        told = _told(library, read(fen, game), metric, with_dtc=False)
        if not with_moves:
            del told["moves"]
    except UnmoveError as error:
        told = {"fen": shortened(str(fen)), "error": sentence_of(error)}
    return encoded(told, JSON) + b"\n"


async def _lines(
    library: Library, work: Callable[[str], bytes], fens: Iterable[str]
) -> AsyncIterator[bytes]:
    for fen in fens:
        library.look()
        yield await library.work(partial(work, fen))


async def _body(request: Request) -> bytes:
    """The body of a request; Refused if it is too long or comes too slowly."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(SLOWEST_BODY):
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise Refused(f"Send at most {MOST_BYTES:,} bytes at once.", 413)
    except TimeoutError:
        raise Refused(f"Send the positions within {SLOWEST_BODY:.0f} seconds.", 408) from None
    return b"".join(parts)


def _positions(body: bytes) -> list[str]:
    """The FENs of a body: a JSON array, or a line for each, as it is or as JSON."""
    text = body.decode("utf-8", "replace")
    if text.lstrip().startswith("["):
        found = _from_json(text)
        each = found if isinstance(found, list) else [text]
    else:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        each = [_from_json(line) if line[0] in '"{' else line for line in lines]
    if len(each) > MOST_LINES:
        raise Refused(f"Send at most {MOST_LINES:,} positions at once.", 413)
    return [_fen_of(data) for data in each]


def _fen_of(data: Any) -> str:
    """The FEN of some data: a text, or an object that has one. Other data is told as JSON."""
    fen = data.get("fen") if isinstance(data, dict) else data
    return fen if isinstance(fen, str) else json.dumps(data)


def _from_json(text: str) -> Any:
    """The data of a text; the text itself if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
