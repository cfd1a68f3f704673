"""Encoding a solved table: which sides to move are stored, with conversions marked or not.

Which side is stored, and whether wins by conversion are only marked, is chosen by trial. A small
tree is grown for each choice, and the one that leaves the fewest bits wins. A reader finds the
other side by a search of one ply, which reads the planes of every man's moves. So a side with two
men or more is left out only for a clear gain.

Who asks for both sides gets each in a *run* of blocks of its own, with an order of values and a
model of its own. One of them is the *second* side. Its wins and losses that the best move of the
king gives, or the best conversion, are only marked: the king's moves stay in the plane, where the
other side has the values. A table of xiangqi always has both sides, in one run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.errors import DamagedFile
from unmove.kernels.arrays import CellNumbers, PositionSet, Ranks
from unmove.kernels.codec.cells import mark_conversions
from unmove.kernels.codec.facts import joined
from unmove.planes.fold import Fold
from unmove.store.codec.arrangement import Arrangement, arrangement_of
from unmove.store.codec.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.codec.learning import (
    COUNTED_PLANES,
    LearningPlanes,
    grow,
    learn,
    sampled_places,
)
from unmove.store.codec.model import Model
from unmove.store.codec.modelling import KnownPlanes
from unmove.store.codec.order import Order
from unmove.store.digest import values_digest
from unmove.store.format import STRIPS, TREE, ZSTD, Meta, planes_a_block
from unmove.store.reader import TableFile
from unmove.store.source import MapFunction, Source, planes_of
from unmove.store.summary import SIDE_KEYS, Summary
from unmove.store.writer import write_file
from unmove.values import BLACK, SIDES, WHITE, Side

MADE_BY = "unmove 0.1.0"  # the first version to write these bytes: equal tables, equal files
MADE_BOTH_BY = "unmove 0.9.0"  # the same of files of version 2
CLEAR = 0.85  # of the bits: a gain that a longer search is accepted for
TRIAL_LEAVES = 256
TRIAL_CELLS = 400_000  # at most; of a small table an eighth
BYTES_A_PLANE = (0, 40, 120)  # from which on a plane is cut in 1, 2, 4 strips: each takes a few
KNOWN_SHARE = 8  # of so many planes one must be known for the known ones to be kept
BLOCKS_A_CHUNK = 64
NO_PLACES = np.zeros(0, np.int64)


@dataclass(frozen=True)
class StoredSides:
    """What of a table is stored in one run of blocks."""

    sides: tuple[Side, ...]
    conversions: bool
    """Whether wins by conversion are only marked as such."""
    second: bool = False
    """Whether wins and losses by a move of the king are marked, too."""
    strips: int = 1
    """How many strips a plane is coded in."""


class SolvedSource(Source, Protocol):
    """A source that also tells which wins a conversion brings."""

    def keep(self, side: Side, wanted: NDArray[np.int64]) -> None:
        """These planes (ascending) are read again after all planes have been read once."""
        ...

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """The wins on the wanted planes (ascending) that a conversion brings first."""
        ...


FollowedLookup = Callable[[Side, NDArray[np.int64]], PositionSet]
"""Finds the wins and losses on planes (ascending) that a conversion or a king's move gives."""


class Notes:
    """What an encoder has done, for a later one of the same table. This one keeps nothing."""

    def recall(self, name: str) -> list[bytes] | None:
        """What was noted under a name."""
        return None

    def note(self, name: str, pieces: list[bytes]) -> None:
        """A step is done, and this is what it gave."""


SolvedPlanes = tuple[CellNumbers, PositionSet]
"""The numbers of some planes, and which of their cells are marked, if they are."""


