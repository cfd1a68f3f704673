"""The parameters of a question, read with care: each at most once, numbers within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from unmove.api.lichess.fens import read
from unmove.errors import BadOption, NothingAsked
from unmove.games.boards import AnyBoard, rules_of, rules_of_fen
from unmove.material import Material
from unmove.values import Metric
from unmove.variants import Game

MOST_PLAYED = 1000  # moves
LONGEST_MATERIAL = 60  # characters of the name of an endgame
_NUMBER = re.compile(r"[0-9]{1,7}")


class Question:
    """The parameters of a request."""

    def __init__(self, request: Request) -> None:
        self._given = request.query_params
        self._logged = logged_of(request)

    def text(self, name: str, default: str | None = None) -> str:
        """A parameter; NothingAsked without one, BadOption if it is given twice."""
        given = self._given.getlist(name)
        if len(given) > 1:
            raise BadOption(name, given[1][:40], "it is given twice")
        if not given and default is None:
            raise NothingAsked(f"The parameter {name} is missing: add ?{name}=...")
        return given[0] if given else default or ""

    def word(self, name: str, words: Sequence[str], default: str) -> str:
        """A parameter that is one of some words."""
        given = self.text(name, default)
        if given not in words:
            raise BadOption(
                name, repr(given[:40]), f"it must be one of {', '.join(filter(None, words))}"
            )
        return given

    def number(self, name: str, default: int, most: int, least: int = 0) -> int:
        """A parameter that is a whole number within bounds."""
        given = self.text(name, str(default))
        if not _NUMBER.fullmatch(given) or not least <= int(given) <= most:
            raise BadOption(name, repr(given[:40]), f"it must be a number from {least} to {most}")
        return int(given)

    def metric(self, game: Game, default: Metric | None = None) -> Metric | None:
        """The metric that is asked for, one that the game has."""
        given = self.text("metric", "")
        if not given:
            return default
        metric = Metric.of(given[:40])
        game.require(metric)
        return metric

    def material(self) -> Material:
        """The endgame that is asked for, sides as they are written."""
        material = material_of(self.text("material"))
        self._logged["material"] = str(material)
        return material

    def game(self) -> Game:
        """The game of the position that is asked for, told by its ranks."""
        return rules_of_fen(self.text("fen")).game

    def board(self, game: Game) -> AnyBoard:
        """The position that is asked for, after the moves that are played from it."""
        board = read(self.text("fen"), game)
        for move in self.played(board):
            board = rules_of(board).after(board, move).board
        if placement := rules_of(board).placement(board):
            self._logged["material"] = str(placement.material)
        return board

    def played(self, board: AnyBoard) -> list[Any]:
        """The moves that are played from a position, all legal; BadMove otherwise."""
        texts = [text for text in self.text("play", "").split(",") if text]
        if len(texts) > MOST_PLAYED:
            raise BadOption("play", f"of {len(texts)} moves", f"it has at most {MOST_PLAYED}")
        moves = []
        for text in texts:
            moves.append(rules_of(board).parse_move(board, text[:20]))
            board = rules_of(board).after(board, moves[-1]).board
        return moves


def logged_of(request: Request) -> dict[str, Any]:
    """What the log tells of a question beside what it tells of any."""
    logged: dict[str, Any] = request.scope["state"].setdefault("logged", {})
    return logged


def material_of(name: str) -> Material:
    """The endgame of a name; BadMaterial otherwise."""
    return Material.as_written(name[:LONGEST_MATERIAL])
