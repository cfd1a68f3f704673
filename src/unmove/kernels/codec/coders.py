"""What the encoder and the decoder of `rans.py` read, built from a tree and tables of symbols."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.ranks import RankOrder, Symbols, distances, escape_symbol
from unmove.kernels.codec.tree import (
    AWAY,
    FREQUENCY,
    FREQUENCY_STEP,
    LEAF,
    REST_BITS,
    REST_HIGH,
    REST_LOW,
    ROW,
    SLOT,
    SLOT_STEP,
    Tree,
    in_lines,
)

FREQUENCY_BITS = 15
FREQUENCY_SUM = 1 << FREQUENCY_BITS  # of a leaf's symbols
INVERSE_BITS = 47  # see `rans.push_entry`


class Tables(NamedTuple):
    """The symbols of each leaf, most frequent first; the last leaf is that of escaped symbols."""

    first: NDArray[np.int64]  # [leaf]: its first entry; one more entry closes the last leaf
    symbol: Symbols  # [entry]
    frequency: NDArray[np.int64]  # [entry]
    begin: NDArray[np.int64]  # [entry]: the sum of the frequencies of the leaf's earlier entries


class Encoder(NamedTuple):
    """What an encoder needs."""

    order: RankOrder
    tree: Tree
    tables: Tables
    entry: NDArray[np.int32]  # [leaf, symbol]: its entry; -1 if it must be escaped
    inverse: NDArray[np.uint64]  # [entry]: 2 ** INVERSE_BITS / frequency, rounded up: no division


class Decoder(NamedTuple):
    """What a decoder needs. An entry has all that is told of a symbol in one place.

    A leaf's two most frequent symbols are also in its row, so that mostly no more is read.
    """

    order: RankOrder
    tree: Tree
    entries: NDArray[np.int16]  # [4 * entry + i]: begin, frequency - 1, slot (0: escape), away
    escaped: int  # the first entry of escaped symbols


def encoder_of(tree: Tree, tables: Tables, order: RankOrder) -> Encoder:
    """The encoder of a tree and tables."""
    leaves = len(tables.first) - 1
    entry = np.full((leaves, escape_symbol(order) + 1), -1, np.int32)
    leaf = np.repeat(np.arange(leaves), np.diff(tables.first))
    entry[leaf, tables.symbol] = np.arange(len(tables.symbol))
    inverse = (-(-(1 << INVERSE_BITS) // tables.frequency)).astype(np.uint64)
    return Encoder(order, tree, tables, entry, inverse)


def decoder_of(tree: Tree, tables: Tables, order: RankOrder) -> Decoder:
    """The decoder of a tree and tables."""
    slot, away = distances(tables.symbol, order)
    slot = np.where(tables.symbol == escape_symbol(order), 0, slot)
    columns = tables.begin, tables.frequency - 1, slot, away
    entries = np.stack(columns, axis=1).astype(np.int16)
    rows = tree.rows.reshape(-1, ROW).copy()
    leaf = np.flatnonzero(rows[:, LEAF] >= 0)
    first, end = tables.first[rows[leaf, LEAF]], tables.first[rows[leaf, LEAF] + 1]
    for i in range(2):
        _, frequency, slot, away = entries[np.minimum(first + i, end - 1)].T
        rows[leaf, FREQUENCY + i * FREQUENCY_STEP] = frequency
        rows[leaf, SLOT + i * SLOT_STEP] = slot
        rows[leaf, AWAY + i * SLOT_STEP] = away
    rest = first + 2
    rows[leaf, REST_LOW], rows[leaf, REST_HIGH] = rest & ((1 << REST_BITS) - 1), rest >> REST_BITS
    return Decoder(order, Tree(in_lines(rows), tree.starts), entries.ravel(), int(tables.first[-2]))
