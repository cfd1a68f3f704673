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
    ONE,
    PLACE,
    Ranks,
    Tree,
    fill,
    leaf_of,
    predict,
    rank_of,
    spaced,
    start,
    symbol_of,
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
) -> int:
    """leaves[i] and symbols[i] of the legal cells of a plane in order; returns how many."""
    n = 0
    start(r, space)
    for outer in range(64):
        word = legal[p, outer]
        for inner in range(64):
            place = PLACE[outer] * 100 + PLACE[inner]
            if (word >> np.uint64(inner)) & ONE == np.uint64(0):
                fill(place, r, space)
                continue
            predict(place, r, space)
            rank = np.int64(ranks[p, outer * 64 + inner])
            leaves[n] = leaf_of(place, tree, space)
            symbols[n] = symbol_of(rank, r, space)
            space[place] = spaced(rank, r)
            n += 1
    return n


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
    """counts[leaf, symbol] += how often."""
    for p in range(ranks.shape[0]):
        n = model_plane(ranks, legal, p, r, tree, space, leaves, symbols)
        for i in range(n):
            counts[leaves[i], symbols[i]] += 1


@inlined
def push(entry: int, state: int, t: Tables, out: NDArray[np.uint16], at: int) -> tuple[int, int]:
    """The state and the end of `out` (which grows downwards) after one more entry."""
    f = t.frequency[entry]
    if state >= f << 17:
        at -= 1
        out[at] = np.uint16(state & 0xFFFF)
        state >>= 16
    return ((state // f) << BITS) + state % f + t.begin[entry], at


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

    A plane without any cell but draws has none.
    """
    end = 0
    last = t.first.shape[0] - 2
    escape = t.entry.shape[1] - 1
    for p in range(ranks.shape[0]):
        n = model_plane(ranks, legal, p, r, tree, space, leaves, symbols)
        drawn = True
        for i in range(n):
            drawn &= symbols[i] == 0
        sizes[p] = 0
        if drawn:
            continue
        state, at = STATE, buffer.shape[0]
        for i in range(n - 1, -1, -1):
            entry = np.int64(t.entry[leaves[i], symbols[i]])
            if entry < 0:
                state, at = push(np.int64(t.entry[last, symbols[i]]), state, t, buffer, at)
                entry = np.int64(t.entry[leaves[i], escape])
            state, at = push(entry, state, t, buffer, at)
        out[end], out[end + 1] = state & 0xFFFF, state >> 16
        for i in range(at, buffer.shape[0]):
            out[end + 2 + i - at] = buffer[i]
        sizes[p] = 2 + buffer.shape[0] - at
        end += sizes[p]
    return end


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

    Returns -1, or the number of the first plane that cannot be what was written.
    """
    last = t.first.shape[0] - 2
    escape = t.entry.shape[1] - 1
    for p in range(starts.shape[0]):
        at, stop = starts[p], stops[p]
        coded = stop - at >= 2
        if stop != at and not coded:
            return p
        state = 0
        if coded:
            state = np.int64(words[at]) | (np.int64(words[at + 1]) << 16)
            at += 2
        start(r, space)
        for outer in range(64):
            word = legal[p, outer]
            for inner in range(64):
                cell = outer * 64 + inner
                place = PLACE[outer] * 100 + PLACE[inner]
                if (word >> np.uint64(inner)) & ONE == np.uint64(0):
                    out[p, cell] = illegal
                    fill(place, r, space)
                    continue
                if not coded:
                    out[p, cell] = r.wins
                    continue
                predict(place, r, space)
                leaf = leaf_of(place, tree, space)
                while True:
                    low = state & (FULL - 1)
                    entry = t.first[leaf]
                    while low >= t.begin[entry] + t.frequency[entry]:
                        entry += 1
                    state = t.frequency[entry] * (state >> BITS) + low - t.begin[entry]
                    if state < STATE:
                        if at >= stop:
                            return p
                        state = (state << 16) | np.int64(words[at])
                        at += 1
                    symbol = t.symbol[entry]
                    if symbol != escape:
                        break
                    if leaf == last:
                        return p
                    leaf = last
                rank = rank_of(symbol, r, space)
                out[p, cell] = rank
                space[place] = spaced(rank, r)
        if coded and (at != stop or state != STATE):
            return p
    return -1
