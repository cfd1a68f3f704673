"""What the neighbours of a cell tell of it: the model behind the file's compression.

The cells of a plane are coded one by one, and only the legal ones. What a cell is likely to hold is
learnt from its *neighbours*: cells coded before it, in which a king stands a step or two aside. Two
predictions come first, the nearest win and the nearest loss; then a binary tree of questions, such
as "is the neighbour above at most the predicted win plus 2?", leads to a *leaf*, the context the
cell is coded in (`rans.py`). The tree is learnt for each table (`growth.py`).

A cell's *rank* is its place in the order

    quickest win .. slowest win   draw   stalemate   conversion   slowest loss .. quickest loss

which is what the moves into it are worth to the other side, worst first. "Conversion" is a win that
begins with one, so that it can be looked up in another table. The work space has *values*, in the
same order: ranks with gaps between wins, draws and losses, so that one comparison, neighbour <=
base + threshold, answers every question, and in their lowest bits the *class*: win, draw,
stalemate, conversion, loss, or 0 for what is not legal or beyond the edge of the board, lower than
all.

What is coded is a *symbol*: draw, stalemate, conversion, or how far a win (a loss) is from the
prediction, folded onto 0, 1, 2, ...

A walk through the tree waits for memory, so two cells are worked on at a time. The boards of a
plane, one for each square of the outer king, are therefore in two *lanes* by the outer king's rank,
even or odd, each with predictions of its own. As long as neither runs too far ahead every neighbour
is there when it is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.features import NEAREST, OFFSETS, place_inner, place_outer
from unmove.kernels.codec.scratch import (
    BITS_OF_CLASS,
    BOARD,
    EXTRA,
    LEAST,
    LOSS,
    MOST,
    NIL,
    OUTSIDE,
    PLACE,
    UNIT,
    WIN,
)
from unmove.kernels.intrinsics import fetch_rows, lowest
from unmove.kernels.jit import inlined

ONE = np.uint64(1)

CELLS = 64 * 64
LANES = 2
BOARDS = 32  # in a lane

NOTHING, WON, DREW, STALE, CONVERTS, LOST = CLASSES = range(6)  # of a value
GAP = 32  # between wins and draws, and between draws and losses
NEAR = 32  # how far from a prediction questions reach

KEYS = UNIT ** len(NEAREST)  # the classes of the nearest, the last of NEAREST lowest
DRAWN, STALEMATED, CONVERTED, FIRST_WIN = range(4)  # symbols


def _predicting() -> NDArray[np.int16]:
    """[2 * key]: the offset of the neighbour that predicts a win, WIN if none; then of a loss."""
    found = np.full((KEYS, 2), (WIN, LOSS), np.int16)
    for digit, i in reversed(list(enumerate(NEAREST[::-1]))):
        kind = np.arange(KEYS) // UNIT**digit % UNIT
        found[kind == WON, 0] = found[kind == LOST, 1] = OFFSETS[i]
    return found.ravel()


PREDICTING = _predicting()


class Ranks(NamedTuple):
    """How many ranks there are, and what is predicted where no neighbour does."""

    wins: int
    losses: int
    win: int
    loss: int


class Tree(NamedTuple):
    """Questions: space[offset + (place & mask)] <= space[base] + threshold?

    The rows hold them in steps of two, as the walk is a chain of loads and a row
    answers a question and both that may follow it at once: three times (offset, base, threshold),
    the first of the four rows that follow, and the leaf, -1 if it is none. A leaf follows itself.
    Offsets are from the place, which holds 0 itself: "slot <= t" is "not 0 <= slot - t - 1".

    The first questions are mostly what the nearest neighbours are, a win, a draw, a loss: `starts`
    has the row behind those that their classes answer.
    """

    rows: NDArray[np.int16]  # [ROW * row + i]
    starts: NDArray[np.uint16]  # [key]: a row


ROW, NEXT, LEAF = 16, 9, 10
# In a leaf, where nothing is asked and a threshold may be anything from 0 on: of its two most
# frequent symbols (`rans.py`) frequency - 1, slot and away; and where its other ones are found.
FREQUENCY, FREQUENCY_STEP, SLOT, SLOT_STEP, REST, REST_MORE = 2, 3, 12, 2, 11, 8


def in_lines(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """The rows, flat, each four of them in two lines of the processor's cache."""
    room = np.zeros(rows.size + 4 * ROW, np.int16)
    first = -room.ctypes.data % (4 * ROW * rows.itemsize) // rows.itemsize
    out: NDArray[np.int16] = room[first : first + rows.size]
    out[:] = rows.ravel()
    return out


