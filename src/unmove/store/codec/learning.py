"""How a model is learnt from a table: questions where they gain most, then symbols counted.

It is the same whatever the number of threads, so files are too.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.contexts import CELLS
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import FIRST_HINT, hints_with
from unmove.kernels.codec.growth import best_split, counts_of, part, sample
from unmove.kernels.codec.rans import FULL, count_symbols
from unmove.kernels.codec.scratch import coder_scratch
from unmove.store.codec.model import MOST_LEAVES, Model, weight_of
from unmove.store.codec.order import Order
from unmove.store.table import CellArray, MapFunction

SAMPLED = 8  # one cell of so many is enough to learn the tree from
LEAST_SAMPLE, MOST_SAMPLE = 1_000_000, 8_000_000  # cells
CELLS_A_LEAF = 500  # sampled at least, on average
COUNTED_PLANES = 20_000  # to learn the frequencies from
GAIN = 300.0  # bits a question must save in the table to be asked; about what a leaf takes
LEAST_GAIN = 20.0  # bits it must save in the sample: less may be chance
PATIENCE = 0.005  # bits it must save a cell, which takes the longer the more it is asked
KINDS = 64  # symbols told apart when the tree is learnt; the others count as one
RARE = 5  # a symbol seen less often in a leaf is escaped
AHEAD = 8  # leaves whose halves are looked at side by side
AT_ONCE = 512  # planes
MOST_COUNTS = 1 << 23  # leaves times symbols
GOLDEN = (5**0.5 - 1) / 2

LearningPlanes = tuple[CellArray, PlaneFacts]
Reading = Callable[[NDArray[np.int64]], LearningPlanes]
"""Ranks of the planes with these numbers among the kept ones, and what is known of them."""


def learn(order: Order, planes: int, cells: int, read: Reading, run: MapFunction = map) -> Model:
    """A model of so many planes and legal cells, learnt from some of the planes."""
    questions, _ = grow(order, planes, cells, read, run=run)
    shape = (len(questions) + 1) // 2, order.illegal + 1
    none = np.zeros(0, np.int64)
    tree = Model(order, questions, none, none, none).tree

    def counted(places: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = np.zeros(shape, np.int64)
        leaves, symbols = np.zeros((2, CELLS), np.int32)
        count_symbols(*read(places), order.ranks, tree, coder_scratch(), leaves, symbols, counts)
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
    """The questions worth asking, by level; and the bits a cell they leave.

    At most so many leaves, learnt from about so many sampled cells.
    """
    sampled = sampled or sample_of(cells)
    places = _spread(planes, round(planes * sampled / max(cells, 1)))
    growth = _Growth(*_sampled(order, places, read, run))
    gain = max(GAIN * growth.cells / max(cells, 1), LEAST_GAIN)
    most = growth.cells // CELLS_A_LEAF, MOST_COUNTS // (order.illegal + 1) - 1
    growth.grow(min(leaves, *most), gain, run)
    return growth.questions(), growth.bits()


def sample_of(cells: int) -> int:
    """How many of so many cells a tree is learnt from, about."""
    return min(cells, max(cells // SAMPLED, LEAST_SAMPLE), MOST_SAMPLE)


def _spread(planes: int, wanted: int) -> NDArray[np.int64]:
    """About so many of the planes, spread over all of them and in no period with them."""
    if wanted >= planes:
        return np.arange(planes)
    return np.unique((np.arange(max(wanted, 1)) * GOLDEN % 1 * planes).astype(np.int64))


def _chunks(places: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Some at a time."""
    yield from (places[i : i + AT_ONCE] for i in range(0, len(places), AT_ONCE))


