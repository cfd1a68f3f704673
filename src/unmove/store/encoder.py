"""Encoding a solved table: which side to move is stored, as ranks, with conversions marked or not.

Which side is stored, and whether wins by conversion are only marked, is chosen by trial. A small
tree is grown for each choice, and the one that leaves the fewest bits wins. A reader finds the
other side by a search of one ply, which reads the planes of every man's moves. So a side with two
men or more is left out only for a clear gain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.kernels.arrays import PositionSet, Ranks
from unmove.kernels.codec.cells import mark_conversions
from unmove.kernels.codec.facts import joined
from unmove.planes.fold import Fold
from unmove.store.codec.arrangement import Arrangement, arrangement_of
from unmove.store.codec.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.codec.learning import LearningPlanes, grow, learn
from unmove.store.codec.model import Model
from unmove.store.codec.order import Order
from unmove.store.digest import values_digest
from unmove.store.format import TREE, ZSTD, Meta, planes_a_block
from unmove.store.reader import TableFile
from unmove.store.source import MapFunction, Source, planes_of
from unmove.store.summary import Summary
from unmove.store.writer import write_file
from unmove.values import BLACK, WHITE, Side

MADE_BY = "unmove 0.1.0"  # the first version to write these bytes: equal tables, equal files
CLEAR = 0.85  # of the bits: a gain that a longer search is accepted for
TRIAL_LEAVES = 256
TRIAL_CELLS = 400_000  # at most; of a small table an eighth
BLOCKS_A_CHUNK = 64


@dataclass(frozen=True)
class StoredSides:
    """What of a table is stored."""

    sides: tuple[Side, ...]
    conversions: bool
    """Whether wins by conversion are only marked as such."""


class TableEncoder:
    """Encodes a solved table, some planes at a time.

    conversions[side][plane] are the wins that a conversion brings. `map_function` may read the
    source from several threads.
    """

    def __init__(
        self,
        source: Source,
        conversions: Sequence[PositionSet],
        summary: Summary,
        map_function: MapFunction = map,
    ) -> None:
        self.source = source
        self.conversions = conversions
        self.summary = summary
        self.map = map_function
        self._orders: dict[tuple[Side, ...], tuple[Order, Ranks]] = {}

    @cached_property
    def arrangement(self) -> Arrangement:
        return arrangement_of(self.source.layout)

    @cached_property
    def fold(self) -> Fold:
        return self.arrangement.fold()

    def order(self, choice: StoredSides) -> Order:
        """The order of the values that are stored."""
        return self._order(choice)[0]

    def _order(self, choice: StoredSides) -> tuple[Order, Ranks]:
        """The order, and [number in a cell of the source]: its rank."""
        if choice.sides not in self._orders:
            order = Order.of(self.summary, choice.sides)
            self._orders[choice.sides] = order, order.from_numbers(self.source.palette)
        return self._orders[choice.sides]

    def ranks(self, choice: StoredSides, side: Side, places: NDArray[np.int64]) -> Ranks:
        """The ranks of some stored planes, as they stand in the file."""
        (order, lookup), planes = self._order(choice), self.fold.stored[places]
        numbers = planes_of(self.source, side, planes)
        ranks = Ranks(np.empty(numbers.shape, order.kind))
        self.arrangement.arrange(numbers, lookup, ranks)
        if choice.conversions:
            marked = PositionSet(self.conversions[side][planes])
            mark_conversions(marked, order.conversion, ranks)
        return ranks

    def read(
        self, choice: StoredSides, places: NDArray[np.int64], side: Side | None = None
    ) -> LearningPlanes:
        """The ranks and facts of some stored planes; default: of the first stored side."""
        side = choice.sides[0] if side is None else side
        facts = self.arrangement.facts(self.fold.stored[places], side)
        return self.ranks(choice, side, places), facts

    def choices(self) -> list[StoredSides]:
        """What could be stored."""
        found = []
        for side in (WHITE, BLACK):
            found.append(StoredSides((side,), False))
            if self.conversions[side].any():
                found.append(StoredSides((side,), True))
        return found

    def choose(self) -> StoredSides:
        """The choice that is likely to be smallest; both sides where there is no tree."""
        if not self.source.layout.kind.has_contexts:
            return StoredSides((WHITE, BLACK), False)
        choices = self.choices()
        costs = list(self.map(self._cost, choices))
        return choices[costs.index(min(costs))]

    def _cost(self, choice: StoredSides) -> float:
        """The bits of a trial, more for a side whose search takes long."""
        (stored,) = choice.sides
        cells = self.summary.legal[stored]
        order, planes = self.order(choice), len(self.fold.stored)
        sampled = min(TRIAL_CELLS, cells // 8)
        _, bits = grow(
            order, planes, cells, lambda some: self.read(choice, some), TRIAL_LEAVES, sampled
        )
        searched = sum(man.side != stored for man in self.source.layout.men)
        return bits * cells / (1.0 if searched < 2 else CLEAR)

    def write(self, path: Path, coder: str | None = None) -> None:
        """The table's file is at `path`, reopened and found equal; or nothing has changed there."""
        choice = self.choose()
        coder = coder or (TREE if self.source.layout.kind.has_contexts else ZSTD)
        order, planes = self.order(choice), len(self.fold.stored)
        model: Model | None = None
        packer: Coder = ZstdCoder(order)
        if coder == TREE:
            cells = self.summary.legal[choice.sides[0]]
            model = learn(order, planes, cells, lambda some: self.read(choice, some), self.map)
            packer = TreeCoder(model)
        meta = Meta(
            material=self.source.layout.material,
            metric=self.source.metric,
            sides=choice.sides,
            coder=coder,
            planes=planes * len(choice.sides),
            summary=self.summary,
            values=values_digest(self.source, self.fold, self.map),
            made_by=MADE_BY,
        )
        blocks = EncodedBlocks(self, choice, packer)
        write_file(path, meta, model, blocks, lambda written: blocks.check(written, path))


