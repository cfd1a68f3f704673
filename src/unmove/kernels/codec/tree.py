"""The tree of contexts as the kernels read it: rows of sixteen 16-bit numbers.

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
