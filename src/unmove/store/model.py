"""The model of a table: the tree of contexts, and each context's symbols. Learnt, written, read.

What it does is said in `kernels/contexts.py` and `kernels/rans.py`, what its bytes mean in
docs/format.md. Learning is the same whatever the number of threads, so files are too.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.kernels.contexts import (
    CELLS,
    CLASSES,
    GAP,
    KEYS,
    KINGS,
    LOSS,
    NEAR_LOSSES,
    NEAR_WINS,
    NEAREST,
    NIL,
    OFFSETS,
    WIN,
    Ranks,
    Tree,
    tree_of,
    workspace,
)
from unmove.kernels.growth import (
    BINS,
    DRAW_BIN,
    FEATURES,
    LOSS_BIN,
    PREDICTION,
    best_split,
    part,
    sample,
)
from unmove.kernels.rans import FULL, Tables, count_symbols, tables_of
from unmove.store.order import Order
from unmove.store.table import CellArray, Run

SAMPLED = 4  # one cell of so many is enough to learn the tree from
LEAST_SAMPLE = 200_000  # cells
CELLS_A_LEAF = 500  # sampled at most, on average
COUNTED_PLANES = 5_000  # to learn the frequencies from
LEAVES = ((50_000_000, 4096), (5_000_000, 2048), (0, 1024))  # at most, from so many cells on
GAIN = 300.0  # bits a question must save in the table to be asked; about what a leaf takes
LAST_BINS = np.array([*[LOSS_BIN + 2 * NEAR_LOSSES] * PREDICTION, BINS - 1, 7, 7, 7, 7])
"""By feature; "at most that" would be no question."""
KINDS = 64  # symbols told apart when the tree is learnt; the others count as one
RARE = 3  # a symbol seen less often in a leaf is escaped
SHARED = 5_000  # cells of a leaf from which on its halves are looked at side by side
MOST_LEAVES = 1 << 12
MOST_FREQUENCIES = 1 << 22  # leaves times symbols
LARGEST = 1 << 24  # bytes of a model
_HEAD = struct.Struct("<IIII")

Reading = Callable[[NDArray[np.int64]], tuple[CellArray, NDArray[np.uint64]]]
"""Ranks and legal cells of the planes with these numbers among the kept ones."""


@dataclass(frozen=True)
class Model:
    """questions[i]: feature and bin of the i-th inner node; -1 and 0 for a leaf. By level.

    The inner nodes have their children next to each other, in order: those of the i-th inner node
    are 2i + 1 (at most `bin`) and 2i + 2. frequencies[leaf, symbol]; the last row is for escaped
    symbols, the last column for the escape.
    """

    order: Order
    questions: NDArray[np.int64]
    frequencies: NDArray[np.int64]

    @cached_property
    def tree(self) -> Tree:
        """The questions as the kernels ask them."""
        nodes = np.zeros((len(self.questions), 5), np.int16)
        inner = leaf = 0
        for node, (feature, bound) in enumerate(self.questions.tolist()):
            if feature < 0:
                nodes[node, 4], leaf = -leaf, leaf + 1
            else:
                nodes[node] = (*_question(feature, bound, self.order.ranks), 2 * inner + 1)
                inner += 1
        return tree_of(nodes, _starts(self.questions))

    @cached_property
    def tables(self) -> Tables:
        """The frequencies as the kernels use them: by leaf, most frequent first."""
        entry = np.full(self.frequencies.shape, -1, np.int32)
        first, symbols, found, begins = [0], [], [], []
        for leaf, row in enumerate(self.frequencies):
            used = np.flatnonzero(row)
            used = used[np.argsort(-row[used], kind="stable")]
            entry[leaf, used] = np.arange(first[-1], first[-1] + len(used))
            first.append(first[-1] + len(used))
            symbols.append(used)
            found.append(row[used])
            begins.append(np.cumsum(row[used]) - row[used])
        return tables_of(
            first=np.array(first, np.int64),
            symbol=np.concatenate(symbols).astype(np.int64),
            frequency=np.concatenate(found).astype(np.int64),
            begin=np.concatenate(begins).astype(np.int64),
            entry=entry,
            r=self.order.ranks,
        )

    def to_bytes(self) -> bytes:
        """The modl section."""
        used = self.frequencies > 0
        counts = used.sum(axis=1)
        symbols = np.nonzero(used)[1]
        steps = np.concatenate([np.diff(row, prepend=0) for row in _rows(symbols, counts)])
        found = self.frequencies[used]
        features = np.where(self.questions[:, 0] < 0, 255, self.questions[:, 0])
        arrays = (
            features.astype(np.uint8),
            self.questions[:, 1].astype(np.uint8),
            counts.astype("<u2"),
            steps.astype("<u2"),
            (found >> 8).astype(np.uint8),
            (found & 255).astype(np.uint8),
        )
        leaves, symbols_ = self.frequencies.shape
        text = _HEAD.pack(leaves - 1, symbols_ - 1, *self.order.start) + b"".join(
            array.tobytes() for array in arrays
        )
        return zstandard.ZstdCompressor(19, write_checksum=False).compress(text)

    @classmethod
    def from_bytes(cls, data: bytes, order: Order) -> Model:
        """The model of a modl section; ValueError if it is none."""
        text = _unpacked(data)
        if len(text) < _HEAD.size:
            raise ValueError("its model is truncated")
        leaves, symbols, *start = _HEAD.unpack_from(text)
        ranks = order.ranks
        if not 1 <= leaves <= MOST_LEAVES or symbols != ranks.wins + ranks.losses + 3:
            raise ValueError("its model does not fit it")
        if (leaves + 1) * (symbols + 1) > MOST_FREQUENCIES:
            raise ValueError("its model is too large")
        if start[0] >= max(ranks.wins, 1) or start[1] >= max(ranks.losses, 1):
            raise ValueError("its model does not fit it")
        take = _Taker(text, _HEAD.size)
        nodes = 2 * leaves - 1
        features, bins = take(np.uint8, nodes), take(np.uint8, nodes)
        counts = take(np.uint16, leaves + 1)
        steps = take(np.uint16, int(counts.sum()))
        high, low = take(np.uint8, len(steps)), take(np.uint8, len(steps))
        take.end()
        rows = [np.cumsum(row) for row in _rows(steps, counts)]
        frequencies = np.zeros((leaves + 1, symbols + 1), np.int64)
        for leaf, (used, found) in enumerate(
            zip(rows, _rows(high * 256 + low, counts), strict=True)
        ):
            if not len(used) or used[-1] > symbols or (np.diff(used) < 1).any() or not found.all():
                raise ValueError("its model has impossible symbols")
            frequencies[leaf, used] = found
        questions = np.stack([np.where(features == 255, -1, features), bins], axis=1)
        model = cls(Order(order.wins, order.losses, (start[0], start[1])), questions, frequencies)
        model._check()
        return model

    def _check(self) -> None:
        """Nothing in it can lead a kernel astray; ValueError otherwise."""
        inner = self.questions[:, 0] >= 0
        features, bins = self.questions[inner].T
        children: NDArray[np.int64] = 2 * np.cumsum(inner) - 1
        sound = (
            inner.sum() * 2 + 1 == len(inner)
            and (features < FEATURES).all()
            and (bins < LAST_BINS[features]).all()
            and (children[inner] > np.flatnonzero(inner)).all()
            and (self.frequencies >= 0).all()
            and (self.frequencies.sum(axis=1) == FULL).all()
            and not self.frequencies[-1, -1:].any()
        )
        if not sound:
            raise ValueError("its model is impossible")


class _Taker:
    """Arrays from a text, one after the other; ValueError where it is too short."""

    def __init__(self, text: bytes, at: int) -> None:
        self._text = text
        self._at = at

    def __call__(self, kind: type[np.uint8] | type[np.uint16], length: int) -> NDArray[np.int64]:
        size = length * np.dtype(kind).itemsize
        part = self._text[self._at : self._at + size]
        if len(part) < size:
            raise ValueError("its model is truncated")
        self._at += size
        return np.frombuffer(part, np.dtype(kind).newbyteorder("<")).astype(np.int64)

    def end(self) -> None:
        if self._at != len(self._text):
            raise ValueError("its model is too long")


def _unpacked(data: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size > LARGEST:
            raise ValueError("its model is too large")
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(f"its model cannot be read ({error})") from error


def _rows(values: NDArray[np.int64], counts: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The values cut into rows of so many each."""
    yield from np.split(values, np.cumsum(counts)[:-1])


