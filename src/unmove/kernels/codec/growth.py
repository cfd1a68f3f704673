"""Growing the tree of `contexts.py`: where the next question gains most."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.bits import NONE
from unmove.kernels.codec.contexts import (
    DONE,
    begin_lane,
    begin_strip,
    enter_board,
    prepare,
    to_next_cell,
)
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import (
    FEATURES,
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
TOLD_APART = 64  # symbols; rarer ones are taken as one
A_WORD = 4  # counts of 16 bits
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
        legal = facts.legal[plane]
        for outer in range(64):
            odd = (outer >> 3) & 1
            seen = space[odd * EXTRA :]
            if outer & 7 == 0 and (outer >> 3) % (8 // order.strips) == 0:
                begin_strip((outer >> 3) // (8 // order.strips), order, space)
            lane = enter_board(outer, begin_lane(odd, 0, 1), legal, seen)
            while lane.inner < DONE:
                place, _ = prepare(lane, seen)
                note_features(place, order, wanted, seen, rows[end])
                rank = int(np.int64(ranks[plane, outer * 64 + lane.inner]))
                symbols[end] = symbol_of(rank, order, seen)
                seen[place] = context_value(rank, order)
                end += 1
                lane = to_next_cell(lane, legal)


class SplitRoom(NamedTuple):
    """Room to look for a question. `table` and `there` are 0 except while they are used."""

    every: NDArray[np.int64]  # the numbers of all columns; there may be fewer
    screened: NDArray[np.uint8]  # [column, i]: the numbers of the cells that are looked at
    finalists: NDArray[np.int64]  # the numbers of the best columns, best first
    judged: NDArray[np.uint8]  # [finalist, i]: the numbers of more cells
    symbols: NDArray[np.uint8]  # [i]: their symbols
    table: NDArray[np.uint16]  # [number in a column, symbol]: small, so that it stays in the cache
    words: NDArray[np.uint64]  # the same, A_WORD symbols at a time
    there: NDArray[np.uint8]  # [number in a column]: does it occur?
    whole: NDArray[np.int64]  # [symbol]
    left: NDArray[np.int64]  # [symbol]: of the cells with a number up to some bound
    gains: NDArray[np.float64]  # [column]


class Counted(NamedTuple):
    """The sums over some cells."""

    cells: int
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


class _ThreadRoom(threading.local):
    """Made anew in every thread that looks at it."""

    def __init__(self) -> None:
        table = np.zeros((BINS, TOLD_APART), np.uint16)
        self.room = SplitRoom(
            every=np.arange(FEATURES),
            screened=np.empty((FEATURES, 2 * SCREENED), np.uint8),
            finalists=np.zeros(FINALISTS, np.int64),
            judged=np.empty((FINALISTS, 2 * JUDGED), np.uint8),
            symbols=np.empty(2 * JUDGED, np.uint8),
            table=table,
            words=table.view(np.uint64),
            there=np.zeros(BINS, np.uint8),
            whole=np.zeros(TOLD_APART, np.int64),
            left=np.zeros(TOLD_APART, np.int64),
            gains=np.zeros(FEATURES),
        )


_THREAD = _ThreadRoom()


def split_room() -> SplitRoom:
    """The room of the calling thread. New room at every look would be as slow as the look."""
    return _THREAD.room


@inlined
def gather(
    cells: tuple[int, int, int],
    columns: NDArray[np.int64],
    rows: NDArray[np.uint8],
    out: NDArray[np.uint8],
) -> None:
    """out[j, i] = the number of every step-th cell in columns[j]: a column's numbers lie together.

    A row is a cache line or two, so all columns are taken from it at once.
    """
    first, stop, step = cells
    for i in range((stop - first + step - 1) // step):
        row = rows[at(first + i * step)]
        for j in range(columns.shape[0]):
            out[at(j), at(i)] = row[at(columns[at(j)])]


@inlined
def extent(numbers: NDArray[np.uint8], cells: int) -> tuple[int, int]:
    """The least and the greatest of some numbers. In a loop of its own it is vectorised."""
    low, high = np.uint8(BINS - 1), np.uint8(0)
    for i in range(cells):
        low, high = min(low, numbers[at(i)]), max(high, numbers[at(i)])
    return int(np.int64(low)), int(np.int64(high))


@inlined
def tabulate(numbers: NDArray[np.uint8], cells: int, room: SplitRoom) -> None:
    """The table has the counts of a column."""
    for i in range(cells):
        number = numbers[at(i)]
        room.table[at(number), at(room.symbols[at(i)])] += 1
        room.there[at(number)] = 1


@inlined
def move_left(number: int, xlogx: NDArray[np.float64], room: SplitRoom) -> tuple[int, float, float]:
    """The cells of a number are counted on the left, and no longer in the table.

    Returns how many they are, and by what the sums of n log n grow left and right.
    """
    moved, here, there = 0, 0.0, 0.0
    for word in range(TOLD_APART // A_WORD):
        if room.words[at(number), at(word)] == NONE:
            continue
        for symbol in range(A_WORD * word, A_WORD * word + A_WORD):
            n = int(np.int64(room.table[at(number), at(symbol)]))
            if n:
                moved += n
                left = room.left[at(symbol)]
                rest = room.whole[at(symbol)] - left
                here += xlogx[at(left + n)] - xlogx[at(left)]
                there += xlogx[at(rest - n)] - xlogx[at(rest)]
                room.left[at(symbol)] = left + n
        room.words[at(number), at(word)] = NONE
    return moved, here, there


@inlined
def count_sample(cells: tuple[int, int, int], sample: Sample, room: SplitRoom) -> Counted:
    """room.symbols and room.whole are those of every step-th cell."""
    first, stop, step = cells
    total, xlogx = (stop - first + step - 1) // step, 0.0
    last = at(sample.rows.shape[1] - 1)
    room.whole[:] = 0
    for i in range(total):
        symbol = sample.rows[at(first + i * step), last]
        room.symbols[at(i)] = symbol
        room.whole[at(symbol)] += 1
    for symbol in range(TOLD_APART):
        xlogx += sample.xlogx[room.whole[symbol]]
    return Counted(total, xlogx)


@inlined
def best_bound(
    column: int, numbers: NDArray[np.uint8], counted: Counted, sample: Sample, room: SplitRoom
) -> Split:
    """The best question about a column, whose numbers are given."""
    low, high = extent(numbers, counted.cells)
    if low >= high:
        return Split(0.0, column, 0)
    tabulate(numbers, counted.cells, room)
    room.left[:] = 0
    total, xlogx = counted.cells, sample.xlogx
    lefts, here, there = 0, 0.0, counted.xlogx
    before = xlogx[total] - counted.xlogx
    best, bound = 0.0, 0
    for number in range(low, high + 1):
        if room.there[at(number)] == 0:
            continue
        room.there[at(number)] = 0
        moved, more, less = move_left(number, xlogx, room)
        lefts, here, there = lefts + moved, here + more, there + less
        gain = before - (xlogx[at(lefts)] - here) - (xlogx[at(total - lefts)] - there)
        if gain > best and number < high:
            best, bound = gain, number
    return Split(best, column, bound)


@kernel
def best_split(first: int, stop: int, sample: Sample, room: SplitRoom) -> Split:
    """The best question for the cells first .. stop-1 of a sample.

    Not all of many cells need be looked at. All questions are asked about SCREENED of them; then
    those about the FINALISTS best columns are asked about JUDGED of them.
    """
    cells = first, stop, max((stop - first) // SCREENED, 1)
    counted = count_sample(cells, sample, room)
    columns = sample.rows.shape[1] - 1
    gather(cells, room.every[:columns], sample.rows, room.screened)
    best = Split(0.0, -1, 0)
    room.gains[columns:] = -1.0
    for column in range(columns):
        split = best_bound(column, room.screened[column], counted, sample, room)
        room.gains[column] = split.gain
        if split.gain > best.gain:
            best = split
    if cells[2] > 1:
        for i in range(room.finalists.shape[0]):
            room.finalists[i] = np.argmax(room.gains)
            room.gains[room.finalists[i]] = -1.0
        cells = first, stop, max((stop - first) // JUDGED, 1)
        counted = count_sample(cells, sample, room)
        gather(cells, room.finalists, sample.rows, room.judged)
        best = Split(0.0, best.column, best.bound)
        for i in range(min(FINALISTS, columns)):
            column = int(room.finalists[i])
            split = best_bound(column, room.judged[i], counted, sample, room)
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
