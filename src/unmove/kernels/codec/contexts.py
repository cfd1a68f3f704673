"""The model of the codec: from the cells around a cell to the context it is coded in.

The cells of a plane are coded one by one, and only the legal ones. What a cell is likely to hold is
learnt from its *neighbours*: cells coded earlier, in which a king stands a step or two aside. First
come two predictions, the nearest win and the nearest loss. Then a binary tree of questions, such
as "is the neighbour above at most the predicted win plus 2?", leads to a *leaf*: the context in
which the cell is coded (`rans.py`). The tree is learnt for each table (`growth.py`).

Each step down the tree waits for memory, so two cells are worked on at a time. The boards of a
plane, one for each square of the outer king, are therefore divided into two *lanes*: those where
the outer king is on an even rank, and those where it is on an odd one. Each lane has its own
predictions. As long as neither lane runs too far ahead, every neighbour is known when a question
asks for it.

A plane may be coded in *strips* of ranks of the outer king, each of which can be decoded without
the ones before: their values are taken to be unknown. A strip has two lanes of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import ONE
from unmove.kernels.codec.features import NEAREST, OFFSETS, place_inner, place_outer
from unmove.kernels.codec.ranks import GAP, LOST, WON, RankOrder, first_loss
from unmove.kernels.codec.scratch import (
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
    ContextValues,
)
from unmove.kernels.codec.tree import (
    LEAF,
    NEXT,
    NO_QUESTION,
    OWN_QUESTION,
    QUESTION_BASE,
    QUESTION_LIMIT,
    ROW,
    YES_QUESTION,
    Tree,
)
from unmove.kernels.intrinsics import at, fetch_rows, lowest
from unmove.kernels.jit import inlined

LANES = 2
BOARDS = 32  # in a lane of a plane that is one strip
RANKS_BACK = 2  # of the outer king: so far below a board its neighbours are
DONE = 64  # in place of a cell: the lane has no cell to code on its board

KEYS = UNIT ** len(NEAREST)  # the classes of the nearest, the last of NEAREST lowest


def _predicting() -> NDArray[np.int16]:
    """[2 * key]: the offset of the neighbour that predicts a win, WIN if none; then of a loss."""
    found = np.full((KEYS, 2), (WIN, LOSS), np.int16)
    for digit, i in reversed(list(enumerate(NEAREST[::-1]))):
        kind = np.arange(KEYS) // UNIT**digit % UNIT
        found[kind == WON, 0] = found[kind == LOST, 1] = OFFSETS[i]
    return found.ravel()


PREDICTING = _predicting()


class Lane(NamedTuple):
    """How far a lane has come."""

    odd: int  # 0 for the lane of even ranks, 1 for that of odd ones
    outer: int  # the square of the outer king
    board: int  # where its board begins in the work space, as the lane sees it
    inner: int  # the square of the inner king in the cell to code next, or DONE
    begun: int  # boards begun, this one and those of earlier strips included
    stop: int  # the boards up to the end of the strip


class Context(NamedTuple):
    """A cell that is about to be coded."""

    place: int  # in the work space, as its lane sees it; NIL if there is no cell
    row: int  # the row of its leaf


@inlined
def begin_plane(order: RankOrder, space: ContextValues) -> None:
    """The slots of a lane have what is predicted at the beginning of a plane."""
    losses = UNIT * (first_loss(order) + 2 * GAP) + LOST
    space[NIL], space[NIL + LEAST], space[NIL + MOST] = 0, OUTSIDE, -OUTSIDE
    space[WIN], space[WIN + LEAST] = UNIT * order.usual_win + WON, WON
    space[WIN + MOST] = UNIT * (order.wins - 1) + WON
    space[LOSS], space[LOSS + LEAST] = losses + UNIT * order.usual_loss, losses
    space[LOSS + MOST] = losses + UNIT * (order.losses - 1)


@inlined
def begin_lane(odd: int, strip: int, strips: int) -> Lane:
    """A lane before the first board of a strip."""
    boards = BOARDS // strips
    return Lane(odd, 0, 0, DONE, strip * boards, (strip + 1) * boards)


@inlined
def begin_strip(strip: int, order: RankOrder, space: ContextValues) -> None:
    """Both lanes are at the beginning of a strip, and the values of the ranks before are unknown.

    The work space is set up for the plane.
    """
    begin_plane(order, space)
    begin_plane(order, space[EXTRA:])
    first = 8 // order.strips * strip
    for outer in range(8 * max(first - RANKS_BACK, 0), 8 * first):
        for inner in range(64):
            space[at(PLACE[at(outer)] * BOARD + PLACE[at(inner)])] = OUTSIDE


@inlined
def ranks_around(strip: int, strips: int) -> tuple[int, int]:
    """The first rank of the outer king in a strip or of its neighbours, and that after the last."""
    size = 8 // strips
    return max(size * strip - RANKS_BACK, 0), size * (strip + 1)


@inlined
def enter_board(outer: int, lane: Lane, legal: NDArray[np.uint64], space: ContextValues) -> Lane:
    """The lane at the first legal cell of a board; legal[outer] has the board's legal cells."""
    place_outer(outer, lane.odd, space)
    board = int(PLACE[at(outer)] * BOARD) - lane.odd * EXTRA
    cells = legal[at(outer)]
    inner = lowest(cells) if cells else DONE
    return Lane(lane.odd, outer, board, inner, lane.begun + 1, lane.stop)


