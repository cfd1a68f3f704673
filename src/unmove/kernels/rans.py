"""Coding a plane's symbols in the contexts of `contexts.py`: range asymmetric numeral systems.

Every leaf has a table of its symbols with frequencies that sum to 2 ** 15. The coder's state is a
number below 2 ** 32; a symbol of frequency f that starts at c changes it to

    (state // f) * 2 ** 15 + c + state % f

after 16 bits were moved out, if that would not fit. Decoding undoes this, so the symbols are coded
last to first. A symbol that is rare in a leaf is coded as ESCAPE and then in the last table, which
has all of them. The state begins as 2 ** 16, which is therefore where a sound decoding must end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.contexts import (
    CELLS,
    ONE,
    OUTSIDE,
    SPACE,
    Ranks,
    Tree,
    distances,
    leaves_of,
    prepare,
    seek,
    spaced,
    start,
    symbol_of,
    unspaced,
    value_of,
)
from unmove.kernels.jit import inlined, kernel

BITS = 15
FULL = 1 << BITS
STATE = 1 << 16

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
def model_planes(
    ranks: Cells,
    legal: NDArray[np.uint64],
    p: int,
    q: int,
    r: Ranks,
    tree: Tree,
    space: NDArray[np.int16],
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
) -> tuple[int, int]:
    """leaves[i] and symbols[i] of the legal cells of plane p in order, from CELLS on of plane q.

    Returns how many p has, and where those of q end. Only p is done if q is the same.
    """
    one, two = space[:SPACE], space[SPACE:]
    start(r, one)
    start(r, two)
    n, m = 0, CELLS
    here = seek(0, legal, p, r, one)
    there = seek(0 if q != p else CELLS, legal, q, r, two)
    while here < CELLS or there < CELLS:
        place = prepare(here, r, one)
        other = prepare(there, r, two)
        leaf, leaf_there = leaves_of(place, other, tree, one, two)
        if here < CELLS:
            rank = int(np.int64(ranks[p, np.uint64(here)]))
            put(rank, leaf, n, place, r, one, leaves, symbols)
            n += 1
            here = seek(here + 1, legal, p, r, one)
        if there < CELLS:
            put(
                int(np.int64(ranks[q, np.uint64(there)])),
                leaf_there,
                m,
                other,
                r,
                two,
                leaves,
                symbols,
            )
            m += 1
            there = seek(there + 1, legal, q, r, two)
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
    space[np.uint64(place)] = spaced(rank, r)


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
    """counts[leaf, symbol] += how often, in planes that are coded.

    Leaves and symbols have room for two planes.
    """
    waiting = -1
    for p in range(ranks.shape[0] + 1):
        if p < ranks.shape[0] and is_drawn(ranks, legal, p, r):
            continue
        if waiting < 0:
            waiting = p
            continue
        q = p if p < ranks.shape[0] else waiting
        n, m = model_planes(ranks, legal, waiting, q, r, tree, space, leaves, symbols)
        for first, stop in ((0, n), (CELLS, m)):
            for i in range(first, stop):
                counts[np.uint64(leaves[i]), np.uint64(symbols[i])] += 1
        waiting = -1


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
def encode_plane(
    first: int,
    stop: int,
    leaves: NDArray[np.int32],
    symbols: NDArray[np.int32],
    t: Tables,
    buffer: NDArray[np.uint16],
    out: NDArray[np.uint16],
    end: int,
) -> int:
    """out[end:] = the words of a plane, whose cells are first .. stop-1; returns the new end."""
    last = t.first.shape[0] - 2
    escape = t.entry.shape[1] - 1
    state, at = STATE, buffer.shape[0]
    for i in range(stop - 1, first - 1, -1):
        leaf, symbol = np.uint64(leaves[np.uint64(i)]), np.uint64(symbols[np.uint64(i)])
        entry = int(t.entry[leaf, symbol])
        if entry < 0:
            state, at = push(int(t.entry[last, symbol]), state, t, buffer, at)
            entry = int(t.entry[leaf, escape])
        state, at = push(entry, state, t, buffer, at)
    out[end], out[end + 1] = state & 0xFFFF, state >> 16
    for i in range(at, buffer.shape[0]):
        out[end + 2 + i - at] = buffer[i]
    return int(end + 2 + buffer.shape[0] - at)


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
    """out = the planes' words, sizes = how many of them each has; returns how many in all.

    A plane without any cell but draws has none. Leaves and symbols have room for two planes.
    """
    end, waiting = 0, -1
    for p in range(ranks.shape[0] + 1):
        q = p if p < ranks.shape[0] else waiting
        if p < ranks.shape[0]:
            sizes[p] = 0
            if is_drawn(ranks, legal, p, r):
                continue
        if waiting < 0:
            waiting = p
            continue
        n, m = model_planes(ranks, legal, waiting, q, r, tree, space, leaves, symbols)
        for plane, first, stop in ((waiting, 0, n), (q, CELLS, m)):
            if stop > first:
                sizes[plane] = encode_plane(first, stop, leaves, symbols, t, buffer, out, end) - end
                end += sizes[plane]
        waiting = -1
    return end


@inlined
def is_after(low: int, entry: int, t: Tables) -> bool:
    """Whether the low bits of a state are those of a later entry of the leaf."""
    begin = int(t.packed[np.uint64(4 * entry)])
    return low > begin + int(t.packed[np.uint64(4 * entry + 1)])


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
    """The value of a cell in a leaf, the state, and where the next word is.

    The value is OUTSIDE if there is none: a word is missing, or an escaped symbol is an escape.
    """
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
        if state < STATE:
            if at >= stop:
                return OUTSIDE, state, at
            state = (state << 16) | int(np.int64(words[np.uint64(at)]))
            at += 1
        slot = int(t.packed[np.uint64(at_row + 2)])
        if slot:
            away = int(t.packed[np.uint64(at_row + 3)])
            return value_of(slot, away, space), state, at
        if leaf == t.first.shape[0] - 2:
            return OUTSIDE, state, at
        leaf = t.first.shape[0] - 2


@inlined
def decode_planes(
    words: NDArray[np.uint16],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    legal: NDArray[np.uint64],
    p: int,
    q: int,
    r: Ranks,
    tree: Tree,
    t: Tables,
    space: NDArray[np.int16],
    out: Cells,
) -> int:
    """out[p] and out[q] = the ranks of two planes of at least two words, or of one if q is p.

    Returns -1, or the number of a plane that cannot be what was written.
    """
    one, two = space[:SPACE], space[SPACE:]
    start(r, one)
    start(r, two)
    at, stop = starts[p] + 2, stops[p]
    at_there, stop_there = starts[q] + 2, stops[q]
    state = int(np.int64(words[at - 2]) | (np.int64(words[at - 1]) << 16))
    state_there = int(np.int64(words[at_there - 2]) | (np.int64(words[at_there - 1]) << 16))
    here = seek(0, legal, p, r, one)
    there = seek(0 if q != p else CELLS, legal, q, r, two)
    while here < CELLS or there < CELLS:
        place = prepare(here, r, one)
        other = prepare(there, r, two)
        leaf, leaf_there = leaves_of(place, other, tree, one, two)
        if here < CELLS:
            value, state, at = pop(leaf, state, words, at, stop, t, one)
            if value == OUTSIDE:
                return p
            one[np.uint64(place)] = value
            out[p, np.uint64(here)] = unspaced(value, r)
            here = seek(here + 1, legal, p, r, one)
        if there < CELLS:
            value, state_there, at_there = pop(
                leaf_there, state_there, words, at_there, stop_there, t, two
            )
            if value == OUTSIDE:
                return q
            two[np.uint64(other)] = value
            out[q, np.uint64(there)] = unspaced(value, r)
            there = seek(there + 1, legal, q, r, two)
    if at != stop or state != STATE:
        return p
    if q != p and (at_there != stop_there or state_there != STATE):
        return q
    return -1


@kernel
def decode(
    words: NDArray[np.uint16],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    legal: NDArray[np.uint64],
    r: Ranks,
    tree: Tree,
    t: Tables,
    space: NDArray[np.int16],
    illegal: int,
    out: Cells,
) -> int:
    """out[p] = the ranks of the plane in words[starts[p]:stops[p]].

    Returns -1, or the number of a plane that cannot be what was written.
    """
    planes, waiting = starts.shape[0], -1
    for p in range(planes + 1):
        if p < planes:
            for outer in range(64):
                for inner in range(64):
                    here = (legal[p, outer] >> np.uint64(inner)) & ONE
                    out[p, outer * 64 + inner] = r.wins if here else illegal
            if stops[p] == starts[p]:
                continue
            if stops[p] - starts[p] < 2:
                return p
        if waiting < 0:
            waiting = p
            continue
        q = p if p < planes else waiting
        bad = decode_planes(words, starts, stops, legal, waiting, q, r, tree, t, space, out)
        if bad >= 0:
            return bad
        waiting = -1
    return -1
