"""The bytes of a Syzygy file, from its sub-tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.checksum import TRAILER, checksum, has_known_checksum, own_digest
from unmove.interop.syzygy.file import (
    ONE_VALUE,
    SPLIT,
    SYZYGY_MAGIC,
    WIDE_MAPS,
    WITH_PAWNS,
)
from unmove.interop.syzygy.materials import is_symmetric
from unmove.interop.syzygy.packing import PackedValues
from unmove.interop.syzygy.subtables import EncodedSubtable
from unmove.kernels.syzygy import tables
from unmove.material import Material

BLOCK: Final = 64
"""Data begin at multiples of so many bytes, and a file ends with its checksum after such a one."""


def write_outcomes(file: BinaryIO, material: Material, made: Sequence[EncodedSubtable]) -> None:
    """The file has the outcomes: for each file of pawns White's sub-table, then Black's if any."""
    sides = 1 if is_symmetric(material) else 2
    descriptors = bytearray()
    for first in range(0, len(made), sides):
        descriptors += made[first].descriptor.to_bytes(made[first + sides - 1].descriptor)
    _write(file, SYZYGY_MAGIC[tables.OUTCOMES] + _flags(material) + descriptors, made)


def write_distances(file: BinaryIO, material: Material, made: Sequence[EncodedSubtable]) -> None:
    """The file has the distances: a sub-table for each file of pawns, of one side to move."""
    descriptors = b"".join(table.descriptor.to_bytes() for table in made)
    _write(file, SYZYGY_MAGIC[tables.DISTANCES] + _flags(material) + descriptors, made)


def _flags(material: Material) -> bytes:
    flags = 0 if is_symmetric(material) else SPLIT
    return bytes([flags | (WITH_PAWNS if material.has_pawns else 0) | material.men << 4])


def closing_bytes(data: NDArray[np.uint8]) -> bytes:
    """What stands at the end of a file, after these bytes: its checksum.

    Of files that are larger than any of five men it is one that only unmove knows.
    """
    if has_known_checksum(len(data) + TRAILER):
        return checksum(data)
    return own_digest(data)


def _write(file: BinaryIO, start: bytes, made: Sequence[EncodedSubtable]) -> None:
    """All parts are written, and their checksum. The file is open for reading, too."""
    written = 0
    for part, multiple in _parts(start, made):
        for piece in (bytes(-written % multiple), part):
            file.write(piece)
            written += len(piece)
    file.seek(0)
    file.write(closing_bytes(np.frombuffer(file.read(), np.uint8)))


def _parts(
    start: bytes, made: Sequence[EncodedSubtable]
) -> Iterator[tuple[bytes | memoryview, int]]:
    """The parts of a file in order, and of what number of bytes each begins at a multiple."""
    yield start, 1
    for table in made:
        yield _header(table), 2
    yield b"", 2
    for table in made:
        yield table.map, 2 if table.flags & WIDE_MAPS else 1
    yield b"", 2
    contents = [table.content for table in made if isinstance(table.content, PackedValues)]
    for content in contents:
        yield content.index, 1
    for content in contents:
        yield content.lengths, 1
    for content in contents:
        yield content.data.data, BLOCK
    yield b"", BLOCK


def _header(table: EncodedSubtable) -> bytes:
    if isinstance(table.content, PackedValues):
        return bytes([table.flags]) + table.content.header
    return bytes([ONE_VALUE | table.flags, table.content.value])
