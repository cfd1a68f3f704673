"""Reading a table's file: what it stores, plane by plane, each block checked when it is decoded."""

from __future__ import annotations

import hashlib
import mmap
import zlib
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unmove.errors import (
    BadMaterial,
    DamagedFile,
    ForeignFile,
    NewerFormat,
    OlderFormat,
    TooManyMen,
    UnreadableFile,
)
from unmove.kernels.arrays import Palette, Ranks
from unmove.kernels.codec.contexts import LANES
from unmove.kernels.codec.facts import PlaneFacts
from unmove.material import Material
from unmove.planes.fold import Fold
from unmove.planes.layouts import AnyLayout, check_supported, layout_of
from unmove.store.codec.arrangement import Arrangement, FiledCell, arrangement_of
from unmove.store.codec.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.codec.model import Model
from unmove.store.codec.order import Order, palette_of
from unmove.store.format import (
    DIGEST,
    HEADER,
    LARGEST_META,
    MAGIC,
    PREAMBLE,
    SECTION,
    TAGS,
    TREE,
    VERSIONS,
    Meta,
    Section,
    aligned,
    separate_models,
)
from unmove.store.source import MapFunction
from unmove.store.summary import Summary
from unmove.values import Side

BLOCKS_A_TASK = 8


class TableFile:
    """An open table file, mapped into memory. Reading is safe from any number of threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = _mapped(path)
        self.size = len(self._data)
        """The file's size in bytes."""
        self._sections = self._preamble()
        meta = self._sections[0]
        if meta.size > LARGEST_META:
            raise self._damaged("has a meta section that is too long")
        try:
            self.meta = Meta.from_bytes(self._section(0))
            self.material = self.meta.material
            check_supported(self.material)
        except (BadMaterial, TooManyMen, ValueError) as error:
            raise self._damaged(f"names no table of ours ({error})") from error
        if self._version != self.meta.version:
            raise self._damaged("does not have the format that it needs")
        if self._sections[2].size != 8 * self.meta.blocks:
            raise self._damaged("has a directory that does not fit it")
        self.metric, self.sides, self.summary = self.meta.metric, self.meta.sides, self.meta.summary
        self._sound: set[int] = set()  # the blocks whose checksums were found right

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._data.close()

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    @cached_property
    def arrangement(self) -> Arrangement:
        """How its planes are laid out in the file."""
        return arrangement_of(self.layout)

    @cached_property
    def fold(self) -> Fold:
        """Which planes are stored."""
        found = self.arrangement.fold()
        if len(found.stored) * len(self.sides) != self.meta.planes:
            raise self._damaged("does not have the planes of its material")
        return found

    @cached_property
    def palette(self) -> Palette:
        """[number in a cell]: its code."""
        return palette_of(self.summary)

    def summary_as(self, material: Material) -> Summary:
        """The statistics for a name of the material: the canonical one, or with sides exchanged."""
        return self.summary if material == self.material else self.summary.swapped()

    @property
    def by_dependence(self) -> list[Side]:
        """The stored sides; that whose marks stand for values of the other one comes last."""
        return sorted(self.sides, key=lambda side: side == self.meta.second)

    def order(self, side: Side) -> Order:
        """The order of the values of a stored side."""
        return self._orders[self.sides.index(side)]

    @cached_property
    def _orders(self) -> list[Order]:
        """By the numbers of the stored sides."""
        return [
            Order.of(self.summary, self.meta.ordered_with(side), self.meta.strips)
            for side in self.sides
        ]

    @cached_property
    def lanes(self) -> int:
        """How many lanes a plane has."""
        return LANES * self.meta.strips

    @cached_property
    def filed(self) -> Sequence[FiledCell]:
        """[cell]: where it stands in a plane of the file."""
        return self.arrangement.filed(self.meta.strips)

    def coder(self, side: Side) -> Coder:
        """The decoder of the blocks of a stored side."""
        return self._coders[self.sides.index(side)]

    @cached_property
    def _coders(self) -> list[Coder]:
        """By the numbers of the stored sides."""
        if self.meta.coder != TREE:
            return [ZstdCoder(order) for order in self._orders]
        text = self._section(1)
        try:
            models = separate_models(text) if self.meta.runs > 1 else [text]
            pairs = zip(models, self._orders, strict=True)
            return [TreeCoder(Model.from_bytes(model, order)) for model, order in pairs]
        except ValueError as error:
            raise self._damaged(f"is damaged: {error}") from error

    @cached_property
    def _directory(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each block begins, and where the last one ends; and their checksums."""
        entries = np.frombuffer(self._section(2), "<u4").reshape(-1, 2).astype(np.int64)
        blocks = self._sections[3]
        bounds = blocks.offset + np.concatenate([[0], np.cumsum(entries[:, 0])])
        if bounds[-1] != blocks.offset + blocks.size:
            raise self._damaged("has a directory that does not fit it")
        return bounds, entries[:, 1]

    def ranks(self, side: Side, places: NDArray[np.int64], run: MapFunction = map) -> Ranks:
        """The ranks of some of the stored planes (ascending places), a stored side to move."""
        out = Ranks(np.empty((len(places), self.layout.cells), self.order(side).kind))
        stored = self._numbers(side, places)
        blocks = (stored // self.meta.planes_a_block).tolist()
        cuts = [i for i, block in enumerate(blocks) if not i or block != blocks[i - 1]]
        cuts.append(len(blocks))

        def fetch(first: int) -> None:
            some = cuts[first : first + BLOCKS_A_TASK + 1]
            facts = self.facts(side, places[some[0] : some[-1]])
            for a, b in pairwise(some):
                here = facts.of(slice(a - some[0], b - some[0]))
                self._decode(side, blocks[a], stored[a:b], here, Ranks(out[a:b]))

        tasks = range(0, len(cuts) - 1, BLOCKS_A_TASK)
        for _ in (run if len(tasks) > 1 else map)(fetch, tasks):  # one needs no other thread
            pass
        return out

    def boards(self, side: Side, places: NDArray[np.int64], boards: NDArray[np.int64]) -> Ranks:
        """Ranks of some of the stored planes, of at least boards[i, lane] boards of each lane.

        After its cells a row has how many boards of each lane are decoded. A block is checked when
        it is first read.
        """
        stored = self._numbers(side, places).tolist()
        spans = np.array([self._span(plane) for plane in stored], np.int64)
        out = Ranks(np.empty((len(places), self.layout.cells + self.lanes), self.order(side).kind))
        facts = self.facts(side, places)
        # The view of the map is no variable: an error would keep it, and the map could not close.
        bad = self.coder(side).decode_boards(
            np.frombuffer(self._data, np.uint8), spans, boards, facts, out
        )
        if bad >= 0:
            block, reason = stored[bad] // self.meta.planes_a_block, "it is not what was written"
            raise self._damaged(f"is damaged in block {block} ({reason})")
        return out

    def _numbers(self, side: Side, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of stored planes of a side; see `Meta.first_numbers`."""
        _ = self.fold  # finding it checks that the file has the planes of its material
        return places + self.meta.first_numbers[side]

    def _span(self, plane: int) -> tuple[int, int, int, int]:
        """The span of a plane as `rans.Blocks` has it; its block is what was written."""
        number, wanted = divmod(plane, self.meta.planes_a_block)
        if number not in self._sound:
            self.block(number)
            self._sound.add(number)
        first, stop = self._directory[0][number : number + 2].tolist()
        return first, stop, self.meta.planes_in(number), wanted

    def facts(self, side: Side, places: NDArray[np.int64]) -> PlaneFacts:
        """The facts of some of the stored planes, laid out as in the file."""
        return self.arrangement.facts(self.fold.stored[places], side)

    def check(self, run: MapFunction = map) -> None:
        """The file is what was written: its digest is right, and every block decodes."""
        self.check_digest()
        places = np.arange(len(self.fold.stored))
        chunk = 64 * self.meta.planes_a_block * BLOCKS_A_TASK
        for side in self.sides:
            for first in range(0, len(places), chunk):
                self.ranks(side, places[first : first + chunk], run)

    def check_model(self) -> None:
        """The decoder can be read; DamagedFile otherwise."""
        _ = self._coders  # reading them checks them

    def check_digest(self) -> None:
        """Every byte is what was written."""
        digest = hashlib.sha256(memoryview(self._data)[:-DIGEST]).digest()
        if digest != self._data[-DIGEST:]:
            raise self._damaged("is damaged (its digest is wrong)")

    def _decode(
        self,
        side: Side,
        block: int,
        stored: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> None:
        """out = the ranks of some planes of a block, numbered as they are stored."""
        first, planes = block * self.meta.planes_a_block, self.meta.planes_in(block)
        data = self.block(block)
        try:
            self.coder(side).decode(data, planes, stored - first, facts, out)
        except ValueError as error:
            raise self._damaged(f"is damaged in block {block} ({error})") from error

    def block(self, number: int) -> bytes:
        """The bytes of a block; DamagedFile if they are not what was written."""
        bounds, checksums = self._directory
        data = self._data[int(bounds[number]) : int(bounds[number + 1])]
        if zlib.crc32(data) != checksums[number]:
            raise self._damaged(f"is damaged in block {number} (its checksum is wrong)")
        return data

    def _damaged(self, reason: str) -> DamagedFile:
        return DamagedFile(self.path, reason)

    def _section(self, number: int) -> bytes:
        section = self._sections[number]
        data = self._data[section.offset : section.offset + section.size]
        if zlib.crc32(data) != section.checksum:
            raise self._damaged(f"is damaged (section {TAGS[number].decode()})")
        return data

    def _preamble(self) -> list[Section]:
        """Where the sections are. Each must follow the one before, so none can point elsewhere."""
        data, path = self._data, self.path
        if data[: len(MAGIC)] != MAGIC[: self.size]:
            raise ForeignFile(path, "is not an unmove table")
        if self.size < PREAMBLE + DIGEST:
            raise self._damaged("is truncated")
        head = data[: HEADER.size]
        _, version, sections, size, of_table, of_head = HEADER.unpack(head)
        first, last = VERSIONS
        if version > last:
            raise NewerFormat(
                path, f"has format {version}; this version reads formats up to {last}"
            )
        if version < first:
            raise OlderFormat(
                path, f"has format {version}; this version reads formats from {first}"
            )
        self._version = version
        table = data[HEADER.size : PREAMBLE]
        if zlib.crc32(head[:-4]) != of_head or zlib.crc32(table) != of_table:
            raise self._damaged("is damaged in its header")
        if size != self.size:
            raise self._damaged("is truncated" if size > self.size else "is too long")
        found, end = [], PREAMBLE
        for tag, (name, checksum, offset, length) in zip(
            TAGS, SECTION.iter_unpack(table), strict=True
        ):
            if name != tag or offset != aligned(end) or length > self.size:
                raise self._damaged("has sections that do not fit it")
            found.append(Section(checksum, offset, length))
            end = offset + length
        whole = aligned(end) + DIGEST
        if sections != len(TAGS) or whole != self.size or found[-1].checksum:
            raise self._damaged("has sections that do not fit it")
        return found


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file
        raise DamagedFile(path, "is empty") from error
    except OSError as error:
        raise UnreadableFile(path, error) from error
