"""The model of a table: the tree of contexts, and each context's symbols.

What it does is said in `kernels/contexts.py` and `kernels/rans.py`, what its bytes mean in
docs/format.md; it is learnt in `learning.py`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.kernels.contexts import (
    CLASSES,
    GAP,
    KEYS,
    KINGS,
    LOSS,
    LOST,
    NEAR_LOSSES,
    NEAR_WINS,
    NEAREST,
    NIL,
    NOTHING,
    OFFSETS,
    UNIT,
    WIN,
    WON,
    Ranks,
    Tree,
    tree_of,
)
from unmove.kernels.growth import (
    BINS,
    DRAW_BIN,
    FEATURES,
    LOSS_BIN,
    PREDICTION,
)
from unmove.kernels.rans import FULL, Decoder, Tables, decoder_of
from unmove.store.order import Order

LAST_BINS = np.array([*[LOSS_BIN + 2 * NEAR_LOSSES] * PREDICTION, BINS - 1, 7, 7, 7, 7])
"""By feature; "at most that" would be no question."""
MOST_LEAVES = 1 << 12
MOST_FREQUENCIES = 1 << 22  # leaves times symbols
LARGEST = 1 << 24  # bytes of a model
_HEAD = struct.Struct("<IIII")


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
        frequency = np.concatenate(found).astype(np.int64)
        return Tables(
            first=np.array(first, np.int64),
            symbol=np.concatenate(symbols).astype(np.int64),
            frequency=frequency,
            begin=np.concatenate(begins).astype(np.int64),
            entry=entry,
            inverse=(-(-(1 << 47) // frequency)).astype(np.uint64),
        )

    @cached_property
    def decoder(self) -> Decoder:
        """Both, as they are decoded with."""
        return decoder_of(self.tree, self.tables, self.order.ranks)

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
        kind = np.minimum(keys // UNIT ** asked.clip(0) % UNIT, CLASSES[-1])
        yes, no = last[kind] <= bound[node], first[kind] > bound[node]
        going = going & (asked >= 0) & (yes | no)
        if not going.any():
            break
        node = np.where(going, child[node] + no, node)
        start = np.where(going & (depth % 2 == 0), node, start)
    return np.append(start, np.flatnonzero(feature < 0)[-1])


def _question(feature: int, bound: int, r: Ranks) -> tuple[int, int, int, int]:
    """`feature <= bound` as (offset, mask, base, threshold) of a node, see `contexts.Tree`.

    A value is at most base + threshold if its rank is, whatever the classes.
    """
    if feature > PREDICTION:
        return KINGS + feature - PREDICTION - 1, 0, NIL, bound
    if feature == PREDICTION:
        return WIN, 0, NIL, UNIT * bound + UNIT - 1
    if bound == 0:
        base, kind, rank = NIL, NOTHING, -1
    elif bound <= 2 * NEAR_WINS:
        base, kind, rank = WIN, WON, bound - 1 - NEAR_WINS
    elif bound < DRAW_BIN:
        base, kind, rank = NIL, NOTHING, r.wins + GAP - 1
    elif bound < LOSS_BIN:
        base, kind, rank = NIL, NOTHING, r.wins + GAP + bound - DRAW_BIN
    else:
        base, kind, rank = LOSS, LOST, bound - LOSS_BIN - NEAR_LOSSES
    return int(OFFSETS[feature]), -1, base, UNIT * rank + UNIT - 1 - kind
