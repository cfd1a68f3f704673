"""Files of tables on their way: cut into chunks, put together again, and checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from unmove.errors import FileError, UnreadableFile
from unmove.store.atomic import replacing
from unmove.store.format import DIGEST
from unmove.store.reader import TableFile
from unmove.store.writer import explained

CHUNK: Final = 16 << 20  # bytes: a few of them at a time fit into a small object store


class TaskLost(Exception):
    """The process at a task, or what it was sent, is lost; it may be sent again. Says why."""


Digest = bytes
"""The SHA-256 of all that is in a table's file before it, which the file ends with."""


def digest_of(path: Path) -> Digest:
    """What a table's file ends with; UnreadableFile if it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(-min(DIGEST, os.fstat(file.fileno()).st_size), os.SEEK_END)
            return file.read()
    except OSError as error:
        raise UnreadableFile(path, error) from error


def chunks_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file."""
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except OSError as error:
        raise UnreadableFile(path, error) from error


def put_together(path: Path, chunks: Iterable[bytes]) -> None:
    """The file is at `path`, whole and checked; or nothing has changed there.

    TaskLost if it is not what was sent; or an error that says why it cannot be written.
    """
    size = 0
    try:
        with replacing(path) as part:
            with part.open("wb") as file:
                for chunk in chunks:
                    size += file.write(chunk)
            with TableFile(part) as arrived:
                arrived.check_digest()
    except FileError as error:
        raise TaskLost(f"{path.name} did not arrive as it was sent") from error
    except OSError as error:
        raise explained(error, path.parent, size) from error
