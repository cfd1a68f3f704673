"""From the arrays of a model to what the decoder reads, in one pass over its nodes and symbols.

`coders.py` and `tree.py` define the result. A probe of a table that was just opened waits for this,
and a model has a hundred thousand symbols.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.coders import FREQUENCY_SUM
from unmove.kernels.codec.features import (
    FEATURE_PLACES,
    FIRST_POSITION_FEATURE,
    OFFSETS,
    PREDICTED_LOSS,
    PREDICTED_WIN,
    STATE_FEATURES,
)
from unmove.kernels.codec.growth import DRAW_BIN, LOSS_BIN, NEAR
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
)
from unmove.kernels.codec.scratch import LOSS, NIL, UNIT, WIN
from unmove.kernels.codec.tree import (
    AWAY,
    FREQUENCY,
    FREQUENCY_STEP,
    LEAF,
    NEXT,
    NO_QUESTION,
    OWN_QUESTION,
    QUESTION_BASE,
    QUESTION_LIMIT,
    REST_BITS,
    REST_HIGH,
    REST_LOW,
    SLOT,
    SLOT_STEP,
    YES_QUESTION,
)
from unmove.kernels.jit import inlined, kernel

MANTISSA = 2  # bits of a frequency after the first
LARGEST_WEIGHT = 60  # of a frequency below FREQUENCY_SUM


class ModelArrays(NamedTuple):
    """A model as its file has it, see `store/codec/model.py`."""

    questions: NDArray[np.int64]  # [node]: feature and bound; -1 and 0 for a leaf
    sizes: NDArray[np.int64]  # [leaf]: how many symbols it has
    symbols: Symbols  # [entry]
    weights: NDArray[np.uint8]  # [entry]


class LoadedModel(NamedTuple):
    """Room for a decoder, and for what is noted on the way. There are 4 rows a node at most."""

    rows: NDArray[np.int16]  # [row, column]: see `tree.py`; zeros before
    entries: NDArray[np.int16]  # [entry, i]: see `coders.Decoder`
    row_of: NDArray[np.int32]  # [node]: its last row
    child: NDArray[np.int32]  # [node]: the first of its children; minus the number of a leaf
    first: NDArray[np.int32]  # [leaf]: its first entry; one more entry closes the last leaf
    node_of: NDArray[np.int32]  # [row]
    symbols: NDArray[np.int32]  # [entry]: the leaves' symbols, most frequent first
    begins: NDArray[np.int32]  # [weight]: where the entries of a leaf with this weight begin


@inlined
def frequency_of_weight(weight: int) -> int:
    """Itself below 8, else its first three bits and their shift."""
    shift = max(weight >> MANTISSA, 1) - 1
    return (weight - (shift << MANTISSA)) << shift


@kernel
def read_symbols(
    sizes: NDArray[np.int64],
    low: NDArray[np.uint8],
    high: NDArray[np.uint8],
    weights: NDArray[np.uint8],
    escape: int,
    symbols: Symbols,
) -> bool:
    """symbols = the symbols of each leaf, from the steps between them: low and high bytes.

    Returns whether a decoder can do with them: the symbols of a leaf rise, none is beyond the
    escape, which the last leaf does not have; one weight of a leaf is 0, and the others leave it a
    frequency.
    """
    entry = 0
    for leaf in range(sizes.shape[0]):
        last = escape - int(leaf == sizes.shape[0] - 1)
        symbol, rests, left = -1, 0, FREQUENCY_SUM
        for i in range(sizes[leaf]):
            step = int(low[entry]) + 256 * int(high[entry])
            before = symbol
            symbol = step if i == 0 else symbol + step
            if symbol <= before or symbol > last or weights[entry] > LARGEST_WEIGHT:
                return False
            rests += int(weights[entry] == 0)
            left -= frequency_of_weight(int(np.int64(weights[entry])))
            symbols[entry] = symbol
            entry += 1
        if rests != 1 or left <= 0:
            return False
    return True


@kernel
def build_decoder(model: ModelArrays, order: RankOrder, out: LoadedModel) -> int:
    """out.rows and out.entries are those of the model's decoder. Returns the number of rows."""
    number_nodes(model, out)
    entry = 0
    for leaf in range(model.sizes.shape[0]):
        out.first[leaf] = entry
        stop = entry + int(model.sizes[leaf])
        sort_leaf(entry, stop, model, out)
        describe_leaf(entry, stop, order, out)
        entry = stop
    out.first[model.sizes.shape[0]] = entry
    last = model.questions.shape[0] - 1
    out.node_of[0] = 0
    for row in range(1, 4):
        out.node_of[row] = last  # a leaf, so that fours are aligned
    row, end = 0, 4
    while row < end:
        end = fill_row(row, end, model, order, out)
        row += 1
    return end


