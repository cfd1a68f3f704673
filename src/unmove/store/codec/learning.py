"""How a model is learnt from a table.

The tree grows where a question gains most. Then the symbols of its leaves are counted.

The model does not depend on the number of threads, so files do not either.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.codec.coders import FREQUENCY_SUM
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import FIRST_POSITION_FEATURE, position_features_with
from unmove.kernels.codec.growth import (
    TOLD_APART,
    Sample,
    best_split,
    partition_rows,
    sample_cells,
    split_room,
)
from unmove.kernels.codec.ranks import Symbols
from unmove.kernels.codec.rans import count_symbols
from unmove.kernels.codec.scratch import coder_scratch
from unmove.store.codec.model import MOST_LEAVES, Model, weight_of
from unmove.store.codec.modelling import KnownPlanes, modelled
from unmove.store.codec.order import Order
from unmove.store.source import MapFunction

SAMPLED = 8  # one cell of eight is enough to learn the tree from
LEAST_SAMPLE, MOST_SAMPLE = 1_000_000, 8_000_000  # cells
CELLS_A_LEAF = 500  # sampled at least, on average
COUNTED_PLANES = 20_000  # to learn the frequencies from
GAIN = 300.0  # bits a question must save in the table; a leaf takes about as many
LEAST_GAIN = 20.0  # bits it must save in the sample: less may be chance
LEAST_GAIN_A_CELL = 0.005  # bits it must save for each cell asked: a deeper tree decodes slower
RARE = 5  # a symbol seen less often in a leaf is escaped
AHEAD = 8  # leaves that are halved at the same time
AT_ONCE = 512  # planes read at a time
MOST_COUNTS = 1 << 23  # leaves times symbols, to bound the memory of their counts
GOLDEN = (5**0.5 - 1) / 2  # its multiples, modulo 1, are spread evenly

LearningPlanes = tuple[Ranks, PlaneFacts]
Reading = Callable[[NDArray[np.int64]], LearningPlanes]
"""The ranks and facts of stored planes, given their numbers among the stored ones."""


def learn(
    order: Order,
    planes: int,
    cells: int,
    read: Reading,
    run: MapFunction = map,
    known: KnownPlanes | None = None,
) -> Model:
    """A model of a table, learnt from some of its planes; `cells` are its legal cells.

    The planes whose symbols are counted are put into `known`.
    """
    questions, _ = grow(order, planes, cells, read, run=run)
    shape = (len(questions) + 1) // 2, order.illegal + 1
    tree = Model.of_questions(order, questions).tree

    def counted(places: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = np.zeros(shape, np.int64)
        found = modelled(*read(places), order, tree)
        count_symbols(found, counts)
        if known is not None:
            known.keep(places, found)
        return counts

    total = np.zeros(shape, np.int64)
    for counts in run(counted, _chunks(_spread(planes, COUNTED_PLANES))):
        total += counts
    return Model(order, questions, *_tables(total))


def grow(
    order: Order,
    planes: int,
    cells: int,
    read: Reading,
    leaves: int = MOST_LEAVES,
    sampled: int | None = None,
    run: MapFunction = map,
) -> tuple[NDArray[np.int64], float]:
    """The questions of a tree, level by level, and the bits a cell that remain with it.

    The tree has at most `leaves` leaves, and is learnt from about `sampled` cells.
    """
    places = _places(planes, cells, sampled or sample_of(cells))
    growth = _Growth(*_sampled(order, places, read, run))
    gain = max(GAIN * growth.cells / max(cells, 1), LEAST_GAIN)
    most = growth.cells // CELLS_A_LEAF, MOST_COUNTS // (order.illegal + 1) - 1
    growth.grow(min(leaves, *most), gain, run)
    return growth.questions(), growth.bits()


def sample_of(cells: int) -> int:
    """About how many of a table's legal cells its tree is learnt from."""
    return min(cells, max(cells // SAMPLED, LEAST_SAMPLE), MOST_SAMPLE)


def sampled_places(planes: int, cells: int, *samples: int) -> NDArray[np.int64]:
    """All places that `learn` reads, and `grow` with samples of these sizes."""
    grown = [_places(planes, cells, sampled) for sampled in (sample_of(cells), *samples)]
    return np.unique(np.concatenate([_spread(planes, COUNTED_PLANES), *grown]))


def _places(planes: int, cells: int, sampled: int) -> NDArray[np.int64]:
    """The places of a sample of about so many of the legal cells."""
    return _spread(planes, round(planes * sampled / max(cells, 1)))


def _spread(planes: int, wanted: int) -> NDArray[np.int64]:
    """About `wanted` of the planes, spread evenly over all of them, without a period."""
    if wanted >= planes:
        return np.arange(planes)
    return np.unique((np.arange(max(wanted, 1)) * GOLDEN % 1 * planes).astype(np.int64))


def _chunks(places: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The places, AT_ONCE of them at a time."""
    yield from (places[i : i + AT_ONCE] for i in range(0, len(places), AT_ONCE))


def _sampled(
    order: Order, places: NDArray[np.int64], read: Reading, run: MapFunction
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """[cell]: the features of each legal cell of some planes, then its symbol; and the features.

    Symbols are numbered by how frequent they are.
    """
    planes = list(run(read, _chunks(places)))
    wanted = position_features_with(planes[0][1].men.shape[1])
    features = np.concatenate((np.arange(FIRST_POSITION_FEATURE), FIRST_POSITION_FEATURE + wanted))
    cells = [int(np.bitwise_count(facts.legal).sum()) for _, facts in planes]
    ends = np.cumsum(cells)
    rows = np.empty((ends[-1], len(features) + 1), np.uint8)
    symbols = np.empty(ends[-1], np.int64)

    def fill(i: int) -> None:
        here = slice(ends[i] - cells[i], ends[i])
        ranks, facts = planes[i]
        space, out = coder_scratch(), (rows[here], symbols[here])
        sample_cells(ranks, facts, order.for_kernels, wanted, space, *out)

    for _ in run(fill, range(len(planes))):
        pass
    counts = np.bincount(symbols)
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    rows[:, -1] = np.minimum(place, TOLD_APART - 1)[symbols]  # rarer ones are taken as one
    return rows, features


class _Leaf(NamedTuple):
    """Some cells of the sample, and the best question for them. Of leaves, the smallest is best."""

    cost: float  # of its question, in bits, less those that it saves
    node: int
    first: int
    stop: int
    column: int
    bound: int


class _Growth:
    """A tree that grows where a question gains most bits."""

    def __init__(self, rows: NDArray[np.uint8], features: NDArray[np.int64]) -> None:
        self._sample = Sample(rows, _xlogx(len(rows)))
        self._features = features
        self.cells = len(rows)
        self._asked: dict[int, tuple[int, int, int]] = {}  # [node]: column, bound, first child
        self._heap = [self._look(0, self.cells)]
        self._ahead: dict[int, list[_Leaf]] = {}  # [node]: its two halves
        self._nodes = 1

    def grow(self, leaves: int, gain: float, run: MapFunction) -> None:
        """The tree has grown to `leaves` leaves, or until no question gains `gain` bits."""
        while self._nodes < 2 * leaves - 1 and -self._heap[0].cost > gain:
            if self._heap[0].node not in self._ahead:
                self._look_ahead(gain, run)
            leaf = heapq.heappop(self._heap)
            self._asked[leaf.node] = leaf.column, leaf.bound, self._nodes
            for half in self._ahead.pop(leaf.node):
                heapq.heappush(self._heap, half._replace(node=self._nodes))
                self._nodes += 1

    def _look_ahead(self, gain: float, run: MapFunction) -> None:
        """The halves of the best leaves are known, whether or not they will be needed.

        Finding them is what takes time, and threads can do it for several leaves at once.
        """
        best = [heapq.heappop(self._heap) for _ in range(min(AHEAD, len(self._heap)))]
        new = [leaf for leaf in best if leaf.node not in self._ahead and -leaf.cost > gain]
        for leaf, halves in zip(new, run(self._halves, new), strict=True):
            self._ahead[leaf.node] = halves
        for leaf in best:
            heapq.heappush(self._heap, leaf)

    def _halves(self, leaf: _Leaf) -> list[_Leaf]:
        middle = partition_rows(leaf.first, leaf.stop, leaf.column, leaf.bound, self._sample.rows)
        return [self._look(leaf.first, middle), self._look(middle, leaf.stop)]

    def questions(self) -> NDArray[np.int64]:
        """See `Model.questions`."""
        level, rows = [0], []
        for node in level:  # grows as it is read
            column, bound, child = self._asked.get(node, (-1, 0, 0))
            rows.append((-1 if column < 0 else int(self._features[column]), bound))
            if column >= 0:
                level += [child, child + 1]
        return np.array(rows, np.int64)

    def bits(self) -> float:
        """The bits a cell of the sample takes, with a rough share of the leaves' tables."""
        total, (rows, xlogx) = 0.0, self._sample
        for leaf in self._heap:
            counts = np.bincount(rows[leaf.first : leaf.stop, -1])
            counts = counts[counts > 0]
            cells = leaf.stop - leaf.first
            total += xlogx[cells] - xlogx[counts].sum() + 8 * len(counts)
        return total / max(self.cells, 1)

    def _look(self, first: int, stop: int) -> _Leaf:
        """Some cells with the best question for them; not yet a node."""
        split = best_split(first, stop, self._sample, split_room())
        cost = LEAST_GAIN_A_CELL * (stop - first) - split.gain
        return _Leaf(cost, 0, first, stop, split.column, split.bound)


def _xlogx(most: int) -> NDArray[np.float64]:
    """[n]: n log n, to base 2, for n up to `most`."""
    numbers = np.arange(most + 1, dtype=np.float64)
    numbers[1:] *= np.log2(numbers[1:])
    return numbers


def _tables(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], Symbols, NDArray[np.int64]]:
    """Sizes, symbols and weights of `Model`, with one more leaf for the escaped symbols."""
    rare = (counts > 0) & (counts < RARE)
    escapes, escaped = (counts * rare).sum(axis=1), (counts * rare).sum(axis=0) + 1
    kept = np.where(rare, 0, counts)
    kept[:, -1] = escapes.clip(1)
    escaped[-1] = 0
    kept = np.concatenate([kept, escaped[None]])
    leaf, symbol = np.nonzero(kept)
    found = kept[leaf, symbol]
    weights = weight_of((found * FREQUENCY_SUM // kept.sum(axis=1)[leaf]).clip(1))
    weights[kept.argmax(axis=1)[leaf] == symbol] = 0
    return np.bincount(leaf), Symbols(symbol), weights