class TableEncoder:
    """Encodes a solved table, some planes at a time.

    `map_function` may read the source from several threads. If `followed` is given, both sides to
    move are stored, and else the one that is smaller.
    """

    def __init__(
        self,
        source: SolvedSource,
        summary: Summary,
        map_function: MapFunction = map,
        notes: Notes | None = None,
        followed: FollowedLookup | None = None,
    ) -> None:
        self.source = source
        self.both = followed is not None and source.layout.kind.has_contexts
        self._followed = followed or source.converted
        self.summary = summary
        self.map = map_function
        self.notes = notes or Notes()
        self._orders: dict[tuple[tuple[Side, ...], int], tuple[Order, Ranks]] = {}

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
        key = choice.sides, choice.strips
        if key not in self._orders:
            order = Order.of(self.summary, *key)
            self._orders[key] = order, order.from_numbers(self.source.palette)
        return self._orders[key]

    def ranks(self, choice: StoredSides, side: Side, places: NDArray[np.int64]) -> Ranks:
        """The ranks of some stored planes, as they stand in the file."""
        return self._ranked(choice, self._solved(side, places, second=choice.second))

    def _solved(self, side: Side, places: NDArray[np.int64], *, second: bool) -> SolvedPlanes:
        """What is known of some stored planes."""
        planes = self.fold.stored[places]
        marked = self._followed if second else self.source.converted
        return planes_of(self.source, side, planes), marked(side, planes)

    def _ranked(self, choice: StoredSides, planes: SolvedPlanes) -> Ranks:
        """The ranks of these planes."""
        (order, lookup), (numbers, converted) = self._order(choice), planes
        ranks = Ranks(np.empty(numbers.shape, order.kind))
        self.arrangement.arrange(numbers, lookup, ranks)
        if choice.conversions:
            mark_conversions(converted, order.conversion, ranks)
        return ranks

    def read(
        self, choice: StoredSides, places: NDArray[np.int64], side: Side | None = None
    ) -> LearningPlanes:
        """The ranks and facts of some stored planes; default: of the first stored side."""
        side = choice.sides[0] if side is None else side
        facts = self.arrangement.facts(self.fold.stored[places], side)
        return self.ranks(choice, side, places), facts

    def choices(self) -> list[StoredSides]:
        """What a run could have: one side to move, or both where there is no tree."""
        if not self.source.layout.kind.has_contexts:
            return [StoredSides((WHITE, BLACK), False)]
        alone = [StoredSides((side,), marked) for side in SIDES for marked in (False, True)]
        return [*alone, *(StoredSides((side,), True, second=True) for side in SIDES if self.both)]

    def choose(self) -> list[StoredSides]:
        """The runs that are likely to be smallest."""
        choices = self.choices()
        if len(choices) == 1:
            return choices
        costs: dict[StoredSides, float] = {}
        for some in self.map(self._costs, SIDES):
            costs |= some
        if not self.both:
            return [min(choices, key=costs.__getitem__)]
        firsts = (
            min(
                (each for each in choices if each.sides == (side,) and not each.second),
                key=costs.__getitem__,
            )
            for side in SIDES
        )
        white, black = firsts
        pairs = [[white, choices[-1]], [choices[-2], black]]
        best = min(pairs, key=lambda pair: sum(costs[run] for run in pair))
        strips = self._strips(sum(costs[run] for run in best) / 8 / len(best))
        return [replace(run, strips=strips) for run in best]

    def _chosen(self) -> list[StoredSides]:
        """What `choose` gives, or what an earlier encoder has noted of it."""
        choices = self.choices()

        def work() -> bytes:
            runs = self.choose()
            numbers = [choices.index(replace(run, strips=1)) for run in runs]
            return bytes([*numbers, runs[0].strips] if self.both else numbers)

        if not self.both:
            return [choices[self._noted("choice", work)[0]]]
        *numbers, strips = self._noted("choice of both", work)
        return [replace(choices[number], strips=strips) for number in numbers]

    def _strips(self, size: float) -> int:
        """How many strips the planes of a side of so many bytes are coded in."""
        size /= len(self.fold.stored)
        return max(
            strips for strips, least in zip(STRIPS, BYTES_A_PLANE, strict=True) if size >= least
        )

    @staticmethod
    def _trial_of(cells: int) -> int:
        """How many of so many cells a trial looks at."""
        return min(TRIAL_CELLS, cells // 8)

    def _costs(self, side: Side) -> dict[StoredSides, float]:
        """The bits of a trial for each choice that stores a side, more if a search takes long.

        What is read is kept from one choice to the next.
        """
        cells, planes = self.summary.legal[side], len(self.fold.stored)
        sampled = self._trial_of(cells)
        searched = 0 if self.both else sum(man.side != side for man in self.source.layout.men)

        @cache
        def solved(places: bytes, second: bool) -> SolvedPlanes:
            return self._solved(side, np.frombuffer(places, np.int64), second=second)

        def cost(choice: StoredSides) -> float:
            def read(some: NDArray[np.int64]) -> LearningPlanes:
                facts = self.arrangement.facts(self.fold.stored[some], side)
                return self._ranked(choice, solved(some.tobytes(), choice.second)), facts

            _, bits = grow(self.order(choice), planes, cells, read, TRIAL_LEAVES, sampled)
            return bits * cells / (1.0 if searched < 2 else CLEAR)

        return {choice: cost(choice) for choice in self.choices() if choice.sides == (side,)}

    def write(self, path: Path, coder: str | None = None) -> None:
        """The table's file is at `path`, reopened and found equal; or nothing has changed there.

        All planes are read once for the digest, and once more to be encoded. What is sampled is
        kept from the first time.
        """
        coder = coder or (TREE if self.source.layout.kind.has_contexts else ZSTD)
        self._keep(coder)
        values = self.values
        runs = self._chosen()
        sides = tuple(side for run in runs for side in run.sides)
        known = [KnownPlanes(self.order(run).strips) for run in runs]
        models = []
        if coder == TREE:
            models = [self._learnt(*each) for each in zip(runs, known, strict=True)]
        self._keep(None)
        meta = Meta(
            material=self.source.layout.material,
            metric=self.source.metric,
            sides=sides,
            second=next((run.sides[0] for run in runs if run.second), None),
            strips=runs[0].strips,
            coder=coder,
            planes=len(self.fold.stored) * len(sides),
            summary=self.summary,
            values=values,
            made_by=MADE_BOTH_BY if self.both else MADE_BY,
        )
        packers: list[Coder] = [ZstdCoder(self.order(run)) for run in runs]
        if coder == TREE:
            packers = [TreeCoder(*each) for each in zip(models, known, strict=True)]
        blocks = [EncodedBlocks(self, *each) for each in zip(runs, packers, strict=True)]

        def check(written: TableFile) -> None:
            written.check_digest()
            for run in blocks:
                run.check(written, path)

        write_file(path, meta, models, chain.from_iterable(blocks), check)

    @cached_property
    def values(self) -> str:
        """The digest of all values, for which all planes are read."""
        return self._noted(
            "values", lambda: values_digest(self.source, self.fold, self.map).encode()
        ).decode()

    def _learnt(self, choice: StoredSides, known: KnownPlanes) -> Model:
        """The model of what is stored. The planes it was learnt from are known, if it pays."""
        order, planes = self.order(choice), len(self.fold.stored)
        cells = self.summary.legal[choice.sides[0]]

        def work() -> bytes:
            read = partial(self.read, choice)
            pays = planes <= KNOWN_SHARE * COUNTED_PLANES
            return learn(order, planes, cells, read, self.map, known if pays else None).to_bytes()

        return Model.from_bytes(self._noted(self.note_name("model", choice), work), order)

    def note_name(self, step: str, run: StoredSides) -> str:
        """What a step of a run is noted as."""
        return f"{step} of {SIDE_KEYS[run.sides[0]]}" if self.both else step

    def _keep(self, coder: str | None) -> None:
        """The source keeps the planes that `choose` and `learn` will read; without a tree, none."""
        planes = len(self.fold.stored)
        for side, cells in zip(SIDES, self.summary.legal, strict=True):
            places = NO_PLACES
            if coder == TREE:
                places = sampled_places(planes, cells, self._trial_of(cells))
            self.source.keep(side, self.fold.stored[places])

    def _noted(self, name: str, work: Callable[[], bytes]) -> bytes:
        """What an earlier encoder has noted, or what the work gives, noted now."""
        found = self.notes.recall(name)
        if found is None:
            found = [work()]
            self.notes.note(name, found)
        return found[0]


BlockChunk = list[tuple[Side, NDArray[np.int64]]]
"""Stored planes whose blocks are encoded at a time: places, by side to move."""


class EncodedBlocks:
    """The blocks of a run, in order, which are encoded as they are asked for.

    The digest of each chunk's ranks is kept, so that `check` can compare the written file.
    """

    def __init__(self, encoder: TableEncoder, choice: StoredSides, coder: Coder) -> None:
        self._encoder = encoder
        self._choice = choice
        self._coder = coder
        self._size = planes_a_block(encoder.source.layout.cells)
        self._digests: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        """The blocks. One may have planes of both sides."""
        self._digests = []
        notes, chunks = self._encoder.notes, self._chunks()
        while (found := notes.recall(self._chunk_name(len(self._digests)))) is not None:
            self._digests.append(found[0])
            yield from found[1:]
        for digest, blocks in self._encoder.map(self._encoded, chunks[len(self._digests) :]):
            notes.note(self._chunk_name(len(self._digests)), [digest, *blocks])
            self._digests.append(digest)
            yield from blocks

    def check(self, written: TableFile, path: Path) -> None:
        """The file that all blocks were written to, for `path`, decodes to the same ranks."""

        def digest(chunk: BlockChunk) -> bytes:
            ranks = [written.ranks(side, places) for side, places in chunk]
            return _digest(Ranks(np.concatenate(ranks)))

        found = self._encoder.map(digest, self._chunks())
        if any(one != other for one, other in zip(found, self._digests, strict=True)):
            raise DamagedFile(path, "was not written as it should be")

    def _encoded(self, chunk: BlockChunk) -> tuple[bytes, list[bytes]]:
        """The digest of the ranks of a chunk, and its blocks."""
        found = [self._encoder.read(self._choice, places, side) for side, places in chunk]
        ranks = Ranks(np.concatenate([each for each, _ in found]))
        facts = joined([each for _, each in found])
        places = np.concatenate([each for _, each in chunk])
        cuts = [slice(i, i + self._size) for i in range(0, len(ranks), self._size)]
        blocks = [
            self._coder.encoded(Ranks(ranks[cut]), facts.of(cut), places[cut]) for cut in cuts
        ]
        return _digest(ranks), blocks

    def _chunk_name(self, number: int) -> str:
        return self._encoder.note_name(f"blocks {number}", self._choice)

    def _chunks(self) -> list[BlockChunk]:
        """The places of the stored planes, side by side, some whole blocks at a time."""
        planes, size = len(self._encoder.fold.stored), BLOCKS_A_CHUNK * self._size
        chunks: list[BlockChunk] = []
        for first in range(0, planes * len(self._choice.sides), size):
            wanted = np.arange(first, min(first + size, planes * len(self._choice.sides)))
            chunks.append(
                [
                    (side, wanted[wanted // planes == i] % planes)
                    for i, side in enumerate(self._choice.sides)
                    if (wanted // planes == i).any()
                ]
            )
        return chunks


def _digest(ranks: Ranks) -> bytes:
    return hashlib.sha256(ranks.tobytes()).digest()
