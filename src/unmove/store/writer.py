"""Writing a table's file: written, reopened, checked, and only then given its own name."""

from __future__ import annotations

import hashlib
import shutil
import zlib
from collections.abc import Callable, Iterable, Sequence
from io import FileIO
from pathlib import Path

import numpy as np

from unmove.errors import OutOfDisk, UnwritableFolder
from unmove.store.atomic import NO_SPACE_ERRORS, replacing
from unmove.store.codec.model import Model
from unmove.store.format import (
    DIGEST,
    PREAMBLE,
    Meta,
    Section,
    aligned,
    joined_models,
    preamble,
)
from unmove.store.reader import TableFile

Check = Callable[[TableFile], None]
"""Raises if a written file is not as it should be."""


def write_file(
    path: Path, meta: Meta, models: Sequence[Model], blocks: Iterable[bytes], check: Check
) -> None:
    """The table is at `path`, whole, checked and on the disk; or nothing has changed there.

    The directory comes before the blocks in the file, but is known only after them. So room is left
    for it, and filled at the end.
    """
    try:
        with replacing(path) as part:
            with FileIO(part, "w+") as file:
                _write(file, meta, models, blocks)
            with TableFile(part) as written:
                check(written)
    except OSError as error:
        raise explained(error, path.parent, meta.planes << 10) from error


def _write(file: FileIO, meta: Meta, models: Sequence[Model], blocks: Iterable[bytes]) -> None:
    texts = [meta.to_bytes(), joined_models([model.to_bytes() for model in models])]
    sections, at = [], PREAMBLE
    for text in texts:
        sections.append(Section(zlib.crc32(text), at, len(text)))
        _put(file, at, text)
        at = aligned(at + len(text))
    directory = np.zeros((meta.blocks, 2), "<u4")
    first = aligned(at + directory.nbytes)
    end = first
    for number, block in enumerate(blocks):
        directory[number] = len(block), zlib.crc32(block)
        _put(file, end, block)
        end += len(block)
    text = directory.tobytes()
    _put(file, at, text)
    sections += [Section(zlib.crc32(text), at, len(text)), Section(0, first, end - first)]
    size = aligned(end) + DIGEST
    file.truncate(aligned(end))
    _put(file, 0, preamble(sections, size, meta.version))
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").digest()
    _put(file, size - DIGEST, digest)


def _put(file: FileIO, at: int, data: bytes) -> None:
    file.seek(at)
    while data:
        data = data[file.write(data) :]


def explained(error: OSError, folder: Path, needed: int) -> OutOfDisk | UnwritableFolder:
    """The error to raise when a file of about `needed` bytes cannot be written."""
    if error.errno in NO_SPACE_ERRORS:
        return OutOfDisk(folder, needed, shutil.disk_usage(folder).free)
    return UnwritableFolder(folder, error.strerror or str(error))
