"""Growing the tree of `contexts.py`: where the next question gains most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.contexts import (
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
from unmove.kernels.hints import (
    FIRST_HINT,
    OFFSETS,
    PREDICTED_LOSS,
    PREDICTED_WIN,
    hint_at,
    set_up,
)
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.setting import Setting
from unmove.kernels.workspace import EXTRA, LOSS, UNIT, WIN

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
    known: Setting,
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
                for i in range(len(OFFSETS)):
                    rows[n, i] = bin_of(int(seen[place + OFFSETS[i]]), seen)
                loss = rank_of(int(seen[LOSS])) - r.wins - 3
                rows[n, PREDICTED_WIN] = min(rank_of(int(seen[WIN])), BINS - 1)
                rows[n, PREDICTED_LOSS] = min(loss, BINS - 1)
                for i in range(hints.shape[0]):
                    rows[n, FIRST_HINT + i] = hint_at(hints[i], place, seen)
                rank = int(np.int64(ranks[p, outer * 64 + inner]))
                symbols[n] = symbol_of(rank, r, seen)
                seen[place] = value_of(rank, r)
                n += 1
                inner = next_of(inner, legal)
    return n


@inlined
def tabulate(
    first: int, stop: int, step: int, column: int, rows: NDArray[np.uint8], table: NDArray[np.int32]
) -> tuple[int, int]:
    """table[number, symbol] += how often, in a column; returns the least and the most number.

    Counted in two halves, as mostly the same is counted again, and would wait for itself.
    """
    low, high, half, symbols = BINS, -1, 0, rows.shape[1] - 1
    for i in range(first, stop, step):
        b = int(np.int64(rows[i, column]))
        table[half, b, rows[i, symbols]] += 1
        low, high, half = min(low, b), max(high, b), 1 - half
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
        n = int(np.int64(table[0, b, s])) + int(np.int64(table[1, b, s]))
        if n:
            table[0, b, s] = table[1, b, s] = 0
            some += n
            rest = whole[s] - left[s]
            here += xlogx[left[s] + n] - xlogx[left[s]]
            there += xlogx[rest - n] - xlogx[rest]
            left[s] += n
    return some, here, there


@inlined
def count(
    first: int,
    stop: int,
    step: int,
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    whole: NDArray[np.int64],
) -> tuple[int, float]:
    """whole[symbol] = how often, in every step-th cell; returns how many, and sum of n log n."""
    total, symbols = 0, 0.0
    whole[:] = 0
    for i in range(first, stop, step):
        whole[rows[i, rows.shape[1] - 1]] += 1
        total += 1
    for s in range(whole.shape[0]):
        symbols += xlogx[whole[s]]
    return total, symbols


@inlined
def best_bound(
    first: int,
    stop: int,
    step: int,
    column: int,
    total: int,
    symbols: float,
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    table: NDArray[np.int32],
    left: NDArray[np.int64],
    whole: NDArray[np.int64],
) -> tuple[float, int]:
    """The bits gained by the best question about a column, and its bound."""
    low, high = tabulate(first, stop, step, column, rows, table)
    left[:] = 0
    lefts, here, there = 0, 0.0, symbols
    best, bound = 0.0, 0
    for b in range(low, high + 1):
        some, more, less = move_left(b, xlogx, table, left, whole)
        lefts, here, there = lefts + some, here + more, there + less
        if some == 0 or b == high:
            continue
        before = xlogx[total] - symbols
        gain = before - (xlogx[lefts] - here) - (xlogx[total - lefts] - there)
        if gain > best:
            best, bound = gain, b
    return best, bound


@kernel
def best_split(
    first: int,
    stop: int,
    rows: NDArray[np.uint8],
    xlogx: NDArray[np.float64],
    table: NDArray[np.int32],
    left: NDArray[np.int64],
    whole: NDArray[np.int64],
    gains: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    """found = (bits gained, column, bound) of the best question for the cells first .. stop-1.

    A row has the features of a cell and, behind them, its symbol. `table` is 0 before and after.
    Many cells need not all be looked at: all questions are asked of SCREENED of them, and those
    about the FINALISTS best columns of JUDGED.
    """
    step = max((stop - first) // SCREENED, 1)
    total, symbols = count(first, stop, step, rows, xlogx, whole)
    found[0], found[1], found[2] = 0.0, -1.0, 0.0
    for column in range(gains.shape[0]):
        gains[column], bound = best_bound(
            first, stop, step, column, total, symbols, rows, xlogx, table, left, whole
        )
        if gains[column] > found[0]:
            found[0], found[1], found[2] = gains[column], column, bound
    if step > 1:
        step = max((stop - first) // JUDGED, 1)
        total, symbols = count(first, stop, step, rows, xlogx, whole)
        found[0] = 0.0
        for _ in range(FINALISTS):
            column = int(np.argmax(gains))
            gains[column] = -1.0
            gain, bound = best_bound(
                first, stop, step, column, total, symbols, rows, xlogx, table, left, whole
            )
            if gain > found[0]:
                found[0], found[1], found[2] = gain, column, bound
    found[0] *= (stop - first) / max(total, 1)


@kernel
def part(first: int, stop: int, column: int, bound: int, rows: NDArray[np.uint8]) -> int:
    """Of the rows first .. stop-1 those with column <= bound come first; returns where they end.

    They are moved, not only numbered: what belongs together must lie together to be counted fast.
    """
    low, high = first, stop - 1
    while low <= high:
        if rows[low, column] <= bound:
            low += 1
        else:
            for i in range(rows.shape[1]):
                rows[low, i], rows[high, i] = rows[high, i], rows[low, i]
            high -= 1
    return low