def tree_of(nodes: NDArray[np.int64], starts: NDArray[np.int64]) -> Tree:
    """The tree of these nodes; starts[key]: a node to begin at, an even number of steps down.

    A node is offset, mask, base, threshold and child, the node after a yes; after a no comes the
    one behind it. A leaf has minus its number as child, and a question that leads nowhere else.
    """
    offset, mask, base, threshold, child = nodes.T
    ends, of_slot = child <= 0, (child > 0) & (mask == 0)
    question = np.stack((offset, base, threshold), axis=1)
    question[of_slot] = np.stack((0 * offset, offset, -threshold - 1), axis=1)[of_slot]
    question[ends] = 0, NIL, 0
    here = np.arange(len(nodes))
    yes, no = np.where(ends, here, child + of_slot), np.where(ends, here, child + 1 - of_slot)
    level = np.array([0, *[len(nodes) - 1] * 3])  # a leaf, so that fours begin at fours
    found, listed, end = [level], [], len(level)
    while len(level):
        asks = ~ends[level]
        own = end - len(level) + np.arange(len(level))
        following = np.where(asks, end + 4 * (np.cumsum(asks) - 1), own)
        parts = question[level], question[yes[level]], question[no[level]]
        listed.append(np.column_stack((*parts, following, np.where(asks, -1, -child[level]))))
        level = level[asks]
        after = yes[yes[level]], no[yes[level]], yes[no[level]], no[no[level]]
        level = np.stack(after, axis=1).ravel()
        found.append(level)
        end += len(level)
    rows = np.zeros((end, ROW), np.int16)
    rows[:, : LEAF + 1] = np.concatenate(listed).astype(np.uint16).view(np.int16)
    row_of = np.zeros(len(nodes), np.uint16)
    row_of[np.concatenate(found)] = np.arange(end)
    return Tree(in_lines(rows), row_of[starts])


@inlined
def value_of(rank: int, r: Ranks) -> int:
    """The value of a rank."""
    if rank < r.wins:
        return UNIT * rank + WON
    if rank < r.wins + 3:
        return UNIT * (rank + GAP) + DREW + rank - r.wins
    return UNIT * (rank + 2 * GAP) + LOST


@inlined
def rank_of(value: int) -> int:
    """The inverse of `value_of`."""
    kind = value & (UNIT - 1)
    return (value >> BITS_OF_CLASS) - GAP * (int(kind >= DREW) + int(kind == LOST))


@inlined
def fold(rank: int, predicted: int, size: int) -> int:
    """How far a rank is from the prediction, both in 0 .. size-1, as a number in 0 .. size-1."""
    away = rank - predicted
    room = min(predicted, size - 1 - predicted)
    if -room <= away <= room:
        return 2 * away if away >= 0 else -2 * away - 1
    return rank if predicted < size - 1 - predicted else size - 1 - rank


@inlined
def unfold(folded: int, predicted: int, size: int) -> int:
    """The inverse of `fold`."""
    room = min(predicted, size - 1 - predicted)
    if folded <= 2 * room:
        return predicted + ((folded >> 1) ^ -(folded & 1))
    return folded if predicted < size - 1 - predicted else size - 1 - folded


@inlined
def symbol_of(rank: int, r: Ranks, space: NDArray[np.int16]) -> int:
    """The symbol of a rank, given the predictions in the work space."""
    if rank < r.wins:
        return FIRST_WIN + fold(rank, rank_of(space[WIN]), r.wins)
    if rank < r.wins + 3:
        return rank - r.wins
    first = r.wins + 3
    return first + fold(rank - first, rank_of(space[LOSS]) - first, r.losses)


@inlined
def value_at(slot: int, away: int, space: NDArray[np.int16]) -> int:
    """The value of the symbol that stands `away` from a slot (`distances`)."""
    base = int(space[np.uint64(slot)])
    least = int(space[np.uint64(slot + LEAST)])
    most = int(space[np.uint64(slot + MOST)])
    if least <= base - abs(away) and base + abs(away) <= most:
        return base + away
    steps = away >> BITS_OF_CLASS
    folded = 2 * steps if steps >= 0 else -2 * steps - 1
    size = ((most - least) >> BITS_OF_CLASS) + 1
    return least + UNIT * unfold(folded, (base - least) >> BITS_OF_CLASS, size)


