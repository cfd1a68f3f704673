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
    GAP,
    LOSS,
    NEAR_LOSSES,
    NEAR_WINS,
    NIL,
    OFFSETS,
    WIN,
    Ranks,
    Tree,
    workspace,
)
from unmove.kernels.growth import BINS, DRAW_BIN, FEATURES, LOSS_BIN, best_split, part, sample
from unmove.kernels.rans import FULL, Tables, count_symbols
from unmove.store.order import Order
from unmove.store.table import CellArray

SAMPLE_CELLS = 400_000  # to learn the tree from
COUNTED_PLANES = 5_000  # to learn the frequencies from
LEAVES = ((5_000_000, 512), (0, 256))  # at most, from so many cells on
GAIN = 150.0  # bits a question must save in the table to be asked
LAST_BIN = LOSS_BIN + 2 * NEAR_LOSSES  # of a neighbour: "at most that" would be no question
KINDS = 64  # symbols told apart when the tree is learnt; the others count as one
RARE = 3  # a symbol seen less often in a leaf is escaped
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
        return Tree(nodes)

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
        return Tables(
            first=np.array(first, np.int64),
            symbol=np.concatenate(symbols).astype(np.int64),
            frequency=np.concatenate(found).astype(np.int64),
            begin=np.concatenate(begins).astype(np.int64),
            entry=entry,
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
        children = 2 * np.cumsum(inner) - 1
        sound = (
            inner.sum() * 2 + 1 == len(inner)
            and (features < FEATURES).all()
            and (bins < np.where(features == len(OFFSETS), BINS - 1, LAST_BIN)).all()
            and (children[inner] > np.flatnonzero(inner)).all()
            and (self.frequencies >= 0).all()
            and (self.frequencies.sum(axis=1) == FULL).all()
            and self.frequencies[-1, -1] == 0
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


def _question(feature: int, bound: int, r: Ranks) -> tuple[int, int, int, int]:
    """`feature <= bound` as (offset, mask, base, threshold) of a node, see `contexts.Tree`."""
    if feature == len(OFFSETS):
        return WIN, 0, NIL, bound
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


def learn(order: Order, planes: int, cells: int, read: Reading) -> Model:
    """A model of so many planes and legal cells, learnt from evenly spaced planes."""
    questions, _ = grow(order, planes, cells, read)
    symbols = order.ranks.wins + order.ranks.losses + 3
    counts = np.zeros(((len(questions) + 1) // 2, symbols + 1), np.int64)
    model = Model(order, questions, counts)
    room = workspace(), np.zeros(4096, np.int32), np.zeros(4096, np.int32)
    for some in _spaced(planes, COUNTED_PLANES, 512):
        ranks, legal = read(some)
        count_symbols(ranks, legal, order.ranks, model.tree, *room, counts)
    return Model(order, questions, _frequencies(counts))


def grow(
    order: Order,
    planes: int,
    cells: int,
    read: Reading,
    leaves: int | None = None,
    sampled: int = SAMPLE_CELLS,
) -> tuple[NDArray[np.int64], float]:
    """The questions worth asking, by level; and the bits a cell they leave.

    At most so many leaves, learnt from about so many sampled cells.
    """
    wanted = max(1, min(planes, round(planes * sampled / max(cells, 1))))
    features, symbols = _sampled(order, np.concatenate(list(_spaced(planes, wanted, planes))), read)
    growth = _Growth(features, symbols)
    scale = cells / max(len(symbols), 1)
    most = leaves or next(most for least, most in LEAVES if cells >= least)
    growth.grow(most, GAIN / max(scale, 1e-9))
    return growth.questions(), growth.bits()


def _spaced(planes: int, wanted: int, at_once: int) -> Iterator[NDArray[np.int64]]:
    """About so many of the planes, evenly spaced, some at once."""
    step = max(1, planes // max(wanted, 1))
    chosen = np.arange(min(step // 2, planes - 1) if planes else 0, planes, step)
    yield from (chosen[i : i + at_once] for i in range(0, len(chosen), at_once))


def _sampled(
    order: Order, planes: NDArray[np.int64], read: Reading
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    ranks, legal = read(planes)
    cells = int(np.bitwise_count(legal).sum())
    features = np.zeros((FEATURES, cells), np.uint8)
    symbols = np.zeros(cells, np.int64)
    sample(ranks, legal, order.ranks, workspace(), features, symbols)
    kinds, inverse, counts = np.unique(symbols, return_inverse=True, return_counts=True)
    place = np.empty(len(kinds), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(kinds))
    return features, np.minimum(place, KINDS - 1)[inverse.ravel()]


class _Growth:
    """A tree that grows where a question gains most bits."""

    def __init__(self, features: NDArray[np.uint8], symbols: NDArray[np.int64]) -> None:
        self._features = features
        self._symbols = symbols
        self._order = np.arange(len(symbols))
        kinds = int(symbols.max(initial=0)) + 1
        self._room = (
            _xlogx(len(symbols)),
            np.zeros((BINS, kinds), np.int64),
            np.zeros(kinds, np.int64),
            np.zeros(kinds, np.int64),
        )
        self._asked: dict[int, tuple[int, int, int]] = {}  # [node]: feature, bin, first child
        self._heap: list[tuple[float, int, int, int, int, int]] = []
        self._nodes = 1
        self._look(0, 0, len(symbols))

    def grow(self, leaves: int, gain: float) -> None:
        """At most so many leaves, as long as a question gains so many bits."""
        while self._nodes < 2 * leaves - 1 and -self._heap[0][0] > gain:
            _, node, first, stop, feature, bound = heapq.heappop(self._heap)
            middle = part(first, stop, bound, self._features[feature], self._order)
            self._asked[node] = feature, bound, self._nodes
            self._look(self._nodes, first, middle)
            self._look(self._nodes + 1, middle, stop)
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
            counts = np.bincount(self._symbols[self._order[first:stop]])
            counts = counts[counts > 0]
            total += _xlogx(stop - first)[-1] - (counts * np.log2(counts)).sum() + 8 * len(counts)
        return total / max(len(self._symbols), 1)

    def _look(self, node: int, first: int, stop: int) -> None:
        """A leaf more, with the best question for it."""
        found = np.zeros(3)
        best_split(first, stop, self._order, self._features, self._symbols, *self._room, found)
        gain, feature, bound = found.tolist()
        heapq.heappush(self._heap, (-gain, node, first, stop, int(feature), int(bound)))


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
