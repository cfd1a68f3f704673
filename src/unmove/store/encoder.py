"""A solved table as a file wants it: one side to move, as ranks, conversions marked.

Which side is stored, and whether wins by conversion are, is chosen by trial: a small tree is grown
for each, and the one that leaves the fewest bits wins. The other side costs a search of one ply,
over the planes of each of its men's moves; so a side with two men or more is left out only for a
clear gain.
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
from unmove.kernels.codec.cells import mark_conversions
from unmove.kernels.codec.facts import joined
from unmove.kernels.codec.ranks import Ranks
from unmove.planes.fold import Fold
from unmove.planes.layout import Layout
from unmove.store.codec.arrangement import Arrangement, arrangement_of
from unmove.store.codec.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.codec.learning import LearningPlanes, grow, learn
from unmove.store.codec.model import Model
from unmove.store.codec.order import Order
from unmove.store.digest import values_digest
from unmove.store.format import TREE, ZSTD, Meta, planes_a_block
from unmove.store.reader import TableFile
from unmove.store.summary import Summary
from unmove.store.table import MapFunction, Table
from unmove.store.writer import write_file
from unmove.version import __version__

CLEAR = 0.85  # of the bits: a gain worth a longer search
TRIAL_LEAVES = 256
TRIAL_CELLS = 400_000  # at most; of a small table an eighth


@dataclass(frozen=True)
class StoredSides:
    """What of a table is stored."""

    sides: tuple[int, ...]
    conversions: bool
    """Whether wins by conversion are only marked as such."""


class TableEncoder:
    """A complete table in memory, with the wins that conversions bring, by side to move."""

    def __init__(
        self,
        table: Table,
        conversions: Sequence[NDArray[np.uint64]],
        summary: Summary,
        map_function: MapFunction = map,
    ) -> None:
        self.table = table
        self.conversions = conversions
        self.summary = summary
        self.map = map_function

    @cached_property
    def arrangement(self) -> Arrangement:
        return arrangement_of(self.table.layout)

    @cached_property
    def fold(self) -> Fold:
        return self.arrangement.fold()

    def order(self, choice: StoredSides) -> Order:
        return Order.of(self.summary, choice.sides)

    def ranks(self, choice: StoredSides, side: int, places: NDArray[np.int64]) -> Ranks:
        """The ranks of some kept planes, as they stand in the file."""
        order, planes = self.order(choice), self.fold.kept[places]
        numbers = self.table.cells[side][planes]
        ranks = Ranks(np.empty(numbers.shape, order.kind))
        self.arrangement.arrange(numbers, order.from_numbers(self.table.palette), ranks)
        if choice.conversions:
            mark_conversions(self.conversions[side][planes], order.conversion, ranks)
        return ranks

    def read(
        self, choice: StoredSides, places: NDArray[np.int64], side: int | None = None
    ) -> LearningPlanes:
        """Ranks of some kept planes, and what is known of them; default: the first stored side."""
        side = choice.sides[0] if side is None else side
        known = self.arrangement.facts(self.fold.kept[places], side)
        return self.ranks(choice, side, places), known

    def choices(self) -> list[StoredSides]:
        """What could be stored."""
        found = []
        for side in (0, 1):
            found.append(StoredSides((side,), False))
            if self.conversions[side].any():
                found.append(StoredSides((side,), True))
        return found

    def choose(self) -> StoredSides:
        """The choice that is likely to be smallest; where there is no tree, both sides."""
        if not self.has_tree:
            return StoredSides((0, 1), False)
        choices = self.choices()
        costs = list(self.map(self._cost, choices))
        return choices[costs.index(min(costs))]

    def _cost(self, choice: StoredSides) -> float:
        (kept,) = choice.sides
        cells = self.summary.legal[kept]
        order, planes = self.order(choice), len(self.fold.kept)
        sampled = min(TRIAL_CELLS, cells // 8)
        _, bits = grow(
            order, planes, cells, lambda some: self.read(choice, some), TRIAL_LEAVES, sampled
        )
        searched = sum(man.side != kept for man in self.table.layout.men)
        return bits * cells / (1.0 if searched < 2 else CLEAR)

    @property
    def has_tree(self) -> bool:
        """Whether there are contexts for planes of this kind."""
        return isinstance(self.table.layout, Layout)

    def write(self, path: Path, coder: str | None = None) -> None:
        """The table's file is at `path`, reopened and found equal; or nothing has changed there."""
        choice = self.choose()
        coder = coder or (TREE if self.has_tree else ZSTD)
        order, planes = self.order(choice), len(self.fold.kept)
        model: Model | None = None
        packer: Coder = ZstdCoder(order)
        if coder == TREE:
            cells = self.summary.legal[choice.sides[0]]
            model = learn(order, planes, cells, lambda some: self.read(choice, some), self.map)
            packer = TreeCoder(model)
        meta = Meta(
            material=self.table.material,
            metric=self.table.metric,
            sides=choice.sides,
            coder=coder,
            planes=planes * len(choice.sides),
            summary=self.summary,
            values=values_digest(self.table, self.fold, self.map),
            made_by=f"unmove {__version__}",
        )

        digests: list[bytes] = []

        def check(written: TableFile) -> None:
            written.check_digest()
            for (side, places), digest in zip(self._chunks(choice), digests, strict=True):
                if _digest(written.ranks(side, places, self.map)) != digest:
                    raise DamagedFile(path, "was not written as it should be")

        write_file(path, meta, model, self._blocks(choice, packer, digests), check)

    def _blocks(self, choice: StoredSides, coder: Coder, digests: list[bytes]) -> Iterator[bytes]:
        """The blocks of the file; the digest of the ranks of each chunk is noted.

        A block may have planes of both sides, and of two chunks.
        """
        size = planes_a_block(self.table.layout.cells)
        rest: list[LearningPlanes] = []
        for side, places in self._chunks(choice):
            found = self.read(choice, places, side)
            digests.append(_digest(found[0]))
            ranks = Ranks(np.concatenate([each for each, _ in (*rest, found)]))
            known = joined([each for _, each in (*rest, found)])
            whole = len(ranks) // size * size
            cuts = [slice(i, i + size) for i in range(0, whole, size)]
            planes = [(Ranks(ranks[cut]), known.of(cut)) for cut in cuts]
            yield from self.map(lambda block: coder.encoded(*block), planes)
            rest = [(Ranks(ranks[whole:]), known.of(slice(whole, None)))]
        if rest and len(rest[0][0]):
            yield coder.encoded(*rest[0])

    def _chunks(self, choice: StoredSides) -> list[tuple[int, NDArray[np.int64]]]:
        """The stored planes, side by side, some at a time."""
        everything = np.arange(len(self.fold.kept))
        size = 64 * planes_a_block(self.table.layout.cells)
        return [
            (side, everything[i : i + size])
            for side in choice.sides
            for i in range(0, len(everything), size)
        ]


def _digest(ranks: Ranks) -> bytes:
    return hashlib.sha256(ranks.tobytes()).digest()
