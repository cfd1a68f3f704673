"""What an error means to a client: a status and one sentence in plain text.

A sentence names no file of the server. What is wrong with a file is for the log.
"""

from __future__ import annotations

import logging
from typing import Final

from starlette.responses import Response

from unmove.api.lichess.fens import IllegalBoard
from unmove.errors import (
    AskerError,
    BadOption,
    CastlingRights,
    FileError,
    MissingSyzygyFile,
    MissingTable,
    NoTables,
    UnanswerableError,
    UnmoveError,
)

TEXT: Final = "text/plain; charset=utf-8"

log = logging.getLogger("unmove.service")


class Refused(Exception):
    """A question that is not answered: why, in a sentence, and the status that says so."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


def refusal(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """One sentence with a status."""
    return Response(sentence, status, headers, TEXT)


def failure(error: Exception) -> Response:
    """The answer to a question that failed."""
    if isinstance(error, Refused):
        return refusal(error.status, str(error))
    if isinstance(error, UnmoveError):
        return refusal(status_of(error), sentence_of(error))
    log.error("a question failed", exc_info=error)
    return refusal(500, "The question failed for a reason that is in the log of the operator.")


def status_of(error: UnmoveError) -> int:
    """400 for a wrong question, 404 for what is not here, 500 for what went wrong."""
    match error:
        case CastlingRights() | UnanswerableError():
            return 404
        case AskerError():
            return 400
    return 500


def sentence_of(error: UnmoveError) -> str:
    """The sentence of an error, without the paths of the server; these are in the log."""
    match error:
        case FileError():
            log.error("a file cannot be used: %s", error)
            return "A file of the tables cannot be used; its operator finds more in the log."
        case IllegalBoard():
            return error.fact
        case MissingTable():
            return (
                f"The {error.metric} table of {error.material} is not here; its operator can run "
                f"`unmove build {error.material} --metric {error.metric}`."
            )
        case MissingSyzygyFile():
            return f"The Syzygy file {error.name} is not here, and our table is not built."
        case NoTables():
            return "There are no tables here; their operator can run `unmove build --men 4`."
        case BadOption():
            return f"{error.parameter} {str(error.value)[:80]} cannot be used: {error.reason}."
    return str(error)
