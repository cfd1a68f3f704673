"""The decoder of a model, built step by step from its tree and its tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.coders import FREQUENCY_SUM, Decoder, Tables
from unmove.kernels.codec.features import (
    FEATURE_PLACES,
    FIRST_POSITION_FEATURE,
    OFFSETS,
    PREDICTED_LOSS,
    PREDICTED_WIN,
    STATE_FEATURES,
)
from unmove.kernels.codec.growth import DRAW_BIN, LOSS_BIN, NEAR
from unmove.kernels.codec.loading import MANTISSA
from unmove.kernels.codec.ranks import (
    DRAWN_RANKS,
    DREW,
    FIRST_WIN_SYMBOL,
    GAP,
    LOST,
    NOTHING,
    WON,
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
    rows_in_lines,
)
from unmove.store.codec.model import Model, starts_of


def in_lines(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """The rows, flat, with every four of them in two lines of the processor's cache."""
    out = rows_in_lines(len(rows))
    out[:] = rows
    return out.ravel()


class _Nodes(NamedTuple):
    """The nodes of a binary tree. A leaf is its own child."""

    question: NDArray[np.int64]  # [node]: offset, base, limit
    yes: NDArray[np.int64]  # [node]: a node
    no: NDArray[np.int64]  # [node]: a node
    leaf: NDArray[np.int64]  # [node]: the number of the leaf; -1 if it is none


def _nodes_of(nodes: NDArray[np.int64]) -> _Nodes:
    """The nodes of `tree_of`. Questions about slots are reversed: yes and no are exchanged."""
    offset, mask, base, limit, child = nodes.T
    ends, of_slot = child <= 0, (child > 0) & (mask == 0)
    question = np.stack((offset, base, limit), axis=1)
    question[of_slot] = np.stack((0 * offset, offset, -limit - 1), axis=1)[of_slot]
    question[ends] = 0, NIL, 0
    own = np.arange(len(nodes))
    yes, no = np.where(ends, own, child + of_slot), np.where(ends, own, child + 1 - of_slot)
    return _Nodes(question, yes, no, np.where(ends, -child, -1))


def tree_of(nodes: NDArray[np.int64], starts: NDArray[np.int64]) -> Tree:
    """The tree of these nodes; starts[key]: a node to begin at, an even number of steps down.

    A node is offset, mask, base, limit and child. The child is the node after a yes; the node
    after a no comes next. A leaf has minus its number as child. The mask is 0 if the offset is the
    number of a slot, -1 if it is counted from the place.
    """
    question, yes, no, leaf = _nodes_of(nodes)
    level = np.array([0, *[len(nodes) - 1] * 3])  # filled up by leaves, so that fours are aligned
    found, listed, end = [level], [], len(level)
    while len(level):
        asks = leaf[level] < 0
        own = end - len(level) + np.arange(len(level))
        following = np.where(asks, end + 4 * (np.cumsum(asks) - 1), own)
        questions = question[level], question[yes[level]], question[no[level]]
        listed.append(np.column_stack((*questions, following, leaf[level])))
        level = level[asks]
        after = yes[yes[level]], no[yes[level]], yes[no[level]], no[no[level]]
        level = np.stack(after, axis=1).ravel()
        found.append(level)
        end += len(level)
    rows = np.zeros((end, ROW), np.int16)
    rows[:, : LEAF + 1] = np.concatenate(listed).astype(np.uint16).view(np.int16)
    row_of = np.zeros(len(nodes), np.uint16)
    row_of[np.concatenate(found)] = np.arange(end)
    return Tree(in_lines(rows), row_of[starts])


def _question(feature: int, bound: int, order: RankOrder) -> tuple[int, int, int, int]:
    """`feature <= bound` as (offset, mask, base, limit) of a node, see `tree_of`.

    The limit fills up the bits of the class, so that only ranks are compared.
    """
    if feature >= FIRST_POSITION_FEATURE:
        number = feature - FIRST_POSITION_FEATURE
        return int(FEATURE_PLACES[number]), -int(number < STATE_FEATURES), NIL, bound
    if feature == PREDICTED_WIN:
        return WIN, 0, NIL, UNIT * bound + UNIT - 1
    if feature == PREDICTED_LOSS:
        return LOSS, 0, NIL, UNIT * (order.wins + DRAWN_RANKS + 2 * GAP + bound) + UNIT - 1
    if bound == 0:
        base, kind, rank = NIL, NOTHING, -1
    elif bound <= 2 * NEAR:
        base, kind, rank = WIN, WON, bound - 1 - NEAR
    elif bound < DRAW_BIN:
        base, kind, rank = NIL, NOTHING, order.wins + GAP - 1
    elif bound < LOSS_BIN:
        base, kind, rank = NIL, NOTHING, order.wins + GAP + bound - DRAW_BIN
    else:
        base, kind, rank = LOSS, LOST, bound - LOSS_BIN - NEAR
    return int(OFFSETS[feature]), -1, base, UNIT * rank + UNIT - 1 - kind


def tree_of_model(model: Model) -> Tree:
    """The questions of a model as the kernels ask them."""
    leaf, order = model.questions[:, 0] < 0, model.order.for_kernels
    asked = [
        _question(each, at_most, order) if each >= 0 else (0, 0, 0, 0)
        for each, at_most in model.questions.tolist()
    ]
    child = np.where(leaf, 1 - np.cumsum(leaf), 2 * np.cumsum(~leaf) - 1)
    return tree_of(np.column_stack((np.array(asked, np.int64), child)), starts_of(model.questions))


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


def frequency_of(weight: NDArray[np.int64]) -> NDArray[np.int64]:
    """The frequency of each weight: itself below 8, else its first three bits and their shift."""
    shift = (weight >> MANTISSA).clip(1) - 1
    frequency: NDArray[np.int64] = (weight - (shift << MANTISSA)) << shift
    return frequency


def tables_of_model(model: Model) -> Tables:
    """The symbols and frequencies of a model as the kernels use them."""
    first = np.concatenate(([0], np.cumsum(model.sizes)))
    frequency = frequency_of(model.weights.astype(np.int64))
    frequency[model.weights == 0] = FREQUENCY_SUM - np.add.reduceat(frequency, first[:-1])
    leaf = np.repeat(np.arange(len(model.sizes)), model.sizes)
    order = np.argsort((leaf + 1) * FREQUENCY_SUM - frequency, kind="stable")
    frequency = frequency[order]
    begin = np.cumsum(frequency) - frequency - leaf * FREQUENCY_SUM
    return Tables(first, Symbols(model.symbols[order]), frequency, begin)
