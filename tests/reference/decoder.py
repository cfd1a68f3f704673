"""The decoder of a model, built step by step from its tree and its tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.coders import Decoder, Tables
from unmove.kernels.codec.ranks import (
    DREW,
    FIRST_WIN_SYMBOL,
    GAP,
    RankOrder,
    Symbols,
    escape_symbol,
)
from unmove.kernels.codec.scratch import LOSS, NIL, UNIT, WIN
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


def distances(symbols: Symbols, order: RankOrder) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The slot each symbol is counted from, and its distance from it where the range has room.

    `value_from` undoes this. Draws are counted from NIL, which holds 0.
    """
    first = FIRST_WIN_SYMBOL + order.wins
    folded = symbols - np.where(symbols < first, FIRST_WIN_SYMBOL, first)
    away = UNIT * ((folded >> 1) ^ -(folded & 1))
    drawn = symbols < FIRST_WIN_SYMBOL
    slots = np.where(drawn, NIL, np.where(symbols < first, WIN, LOSS))
    return slots, np.where(drawn, UNIT * (order.wins + GAP + symbols) + DREW + symbols, away)