@inlined
def to_next_cell(lane: Lane, legal: NDArray[np.uint64]) -> Lane:
    """The lane at the next legal cell of its board."""
    rest = (legal[at(lane.outer)] >> np.uint64(lane.inner)) >> ONE
    inner = lane.inner + 1 + lowest(rest) if rest else DONE
    return Lane(lane.odd, lane.outer, lane.board, inner, lane.begun, lane.stop)


@inlined
def boards_done(lane: Lane) -> int:
    """How many boards of a lane are done, those of earlier strips included."""
    return lane.begun - int(lane.inner < DONE)


@inlined
def is_ready(lane: Lane, other: Lane) -> bool:
    """Whether all neighbours on a lane's next board are known; its boards so far are done.

    The farthest neighbour is one file to the right and one rank below. For the even lane that is
    seven boards before; for the odd one it is the even lane's next board.
    """
    needed = lane.begun - 6 if lane.odd == 0 else min(lane.begun + 2, lane.stop)
    return lane.begun < lane.stop and boards_done(other) >= needed


@inlined
def go_on(lane: Lane, other: Lane, legal: NDArray[np.uint64], space: ContextValues) -> Lane:
    """The lane, on its next board if it is done with one and the other lane is far enough."""
    if lane.inner == DONE and is_ready(lane, other):
        outer = 16 * (lane.begun >> 3) + 8 * lane.odd + (lane.begun & 7)
        return enter_board(outer, lane, legal, space)
    return lane


@inlined
def goes_on(one: Lane, two: Lane, even: int, odd: int) -> bool:
    """Whether the even lane, or the odd one, is not yet done with so many boards."""
    return boards_done(one) < even or boards_done(two) < odd


@inlined
def next_cells(
    one: Lane,
    two: Lane,
    legal: NDArray[np.uint64],
    tree: Tree,
    space: ContextValues,
    beside: ContextValues,
) -> tuple[Lane, Lane, Context, Context]:
    """Both lanes, each at a cell if it can be, and the contexts of the cells.

    `space` is the work space as the even lane sees it, `beside` as the odd one does. A lane is at
    no cell while it waits for the other one, or if its board has no legal cell.
    """
    one = go_on(one, two, legal, space)
    two = go_on(two, one, legal, beside)
    place, key = prepare(one, space)
    other, other_key = prepare(two, beside)
    row, row_beside = leaves_of(place, key, other, other_key, tree, space, beside)
    return one, two, Context(place, row), Context(other, row_beside)


@inlined
def neighbour_at(place: int, offset: int) -> np.uint64:
    """Where the neighbour at an offset stands; an offset that is not negative is a slot's number.

    The shift makes a mask of the sign, so that there is no branch.
    """
    return np.uint64((place & (offset >> 63)) + offset)


@inlined
def predict(place: int, space: ContextValues) -> int:
    """space[WIN] and space[LOSS] are those of the nearest neighbours, if they have any.

    Returns the key of the nearest neighbours' classes.
    """
    key = 0
    for i in NEAREST:
        key = UNIT * key + (int(space[at(place + OFFSETS[i])]) & (UNIT - 1))
    win, loss = int(PREDICTING[at(2 * key)]), int(PREDICTING[at(2 * key + 1)])
    space[WIN], space[LOSS] = space[neighbour_at(place, win)], space[neighbour_at(place, loss)]
    return key


@inlined
def prepare(lane: Lane, space: ContextValues) -> tuple[int, int]:
    """The place of the lane's cell, and its neighbours' key; questions can now be asked about it.

    NIL and KEYS if the lane is at no cell.
    """
    if lane.inner == DONE:
        return NIL, KEYS
    place = int(lane.board + PLACE[at(lane.inner)])
    key = predict(place, space)
    place_inner(lane.inner, lane.odd, space)
    space[at(place)] = 0
    return place, key


@inlined
def is_no(place: int, question: int, tree: Tree, space: ContextValues) -> bool:
    """Whether the question that begins at tree.rows[question] is answered by no."""
    near = int(space[at(place + tree.rows[at(question)])])
    base = int(space[at(tree.rows[at(question + QUESTION_BASE)])])
    return near > base + int(tree.rows[at(question + QUESTION_LIMIT)])


@inlined
def follow(row: int, place: int, tree: Tree, space: ContextValues) -> int:
    """The row after two questions. All three are answered, which is faster than a branch."""
    first = row * ROW
    following = int(tree.rows[at(first + NEXT)]) & 0xFFFF
    fetch_rows(tree.rows, following)
    no = is_no(place, first + OWN_QUESTION, tree, space)
    after_yes = is_no(place, first + YES_QUESTION, tree, space)
    after_no = is_no(place, first + NO_QUESTION, tree, space)
    second = after_no if no else after_yes
    return following + 2 * int(no) + int(second)


@inlined
def leaves_of(
    place: int,
    key: int,
    other: int,
    other_key: int,
    tree: Tree,
    space: ContextValues,
    beside: ContextValues,
) -> tuple[int, int]:
    """The rows of the leaves of two cells, one in each lane.

    Either walk waits for memory and for its end, which is hard to foresee. So two cost little more
    than one. From NIL nothing is asked: the last start is a leaf.
    """
    row = int(np.int64(tree.starts[at(key)]))
    row_beside = int(np.int64(tree.starts[at(other_key)]))
    while True:
        leaf = int(tree.rows[at(row * ROW + LEAF)])
        leaf_beside = int(tree.rows[at(row_beside * ROW + LEAF)])
        if (leaf | leaf_beside) >= 0:
            return row, row_beside
        row = follow(row, place, tree, space)
        row_beside = follow(row_beside, other, tree, beside)