def distances(symbols: NDArray[np.int64], r: Ranks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For `value_at`: the slot of each symbol, and how far it is from it if there is room."""
    first = FIRST_WIN + r.wins
    folded = symbols - np.where(symbols < first, FIRST_WIN, first)
    away = UNIT * ((folded >> 1) ^ -(folded & 1))
    drawn = symbols < FIRST_WIN
    slots = np.where(drawn, NIL, np.where(symbols < first, WIN, LOSS))
    return slots, np.where(drawn, UNIT * (r.wins + GAP + symbols) + DREW + symbols, away)


@inlined
def start(r: Ranks, space: NDArray[np.int16]) -> None:
    """The slots at the beginning of a plane."""
    losses = UNIT * (r.wins + 3 + 2 * GAP) + LOST
    space[NIL], space[NIL + LEAST], space[NIL + MOST] = 0, OUTSIDE, -OUTSIDE
    space[WIN], space[WIN + LEAST] = UNIT * r.win + WON, WON
    space[WIN + MOST] = UNIT * (r.wins - 1) + WON
    space[LOSS], space[LOSS + LEAST] = losses + UNIT * r.loss, losses
    space[LOSS + MOST] = losses + UNIT * (r.losses - 1)


@inlined
def from_there(place: int, offset: int) -> np.uint64:
    """The neighbour at an offset, which is negative, or the slot of that number."""
    return np.uint64((place & (offset >> 63)) + offset)


@inlined
def predict(place: int, space: NDArray[np.int16]) -> int:
    """space[WIN] and space[LOSS] are those of the nearest neighbours; else they stay.

    Returns the key of the nearest neighbours' classes.
    """
    key = 0
    for i in NEAREST:
        key = UNIT * key + (int(space[np.uint64(place + OFFSETS[i])]) & (UNIT - 1))
    win, loss = int(PREDICTING[np.uint64(2 * key)]), int(PREDICTING[np.uint64(2 * key + 1)])
    space[WIN], space[LOSS] = space[from_there(place, win)], space[from_there(place, loss)]
    return key


@inlined
def enter(outer: int, lane: int, space: NDArray[np.int16]) -> int:
    """Where a board begins, now that the outer king stands there."""
    place_outer(outer, lane, space)
    return int(PLACE[np.uint64(outer)] * BOARD) - lane * EXTRA


@inlined
def is_ready(lane: int, begun: int, there: int, begun_there: int) -> bool:
    """Whether the next board of a lane has all its neighbours.

    So many boards have been begun in this lane, of which all are done, and in the other one, which
    is at the cell `there`. The farthest neighbour is one file to the right, one rank below: for
    the even lane seven boards before, for the odd one the next.
    """
    needed = begun - 6 if lane == 0 else min(begun + 2, BOARDS)
    return begun < BOARDS and begun_there - int(there < 64) >= needed


@inlined
def go_on(
    lane: int,
    outer: int,
    board: int,
    here: int,
    begun: int,
    there: int,
    begun_there: int,
    legal: NDArray[np.uint64],
    p: int,
    space: NDArray[np.int16],
) -> tuple[int, int, int, int]:
    """Where a lane is: if it is done with a board and may, at the first cell of the next one."""
    if here == 64 and is_ready(lane, begun, there, begun_there):
        outer = 16 * (begun >> 3) + 8 * lane + (begun & 7)
        board, here = enter(outer, lane, space), first_of(legal[p, np.uint64(outer)])
        begun += 1
    return outer, board, here, begun


@inlined
def first_of(legal: np.uint64) -> int:
    """The first legal cell of a board, or 64."""
    return lowest(legal) if legal else 64


@inlined
def next_of(here: int, legal: np.uint64) -> int:
    """The next legal cell of a board behind one, or 64."""
    rest = (legal >> np.uint64(here)) >> ONE
    return here + 1 + lowest(rest) if rest else 64


@inlined
def prepare(inner: int, board: int, lane: int, space: NDArray[np.int16]) -> tuple[int, int]:
    """The place of a cell, about which questions can now be asked, and its neighbours' key.

    If there is no cell left, NIL and KEYS.
    """
    if inner == 64:
        return NIL, KEYS
    place = int(board + PLACE[np.uint64(inner)])
    key = predict(place, space)
    place_inner(inner, lane, space)
    space[np.uint64(place)] = 0
    return place, key


@inlined
def is_no(place: int, at: int, tree: Tree, space: NDArray[np.int16]) -> bool:
    """The answer to the question at tree.rows[at]."""
    near = int(space[np.uint64(place + tree.rows[np.uint64(at)])])
    base = int(space[np.uint64(tree.rows[np.uint64(at + 1)])])
    return near > base + int(tree.rows[np.uint64(at + 2)])


@inlined
def follow(row: int, place: int, tree: Tree, space: NDArray[np.int16]) -> int:
    """The row after two questions."""
    at = row * ROW
    following = int(tree.rows[np.uint64(at + NEXT)]) & 0xFFFF
    fetch_rows(tree.rows, following)
    first = is_no(place, at, tree, space)
    if_yes, if_no = is_no(place, at + 3, tree, space), is_no(place, at + 6, tree, space)
    second = if_no if first else if_yes
    return following + 2 * int(first) + int(second)


@inlined
def leaves_of(
    place: int,
    key: int,
    other: int,
    other_key: int,
    tree: Tree,
    space: NDArray[np.int16],
    beside: NDArray[np.int16],
) -> tuple[int, int]:
    """The rows where the questions lead from a place in one lane and another in the one beside it.

    Either walk waits for memory and for its end, which is hard to foresee: two cost little more
    than one. From NIL there is nothing to ask: the last start is a leaf.
    """
    row = int(np.int64(tree.starts[np.uint64(key)]))
    row_beside = int(np.int64(tree.starts[np.uint64(other_key)]))
    while True:
        leaf = int(tree.rows[np.uint64(row * ROW + LEAF)])
        leaf_beside = int(tree.rows[np.uint64(row_beside * ROW + LEAF)])
        if (leaf | leaf_beside) >= 0:
            return row, row_beside
        row = follow(row, place, tree, space)
        row_beside = follow(row_beside, other, tree, beside)
