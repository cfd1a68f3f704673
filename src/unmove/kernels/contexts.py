"""What the neighbours of a cell tell of it: the model behind the file's compression.

The cells of a plane are coded one by one, and only the legal ones. What a cell is likely to hold is
learnt from its *neighbours*: cells coded before it, in which a king stands a step or two aside. Two
predictions come first, the nearest win and the nearest loss; then a binary tree of questions, such
as "is the neighbour above at most the predicted win plus 2?", leads to a *leaf*, the context the
cell is coded in (`rans.py`). The tree is learnt for each table (`growth.py`).

A cell's *rank* is its place in the order

    quickest win .. slowest win   draw   stalemate   conversion   slowest loss .. quickest loss

which is what the moves into it are worth to the other side, worst first. "Conversion" is a win that
begins with one, so that it can be looked up in another table. In the work space ranks have gaps
between wins, draws and losses, so that one comparison, neighbour <= base + threshold, answers every
question; beyond the edge of the board stands something lower than all ranks.

What is coded is a *symbol*: draw, stalemate, conversion, or how far a win (a loss) is from the
prediction, folded onto 0, 1, 2, ...
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined

ONE = np.uint64(1)

# The work space: a board of boards, every one with a margin of two files and two ranks before it,
# which is also the margin behind the one before it. Slots for other things follow.
WIDTH = 10
BOARD = WIDTH * WIDTH
NIL, WIN, LOSS = range(BOARD * (BOARD + 2), BOARD * (BOARD + 2) + 3)
SPACE = BOARD * (BOARD + 2) + 8
OUTSIDE = -30000

GAP = 32  # between wins and draws, and between draws and losses
NEAR_WINS, NEAR_LOSSES = 20, 9  # how far from a prediction questions reach

# (files, ranks) the outer king stands aside, and the inner one; all earlier in the order of coding
NEIGHBOURS = (
    *((0, 0, -1, 0), (0, 0, 0, -1), (0, 0, -1, -1), (0, 0, 1, -1), (0, 0, -2, 0), (0, 0, 0, -2)),
    *((-1, 0, 0, 0), (0, -1, 0, 0), (-1, -1, 0, 0), (1, -1, 0, 0), (-2, 0, 0, 0), (0, -2, 0, 0)),
    *((-1, 0, 1, 0), (-1, 0, 0, 1), (-1, 0, -1, 0), (-1, 0, 0, -1), (-1, 0, 1, 1)),
    *((0, -1, 1, 0), (0, -1, 0, 1), (0, -1, -1, 0), (0, -1, 0, -1), (0, -1, 1, 1)),
)
OFFSETS = np.array([(b * WIDTH + a) * BOARD + d * WIDTH + c for a, b, c, d in NEIGHBOURS])
NEAREST = (7, 6, 1, 0)  # the neighbours that predict, the last one first
PLACE = np.array([(square // 8 + 2) * WIDTH + square % 8 + 2 for square in range(64)])

DRAWN, STALEMATED, CONVERTED, FIRST_WIN = range(4)  # symbols


class Ranks(NamedTuple):
    """How many ranks there are, and what is predicted where no neighbour does."""

    wins: int
    losses: int
    win: int
    loss: int


class Tree(NamedTuple):
    """Questions: space[offset + (place & mask)] <= space[base] + threshold, yes is `child`.

    No is the node after it. A leaf has minus its number as child.
    """

    nodes: NDArray[np.int16]  # [node]: offset, mask, base, threshold, child


@inlined
def spaced(rank: int, r: Ranks) -> int:
    """A rank with the gaps."""
    if rank < r.wins:
        return rank
    return rank + GAP if rank < r.wins + 3 else rank + 2 * GAP


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
        return FIRST_WIN + fold(rank, space[WIN], r.wins)
    if rank < r.wins + 3:
        return rank - r.wins
    first = r.wins + 3
    return first + fold(rank - first, space[LOSS] - first - 2 * GAP, r.losses)


@inlined
def rank_of(symbol: int, r: Ranks, space: NDArray[np.int16]) -> int:
    """The inverse of `symbol_of`."""
    if symbol < FIRST_WIN:
        return r.wins + symbol
    first = r.wins + 3
    if symbol < first:
        return unfold(symbol - FIRST_WIN, space[WIN], r.wins)
    return first + unfold(symbol - first, space[LOSS] - first - 2 * GAP, r.losses)


@inlined
def start(r: Ranks, space: NDArray[np.int16]) -> None:
    """The predictions at the beginning of a plane."""
    space[NIL] = 0
    space[WIN] = r.win
    space[LOSS] = spaced(r.wins + 3 + r.loss, r)


@inlined
def predict(place: int, r: Ranks, space: NDArray[np.int16]) -> None:
    """space[WIN] and space[LOSS] are those of the nearest neighbours; else they stay."""
    win, loss = space[WIN], space[LOSS]
    for i in NEAREST:
        near = space[place + OFFSETS[i]]
        win = near if 0 <= near < r.wins else win
        loss = near if near >= r.wins + 3 + 2 * GAP else loss
    space[WIN], space[LOSS] = win, loss


@inlined
def fill(place: int, r: Ranks, space: NDArray[np.int16]) -> None:
    """A cell that is not legal looks like its nearest neighbour."""
    like = np.int16(r.wins + GAP)
    for i in NEAREST:
        near = space[place + OFFSETS[i]]
        like = near if near != OUTSIDE else like
    space[place] = like


@inlined
def leaf_of(place: int, tree: Tree, space: NDArray[np.int16]) -> int:
    """Where the questions lead."""
    node = 0
    while True:
        child = np.int64(tree.nodes[node, 4])
        if child <= 0:
            return -child
        found = np.int64(space[tree.nodes[node, 0] + (place & np.int64(tree.nodes[node, 1]))])
        bound = np.int64(space[tree.nodes[node, 2]]) + np.int64(tree.nodes[node, 3])
        node = child + np.int64(found > bound)


def workspace() -> NDArray[np.int16]:
    """The work space of one thread."""
    return np.full(SPACE, OUTSIDE, np.int16)
