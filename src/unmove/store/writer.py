"""Writing a table: to a temporary name, reopened, checked, and only then to its own name."""

from __future__ import annotations

import errno
import os
import shutil
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import zstandard

from unmove.errors import OutOfDisk, UnwritableFolder, WorkError
from unmove.store.format import HEAD, MAGIC, PLANES_A_BLOCK, VERSION, Footer
from unmove.store.reader import TableFile
from unmove.store.summary import Summary
from unmove.store.table import Table

LEVEL = 1  # on blocks this short higher levels are slower and no smaller


def write_table(path: Path, table: Table, summary: Summary, threads: int = 1) -> None:
    """The table is at `path`, whole, checked and on the disk; or nothing has changed there."""
    footer = Footer(
        material=table.material.name,
        metric=table.metric.value,
        planes=len(table.cells[0]),
        palette=table.palette.tolist(),
        blocks=[],
        legal=summary.legal,
        histogram=summary.histogram,
        longest=summary.longest,
    )

    def packed(block: int) -> tuple[bytes, int]:
        side, first = divmod(block, footer.blocks_a_side)
        first *= PLANES_A_BLOCK
        data = table.cells[side][first : first + PLANES_A_BLOCK].tobytes()
        return zstandard.ZstdCompressor(LEVEL).compress(data), zlib.crc32(data)

    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with ThreadPoolExecutor(threads) as pool, temporary.open("wb") as file:
            _write(file, footer, pool.map(packed, range(2 * footer.blocks_a_side)))
        with TableFile(temporary) as written:
            written.check(threads)
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise _explained(error, path.parent, 2 * table.cells[0].nbytes // 8) from error
    finally:
        temporary.unlink(missing_ok=True)


def _write(file: BinaryIO, footer: Footer, blocks: Iterable[tuple[bytes, int]]) -> None:
    file.write(bytes(HEAD.size))
    offset = HEAD.size
    for data, checksum in blocks:
        file.write(data)
        footer.blocks.append((offset, len(data), checksum))
        offset += len(data)
    text = footer.to_bytes()
    file.write(text)
    file.seek(0)
    file.write(HEAD.pack(MAGIC, VERSION, offset, len(text), zlib.crc32(text)))
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _explained(error: OSError, folder: Path, wanted: int) -> WorkError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return OutOfDisk(folder, wanted, shutil.disk_usage(folder).free)
    return UnwritableFolder(folder, error.strerror or str(error))
