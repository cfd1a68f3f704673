"""What the engine writes: a line at a time from any thread, and errors as one sentence."""

from __future__ import annotations

import threading
from typing import BinaryIO, Final

from unmove.errors import (
    CastlingRights,
    FileError,
    ForeignFile,
    MissingTable,
    NewerFormat,
    NoHome,
    NoTables,
    UnmoveError,
    UnreadableFile,
    sentence,
)

LONGEST_SENTENCE: Final = 1000
"""Characters; the message about a table that needs a hundred others is longer."""


class Talk:
    """Lines for the GUI. If nobody reads them any more, they are lost, and `closed` is true."""

    def __init__(self, stream: BinaryIO | None) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self.closed = stream is None

    def line(self, text: str) -> None:
        """A line is written, at once."""
        with self._lock:
            if self._stream is None or self.closed:
                return
            try:
                self._stream.write(f"{text}\n".encode("utf-8", "backslashreplace"))
                self._stream.flush()
            except (OSError, ValueError):  # a closed pipe, a closed file
                self.closed = True


def plain(text: str) -> str:
    """A text on one line, of characters that any GUI and any locale can show."""
    words = " ".join(text.split()).encode("ascii", "backslashreplace").decode("ascii")
    return "".join(c for c in words if c.isprintable())[:LONGEST_SENTENCE]


def told(error: Exception) -> str:
    """An error and what a user of the engine can do about it."""
    if isinstance(error, UnmoveError):
        return sentence(error.fact, _advice(error))
    return f"This is a defect of the engine ({type(error).__name__}: {error})."


def _advice(error: UnmoveError) -> str:
    """The advice of the error, or what helps at a GUI."""
    match error:
        case MissingTable():
            return f"build it with `unmove build {error.material} --metric {error.metric}`"
        case NoTables() | NoHome():
            return "Set the option TablesPath to the folder of the tables"
        case CastlingRights():
            return ""
        case UnreadableFile() | NewerFormat() | FileError(advice=""):
            return error.advice
        case FileError() | ForeignFile():
            return f"{error.advice} with `unmove build`"
    return error.advice
