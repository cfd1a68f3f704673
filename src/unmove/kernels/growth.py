"""Growing the tree of `contexts.py`: where the next question gains most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.contexts import (
    DREW,
    EXTRA,
    KINGS,
    LANES,
    LOSS,
    LOST,
    NEAR_LOSSES,
    NEAR_WINS,
    NOTHING,
    OFFSETS,
    UNIT,
    WIN,
    WON,
    Ranks,
    enter,
    prepare,
    rank_of,
    seek,
    start,
    symbol_of,
    value_of,
)
from unmove.kernels.jit import inlined, kernel

PREDICTION = len(OFFSETS)  # the feature behind those of the neighbours
FEATURES = PREDICTION + 1 + 4
BINS = 256
DRAW_BIN = 2 * NEAR_WINS + 2
LOSS_BIN = DRAW_BIN + 3


@inlined
def bin_of(near: int, space: NDArray[np.int16]) -> int:
    """A neighbour as a small number: outside, win compared to prediction, draws, loss compared."""
    kind = near & (UNIT - 1)
    if kind == NOTHING:
        return 0
    if kind == WON:
        away = rank_of(near) - rank_of(int(space[WIN]))
        return 1 + NEAR_WINS + min(max(away, -NEAR_WINS), NEAR_WINS)
    if kind == LOST:
        away = rank_of(near) - rank_of(int(space[LOSS]))
        return LOSS_BIN + NEAR_LOSSES + min(max(away, -NEAR_LOSSES), NEAR_LOSSES)
    return DRAW_BIN + kind - DREW


@kernel
def sample(
    ranks: NDArray[np.uint8] | NDArray[np.uint16],
    legal: NDArray[np.uint64],
    r: Ranks,
    space: NDArray[np.int16],
    rows: NDArray[np.uint8],
    symbols: NDArray[np.int64],
) -> int:
    """rows[i] = the features of the i-th legal cell of some planes, symbols[i] its symbol."""
    n = 0
    for p in range(ranks.shape[0]):
        for lane in range(LANES):
            start(r, space[lane * EXTRA :])
        for outer in range(64):
            lane = (outer >> 3) & 1
            seen = space[lane * EXTRA :]
            board = enter(outer, lane, r, seen)
            inner = seek(0, legal[p, outer], board, seen)
            while inner < 64:
                place, _ = prepare(inner, board, seen)
                for i in range(len(OFFSETS)):
                    rows[n, i] = bin_of(int(seen[place + OFFSETS[i]]), seen)
                rows[n, PREDICTION] = min(rank_of(int(seen[WIN])), BINS - 1)
                for i in range(4):
                    rows[n, PREDICTION + 1 + i] = seen[KINGS + i]
                rank = int(np.int64(ranks[p, outer * 64 + inner]))
                symbols[n] = symbol_of(rank, r, seen)
                seen[place] = value_of(rank, r)
                n += 1
                inner = seek(inner + 1, legal[p, outer], board, seen)
    return n


@inlined
def tabulate(
    first: int, stop: int, feature: int, rows: NDArray[np.uint8], table: NDArray[np.int32]
) -> tuple[int, int]:
    """table[bin, symbol] += how often, for a feature; returns the first and the last bin."""
    low, high = BINS, -1
    for i in range(first, stop):
        b = int(np.int64(rows[i, feature]))
        table[b, rows[i, FEATURES]] += 1
        low, high = min(low, b), max(high, b)
    return low, high


@inlined
def move_left(
    b: int,
    xlogx: NDArray[np.float64],
    table: NDArray[np.int32],
    left: NDArray[np.int64],
    whole: NDArray[np.int64],
) -> tuple[int, float, float]:
    """The cells of a bin go over to the left, and out of the table.

    Returns how many they are, and by what the sums of n log n grow left and right.
    """
    some, here, there = 0, 0.0, 0.0
    for s in range(whole.shape[0]):
        n = int(np.int64(table[b, s]))
        if n:
            table[b, s] = 0
            some += n
            rest = whole[s] - left[s]
            here += xlogx[left[s] + n] - xlogx[left[s]]
            there += xlogx[rest - n] - xlogx[rest]
            left[s] += n
    return some, here, there


@kernel
def best_split(
    first: int,
    stop: int,
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    table: NDArray[np.int32],
    left: NDArray[np.int64],
    whole: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """found = (bits gained, feature, bin) of the best question for the cells first .. stop-1.

    A row has the features of a cell and, behind them, its symbol. `table` is 0 before and after.
    """
    total, symbols = stop - first, 0.0
    whole[:] = 0
    for i in range(first, stop):
        whole[rows[i, FEATURES]] += 1
    for s in range(whole.shape[0]):
        symbols += xlogx[whole[s]]
    before = xlogx[total] - symbols
    found[0], found[1], found[2] = 0.0, -1.0, 0.0
    for feature in range(FEATURES):
        low, high = tabulate(first, stop, feature, rows, table)
        left[:] = 0
        lefts, here, there = 0, 0.0, symbols
        for b in range(low, high + 1):
            some, more, less = move_left(b, xlogx, table, left, whole)
            lefts, here, there = lefts + some, here + more, there + less
            if some == 0 or b == high:
                continue
            gain = before - (xlogx[lefts] - here) - (xlogx[total - lefts] - there)
            if gain > found[0]:
                found[0], found[1], found[2] = gain, feature, b


@kernel
def part(first: int, stop: int, feature: int, bound: int, rows: NDArray[np.uint8]) -> int:
    """Of the rows first .. stop-1 those with feature <= bound come first; returns where they end.

    They are moved, not only numbered: what belongs together must lie together to be counted fast.
    """
    low, high = first, stop - 1
    while low <= high:
        if rows[low, feature] <= bound:
            low += 1
        else:
            for i in range(rows.shape[1]):
                rows[low, i], rows[high, i] = rows[high, i], rows[low, i]
            high -= 1
    return low
