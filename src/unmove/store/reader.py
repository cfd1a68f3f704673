"""Reading a table: block by block, each block checked when it is decoded."""

from __future__ import annotations

import os
import zlib
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.errors import BadMaterial, DamagedFile, ForeignFile, NewerFormat, OlderFormat
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.store.format import HEAD, MAGIC, VERSION, Blocks, Footer
from unmove.store.summary import Summary
from unmove.store.table import PALETTE, CellArray, Run, Table, pick, planes_of
from unmove.values import Metric


class TableFile:
    """An open table file. Reading is safe from any number of threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = FileIO(path)
        self.size = os.fstat(self._file.fileno()).st_size
        """The file's size in bytes."""
        self.footer = self._footer()
        try:
            self.material = Material.parse(self.footer.material)
            self.metric = Metric(self.footer.metric)
        except (BadMaterial, ValueError) as error:
            raise DamagedFile(path, f"names no table of ours ({error})") from error
        self.layout = Layout(self.material)
        self.blocks = blocks_of(self.layout)
        self._bounds = [HEAD.size, *(HEAD.size + np.cumsum(self.footer.blocks)).tolist()]
        _check_shape(path, self.footer, self.blocks, self._bounds, self.size)
        self.palette = np.array(self.footer.palette, np.int64)
        self.summary = Summary(self.footer.legal, self.footer.histogram, self.footer.longest)

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def block(self, number: int) -> CellArray:
        """The cells of a block, [plane, cell], decoded and checked."""
        first, stop = self._bounds[number : number + 2]
        try:
            return unpack(self._bytes(first, stop), self.blocks.size(number))
        except ValueError as error:
            raise DamagedFile(self.path, f"is damaged in block {number} ({error})") from error

    def place(self, side: int, cell: int) -> tuple[int, int]:
        """(block, index into its cells) of a cell of the layout, with `side` to move."""
        plane, index = divmod(cell, CELLS)
        block, at = self.blocks.place(side, np.array([plane]))
        return int(block[0]), int(at[0]) * CELLS + index

    def read(
        self, side: int, wanted: NDArray[np.int64], out: CellArray, run: Run = map
    ) -> CellArray:
        """See `store.table.Source`."""
        blocks, places = self.blocks.place(side, wanted)
        numbers, starts = np.unique(blocks, return_index=True)
        ranges = pairwise([*starts.tolist(), len(wanted)])

        def fetch(request: tuple[int, tuple[int, int]]) -> None:
            number, (start, stop) = request
            pick(self.block(number), places[start:stop], out[start:stop])

        for _ in run(fetch, zip(numbers.tolist(), ranges, strict=True)):
            pass
        return out

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
        everything = np.arange(self.layout.count)
        cells = planes_of(self, 0, everything), planes_of(self, 1, everything)
        return Table(self.material, self.metric, self.palette, cells)

    def _bytes(self, first: int, stop: int) -> bytes:
        """A stretch of the file. Read, not mapped: what was read must not count as our memory."""
        return os.pread(self._file.fileno(), stop - first, first)

    def _footer(self) -> Footer:
        path = self.path
        if self.size < HEAD.size:
            raise DamagedFile(path, "is truncated")
        magic, version, offset, size, checksum = HEAD.unpack(self._bytes(0, HEAD.size))
        if magic != MAGIC:
            raise ForeignFile(path, "is not an unmove table")
        if version > VERSION:
            raise NewerFormat(path, f"has format {version}; this version reads format {VERSION}")
        if version < VERSION:
            raise OlderFormat(path, f"has format {version}; this version reads format {VERSION}")
        if offset + size > self.size:
            raise DamagedFile(path, "is truncated")
        text = self._bytes(offset, offset + size)
        if zlib.crc32(text) != checksum:
            raise DamagedFile(path, "is damaged in its footer (checksum)")
        try:
            return Footer.from_bytes(text)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DamagedFile(path, f"is damaged in its footer ({error})") from error


def blocks_of(layout: Layout) -> Blocks:
    """The blocks of a layout's file."""
    return Blocks([stop * layout.strides[0] for _, stop in layout.parts])


def unpack(data: bytes, planes: int) -> CellArray:
    """The cells of a block of so many planes; ValueError if they are not what was written."""
    wanted = planes * CELLS
    try:
        frame = zstandard.get_frame_parameters(data)
        if not frame.has_checksum or frame.content_size not in (wanted, 2 * wanted):
            raise ValueError("it has no checksum, or the wrong size")
        cells = zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    kind = np.uint8 if len(cells) == wanted else np.uint16
    return np.frombuffer(cells, kind).reshape(planes, CELLS)


def _check_shape(path: Path, footer: Footer, blocks: Blocks, bounds: list[int], size: int) -> None:
    """The directory fits the material and the file, so that no block can point astray."""
    fits = (
        footer.planes == blocks.planes
        and len(footer.blocks) == blocks.count
        and bounds == sorted(bounds)
        and bounds[-1] <= size
        and tuple(footer.palette[: len(PALETTE)]) == PALETTE
        and len(footer.palette) <= 1 << 16
    )
    if not fits:
        raise DamagedFile(path, "has a directory that does not fit it")