@inlined
def number_nodes(model: ModelArrays, out: LoadedModel) -> None:
    """out.child = the children of the nodes, and the numbers of the leaves."""
    inner, leaves = 0, 0
    for node in range(model.questions.shape[0]):
        if model.questions[node, 0] < 0:
            out.child[node] = -leaves
            leaves += 1
        else:
            out.child[node] = 2 * inner + 1
            inner += 1


@inlined
def sort_leaf(first: int, stop: int, model: ModelArrays, out: LoadedModel) -> None:
    """A leaf's symbols and frequencies, less one, are there, most frequent first.

    They are counted by weight, as larger weights are larger frequencies. The one that has what the
    others leave stands apart from that order.
    """
    begins, left, rest = out.begins, FREQUENCY_SUM, first
    for weight in range(LARGEST_WEIGHT + 1):
        begins[weight] = 0
    for entry in range(first, stop):
        weight = int(np.int64(model.weights[entry]))
        begins[weight] += 1
        left -= frequency_of_weight(weight)
        rest = entry if weight == 0 else rest
    place = first
    for weight in range(LARGEST_WEIGHT, 0, -1):
        place += begins[weight]
        begins[weight] = place - begins[weight]
    before = first
    for entry in range(first, stop):
        weight = int(np.int64(model.weights[entry]))
        frequency = frequency_of_weight(weight)
        if weight:
            follows = frequency < left or (frequency == left and entry > rest)
            before += 1 - int(follows)
            put_symbol(begins[weight] + int(follows), frequency, model.symbols[entry], out)
            begins[weight] += 1
    put_symbol(before, left, model.symbols[rest], out)


@inlined
def put_symbol(to: int, frequency: int, symbol: int, out: LoadedModel) -> None:
    """An entry has a symbol and its frequency, less one."""
    out.entries[to, 1] = frequency - 1
    out.symbols[to] = symbol


@inlined
def describe_leaf(first: int, stop: int, order: RankOrder, out: LoadedModel) -> None:
    """The entries of a leaf have the slot each symbol is counted from, and how far away it is.

    `ranks.value_from` undoes this. Draws are counted from NIL, which holds 0.
    """
    begin, losses = 0, FIRST_WIN_SYMBOL + order.wins
    for entry in range(first, stop):
        symbol = int(out.symbols[entry])
        if symbol < FIRST_WIN_SYMBOL:
            slot, away = NIL, UNIT * (order.wins + GAP + symbol) + DREW + symbol
        else:
            folded = symbol - (FIRST_WIN_SYMBOL if symbol < losses else losses)
            slot = WIN if symbol < losses else LOSS
            away = UNIT * ((folded >> 1) ^ -(folded & 1))
        out.entries[entry, 0] = begin
        out.entries[entry, 2] = 0 if symbol == losses + order.losses else slot
        out.entries[entry, 3] = away
        begin += int(out.entries[entry, 1]) + 1


