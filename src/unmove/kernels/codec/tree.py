"""The tree of contexts as the kernels read it: rows of sixteen 16-bit numbers, and how to build it.

A *question* is: space[offset + place] <= space[base] + limit? A row packs three of them: the node's
own, that of its yes-child and that of its no-child. So one load advances two levels. The
rows of the four grandchildren stand together: after yes-yes, yes-no, no-yes, no-no.

    column      0    1    2    3    4    5    6    7    8    9   10   11   12   13   14   15
              own question   if yes         if no
    question  off base  lim  off base  lim  off base  lim next   -1    .    .    .    .    .
    leaf        0  NIL freq    0  NIL freq    0  NIL high  own leaf  low slot away slot away
                     first         second                               first     second

`next` is the first of the four rows that follow, as 16 bits without a sign. A leaf follows itself:
its questions are always answered by yes, whatever limit from 0 on stands there. This leaves room
for what the decoder needs (`coders.py`): of the leaf's two most frequent symbols, the frequency
less one, the slot and the distance from it; and the entry of its third symbol, in a low part of 15
bits and a high one.

A question about a slot has the place's own offset 0, where 0 stands: "slot <= t" is asked as "not
0 <= slot - t - 1".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.codec.scratch import NIL

ROW = 16  # columns
OWN_QUESTION, YES_QUESTION, NO_QUESTION = 0, 3, 6  # the first column of each
QUESTION_BASE, QUESTION_LIMIT = 1, 2  # columns of a question, after its offset
NEXT, LEAF = 9, 10
# In a leaf; of its i-th most frequent symbol, i = 0 or 1, these columns plus i times the step.
FREQUENCY, FREQUENCY_STEP = OWN_QUESTION + QUESTION_LIMIT, YES_QUESTION - OWN_QUESTION
SLOT, SLOT_STEP = 12, 2
AWAY = SLOT + 1
REST_LOW, REST_HIGH = 11, NO_QUESTION + QUESTION_LIMIT
REST_BITS = 15  # of the low part


class Tree(NamedTuple):
    """The rows of the questions, and where the walk through them starts.

    The first questions mostly ask for the class of the nearest neighbours: a win, a draw, a loss.
    `starts` has the row after all leading questions that these classes decide.
    """

    rows: NDArray[np.int16]  # [ROW * row + column]
    starts: NDArray[np.uint16]  # [key of the nearest neighbours' classes]: a row


def rows_in_lines(rows: int) -> NDArray[np.int16]:
    """Zeros for so many rows, with every four of them in two lines of the processor's cache."""
    size = rows * ROW
    room = np.zeros(size + 4 * ROW, np.int16)
    first = -room.ctypes.data % (4 * ROW * room.itemsize) // room.itemsize
    out: NDArray[np.int16] = room[first : first + size].reshape(rows, ROW)
    return out


def in_lines(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """The rows, flat, likewise."""
    out = rows_in_lines(len(rows))
    out[:] = rows
    return out.ravel()


class _Nodes(NamedTuple):
    """The nodes of a binary tree. A leaf is its own child."""

    question: NDArray[np.int64]  # [node]: offset, base, limit
    yes: NDArray[np.int64]  # [node]: a node
    no: NDArray[np.int64]  # [node]: a node
    leaf: NDArray[np.int64]  # [node]: the number of the leaf; -1 if it is none


def _nodes_of(nodes: NDArray[np.int64]) -> _Nodes:
    """The nodes of `tree_of`. Questions about slots are reversed: yes and no are exchanged."""
    offset, mask, base, limit, child = nodes.T
    ends, of_slot = child <= 0, (child > 0) & (mask == 0)
    question = np.stack((offset, base, limit), axis=1)
    question[of_slot] = np.stack((0 * offset, offset, -limit - 1), axis=1)[of_slot]
    question[ends] = 0, NIL, 0
    own = np.arange(len(nodes))
    yes, no = np.where(ends, own, child + of_slot), np.where(ends, own, child + 1 - of_slot)
    return _Nodes(question, yes, no, np.where(ends, -child, -1))


def tree_of(nodes: NDArray[np.int64], starts: NDArray[np.int64]) -> Tree:
    """The tree of these nodes; starts[key]: a node to begin at, an even number of steps down.

    A node is offset, mask, base, limit and child. The child is the node after a yes; the node
    after a no comes next. A leaf has minus its number as child. The mask is 0 if the offset is the
    number of a slot, -1 if it is counted from the place.
    """
    question, yes, no, leaf = _nodes_of(nodes)
    level = np.array([0, *[len(nodes) - 1] * 3])  # filled up by leaves, so that fours are aligned
    found, listed, end = [level], [], len(level)
    while len(level):
        asks = leaf[level] < 0
        own = end - len(level) + np.arange(len(level))
        following = np.where(asks, end + 4 * (np.cumsum(asks) - 1), own)
        questions = question[level], question[yes[level]], question[no[level]]
        listed.append(np.column_stack((*questions, following, leaf[level])))
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