def _starts(questions: NDArray[np.int64]) -> NDArray[np.int64]:
    """[key]: the node behind what the classes of the nearest neighbours answer; see `Tree`.

    It is an even number of questions away from the first, and behind the last key is a leaf.
    """
    feature, bound = questions.T
    child = 2 * np.cumsum(feature >= 0) - 1
    slot = np.full(FEATURES + 1, -1)
    slot[list(NEAREST[::-1])] = np.arange(len(NEAREST))
    first = np.array([0, 1, DRAW_BIN, DRAW_BIN + 1, DRAW_BIN + 2, LOSS_BIN])
    last = np.array([*(first[1:] - 1), LOSS_BIN + 2 * NEAR_LOSSES])
    keys = np.arange(KEYS)
    (node, start), going = np.zeros((2, KEYS), np.int64), np.ones(KEYS, np.bool_)
    for depth in range(1, len(questions)):
        asked = slot[feature[node]]
        kind = np.minimum(keys >> 3 * asked.clip(0) & 7, CLASSES - 1)
        yes, no = last[kind] <= bound[node], first[kind] > bound[node]
        going = going & (asked >= 0) & (yes | no)
        if not going.any():
            break
        node = np.where(going, child[node] + no, node)
        start = np.where(going & (depth % 2 == 0), node, start)
    return np.append(start, np.flatnonzero(feature < 0)[-1])


def _question(feature: int, bound: int, r: Ranks) -> tuple[int, int, int, int]:
    """`feature <= bound` as (offset, mask, base, threshold) of a node, see `contexts.Tree`."""
    if feature >= PREDICTION:
        return (WIN if feature == PREDICTION else KINGS + feature - PREDICTION - 1), 0, NIL, bound
    if bound == 0:
        base, threshold = NIL, -1
    elif bound <= 2 * NEAR_WINS:
        base, threshold = WIN, bound - 1 - NEAR_WINS
    elif bound < DRAW_BIN:
        base, threshold = NIL, r.wins + GAP - 1
    elif bound < LOSS_BIN:
        base, threshold = NIL, r.wins + GAP + bound - DRAW_BIN
    else:
        base, threshold = LOSS, bound - LOSS_BIN - NEAR_LOSSES
    return int(OFFSETS[feature]), -1, base, threshold


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