@inlined
def fill_row(row: int, end: int, model: ModelArrays, order: RankOrder, out: LoadedModel) -> int:
    """out.rows[row] is that of its node. The rows that follow are noted; returns their end."""
    node = int(out.node_of[row])
    out.row_of[node] = row
    if model.questions[node, 0] < 0:
        fill_leaf(row, -int(out.child[node]), out)
        return end
    yes, no = children(node, model, out)
    put_question(row, OWN_QUESTION, node, model, order, out)
    put_question(row, YES_QUESTION, yes, model, order, out)
    put_question(row, NO_QUESTION, no, model, order, out)
    out.rows[row, NEXT] = end
    out.rows[row, LEAF] = -1
    out.node_of[end], out.node_of[end + 1] = children(yes, model, out)
    out.node_of[end + 2], out.node_of[end + 3] = children(no, model, out)
    return end + 4


@inlined
def children(node: int, model: ModelArrays, out: LoadedModel) -> tuple[int, int]:
    """The nodes after a yes and after a no, as a row asks; a leaf is its own child.

    A question about a slot is reversed.
    """
    feature = int(model.questions[node, 0])
    if feature < 0:
        return node, node
    child, reverse = int(out.child[node]), int(is_slot(feature))
    return child + reverse, child + 1 - reverse


@inlined
def is_slot(feature: int) -> bool:
    """Whether a feature is in a slot, and not counted from the place."""
    if feature in (PREDICTED_WIN, PREDICTED_LOSS):
        return True
    return feature >= FIRST_POSITION_FEATURE + STATE_FEATURES


@inlined
def put_question(
    row: int, column: int, node: int, model: ModelArrays, order: RankOrder, out: LoadedModel
) -> None:
    """The three columns of a row have the question of a node; of a leaf, one that is always yes."""
    feature, bound = int(model.questions[node, 0]), int(model.questions[node, 1])
    offset, base, limit = 0, NIL, 0
    if feature >= 0:
        offset, base, limit = question_of(feature, bound, order)
        if is_slot(feature):
            offset, base, limit = 0, offset, -limit - 1
    out.rows[row, column] = offset
    out.rows[row, column + QUESTION_BASE] = base
    out.rows[row, column + QUESTION_LIMIT] = limit


@inlined
def question_of(feature: int, bound: int, order: RankOrder) -> tuple[int, int, int]:
    """`feature <= bound` as offset, base and limit.

    The limit fills up the bits of the class, so that only ranks are compared.
    """
    if feature >= FIRST_POSITION_FEATURE:
        return int(FEATURE_PLACES[feature - FIRST_POSITION_FEATURE]), NIL, bound
    if feature == PREDICTED_WIN:
        return WIN, NIL, UNIT * bound + UNIT - 1
    if feature == PREDICTED_LOSS:
        return LOSS, NIL, UNIT * (order.wins + DRAWN_RANKS + 2 * GAP + bound) + UNIT - 1
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
    return int(OFFSETS[feature]), base, UNIT * rank + UNIT - 1 - kind


@inlined
def fill_leaf(row: int, leaf: int, out: LoadedModel) -> None:
    """out.rows[row] is that of a leaf: it follows itself, and has its two first symbols."""
    first, stop = int(out.first[leaf]), int(out.first[leaf + 1])
    for column in (OWN_QUESTION, YES_QUESTION, NO_QUESTION):
        out.rows[row, column + QUESTION_BASE] = NIL
    out.rows[row, NEXT] = row
    out.rows[row, LEAF] = leaf
    for i in range(2):
        entry = min(first + i, stop - 1)
        out.rows[row, FREQUENCY + i * FREQUENCY_STEP] = out.entries[entry, 1]
        out.rows[row, SLOT + i * SLOT_STEP] = out.entries[entry, 2]
        out.rows[row, AWAY + i * SLOT_STEP] = out.entries[entry, 3]
    out.rows[row, REST_LOW] = (first + 2) & ((1 << REST_BITS) - 1)
    out.rows[row, REST_HIGH] = (first + 2) >> REST_BITS
