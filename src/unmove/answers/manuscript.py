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

from unmove.crew.crew import Crew
from unmove.errors import DamagedFile
from unmove.kernels.codes import mark_conversions, turn
from unmove.planes.fold import Fold, fold
from unmove.store.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.digest import values_digest
from unmove.store.format import PLANES_A_BLOCK, TREE, Meta
from unmove.store.model import Model, grow, learn
from unmove.store.order import Order
from unmove.store.reader import TableFile, legal_cells
from unmove.store.summary import Summary
from unmove.store.table import CellArray, Table
from unmove.store.writer import write_file
from unmove.version import __version__

CLEAR = 0.85  # of the bits: a gain worth a longer search
TRIAL_LEAVES = 256
TRIAL_CELLS = 400_000  # at most; of a small table an eighth
PLANES_AT_ONCE = 64 * PLANES_A_BLOCK


@dataclass(frozen=True)
class Choice:
    """What of a table is stored."""

    kept: int
    conversions: bool
    """Whether wins by conversion are only marked as such."""


class Manuscript:
    """A complete table in memory, with the wins that conversions bring, by side to move."""

    def __init__(
        self,
        table: Table,
        conversions: Sequence[NDArray[np.uint64]],
        summary: Summary,
        crew: Crew,
    ) -> None:
        self.table = table
        self.conversions = conversions
        self.summary = summary
        self.crew = crew

    @cached_property
    def fold(self) -> Fold:
        return fold(self.table.layout)

    def order(self, choice: Choice) -> Order:
        return Order.of(self.summary, choice.kept)

    def ranks(self, choice: Choice, places: NDArray[np.int64]) -> CellArray:
        """The ranks of some kept planes, Black's king outer, White's inner."""
        order, planes = self.order(choice), self.fold.kept[places]
        numbers = self.table.cells[choice.kept][planes]
        ranks: CellArray = np.empty(numbers.shape, order.kind)
        turn(numbers, order.from_numbers(self.table.palette), ranks)
        if choice.conversions:
            mark_conversions(self.conversions[choice.kept][planes], order.conversion, ranks)
        return ranks

    def read(
        self, choice: Choice, places: NDArray[np.int64]
    ) -> tuple[CellArray, NDArray[np.uint64]]:
        """Ranks and legal cells of some kept planes."""
        legal = legal_cells(self.table.layout, self.fold.kept[places], choice.kept)
        return self.ranks(choice, places), legal

    def choices(self) -> list[Choice]:
        """What could be stored."""
        found = []
        for side in (0, 1):
            found.append(Choice(side, False))
            if self.conversions[side].any():
                found.append(Choice(side, True))
        return found

    def choose(self) -> Choice:
        """The choice that is likely to be smallest."""
        choices = self.choices()
        costs = list(self.crew.map(self._cost, choices))
        return choices[costs.index(min(costs))]

    def _cost(self, choice: Choice) -> float:
        cells = self.summary.legal[choice.kept]
        order, planes = self.order(choice), len(self.fold.kept)
        sampled = min(TRIAL_CELLS, cells // 8)
        _, bits = grow(
            order, planes, cells, lambda some: self.read(choice, some), TRIAL_LEAVES, sampled
        )
        searched = sum(man.side != choice.kept for man in self.table.layout.men)
        return bits * cells / (1.0 if searched < 2 else CLEAR)

    def write(self, path: Path, coder: str = TREE) -> None:
        """The table's file is at `path`, reopened and found equal; or nothing has changed there."""
        choice = self.choose()
        order, planes = self.order(choice), len(self.fold.kept)
        model: Model | None = None
        packer: Coder = ZstdCoder(order)
        if coder == TREE:
            cells = self.summary.legal[choice.kept]
            model = learn(order, planes, cells, lambda some: self.read(choice, some), self.crew.map)
            packer = TreeCoder(model)
        meta = Meta(
            material=str(self.table.material),
            metric=self.table.metric,
            kept=choice.kept,
            coder=coder,
            planes=planes,
            summary=self.summary,
            values=values_digest(self.table, self.fold, self.crew.map),
            made_by=f"unmove {__version__}",
        )

        digests: list[bytes] = []

        def check(written: TableFile) -> None:
            written.check_digest()
            for places, digest in zip(self._chunks(), digests, strict=True):
                if _digest(written.ranks(places, self.crew.map)) != digest:
                    raise DamagedFile(path, "was not written as it should be")

        write_file(path, meta, model, self._blocks(choice, packer, digests), check)

    def _blocks(self, choice: Choice, coder: Coder, digests: list[bytes]) -> Iterator[bytes]:
        """The blocks of the file; the digest of the ranks of each chunk is noted."""
        for places in self._chunks():
            ranks, legal = self.read(choice, places)
            digests.append(_digest(ranks))
            cuts = [slice(i, i + PLANES_A_BLOCK) for i in range(0, len(places), PLANES_A_BLOCK)]
            planes = [(ranks[cut], legal[cut]) for cut in cuts]
            yield from self.crew.map(lambda block: coder.encoded(*block), planes)

    def _chunks(self) -> list[NDArray[np.int64]]:
        planes = len(self.fold.kept)
        everything = np.arange(planes)
        return [everything[i : i + PLANES_AT_ONCE] for i in range(0, planes, PLANES_AT_ONCE)]


def _digest(ranks: CellArray) -> bytes:
    return hashlib.sha256(ranks.tobytes()).digest()
