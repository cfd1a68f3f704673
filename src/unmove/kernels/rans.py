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

from unmove.kernels.contexts import (
    BOARDS,
    CELLS,
    EXTRA,
    ONE,
    Ranks,
    Tree,
    distances,
    go_on,
    leaves_of,
    prepare,
    rank_of,
    seek,
    start,
    symbol_of,
    value_at,
    value_of,
)
from unmove.kernels.jit import inlined, kernel

LANE = 64 * BOARDS  # cells
BITS = 15
FULL = 1 << BITS
FILLED = 1 << 16

Cells = NDArray[np.uint8] | NDArray[np.uint16]


class Tables(NamedTuple):
    """The symbols of each leaf, most frequent first; the last leaf is that of escaped symbols."""

    first: NDArray[np.int64]  # [leaf]: its first entry
    symbol: NDArray[np.int64]  # [entry]
    frequency: NDArray[np.int64]  # [entry]
    begin: NDArray[np.int64]  # [entry]: the frequencies of the leaf before it
    entry: NDArray[np.int32]  # [leaf, symbol]: its entry; -1 if it must be escaped
    inverse: NDArray[np.uint64]  # [entry]: 2 ** 47 / frequency, rounded up
    packed: NDArray[np.int16]  # [4 * entry + i]: begin, frequency - 1, slot (0: escape), away


