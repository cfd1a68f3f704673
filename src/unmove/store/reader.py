"""Reading a table: memory-mapped, block by block, each block checked when it is decoded."""

from __future__ import annotations

import mmap
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import zstandard

from unmove.errors import BadMaterial, DamagedFile, ForeignFile, NewerFormat
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.store.format import HEAD, MAGIC, PLANES_A_BLOCK, VERSION, Footer
from unmove.store.summary import Summary
from unmove.store.table import CellArray, Table, cell_type
from unmove.values import Metric


class TableFile:
    """An open table file. Reading is safe from any number of threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = _mapped(path)
        self.footer = _footer(path, self._data)
        try:
            self.material = Material.parse(self.footer.material)
            self.metric = Metric(self.footer.metric)
        except (BadMaterial, ValueError) as error:
            raise DamagedFile(path, f"names no table of ours ({error})") from error
        self.layout = Layout(self.material)
        _check_shape(path, self.footer, self.layout, len(self._data))
        self.palette = np.array(self.footer.palette, np.int64)
        self._cell = cell_type(len(self.palette))
        self.summary = Summary(self.footer.legal, self.footer.histogram, self.footer.longest)

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._data.close()

    @property
    def size(self) -> int:
        """The file's size in bytes."""
        return len(self._data)

    def block(self, number: int) -> CellArray:
        """The cells of a block, decoded and checked."""
        footer = self.footer
        offset, size, checksum = footer.blocks[number]
        wanted = footer.planes_of(number) * CELLS * np.dtype(self._cell).itemsize
        try:
            cells = zstandard.ZstdDecompressor().decompress(
                self._data[offset : offset + size], max_output_size=wanted
            )
        except zstandard.ZstdError as error:
            raise DamagedFile(self.path, f"is damaged in block {number} ({error})") from error
        if len(cells) != wanted or zlib.crc32(cells) != checksum:
            raise DamagedFile(self.path, f"is damaged in block {number} (checksum)")
        return np.frombuffer(cells, self._cell)

    def place(self, side: int, cell: int) -> tuple[int, int]:
        """(block, index into it) of a cell of the layout, with `side` to move."""
        block, index = divmod(cell, PLANES_A_BLOCK * CELLS)
        return side * self.footer.blocks_a_side + block, index

    def check(self, threads: int = 1) -> None:
        """Every block decodes to what was written, and every cell is in the palette."""

        def check_block(number: int) -> None:
            if int(self.block(number).max()) >= len(self.palette):
                raise DamagedFile(self.path, f"has a cell outside its palette in block {number}")

        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(check_block, range(len(self.footer.blocks))):
                pass

    def load(self) -> Table:
        """The whole table."""
        blocks = self.footer.blocks_a_side
        white, black = (
            np.concatenate([self.block(number) for number in range(first, first + blocks)])
            for first in (0, blocks)
        )
        cells = white.reshape(-1, CELLS), black.reshape(-1, CELLS)
        return Table(self.material, self.metric, self.palette, cells)


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        if path.stat().st_size < HEAD.size:
            raise DamagedFile(path, "is truncated")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _footer(path: Path, data: mmap.mmap) -> Footer:
    magic, version, offset, size, checksum = HEAD.unpack(data[: HEAD.size])
    if magic != MAGIC:
        raise ForeignFile(path, "is not an unmove table")
    if version > VERSION:
        raise NewerFormat(path, f"has format {version}; this version reads up to {VERSION}")
    if offset + size > len(data):
        raise DamagedFile(path, "is truncated")
    text = data[offset : offset + size]
    if zlib.crc32(text) != checksum:
        raise DamagedFile(path, "is damaged in its footer (checksum)")
    try:
        return Footer.from_bytes(text)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DamagedFile(path, f"is damaged in its footer ({error})") from error


def _check_shape(path: Path, footer: Footer, layout: Layout, size: int) -> None:
    """The directory fits the material and the file, so that no block can point astray."""
    fits = (
        footer.planes == layout.count
        and len(footer.blocks) == 2 * footer.blocks_a_side
        and all(HEAD.size <= at and at + length <= size for at, length, _ in footer.blocks)
        and 2 <= len(footer.palette) <= 1 << 16
    )
    if not fits:
        raise DamagedFile(path, "has a directory that does not fit it")
