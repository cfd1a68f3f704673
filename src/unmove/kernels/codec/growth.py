"""Growing the tree of `contexts.py`: where the next question gains most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.contexts import (
    DREW,
    LANES,
    LOST,
    NEAR,
    NOTHING,
    WON,
    Ranks,
    enter,
    first_of,
    next_of,
    prepare,
    rank_of,
    start,
    symbol_of,
    value_of,
)
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import (
    FIRST_HINT,
    OFFSETS,
    PREDICTED_LOSS,
    PREDICTED_WIN,
    hint_at,
    set_up,
)
from unmove.kernels.codec.scratch import EXTRA, LOSS, UNIT, WIN
from unmove.kernels.jit import inlined, kernel

BINS = 256
DRAW_BIN = 2 * NEAR + 2
LOSS_BIN = DRAW_BIN + 3
SCREENED, FINALISTS, JUDGED = 2_000, 8, 20_000  # see `best_split`


@inlined
def bin_of(near: int, space: NDArray[np.int16]) -> int:
    """A neighbour as a small number: outside, win compared to prediction, draws, loss compared."""
    kind = near & (UNIT - 1)
    if kind == NOTHING:
        return 0
    if kind == WON:
        away = rank_of(near) - rank_of(int(space[WIN]))
        return 1 + NEAR + min(max(away, -NEAR), NEAR)
    if kind == LOST:
        away = rank_of(near) - rank_of(int(space[LOSS]))
        return LOSS_BIN + NEAR + min(max(away, -NEAR), NEAR)
    return DRAW_BIN + kind - DREW


@kernel
def sample(
    ranks: NDArray[np.uint8] | NDArray[np.uint16],
    known: PlaneFacts,
    r: Ranks,
    space: NDArray[np.int16],
    hints: NDArray[np.int64],
    rows: NDArray[np.uint8],
    symbols: NDArray[np.int64],
) -> int:
    """rows[i] = the features of the i-th legal cell of some planes, symbols[i] = its symbol.

    Of the hints just those that are asked for.
    """
    n = 0
    for p in range(ranks.shape[0]):
        set_up(p, known, space)
        for lane in range(LANES):
            start(r, space[lane * EXTRA :])
        for outer in range(64):
            lane = (outer >> 3) & 1
            seen, legal = space[lane * EXTRA :], known.legal[p, outer]
            board, inner = enter(outer, lane, seen), first_of(legal)
            while inner < 64:
                place, _ = prepare(inner, board, lane, seen)
                row = rows[n]
                for i in range(len(OFFSETS)):
                    near = int(seen[np.uint64(place + OFFSETS[np.uint64(i)])])
                    row[np.uint64(i)] = bin_of(near, seen)
                loss = rank_of(int(seen[LOSS])) - r.wins - 3
                row[PREDICTED_WIN] = min(rank_of(int(seen[WIN])), BINS - 1)
                row[PREDICTED_LOSS] = min(loss, BINS - 1)
                for i in range(hints.shape[0]):
                    row[np.uint64(FIRST_HINT + i)] = hint_at(hints[np.uint64(i)], place, seen)
                rank = int(np.int64(ranks[p, outer * 64 + inner]))
                symbols[n] = symbol_of(rank, r, seen)
                seen[place] = value_of(rank, r)
                n += 1
                inner = next_of(inner, legal)
    return n


class Counts(NamedTuple):
    """Room to count the symbols of some cells in. The table is 0 but while it is used."""

    table: NDArray[np.int32]  # [number of a column, symbol]
    whole: NDArray[np.int64]  # [symbol]
    left: NDArray[np.int64]  # [symbol]: of those with a number up to some bound
    present: NDArray[np.int64]  # [i]: the symbols that there are, ascending


def counts_of(kinds: int) -> Counts:
    """Room for so many symbols."""
    return Counts(np.zeros((BINS, kinds), np.int32), *np.zeros((3, kinds), np.int64))


@inlined
def tabulate(
    first: int, stop: int, step: int, column: int, rows: NDArray[np.uint8], c: Counts
) -> tuple[int, int]:
    """The table counts a column; returns the least and the greatest number."""
    low, high, symbols = np.uint8(BINS - 1), np.uint8(0), np.uint64(rows.shape[1] - 1)
    at = np.uint64(column)
    for i in range(first, stop, step):
        b = rows[np.uint64(i), at]
        c.table[np.uint64(b), np.uint64(rows[np.uint64(i), symbols])] += 1
        low, high = min(low, b), max(high, b)
    return int(np.int64(low)), int(np.int64(high))


@inlined
def move_left(
    b: int, kinds: int, xlogx: NDArray[np.float64], c: Counts
) -> tuple[int, float, float]:
    """The cells of a number go over to the left, and out of the table.

    Returns how many they are, and by what the sums of n log n grow left and right.
    """
    some, here, there = 0, 0.0, 0.0
    for i in range(kinds):
        s = np.uint64(c.present[np.uint64(i)])
        n = int(np.int64(c.table[np.uint64(b), s]))
        if n:
            c.table[np.uint64(b), s] = 0
            some += n
            left, rest = c.left[s], c.whole[s] - c.left[s]
            here += xlogx[np.uint64(left + n)] - xlogx[np.uint64(left)]
            there += xlogx[np.uint64(rest - n)] - xlogx[np.uint64(rest)]
            c.left[s] = left + n
    return some, here, there


@inlined
def count(
    first: int,
    stop: int,
    step: int,
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    c: Counts,
) -> tuple[int, int, float]:
    """Every step-th cell is counted as a whole.

    Returns how many they are, how many symbols they have, and the sum of n log n of these.
    """
    total, kinds, symbols = 0, 0, 0.0
    c.whole[:] = 0
    for i in range(first, stop, step):
        c.whole[rows[i, rows.shape[1] - 1]] += 1
        total += 1
    for s in range(c.whole.shape[0]):
        if c.whole[s]:
            symbols += xlogx[c.whole[s]]
            c.present[kinds] = s
            kinds += 1
    return total, kinds, symbols


@inlined
def best_bound(
    first: int,
    stop: int,
    step: int,
    column: int,
    counted: tuple[int, int, float],
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    c: Counts,
) -> tuple[float, int]:
    """The bits gained by the best question about a column, and its bound."""
    total, kinds, symbols = counted
    low, high = tabulate(first, stop, step, column, rows, c)
    c.left[:] = 0
    lefts, here, there = 0, 0.0, symbols
    best, bound = 0.0, 0
    for b in range(low, high + 1):
        some, more, less = move_left(b, kinds, xlogx, c)
        lefts, here, there = lefts + some, here + more, there + less
        before = xlogx[total] - symbols
        gain = before - (xlogx[lefts] - here) - (xlogx[total - lefts] - there)
        if gain > best and some > 0 and b < high:
            best, bound = gain, b
    return best, bound


@kernel
def best_split(
    first: int,
    stop: int,
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    c: Counts,
    gains: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    """found = (bits gained, column, bound) of the best question for the cells first .. stop-1.

    A row has the features of a cell and, behind them, its symbol. Many cells need not all be
    looked at: all questions are asked of SCREENED of them, and those about the FINALISTS best
    columns of JUDGED.
    """
    step = max((stop - first) // SCREENED, 1)
    counted = count(first, stop, step, rows, xlogx, c)
    found[0], found[1], found[2] = 0.0, -1.0, 0.0
    for column in range(gains.shape[0]):
        gains[column], bound = best_bound(first, stop, step, column, counted, rows, xlogx, c)
        if gains[column] > found[0]:
            found[0], found[1], found[2] = gains[column], column, bound
    if step > 1:
        step = max((stop - first) // JUDGED, 1)
        counted = count(first, stop, step, rows, xlogx, c)
        found[0] = 0.0
        for _ in range(FINALISTS):
            column = int(np.argmax(gains))
            gains[column] = -1.0
            gain, bound = best_bound(first, stop, step, column, counted, rows, xlogx, c)
            if gain > found[0]:
                found[0], found[1], found[2] = gain, column, bound
    found[0] *= (stop - first) / max(counted[0], 1)


@kernel
def part(first: int, stop: int, column: int, bound: int, rows: NDArray[np.uint8]) -> int:
    """Of the rows first .. stop-1 those with column <= bound come first; returns where they end.

    They are moved, not only numbered: what belongs together must lie together to be counted fast.
    """
    low, high = first, stop - 1
    while low <= high:
        if rows[np.uint64(low), np.uint64(column)] <= bound:
            low += 1
        else:
            one, other = rows[np.uint64(low)], rows[np.uint64(high)]
            for i in range(rows.shape[1]):
                one[np.uint64(i)], other[np.uint64(i)] = other[np.uint64(i)], one[np.uint64(i)]
            high -= 1
    return low
