"""The description of the API, in the form of OpenAPI, made of the list of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from unmove.service.answering import Handler
from unmove.version import __version__

PARAMETERS: Final = {
    "fen": "A position as a FEN; spaces may be underscores, and all but the men may be left out",
    "play": "Moves in coordinates with commas between, made from the position first",
    "metric": "dtm, dtc or dtz: what moves are ordered by",
    "dtc": "never, auxiliary or always: always tells the distance to conversion, in moves",
    "material": "An endgame, such as KQvKR or xiangqi:KPvKA; the first side is White, or Red",
    "where": "A query, such as 'wtm win and dtm == max'",
    "offset": "The number of the first position to tell",
    "limit": "How many positions to tell",
    "count": "1 to count all positions",
    "game": "chess or xiangqi",
    "men": "A number of men, kings included",
    "kind": "any, won, drawn, lost, zugzwang or only (move)",
    "min": "The least plies",
    "max": "The most plies",
    "turn": "The side to move, w or b",
    "seed": "A number; the same one gives the same position again",
    "moves": "0 to leave out the moves",
}
_NEEDED: Final = {"fen", "material", "where"}


@dataclass(frozen=True)
class Path:
    """A path, who answers it, and what a client should know of it."""

    path: str
    handler: Handler
    summary: str
    parameters: tuple[str, ...] = ()
    method: str = "GET"
    answer: str = "application/json"


def description(paths: Sequence[Path]) -> dict[str, Any]:
    """The API as OpenAPI 3.1 describes it."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "unmove",
            "version": __version__,
            "description": "Endgames of chess and xiangqi. Errors are plain text.",
            "license": {"name": "GPL-3.0-or-later"},
        },
        "paths": {each.path: {each.method.lower(): _operation(each)} for each in paths},
    }


def _operation(path: Path) -> dict[str, Any]:
    failed = {"description": "One sentence", "content": {"text/plain": {"schema": _TEXT}}}
    operation: dict[str, Any] = {
        "summary": path.summary,
        "parameters": [_parameter(name, path) for name in path.parameters],
        "responses": {
            "200": {"description": path.summary, "content": {path.answer: {}}},
            "default": failed,
        },
    }
    if path.method == "POST":
        body = {"text/plain": {"schema": _TEXT}, "application/json": {}}
        operation["requestBody"] = {"required": True, "content": body}
    return operation


_TEXT: Final = {"type": "string"}


def _parameter(name: str, path: Path) -> dict[str, Any]:
    in_path = f"{{{name}}}" in path.path
    return {
        "name": name,
        "in": "path" if in_path else "query",
        "required": in_path or (name in _NEEDED),
        "description": PARAMETERS[name],
        "schema": _TEXT,
    }
