"""How a model is learnt from a table: questions where they gain most, then symbols counted.

It is the same whatever the number of threads, so files are too.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.contexts import CELLS, workspace
from unmove.kernels.growth import BINS, FEATURES, best_split, part, sample
from unmove.kernels.rans import FULL, count_symbols
from unmove.store.model import MOST_FREQUENCIES, Model
from unmove.store.order import Order
from unmove.store.table import CellArray, Run

SAMPLED = 4  # one cell of so many is enough to learn the tree from
LEAST_SAMPLE = 200_000  # cells
CELLS_A_LEAF = 500  # sampled at most, on average
COUNTED_PLANES = 5_000  # to learn the frequencies from
LEAVES = ((50_000_000, 4096), (5_000_000, 2048), (0, 1024))  # at most, from so many cells on
GAIN = 300.0  # bits a question must save in the table to be asked; about what a leaf takes
KINDS = 64  # symbols told apart when the tree is learnt; the others count as one
RARE = 3  # a symbol seen less often in a leaf is escaped
SHARED = 5_000  # cells of a leaf from which on its halves are looked at side by side

Reading = Callable[[NDArray[np.int64]], tuple[CellArray, NDArray[np.uint64]]]
"""Ranks and legal cells of the planes with these numbers among the kept ones."""


def learn(order: Order, planes: int, cells: int, read: Reading, run: Run = map) -> Model:
    """A model of so many planes and legal cells, learnt from evenly spaced planes."""
    questions, _ = grow(order, planes, cells, read, run=run)
    shape = (len(questions) + 1) // 2, order.ranks.wins + order.ranks.losses + 4
    model = Model(order, questions, np.zeros(shape, np.int64))

    def counted(some: tuple[CellArray, NDArray[np.uint64]]) -> NDArray[np.int64]:
        counts = np.zeros(shape, np.int64)
        leaves, symbols = np.zeros((2, CELLS), np.int32)
        count_symbols(*some, order.ranks, model.tree, workspace(), leaves, symbols, counts)
        return counts

    spaced = [read(some) for some in _spaced(planes, COUNTED_PLANES, 512)]
    return Model(order, questions, _frequencies(np.sum(list(run(counted, spaced)), axis=0)))


def grow(
    order: Order,
    planes: int,
    cells: int,
    read: Reading,
    leaves: int | None = None,
    sampled: int | None = None,
    run: Run = map,
) -> tuple[NDArray[np.int64], float]:
    """The questions worth asking, by level; and the bits a cell they leave.

    At most so many leaves, learnt from about so many sampled cells.
    """
    most = leaves or next(most for least, most in LEAVES if cells >= least)
    sampled = sampled or min(CELLS_A_LEAF * most, max(cells // SAMPLED, LEAST_SAMPLE))
    wanted = max(1, min(planes, round(planes * sampled / max(cells, 1))))
    growth = _Growth(_sampled(order, np.concatenate(list(_spaced(planes, wanted, planes))), read))
    scale = cells / max(growth.cells, 1)
    most = min(most, MOST_FREQUENCIES // (order.illegal + 1) - 1)
    growth.grow(most, GAIN / max(scale, 1e-9), run)
    return growth.questions(), growth.bits()


def _spaced(planes: int, wanted: int, at_once: int) -> Iterator[NDArray[np.int64]]:
    """About so many of the planes, evenly spaced, some at once."""
    step = max(1, planes // max(wanted, 1))
    chosen = np.arange(min(step // 2, planes - 1) if planes else 0, planes, step)
    yield from (chosen[i : i + at_once] for i in range(0, len(chosen), at_once))


def _sampled(order: Order, planes: NDArray[np.int64], read: Reading) -> NDArray[np.uint8]:
    """The features of the legal cells of some planes, and their symbols behind them."""
    ranks, legal = read(planes)
    cells = int(np.bitwise_count(legal).sum())
    rows = np.zeros((cells, FEATURES + 1), np.uint8)
    symbols = np.zeros(cells, np.int64)
    sample(ranks, legal, order.ranks, workspace(), rows, symbols)
    counts = np.bincount(symbols)
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    rows[:, FEATURES] = np.minimum(place, KINDS - 1)[symbols]
    return rows


class _Growth:
    """A tree that grows where a question gains most bits."""

    def __init__(self, rows: NDArray[np.uint8]) -> None:
        self._rows = rows
        self.cells = len(rows)
        self._kinds = int(rows[:, FEATURES].max(initial=0)) + 1
        self._xlogx = _xlogx(self.cells)
        self._asked: dict[int, tuple[int, int, int]] = {}  # [node]: feature, bin, first child
        self._heap: list[tuple[float, int, int, int, int, int]] = []
        self._nodes = 1
        heapq.heappush(self._heap, self._look((0, 0, self.cells)))

    def grow(self, leaves: int, gain: float, run: Run) -> None:
        """At most so many leaves, as long as a question gains so many bits."""
        while self._nodes < 2 * leaves - 1 and -self._heap[0][0] > gain:
            _, node, first, stop, feature, bound = heapq.heappop(self._heap)
            middle = part(first, stop, feature, bound, self._rows)
            yes, no = self._nodes, self._nodes + 1
            self._asked[node] = feature, bound, yes
            halves = (yes, first, middle), (no, middle, stop)
            for leaf in (run if stop - first > SHARED else map)(self._look, halves):
                heapq.heappush(self._heap, leaf)
            self._nodes += 2

    def questions(self) -> NDArray[np.int64]:
        """See `Model.questions`."""
        level, rows = [0], []
        for node in level:  # grows as it is read
            feature, bound, child = self._asked.get(node, (-1, 0, 0))
            rows.append((feature, bound))
            if feature >= 0:
                level += [child, child + 1]
        return np.array(rows, np.int64)

    def bits(self) -> float:
        """The bits a cell of the sample takes in the leaves, their tables roughly included."""
        total = 0.0
        for _, _, first, stop, _, _ in self._heap:
            counts = np.bincount(self._rows[first:stop, FEATURES])
            counts = counts[counts > 0]
            total += _xlogx(stop - first)[-1] - (counts * np.log2(counts)).sum() + 8 * len(counts)
        return total / max(self.cells, 1)

    def _look(self, leaf: tuple[int, int, int]) -> tuple[float, int, int, int, int, int]:
        """A leaf, its first and last cell, with the best question for it."""
        node, first, stop = leaf
        kinds, found = self._kinds, np.zeros(3)
        room = (
            np.zeros((BINS, kinds), np.int32),
            np.zeros(kinds, np.int64),
            np.zeros(kinds, np.int64),
        )
        best_split(first, stop, self._rows, self._xlogx, *room, found)
        gain, feature, bound = found.tolist()
        return -gain, node, first, stop, int(feature), int(bound)


def _xlogx(most: int) -> NDArray[np.float64]:
    numbers = np.arange(most + 1, dtype=np.float64)
    numbers[1:] *= np.log2(numbers[1:])
    return numbers


def _frequencies(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Frequencies that sum to FULL, with a row more for the escaped symbols."""
    escaped = np.ones(counts.shape[1], np.int64)
    escaped[-1] = 0
    rows = []
    for row in counts:
        rare = (row > 0) & (row < RARE)
        escaped += np.where(rare, row, 0)
        kept = np.where(rare, 0, row)
        kept[-1] = max(1, int(row[rare].sum()))
        rows.append(_scaled(kept))
    return np.stack([*rows, _scaled(escaped)])


def _scaled(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The counts in proportion, none of them lost, with FULL as their sum."""
    scaled = np.where(counts > 0, np.maximum(1, counts * FULL // counts.sum()), 0)
    while (rest := FULL - int(scaled.sum())) != 0:
        most = int(scaled.argmax())
        scaled[most] += max(rest, -(int(scaled[most]) // 2))
    return scaled
