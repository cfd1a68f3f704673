"""Growing the tree of `contexts.py`: where the next question gains most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.contexts import (
    GAP,
    LOSS,
    NEAR_LOSSES,
    NEAR_WINS,
    OFFSETS,
    ONE,
    OUTSIDE,
    PLACE,
    WIN,
    Ranks,
    fill,
    predict,
    spaced,
    start,
    symbol_of,
)
from unmove.kernels.jit import inlined, kernel

FEATURES = len(OFFSETS) + 1
BINS = 256
DRAW_BIN = 2 * NEAR_WINS + 2
LOSS_BIN = DRAW_BIN + 3


@inlined
def bin_of(near: int, r: Ranks, space: NDArray[np.int16]) -> int:
    """A neighbour as a small number: outside, win compared to prediction, draws, loss compared."""
    if near == OUTSIDE:
        return 0
    if near < r.wins:
        return 1 + NEAR_WINS + min(max(near - space[WIN], -NEAR_WINS), NEAR_WINS)
    if near < r.wins + GAP + 3:
        return DRAW_BIN + near - r.wins - GAP
    return LOSS_BIN + NEAR_LOSSES + min(max(near - space[LOSS], -NEAR_LOSSES), NEAR_LOSSES)


@kernel
def sample(
    ranks: NDArray[np.uint8] | NDArray[np.uint16],
    legal: NDArray[np.uint64],
    r: Ranks,
    space: NDArray[np.int16],
    features: NDArray[np.uint8],
    symbols: NDArray[np.int64],
) -> int:
    """features[:, i] and symbols[i] of the legal cells of some planes; returns how many."""
    n = 0
    for p in range(ranks.shape[0]):
        start(r, space)
        for outer in range(64):
            for inner in range(64):
                place = PLACE[outer] * 100 + PLACE[inner]
                if (legal[p, outer] >> np.uint64(inner)) & ONE == np.uint64(0):
                    fill(place, r, space)
                    continue
                predict(place, r, space)
                for i in range(len(OFFSETS)):
                    features[i, n] = bin_of(np.int64(space[place + OFFSETS[i]]), r, space)
                features[FEATURES - 1, n] = min(np.int64(space[WIN]), BINS - 1)
                rank = np.int64(ranks[p, outer * 64 + inner])
                symbols[n] = symbol_of(rank, r, space)
                space[place] = spaced(rank, r)
                n += 1
    return n


@kernel
def best_split(
    first: int,
    stop: int,
    order: NDArray[np.int64],
    features: NDArray[np.uint8],
    symbols: NDArray[np.int64],
    xlogx: NDArray[np.float64],
    table: NDArray[np.int64],
    left: NDArray[np.int64],
    whole: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """found = (bits gained, feature, bin) of the best question for the cells order[first:stop]."""
    kinds = whole.shape[0]
    total = stop - first
    for s in range(kinds):
        whole[s] = 0
    for i in range(first, stop):
        whole[symbols[order[i]]] += 1
    before = xlogx[total]
    for s in range(kinds):
        before -= xlogx[whole[s]]
    found[0], found[1], found[2] = 0.0, -1.0, 0.0
    for feature in range(features.shape[0]):
        low, high = BINS, -1
        for i in range(first, stop):
            cell = order[i]
            b = np.int64(features[feature, cell])
            table[b, symbols[cell]] += 1
            low, high = min(low, b), max(high, b)
        for s in range(kinds):
            left[s] = 0
        lefts, here, there = 0, 0.0, 0.0
        for s in range(kinds):
            there += xlogx[whole[s]]
        for b in range(low, high + 1):
            some = 0
            for s in range(kinds):
                n = table[b, s]
                if n:
                    table[b, s] = 0
                    some += n
                    rest = whole[s] - left[s]
                    here += xlogx[left[s] + n] - xlogx[left[s]]
                    there += xlogx[rest - n] - xlogx[rest]
                    left[s] += n
            if some == 0 or b == high:
                continue
            lefts += some
            gain = before - (xlogx[lefts] - here) - (xlogx[total - lefts] - there)
            if gain > found[0]:
                found[0], found[1], found[2] = gain, feature, b


@kernel
def part(
    first: int, stop: int, bound: int, row: NDArray[np.uint8], order: NDArray[np.int64]
) -> int:
    """order[first:stop] has the cells with row[cell] <= bound first; returns where they end."""
    low, high = first, stop - 1
    while low <= high:
        if row[order[low]] <= bound:
            low += 1
        else:
            order[low], order[high] = order[high], order[low]
            high -= 1
    return low
