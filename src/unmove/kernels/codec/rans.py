"""Coding a plane's symbols in the contexts of `contexts.py`: range asymmetric numeral systems.

Every leaf has a table of its symbols with frequencies that sum to 2 ** 15. The coder's state is a
number below 2 ** 32; a symbol of frequency f that starts at c changes it to

    (state // f) * 2 ** 15 + c + state % f

after 16 bits were moved out, if that would not fit. Decoding undoes this, so the symbols are coded
last to first. A symbol that is rare in a leaf is coded as ESCAPE and then in the last table, which
has all of them. The state begins as 0, which is therefore where a sound decoding must end. Until
it is 2 ** 16 for the first time no bits have been moved out, so a decoder that moves them in again
below that needs only to know how many there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.contexts import (
    BOARDS,
    CELLS,
    FREQUENCY,
    FREQUENCY_STEP,
    LANES,
    LEAF,
    ONE,
    REST,
    REST_MORE,
    ROW,
    SLOT,
    SLOT_STEP,
    Ranks,
    Tree,
    distances,
    go_on,
    in_lines,
    leaves_of,
    next_of,
    prepare,
    rank_of,
    start,
    symbol_of,
    value_at,
    value_of,
)
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import set_up
from unmove.kernels.codec.scratch import BOARD, EXTRA, PLACE
from unmove.kernels.jit import inlined, kernel

LANE = 64 * BOARDS  # cells
BITS = 15
FULL = 1 << BITS
FILLED = 1 << 16
MORE = 255  # in a size: another byte follows

CellNumbers = NDArray[np.uint8] | NDArray[np.uint16]


class Tables(NamedTuple):
    """The symbols of each leaf, most frequent first; the last leaf is that of escaped symbols."""

    first: NDArray[np.int64]  # [leaf]: its first entry; and where the last one's end
    symbol: NDArray[np.int64]  # [entry]
    frequency: NDArray[np.int64]  # [entry]
    begin: NDArray[np.int64]  # [entry]: the frequencies of the leaf before it


class Encoder(NamedTuple):
    """What an encoder needs."""

    tree: Tree
    tables: Tables
    entry: NDArray[np.int32]  # [leaf, symbol]: its entry; -1 if it must be escaped
    inverse: NDArray[np.uint64]  # [entry]: 2 ** 47 / frequency, rounded up: no division


class Decoder(NamedTuple):
    """What a decoder needs: the tree, and all that is told by an entry in one place.

    A leaf's two most frequent symbols are in its row, so that mostly no more is read.
    """

    tree: Tree
    entries: NDArray[np.int16]  # [4 * entry + i]: begin, frequency - 1, slot (0: escape), away
    escaped: int  # the first entry of escaped symbols


def encoder_of(tree: Tree, t: Tables, symbols: int) -> Encoder:
    """What codes with a tree and tables of so many symbols, the escape included."""
    leaves = len(t.first) - 1
    entry = np.full((leaves, symbols), -1, np.int32)
    entry[np.repeat(np.arange(leaves), np.diff(t.first)), t.symbol] = np.arange(len(t.symbol))
    return Encoder(tree, t, entry, (-(-(1 << 47) // t.frequency)).astype(np.uint64))


def decoder_of(tree: Tree, t: Tables, r: Ranks) -> Decoder:
    """What undoes coding with a tree and tables."""
    slot, away = distances(t.symbol, r)
    slot = np.where(t.symbol == r.wins + r.losses + 3, 0, slot)
    entries = np.stack((t.begin, t.frequency - 1, slot, away), axis=1).astype(np.int16)
    rows = tree.rows.reshape(-1, ROW).copy()
    leaf = np.flatnonzero(rows[:, LEAF] >= 0)
    first, end = t.first[rows[leaf, LEAF]], t.first[rows[leaf, LEAF] + 1]
    for i in range(2):
        told = entries[np.minimum(first + i, end - 1)]
        rows[leaf, FREQUENCY + i * FREQUENCY_STEP] = told[:, 1]
        rows[leaf, SLOT + i * SLOT_STEP] = told[:, 2]
        rows[leaf, SLOT + i * SLOT_STEP + 1] = told[:, 3]
    rows[leaf, REST], rows[leaf, REST_MORE] = (first + 2) & (FULL - 1), (first + 2) >> BITS
    return Decoder(Tree(in_lines(rows), tree.starts), entries.ravel(), int(t.first[-2]))


@inlined
def model_plane(
    ranks: CellNumbers,
    known: PlaneFacts,
    p: int,
    r: Ranks,
    tree: Tree,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
) -> tuple[int, int]:
    """leaves[i] and symbols[i] of a plane's legal cells: one lane from 0 on, one from LANE on.

    Returns where they end.
    """
    one, two, legal = space, space[EXTRA:], known.legal
    set_up(p, known, space)
    start(r, one)
    start(r, two)
    n, m = 0, LANE
    outer = board = begun = outer_there = board_there = begun_there = 0
    here = there = 64
    while begun_there < BOARDS or here < 64 or there < 64:
        outer, board, here, begun = go_on(
            0, outer, board, here, begun, there, begun_there, legal, p, one
        )
        outer_there, board_there, there, begun_there = go_on(
            1, outer_there, board_there, there, begun_there, here, begun, legal, p, two
        )
        if here < 64 or there < 64:
            place, key = prepare(here, board, 0, one)
            other, other_key = prepare(there, board_there, 1, two)
            row, row_there = leaves_of(place, key, other, other_key, tree, one, two)
            if here < 64:
                rank = int(np.int64(ranks[p, np.uint64(outer * 64 + here)]))
                put(rank, row, n, place, r, tree, one, leaves, symbols)
                n += 1
                here = next_of(here, legal[p, np.uint64(outer)])
            if there < 64:
                rank = int(np.int64(ranks[p, np.uint64(outer_there * 64 + there)]))
                put(rank, row_there, m, other, r, tree, two, leaves, symbols)
                m += 1
                there = next_of(there, legal[p, np.uint64(outer_there)])
    return n, m


@inlined
def put(
    rank: int,
    row: int,
    i: int,
    place: int,
    r: Ranks,
    tree: Tree,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
) -> None:
    """leaves[i] and symbols[i] of a cell, which is now known, and whose leaf has a row."""
    leaves[np.uint64(i)] = tree.rows[np.uint64(row * ROW + LEAF)]
    symbols[np.uint64(i)] = symbol_of(rank, r, space)
    space[np.uint64(place)] = value_of(rank, r)


@inlined
def is_drawn(ranks: CellNumbers, legal: NDArray[np.uint64], p: int, r: Ranks) -> bool:
    """Whether all legal cells of a plane are draws."""
    for cell in range(CELLS):
        if ranks[p, cell] != r.wins and (legal[p, cell >> 6] >> np.uint64(cell & 63)) & ONE:
            return False
    return True


@kernel
def count_symbols(
    ranks: CellNumbers,
    known: PlaneFacts,
    r: Ranks,
    tree: Tree,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """counts[leaf, symbol] += how often, in planes that are coded."""
    for p in range(ranks.shape[0]):
        if is_drawn(ranks, known.legal, p, r):
            continue
        n, m = model_plane(ranks, known, p, r, tree, space, leaves, symbols)
        for first, stop in ((0, n), (LANE, m)):
            for i in range(first, stop):
                counts[np.uint64(leaves[i]), np.uint64(symbols[i])] += 1


@inlined
def push(entry: int, state: int, e: Encoder, out: NDArray[np.uint16], at: int) -> tuple[int, int]:
    """The state and the end of `out` (which grows downwards) after one more entry.

    With f the frequency, the state is below f * 2 ** 17 when it is divided, so that its product
    with the inverse fits 64 bits, and is too large by less than 2 ** 47 / f.
    """
    f = e.tables.frequency[np.uint64(entry)]
    if state >= f << 17:
        at -= 1
        out[np.uint64(at)] = np.uint16(state & 0xFFFF)
        state >>= 16
    quotient = np.int64((np.uint64(state) * e.inverse[np.uint64(entry)]) >> np.uint64(47))
    return state + quotient * (FULL - f) + e.tables.begin[np.uint64(entry)], at


@inlined
def encode_lane(
    first: int,
    stop: int,
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
    e: Encoder,
    buffer: NDArray[np.uint16],
    out: NDArray[np.uint16],
    end: int,
) -> int:
    """out[end:] = the words of a lane, whose cells are first .. stop-1; returns the new end."""
    last, escape = e.entry.shape[0] - 1, e.entry.shape[1] - 1
    state, at = 0, buffer.shape[0]
    for i in range(stop - 1, first - 1, -1):
        leaf, symbol = np.uint64(leaves[np.uint64(i)]), np.uint64(symbols[np.uint64(i)])
        entry = int(e.entry[leaf, symbol])
        if entry < 0:
            state, at = push(int(e.entry[last, symbol]), state, e, buffer, at)
            entry = int(e.entry[leaf, escape])
        state, at = push(entry, state, e, buffer, at)
    if state >= FILLED:
        out[end] = state >> 16
        end += 1
    out[end] = state & 0xFFFF
    end += 1
    for i in range(at, buffer.shape[0]):
        out[end + i - at] = buffer[i]
    return int(end + buffer.shape[0] - at)


@kernel
def encode(
    ranks: CellNumbers,
    known: PlaneFacts,
    r: Ranks,
    e: Encoder,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
    buffer: NDArray[np.uint16],
    out: NDArray[np.uint16],
    sizes: NDArray[np.int64],
) -> int:
    """out = the lanes' words, sizes[plane, lane] = how many there are; returns how many in all.

    A plane without any cell but draws has none.
    """
    end = 0
    for p in range(ranks.shape[0]):
        sizes[p, 0] = sizes[p, 1] = 0
        if is_drawn(ranks, known.legal, p, r):
            continue
        n, m = model_plane(ranks, known, p, r, e.tree, space, leaves, symbols)
        for lane, first, stop in ((0, 0, n), (1, LANE, m)):
            sizes[p, lane] = encode_lane(first, stop, leaves, symbols, e, buffer, out, end) - end
            end += sizes[p, lane]
    return end


@inlined
def find(low: int, entry: int, entries: NDArray[np.int16]) -> tuple[int, int, int, int]:
    """The entry of a leaf, from this one on, that a state has with these low bits."""
    at = np.uint64(4 * entry)
    while low > int(entries[at]) + int(entries[at + ONE]):
        at += np.uint64(4)
    begin, last = int(entries[at]), int(entries[at + ONE])
    return begin, last, int(entries[at + np.uint64(2)]), int(entries[at + np.uint64(3)])


@inlined
def refill(state: int, words: NDArray[np.uint16], at: int, stop: int) -> tuple[int, int]:
    """The state, with a word moved in if there is room and a word, and where the next word is."""
    if state < FILLED and at < stop:
        return (state << 16) | int(np.int64(words[np.uint64(at)])), at + 1
    return state, at


@inlined
def pop(
    row: int,
    state: int,
    words: NDArray[np.uint16],
    at: int,
    stop: int,
    d: Decoder,
    space: NDArray[np.int16],
) -> tuple[int, int, int]:
    """The value of a cell in the leaf of a row, the state, and where the next word is."""
    rows, first = d.tree.rows, row * ROW
    low = state & (FULL - 1)
    begin = int(rows[np.uint64(first + FREQUENCY)]) + 1
    second = int(low >= begin)  # a third of the time: a branch would be mispredicted
    begin &= -second
    last = int(rows[np.uint64(first + FREQUENCY + FREQUENCY_STEP * second)])
    slot = int(rows[np.uint64(first + SLOT + SLOT_STEP * second)])
    away = int(rows[np.uint64(first + SLOT + SLOT_STEP * second + 1)])
    if low > begin + last:
        more = int(rows[np.uint64(first + REST_MORE)]) << BITS
        rest = more | int(rows[np.uint64(first + REST)])
        begin, last, slot, away = find(low, rest, d.entries)
    state, at = refill((last + 1) * (state >> BITS) + low - begin, words, at, stop)
    if slot == 0:
        low = state & (FULL - 1)
        begin, last, slot, away = find(low, d.escaped, d.entries)
        state, at = refill((last + 1) * (state >> BITS) + low - begin, words, at, stop)
    return value_at(slot, away, space), state, at


@inlined
def decode_plane(
    words: NDArray[np.uint16],
    first: int,
    middle: int,
    last: int,
    known: PlaneFacts,
    p: int,
    r: Ranks,
    d: Decoder,
    space: NDArray[np.int16],
) -> bool:
    """space = the values of the plane whose lanes are words[first:middle] and words[middle:last].

    Returns whether they can be what was written.
    """
    one, two, legal = space, space[EXTRA:], known.legal
    set_up(p, known, space)
    start(r, one)
    start(r, two)
    state, at = refill(0, words, first, middle)
    state, at = refill(state, words, at, middle)
    state_there, at_there = refill(0, words, middle, last)
    state_there, at_there = refill(state_there, words, at_there, last)
    outer = board = begun = outer_there = board_there = begun_there = 0
    here = there = 64
    while begun_there < BOARDS or here < 64 or there < 64:
        outer, board, here, begun = go_on(
            0, outer, board, here, begun, there, begun_there, legal, p, one
        )
        outer_there, board_there, there, begun_there = go_on(
            1, outer_there, board_there, there, begun_there, here, begun, legal, p, two
        )
        if here < 64 or there < 64:
            place, key = prepare(here, board, 0, one)
            other, other_key = prepare(there, board_there, 1, two)
            row, row_there = leaves_of(place, key, other, other_key, d.tree, one, two)
            if here < 64:
                value, state, at = pop(row, state, words, at, middle, d, one)
                one[np.uint64(place)] = value
                here = next_of(here, legal[p, np.uint64(outer)])
            if there < 64:
                value, state_there, at_there = pop(
                    row_there, state_there, words, at_there, last, d, two
                )
                two[np.uint64(other)] = value
                there = next_of(there, legal[p, np.uint64(outer_there)])
    return at == middle and at_there == last and (state | state_there) == 0


@inlined
def copy_ranks(
    legal: NDArray[np.uint64], p: int, illegal: int, space: NDArray[np.int16], out: CellNumbers
) -> None:
    """out[p] = the ranks of a plane whose values are in the work space."""
    for row in range(CELLS // 8):
        first = int(PLACE[np.uint64(row >> 3)] * BOARD + PLACE[np.uint64(8 * (row & 7))])
        cells = legal[p, np.uint64(row >> 3)] >> np.uint64(8 * (row & 7))
        for i in range(8):
            rank = rank_of(int(space[np.uint64(first + i)]))
            there = (cells >> np.uint64(i)) & ONE
            out[p, np.uint64(8 * row + i)] = rank if there else illegal


@inlined
def lane_bounds(sizes: NDArray[np.uint8], bounds: NDArray[np.int64]) -> bool:
    """bounds[lane] = where a lane's words begin, and at the end where the last ones end.

    A size is the sum of bytes up to the first that is not MORE; words begin at the next even byte.
    Returns whether there are as many words as that.
    """
    lanes, at, words = bounds.shape[0] - 1, 0, 0
    for lane in range(lanes):
        bounds[lane] = words
        while at < sizes.shape[0] and sizes[at] == MORE:
            words += MORE
            at += 1
        if at == sizes.shape[0]:
            return False
        words += int(np.int64(sizes[at]))
        at += 1
    first = (at + 1) >> 1
    bounds[lanes] = words
    for lane in range(lanes + 1):
        bounds[lane] += first
    return bool(2 * bounds[lanes] == sizes.shape[0]) and (at & 1 == 0 or sizes[at] == 0)


@kernel
def decode(
    sizes: NDArray[np.uint8],
    words: NDArray[np.uint16],
    wanted: NDArray[np.int64],
    known: PlaneFacts,
    r: Ranks,
    d: Decoder,
    space: NDArray[np.int16],
    bounds: NDArray[np.int64],
    illegal: int,
    out: CellNumbers,
) -> int:
    """out[p] = the ranks of the plane wanted[p] of a block, given what is known of it.

    The block is there as bytes, with the sizes of its planes' lanes, and as words; there is room
    for the bounds of its lanes. Returns -1; or the number of a plane that cannot be what was
    written, or of planes if they do not fit.
    """
    legal = known.legal
    if not lane_bounds(sizes, bounds):
        return int(bounds.shape[0] // LANES)
    for p in range(wanted.shape[0]):
        lane = LANES * wanted[p]
        first, middle, last = bounds[lane], bounds[lane + 1], bounds[lane + 2]
        if last == first:
            for cell in range(CELLS):
                there = (legal[p, cell >> 6] >> np.uint64(cell & 63)) & ONE
                out[p, cell] = r.wins if there else illegal
        elif decode_plane(words, first, middle, last, known, p, r, d, space):
            copy_ranks(legal, p, illegal, space, out)
        else:
            return int(wanted[p])
    return -1