def tables_of(
    first: NDArray[np.int64],
    symbol: NDArray[np.int64],
    frequency: NDArray[np.int64],
    begin: NDArray[np.int64],
    entry: NDArray[np.int32],
    r: Ranks,
) -> Tables:
    """The tables with what makes them fast: no division, and one row for all that is decoded."""
    inverse = -(-(1 << 47) // frequency)
    slot, away = distances(symbol, r)
    slot = np.where(symbol == entry.shape[1] - 1, 0, slot)
    packed = np.zeros((len(symbol) + 1, 4), np.int16)  # one more, as two are read at a time
    packed[:-1] = np.stack((begin, frequency - 1, slot, away), axis=1)
    return Tables(first, symbol, frequency, begin, entry, inverse.astype(np.uint64), packed.ravel())


@inlined
def model_plane(
    ranks: Cells,
    legal: NDArray[np.uint64],
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
    one, two = space, space[EXTRA:]
    start(r, one)
    start(r, two)
    n, m = 0, LANE
    outer = board = begun = outer_there = board_there = begun_there = 0
    here = there = 64
    while begun_there < BOARDS or here < 64 or there < 64:
        outer, board, here, begun = go_on(
            0, outer, board, here, begun, there, begun_there, legal, p, r, one
        )
        outer_there, board_there, there, begun_there = go_on(
            1, outer_there, board_there, there, begun_there, here, begun, legal, p, r, two
        )
        if here < 64 or there < 64:
            place, key = prepare(here, board, one)
            other, other_key = prepare(there, board_there, two)
            leaf, leaf_there = leaves_of(place, key, other, other_key, tree, one, two)
            if here < 64:
                rank = int(np.int64(ranks[p, np.uint64(outer * 64 + here)]))
                put(rank, leaf, n, place, r, one, leaves, symbols)
                n += 1
                here = seek(here + 1, legal[p, np.uint64(outer)], board, r, one)
            if there < 64:
                rank = int(np.int64(ranks[p, np.uint64(outer_there * 64 + there)]))
                put(rank, leaf_there, m, other, r, two, leaves, symbols)
                m += 1
                there = seek(there + 1, legal[p, np.uint64(outer_there)], board_there, r, two)
    return n, m


@inlined
def put(
    rank: int,
    leaf: int,
    i: int,
    place: int,
    r: Ranks,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
) -> None:
    """leaves[i] and symbols[i] of a cell, which is now known."""
    leaves[np.uint64(i)] = leaf
    symbols[np.uint64(i)] = symbol_of(rank, r, space)
    space[np.uint64(place)] = value_of(rank, r)


@inlined
def is_drawn(ranks: Cells, legal: NDArray[np.uint64], p: int, r: Ranks) -> bool:
    """Whether all legal cells of a plane are draws."""
    for cell in range(CELLS):
        if ranks[p, cell] != r.wins and (legal[p, cell >> 6] >> np.uint64(cell & 63)) & ONE:
            return False
    return True


@kernel
def count_symbols(
    ranks: Cells,
    legal: NDArray[np.uint64],
    r: Ranks,
    tree: Tree,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """counts[leaf, symbol] += how often, in planes that are coded."""
    for p in range(ranks.shape[0]):
        if is_drawn(ranks, legal, p, r):
            continue
        n, m = model_plane(ranks, legal, p, r, tree, space, leaves, symbols)
        for first, stop in ((0, n), (LANE, m)):
            for i in range(first, stop):
                counts[np.uint64(leaves[i]), np.uint64(symbols[i])] += 1


@inlined
def push(entry: int, state: int, t: Tables, out: NDArray[np.uint16], at: int) -> tuple[int, int]:
    """The state and the end of `out` (which grows downwards) after one more entry.

    With f the frequency, the state is below f * 2 ** 17 when it is divided, so that its product
    with the inverse fits 64 bits, and is too large by less than 2 ** 47 / f.
    """
    f = t.frequency[np.uint64(entry)]
    if state >= f << 17:
        at -= 1
        out[np.uint64(at)] = np.uint16(state & 0xFFFF)
        state >>= 16
    quotient = np.int64((np.uint64(state) * t.inverse[np.uint64(entry)]) >> np.uint64(47))
    return state + quotient * (FULL - f) + t.begin[np.uint64(entry)], at


@inlined
def encode_lane(
    first: int,
    stop: int,
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
    t: Tables,
    buffer: NDArray[np.uint16],
    out: NDArray[np.uint16],
    end: int,
) -> int:
    """out[end:] = the words of a lane, whose cells are first .. stop-1; returns the new end."""
    last = t.first.shape[0] - 2
    escape = t.entry.shape[1] - 1
    state, at = 0, buffer.shape[0]
    for i in range(stop - 1, first - 1, -1):
        leaf, symbol = np.uint64(leaves[np.uint64(i)]), np.uint64(symbols[np.uint64(i)])
        entry = int(t.entry[leaf, symbol])
        if entry < 0:
            state, at = push(int(t.entry[last, symbol]), state, t, buffer, at)
            entry = int(t.entry[leaf, escape])
        state, at = push(entry, state, t, buffer, at)
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
    ranks: Cells,
    legal: NDArray[np.uint64],
    r: Ranks,
    tree: Tree,
    t: Tables,
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
        if is_drawn(ranks, legal, p, r):
            continue
        n, m = model_plane(ranks, legal, p, r, tree, space, leaves, symbols)
        for lane, first, stop in ((0, 0, n), (1, LANE, m)):
            sizes[p, lane] = encode_lane(first, stop, leaves, symbols, t, buffer, out, end) - end
            end += sizes[p, lane]
    return end


@inlined
def is_after(low: int, entry: int, t: Tables) -> bool:
    """Whether the low bits of a state are those of a later entry of the leaf."""
    begin = int(t.packed[np.uint64(4 * entry)])
    return low > begin + int(t.packed[np.uint64(4 * entry + 1)])


@inlined
def refill(state: int, words: NDArray[np.uint16], at: int, stop: int) -> tuple[int, int]:
    """The state, with a word moved in if there is room and a word, and where the next word is."""
    if state < FILLED and at < stop:
        return (state << 16) | int(np.int64(words[np.uint64(at)])), at + 1
    return state, at


@inlined
def pop(
    leaf: int,
    state: int,
    words: NDArray[np.uint16],
    at: int,
    stop: int,
    t: Tables,
    space: NDArray[np.int16],
) -> tuple[int, int, int]:
    """The value of a cell in a leaf, the state, and where the next word is."""
    while True:
        low = state & (FULL - 1)
        entry = int(t.first[np.uint64(leaf)])
        second = is_after(low, entry, t)  # a third of the time: a branch would be mispredicted
        third = second & is_after(low, entry + 1, t)
        entry += int(second) + int(third)
        while is_after(low, entry, t):
            entry += 1
        at_row = 4 * entry
        frequency = int(t.packed[np.uint64(at_row + 1)]) + 1
        state = frequency * (state >> BITS) + low - int(t.packed[np.uint64(at_row)])
        state, at = refill(state, words, at, stop)
        slot = int(t.packed[np.uint64(at_row + 2)])
        if slot:
            away = int(t.packed[np.uint64(at_row + 3)])
            return value_at(slot, away, space), state, at
        leaf = t.first.shape[0] - 2  # which has no escape


@inlined
def decode_plane(
    words: NDArray[np.uint16],
    first: int,
    middle: int,
    last: int,
    legal: NDArray[np.uint64],
    p: int,
    r: Ranks,
    tree: Tree,
    t: Tables,
    space: NDArray[np.int16],
    out: Cells,
) -> bool:
    """out[p] = the ranks of the plane whose lanes are words[first:middle] and words[middle:last].

    Returns whether they can be what was written.
    """
    one, two = space, space[EXTRA:]
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
            0, outer, board, here, begun, there, begun_there, legal, p, r, one
        )
        outer_there, board_there, there, begun_there = go_on(
            1, outer_there, board_there, there, begun_there, here, begun, legal, p, r, two
        )
        if here < 64 or there < 64:
            place, key = prepare(here, board, one)
            other, other_key = prepare(there, board_there, two)
            leaf, leaf_there = leaves_of(place, key, other, other_key, tree, one, two)
            if here < 64:
                value, state, at = pop(leaf, state, words, at, middle, t, one)
                one[np.uint64(place)] = value
                out[p, np.uint64(outer * 64 + here)] = rank_of(value)
                here = seek(here + 1, legal[p, np.uint64(outer)], board, r, one)
            if there < 64:
                value, state_there, at_there = pop(
                    leaf_there, state_there, words, at_there, last, t, two
                )
                two[np.uint64(other)] = value
                out[p, np.uint64(outer_there * 64 + there)] = rank_of(value)
                there = seek(there + 1, legal[p, np.uint64(outer_there)], board_there, r, two)
    return at == middle and at_there == last and (state | state_there) == 0


@kernel
def decode(
    words: NDArray[np.uint16],
    planes: int,
    wanted: NDArray[np.int64],
    legal: NDArray[np.uint64],
    r: Ranks,
    tree: Tree,
    t: Tables,
    space: NDArray[np.int16],
    illegal: int,
    out: Cells,
) -> int:
    """out[p] = the ranks of the plane wanted[p] of a block of so many planes, given its cells.

    The block's words are the sizes of its planes' lanes, and the lanes; they fit. Returns -1, or
    the number of a plane that cannot be what was written.
    """
    for p in range(wanted.shape[0]):
        for outer in range(64):
            for inner in range(64):
                here = (legal[p, outer] >> np.uint64(inner)) & ONE
                out[p, outer * 64 + inner] = r.wins if here else illegal
        first, lane = 2 * planes, 2 * wanted[p]
        for i in range(lane):
            first += int(np.int64(words[i]))
        middle = first + int(np.int64(words[lane]))
        last = middle + int(np.int64(words[lane + 1]))
        if last > first and not decode_plane(
            words, first, middle, last, legal, p, r, tree, t, space, out
        ):
            return int(wanted[p])
    return -1
