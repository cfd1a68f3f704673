"""Growing the tree of `contexts.py`: where the next question gains most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.codec.contexts import (
    DONE,
    LANES,
    begin_lane,
    begin_plane,
    enter_board,
    prepare,
    to_next_cell,
)
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import (
    FIRST_POSITION_FEATURE,
    OFFSETS,
    PREDICTED_LOSS,
    PREDICTED_WIN,
    position_feature_at,
    set_up,
)
from unmove.kernels.codec.ranks import (
    DREW,
    LOST,
    NOTHING,
    WON,
    RankOrder,
    context_value,
    first_loss,
    rank_of_value,
    symbol_of,
)
from unmove.kernels.codec.scratch import EXTRA, LOSS, UNIT, WIN, ContextValues
from unmove.kernels.intrinsics import at
from unmove.kernels.jit import inlined, kernel

NEAR = 32  # ranks from a prediction within which questions tell neighbours apart
BINS = 256
DRAW_BIN = 2 * NEAR + 2
LOSS_BIN = DRAW_BIN + 3
SCREENED, FINALISTS, JUDGED = 2_000, 8, 20_000  # see `best_split`; twice as many fit 16 bits


@inlined
def bin_of(near: int, space: ContextValues) -> int:
    """A neighbour's value as a small number, in the order of values.

    Outside; wins by their distance from the predicted win; draws; losses likewise.
    """
    kind = near & (UNIT - 1)
    if kind == NOTHING:
        return 0
    if kind == WON:
        away = rank_of_value(near) - rank_of_value(int(space[WIN]))
        return 1 + NEAR + min(max(away, -NEAR), NEAR)
    if kind == LOST:
        away = rank_of_value(near) - rank_of_value(int(space[LOSS]))
        return LOSS_BIN + NEAR + min(max(away, -NEAR), NEAR)
    return DRAW_BIN + kind - DREW


@inlined
def note_features(
    place: int,
    order: RankOrder,
    wanted: NDArray[np.int64],
    space: ContextValues,
    row: NDArray[np.uint8],
) -> None:
    """row = the features of the cell at a place; of the position features, only the given ones."""
    for i in range(len(OFFSETS)):
        row[at(i)] = bin_of(int(space[at(place + OFFSETS[at(i)])]), space)
    row[PREDICTED_WIN] = min(rank_of_value(int(space[WIN])), BINS - 1)
    row[PREDICTED_LOSS] = min(rank_of_value(int(space[LOSS])) - first_loss(order), BINS - 1)
    for i in range(wanted.shape[0]):
        row[at(FIRST_POSITION_FEATURE + i)] = position_feature_at(wanted[at(i)], place, space)


@kernel
def sample_cells(
    ranks: Ranks,
    facts: PlaneFacts,
    order: RankOrder,
    wanted: NDArray[np.int64],
    space: ContextValues,
    rows: NDArray[np.uint8],
    symbols: NDArray[np.int64],
) -> None:
    """rows[i], symbols[i] = the features and the symbol of the i-th legal cell of some planes.

    Of the position features, only the given ones.
    """
    end = 0
    for plane in range(ranks.shape[0]):
        set_up(plane, facts, space)
        for odd in range(LANES):
            begin_plane(order, space[odd * EXTRA :])
        legal = facts.legal[plane]
        for outer in range(64):
            odd = (outer >> 3) & 1
            seen = space[odd * EXTRA :]
            lane = enter_board(outer, begin_lane(odd), legal, seen)
            while lane.inner < DONE:
                place, _ = prepare(lane, seen)
                note_features(place, order, wanted, seen, rows[end])
                rank = int(np.int64(ranks[plane, outer * 64 + lane.inner]))
                symbols[end] = symbol_of(rank, order, seen)
                seen[place] = context_value(rank, order)
                end += 1
                lane = to_next_cell(lane, legal)


class SymbolCounts(NamedTuple):
    """Room to count the symbols of some cells. The table is 0 except while it is used."""

    table: NDArray[np.uint16]  # [number in a column, symbol]: small, so that it stays in the cache
    whole: NDArray[np.int64]  # [symbol]
    left: NDArray[np.int64]  # [symbol]: of the cells with a number up to some bound
    present: NDArray[np.int64]  # [i]: the symbols that occur, ascending


class Counted(NamedTuple):
    """The sums over some cells."""

    cells: int
    kinds: int  # different symbols
    xlogx: float  # the sum of n log n over the numbers of each symbol


class Split(NamedTuple):
    """A question about a column: is its number at most the bound?"""

    gain: float  # bits saved
    column: int  # -1 if no question saves anything
    bound: int


class Sample(NamedTuple):
    """Cells to learn from."""

    rows: NDArray[np.uint8]  # [cell]: its features, then its symbol
    xlogx: NDArray[np.float64]  # [n]: n log n, to base 2


def symbol_counts(kinds: int) -> SymbolCounts:
    """Room for the symbols 0 .. kinds-1."""
    return SymbolCounts(np.zeros((BINS, kinds), np.uint16), *np.zeros((3, kinds), np.int64))


@inlined
def tabulate(
    cells: tuple[int, int, int], column: int, rows: NDArray[np.uint8], counts: SymbolCounts
) -> tuple[int, int]:
    """The table has the counts of a column; returns the least and the greatest number in it."""
    first, stop, step = cells
    low, high, symbols = np.uint8(BINS - 1), np.uint8(0), at(rows.shape[1] - 1)
    for i in range(first, stop, step):
        number = rows[at(i), at(column)]
        counts.table[at(number), at(rows[at(i), symbols])] += 1
        low, high = min(low, number), max(high, number)
    return int(np.int64(low)), int(np.int64(high))


@inlined
def move_left(
    number: int, kinds: int, xlogx: NDArray[np.float64], counts: SymbolCounts
) -> tuple[int, float, float]:
    """The cells of a number are counted on the left, and no longer in the table.

    Returns how many they are, and by what the sums of n log n grow left and right.
    """
    moved, here, there = 0, 0.0, 0.0
    for i in range(kinds):
        symbol = at(counts.present[at(i)])
        n = int(np.int64(counts.table[at(number), symbol]))
        if n:
            counts.table[at(number), symbol] = 0
            moved += n
            left, rest = counts.left[symbol], counts.whole[symbol] - counts.left[symbol]
            here += xlogx[at(left + n)] - xlogx[at(left)]
            there += xlogx[at(rest - n)] - xlogx[at(rest)]
            counts.left[symbol] = left + n
    return moved, here, there


@inlined
def count_sample(cells: tuple[int, int, int], sample: Sample, counts: SymbolCounts) -> Counted:
    """counts.whole and counts.present are those of every step-th cell."""
    first, stop, step = cells
    total, kinds, xlogx = 0, 0, 0.0
    counts.whole[:] = 0
    for i in range(first, stop, step):
        counts.whole[sample.rows[i, sample.rows.shape[1] - 1]] += 1
        total += 1
    for symbol in range(counts.whole.shape[0]):
        if counts.whole[symbol]:
            xlogx += sample.xlogx[counts.whole[symbol]]
            counts.present[kinds] = symbol
            kinds += 1
    return Counted(total, kinds, xlogx)


@inlined
def best_bound(
    cells: tuple[int, int, int],
    column: int,
    counted: Counted,
    sample: Sample,
    counts: SymbolCounts,
) -> Split:
    """The best question about a column."""
    low, high = tabulate(cells, column, sample.rows, counts)
    counts.left[:] = 0
    total, xlogx = counted.cells, sample.xlogx
    lefts, here, there = 0, 0.0, counted.xlogx
    best, bound = 0.0, 0
    for number in range(low, high + 1):
        moved, more, less = move_left(number, counted.kinds, xlogx, counts)
        lefts, here, there = lefts + moved, here + more, there + less
        before = xlogx[total] - counted.xlogx
        gain = before - (xlogx[lefts] - here) - (xlogx[total - lefts] - there)
        if gain > best and moved > 0 and number < high:
            best, bound = gain, number
    return Split(best, column, bound)


@kernel
def best_split(
    first: int, stop: int, sample: Sample, counts: SymbolCounts, gains: NDArray[np.float64]
) -> Split:
    """The best question for the cells first .. stop-1 of a sample.

    Not all of many cells need be looked at. All questions are asked about SCREENED of them; then
    those about the FINALISTS best columns are asked about JUDGED of them. `gains` is room for a
    number a column.
    """
    cells = first, stop, max((stop - first) // SCREENED, 1)
    counted = count_sample(cells, sample, counts)
    best = Split(0.0, -1, 0)
    for column in range(gains.shape[0]):
        split = best_bound(cells, column, counted, sample, counts)
        gains[column] = split.gain
        if split.gain > best.gain:
            best = split
    if cells[2] > 1:
        cells = first, stop, max((stop - first) // JUDGED, 1)
        counted = count_sample(cells, sample, counts)
        best = Split(0.0, best.column, best.bound)
        for _ in range(FINALISTS):
            column = int(np.argmax(gains))
            gains[column] = -1.0
            split = best_bound(cells, column, counted, sample, counts)
            if split.gain > best.gain:
                best = split
    return Split(best.gain * ((stop - first) / max(counted.cells, 1)), best.column, best.bound)


@kernel
def partition_rows(first: int, stop: int, column: int, bound: int, rows: NDArray[np.uint8]) -> int:
    """Of the rows first .. stop-1 those with column <= bound come first; returns where they end.

    The rows themselves are moved: what is counted together must lie together to be counted fast.
    """
    low, high = first, stop - 1
    while low <= high:
        if rows[at(low), at(column)] <= bound:
            low += 1
        else:
            one, other = rows[at(low)], rows[at(high)]
            for i in range(rows.shape[1]):
                one[at(i)], other[at(i)] = other[at(i)], one[at(i)]
            high -= 1
    return low