def _sampled(
    order: Order, places: NDArray[np.int64], read: Reading, run: MapFunction
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Of the legal cells of some planes the features, and their symbols behind them.

    And which features those are.
    """
    planes = list(run(read, _chunks(places)))
    hints = hints_with(planes[0][1].men.shape[1])
    features = np.concatenate((np.arange(FIRST_HINT), FIRST_HINT + hints))
    cells = [int(np.bitwise_count(known.legal).sum()) for _, known in planes]
    ends = np.cumsum(cells)
    rows = np.empty((ends[-1], len(features) + 1), np.uint8)
    symbols = np.empty(ends[-1], np.int64)

    def fill(i: int) -> None:
        ranks, known = planes[i]
        here = slice(ends[i] - cells[i], ends[i])
        sample(ranks, known, order.ranks, coder_scratch(), hints, rows[here], symbols[here])

    for _ in run(fill, range(len(planes))):
        pass
    counts = np.bincount(symbols)
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    rows[:, -1] = np.minimum(place, KINDS - 1)[symbols]
    return rows, features


class _Leaf(NamedTuple):
    """Some cells of the sample, and the best question for them. The best leaf is the smallest."""

    cost: float  # bits, less those that are saved
    node: int
    first: int
    stop: int
    column: int
    bound: int


class _Growth:
    """A tree that grows where a question gains most bits."""

    def __init__(self, rows: NDArray[np.uint8], features: NDArray[np.int64]) -> None:
        self._rows = rows
        self._features = features
        self.cells = len(rows)
        self._kinds = int(rows[:, -1].max(initial=0)) + 1
        self._xlogx = _xlogx(self.cells)
        self._asked: dict[int, tuple[int, int, int]] = {}  # [node]: column, bound, first child
        self._heap = [self._look(0, self.cells)]
        self._ahead: dict[int, list[_Leaf]] = {}  # [node]: its halves
        self._nodes = 1

    def grow(self, leaves: int, gain: float, run: MapFunction) -> None:
        """At most so many leaves, as long as a question gains so many bits."""
        while self._nodes < 2 * leaves - 1 and -self._heap[0].cost > gain:
            if self._heap[0].node not in self._ahead:
                self._look_ahead(gain, run)
            leaf = heapq.heappop(self._heap)
            self._asked[leaf.node] = leaf.column, leaf.bound, self._nodes
            for half in self._ahead.pop(leaf.node):
                heapq.heappush(self._heap, half._replace(node=self._nodes))
                self._nodes += 1

    def _look_ahead(self, gain: float, run: MapFunction) -> None:
        """The halves of the best leaves are known, before it is known whether they are needed.

        To find them is what takes time, and the best ones can be looked at side by side.
        """
        best = [heapq.heappop(self._heap) for _ in range(min(AHEAD, len(self._heap)))]
        new = [leaf for leaf in best if leaf.node not in self._ahead and -leaf.cost > gain]
        for leaf, halves in zip(new, run(self._halves, new), strict=True):
            self._ahead[leaf.node] = halves
        for leaf in best:
            heapq.heappush(self._heap, leaf)

    def _halves(self, leaf: _Leaf) -> list[_Leaf]:
        middle = part(leaf.first, leaf.stop, leaf.column, leaf.bound, self._rows)
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
        """The bits a cell of the sample takes in the leaves, their tables roughly included."""
        total = 0.0
        for leaf in self._heap:
            counts = np.bincount(self._rows[leaf.first : leaf.stop, -1])
            counts = counts[counts > 0]
            cells = leaf.stop - leaf.first
            total += self._xlogx[cells] - self._xlogx[counts].sum() + 8 * len(counts)
        return total / max(self.cells, 1)

    def _look(self, first: int, stop: int) -> _Leaf:
        """Some cells with the best question for them; not yet a node."""
        gains, found = np.zeros(len(self._features)), np.zeros(3)
        best_split(first, stop, self._rows, self._xlogx, counts_of(self._kinds), gains, found)
        gain, column, bound = found.tolist()
        cost = PATIENCE * (stop - first) - gain
        return _Leaf(cost, 0, first, stop, int(column), int(bound))


def _xlogx(most: int) -> NDArray[np.float64]:
    numbers = np.arange(most + 1, dtype=np.float64)
    numbers[1:] *= np.log2(numbers[1:])
    return numbers


def _tables(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sizes, symbols and weights of `Model`, with a leaf more for the escaped symbols."""
    rare = (counts > 0) & (counts < RARE)
    escapes, escaped = (counts * rare).sum(axis=1), (counts * rare).sum(axis=0) + 1
    kept = np.where(rare, 0, counts)
    kept[:, -1] = escapes.clip(1)
    escaped[-1] = 0
    kept = np.concatenate([kept, escaped[None]])
    leaf, symbol = np.nonzero(kept)
    found = kept[leaf, symbol]
    weights = weight_of((found * FULL // kept.sum(axis=1)[leaf]).clip(1))
    weights[kept.argmax(axis=1)[leaf] == symbol] = 0
    return np.bincount(leaf), symbol, weights