class EncodedBlocks:
    """The blocks of a file, in order, which are encoded as they are asked for.

    The digest of each chunk's ranks is kept, so that `check` can compare the written file.
    """

    def __init__(self, encoder: TableEncoder, choice: StoredSides, coder: Coder) -> None:
        self._encoder = encoder
        self._choice = choice
        self._coder = coder
        self._size = planes_a_block(encoder.source.layout.cells)
        self._digests: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        """The blocks. One may have planes of both sides, and of two chunks."""
        self._digests = []
        rest: list[LearningPlanes] = []
        for side, places in self._chunks():
            found = self._encoder.read(self._choice, places, side)
            self._digests.append(_digest(found[0]))
            ranks = Ranks(np.concatenate([each for each, _ in (*rest, found)]))
            facts = joined([each for _, each in (*rest, found)])
            whole = len(ranks) // self._size * self._size
            cuts = [slice(i, i + self._size) for i in range(0, whole, self._size)]
            planes = [(Ranks(ranks[cut]), facts.of(cut)) for cut in cuts]
            yield from self._encoder.map(lambda block: self._coder.encoded(*block), planes)
            rest = [(Ranks(ranks[whole:]), facts.of(slice(whole, None)))]
        if rest and len(rest[0][0]):
            yield self._coder.encoded(*rest[0])

    def check(self, written: TableFile, path: Path) -> None:
        """The file that all blocks were written to, for `path`, decodes to the same ranks."""
        written.check_digest()
        for (side, places), digest in zip(self._chunks(), self._digests, strict=True):
            if _digest(written.ranks(side, places, self._encoder.map)) != digest:
                raise DamagedFile(path, "was not written as it should be")

    def _chunks(self) -> list[tuple[Side, NDArray[np.int64]]]:
        """The places of the stored planes, side by side, some at a time."""
        everything = np.arange(len(self._encoder.fold.stored))
        size = BLOCKS_A_CHUNK * self._size
        return [
            (side, everything[i : i + size])
            for side in self._choice.sides
            for i in range(0, len(everything), size)
        ]


def _digest(ranks: Ranks) -> bytes:
    return hashlib.sha256(ranks.tobytes()).digest()
