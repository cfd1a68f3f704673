"""What the encoder and the decoder of `rans.py` read. `loading.py` builds the decoder."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.ranks import RankOrder, Symbols, escape_symbol
from unmove.kernels.codec.tree import Tree

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
