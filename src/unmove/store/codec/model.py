"""The model of a table: the tree of contexts, and each context's symbols.

`kernels/codec/contexts.py` and `kernels/codec/rans.py` say what it does, docs/format.md what its
bytes mean. `learning.py` learns it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.kernels.codec.coders import (
    Decoder,
    Encoder,
    Tables,
    encoder_of,
)
from unmove.kernels.codec.contexts import KEYS
from unmove.kernels.codec.features import (
    FEATURE_LASTS,
    FEATURES,
    NEAREST,
    OFFSETS,
)
from unmove.kernels.codec.growth import BINS, DRAW_BIN, LOSS_BIN, NEAR
from unmove.kernels.codec.loading import (
    LARGEST_WEIGHT,
    MANTISSA,
    LoadedModel,
    ModelArrays,
    build_decoder,
    read_symbols,
)
from unmove.kernels.codec.ranks import (
    CLASSES,
    Symbols,
)
from unmove.kernels.codec.scratch import UNIT
from unmove.kernels.codec.tree import Tree, rows_in_lines
from unmove.store.codec.order import Order

LAST_BINS = np.array([*[LOSS_BIN + 2 * NEAR] * len(OFFSETS), BINS - 1, BINS - 1, *FEATURE_LASTS])
"""[feature]: its greatest number. To ask whether it is at most that would be no question."""
MOST_LEAVES = 1 << 14  # so that rows are numbered by 16 bits
LARGEST_MODEL = 1 << 24  # bytes
_HEAD = struct.Struct("<IIII")
_Taken = TypeVar("_Taken", np.uint8, np.uint16)


class _Loaded(NamedTuple):
    """A model as the kernels read it, and how many rows its tree has."""

    room: LoadedModel
    rows: int


@dataclass(frozen=True)
class Model:
    """The questions of the tree, and the symbols of its leaves.

    The inner nodes have their children next to each other, in order: those of the i-th inner node
    are the nodes 2i + 1 (the feature is at most the bound) and 2i + 2.
    """

    order: Order
    questions: NDArray[np.int64]
    """[node]: feature and bound; -1 and 0 for a leaf. Level by level."""
    sizes: NDArray[np.int64]
    """[leaf]: how many symbols it has. The last leaf is for escaped symbols."""
    symbols: Symbols
    """[entry]: the symbols of each leaf, ascending. The last symbol is the escape."""
    weights: NDArray[np.int64] | NDArray[np.uint8]
    """[entry]: a frequency, see `loading.py`. One of a leaf's is 0: it has what is left over."""

    @classmethod
    def of_questions(cls, order: Order, questions: NDArray[np.int64]) -> Model:
        """A model whose symbols are not known yet: each leaf has one."""
        leaves = (len(questions) + 1) // 2 + 1
        return cls(order, questions, np.ones(leaves, np.int64), *np.zeros((2, leaves), np.int64))

    @property
    def tree(self) -> Tree:
        """The questions as the kernels ask them."""
        return self.decoder.tree

    @property
    def tables(self) -> Tables:
        """The symbols and frequencies as the kernels use them."""
        room = self._loaded.room
        begin, less_one = room.entries[:, :2].astype(np.int64).T
        return Tables(
            room.first.astype(np.int64), Symbols(room.symbols.astype(np.int64)), less_one + 1, begin
        )

    @cached_property
    def encoder(self) -> Encoder:
        """What codes by this model."""
        return encoder_of(self.tree, self.tables, self.order.for_kernels)

    @cached_property
    def decoder(self) -> Decoder:
        """What decodes by this model."""
        room, rows = self._loaded
        starts = room.row_of[starts_of(self.questions)].astype(np.uint16)
        tree = Tree(room.rows[:rows].ravel(), starts)
        escaped = int(room.first[len(self.sizes) - 1])
        return Decoder(self.order.for_kernels, tree, room.entries.ravel(), escaped)

    @cached_property
    def _loaded(self) -> _Loaded:
        """What the kernels read, in one pass."""
        weights = self.weights.astype(np.uint8, copy=False)
        arrays = ModelArrays(self.questions, self.sizes, self.symbols, weights)
        nodes, leaves, entries = len(self.questions), len(self.sizes), len(self.symbols)
        rows = 4 + 4 * (nodes // 2)
        room = LoadedModel(
            rows=rows_in_lines(rows),
            entries=np.empty((entries, 4), np.int16),
            row_of=np.zeros(nodes, np.int32),
            child=np.empty(nodes, np.int32),
            first=np.empty(leaves + 1, np.int32),
            node_of=np.empty(rows, np.int32),
            symbols=np.empty(entries, np.int32),
            begins=np.empty(LARGEST_WEIGHT + 1, np.int32),
        )
        return _Loaded(room, build_decoder(arrays, self.order.for_kernels, room))

    def to_bytes(self) -> bytes:
        """The modl section."""
        features = np.where(self.questions[:, 0] < 0, 255, self.questions[:, 0])
        steps = np.diff(self.symbols, prepend=0)
        first = np.cumsum(self.sizes) - self.sizes
        steps[first] = self.symbols[first]
        arrays = (
            features.astype(np.uint8),
            self.questions[:, 1].astype(np.uint8),
            self.sizes.astype("<u2"),
            (steps & 255).astype(np.uint8),
            (steps >> 8).astype(np.uint8),
            self.weights.astype(np.uint8),
        )
        leaves = len(self.sizes) - 1
        text = _HEAD.pack(leaves, self.order.illegal, *self.order.usual) + b"".join(
            array.tobytes() for array in arrays
        )
        return zstandard.ZstdCompressor(19, write_checksum=False).compress(text)

    @classmethod
    def from_bytes(cls, data: bytes, order: Order) -> Model:
        """The model of a modl section; ValueError if it is none."""
        text = _unpacked(data)
        if len(text) < _HEAD.size:
            raise ValueError("its model is truncated")
        leaves, escape, win, loss = _HEAD.unpack_from(text)
        if not 1 <= leaves <= MOST_LEAVES or escape != order.illegal:
            raise ValueError("its model does not fit it")
        if win >= max(len(order.wins), 1) or loss >= max(len(order.losses), 1):
            raise ValueError("its model does not fit it")
        take = _Taker(text, _HEAD.size)
        nodes = 2 * leaves - 1
        features, bins = take(np.uint8, nodes), take(np.uint8, nodes)
        sizes = take(np.uint16, leaves + 1).astype(np.int64)
        entries = int(sizes.sum())
        low, high = take(np.uint8, entries), take(np.uint8, entries)
        weights = take(np.uint8, entries).copy()  # like those of a model that was learnt
        take.end()
        if not sizes.all():
            raise ValueError("its model has a leaf without symbols")
        symbols = Symbols(np.empty(entries, np.int64))
        sound = read_symbols(sizes, low, high, weights, order.illegal, symbols)
        if not sound or not _is_tree(features, bins):
            raise ValueError("its model is impossible")
        questions = np.empty((nodes, 2), np.int64)
        questions[:, 0], questions[:, 1] = features, bins
        questions[features == 255, 0] = -1
        order = replace(order, usual=(win, loss))
        return cls(order, questions, sizes, symbols, weights)


def weight_of(frequency: NDArray[np.int64]) -> NDArray[np.int64]:
    """The weight of the greatest frequency up to each of these that a weight can express."""
    shift = (np.frexp(frequency.astype(np.float64))[1] - 1 - MANTISSA).clip(0).astype(np.int64)
    return (frequency >> shift) + (shift << MANTISSA)


class _Taker:
    """Takes arrays from a text, one after the other; ValueError where it is too short."""

    def __init__(self, text: bytes, at: int) -> None:
        self._text = text
        self._at = at

    def __call__(self, kind: type[_Taken], length: int) -> NDArray[_Taken]:
        size = length * np.dtype(kind).itemsize
        if len(self._text) < self._at + size:
            raise ValueError("its model is truncated")
        little_endian = np.dtype(kind).newbyteorder("<")
        taken = np.frombuffer(self._text, little_endian, length, self._at)
        self._at += size
        return taken

    def end(self) -> None:
        if self._at != len(self._text):
            raise ValueError("its model is too long")


def _unpacked(data: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size > LARGEST_MODEL:
            raise ValueError("its model is too large")
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(f"its model cannot be read ({error})") from error


def _is_tree(features: NDArray[np.uint8], bins: NDArray[np.uint8]) -> bool:
    """Whether these are the nodes of a tree with questions that can be asked; 255 is a leaf."""
    inner = np.flatnonzero(features != 255)
    asked = features[inner]
    return bool(
        len(inner) * 2 + 1 == len(features)
        and (asked < FEATURES).all()
        and (bins[inner] < LAST_BINS[asked]).all()
        and (2 * np.arange(1, len(inner) + 1) - 1 > inner).all()
    )


def starts_of(questions: NDArray[np.int64]) -> NDArray[np.int64]:
    """[key]: the node after all leading questions that the nearest neighbours' classes decide.

    The walk starts there; see `Tree`. The node is an even number of questions away from the root.
    One more entry has a leaf.
    """
    feature, bound = questions.T
    child = 2 * np.cumsum(feature >= 0) - 1
    slot = np.full(FEATURES + 1, -1)
    slot[list(NEAREST[::-1])] = np.arange(len(NEAREST))
    first = np.array([0, 1, DRAW_BIN, DRAW_BIN + 1, DRAW_BIN + 2, LOSS_BIN])
    last = np.array([*(first[1:] - 1), LOSS_BIN + 2 * NEAR])
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
