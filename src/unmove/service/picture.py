"""A position as a picture, for programs that show a link to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import chess
import chess.svg
from starlette.requests import Request
from starlette.responses import Response

from unmove.games.xiangqi import FILES, RANKS
from unmove.games.xiangqi_board import NO_MAN, Board
from unmove.service.answering import tagged
from unmove.service.question import Question

SIZE: Final = 400
SVG: Final = "image/svg+xml"

_STEP = 40  # units between two lines
_RADIUS = 18


async def picture(request: Request) -> Response:
    """The position of a FEN, which tells the game."""
    question = Question(request)
    game = question.game()

    def work() -> bytes:
        board = question.board(game)
        if isinstance(board, chess.Board):
            return str(chess.svg.board(board, size=SIZE)).encode()
        return xiangqi_svg(board).encode()

    return await tagged(request, ("picture", question.text("fen")), work, SVG)


def xiangqi_svg(board: Board) -> str:
    """The board with its men, each a disc with its letter."""
    width, height = _STEP * (FILES + 1), _STEP * (RANKS + 1)
    parts = [*_lines(), *_men(board)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{SIZE}">'
        f'<rect width="{width}" height="{height}" fill="#f0d9a8"/>{"".join(parts)}</svg>'
    )


def _point(file: float, rank: float) -> tuple[float, float]:
    return _STEP * (file + 1), _STEP * (RANKS - rank)


def _lines() -> Iterator[str]:
    """Ranks, files that the river breaks, and the crosses of the palaces."""
    last = FILES - 1
    river = RANKS // 2
    ends = [((0, rank), (last, rank)) for rank in range(RANKS)]
    ends += [((file, 0), (file, RANKS - 1)) for file in (0, last)]
    for file in range(1, last):
        ends += [((file, 0), (file, river - 1)), ((file, river), (file, RANKS - 1))]
    for rank in (0, RANKS - 3):
        ends += [((3, rank), (5, rank + 2)), ((5, rank), (3, rank + 2))]
    for one, other in ends:
        (x1, y1), (x2, y2) = _point(*one), _point(*other)
        yield f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#5a4628"/>'


def _men(board: Board) -> Iterator[str]:
    for square, letter in enumerate(board.men):
        if letter == NO_MAN:
            continue
        rank, file = divmod(square, FILES)
        x, y = _point(file, rank)
        colour = "#b3261e" if letter.isupper() else "#1d1d1d"
        yield f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="#fff8e7" stroke="{colour}"/>'
        yield (
            f'<text x="{x}" y="{y + 7}" font-size="20" font-family="serif" text-anchor="middle" '
            f'fill="{colour}">{letter.upper()}</text>'
        )
