"""The work space in which a plane is coded and decoded: where what is known of it stands.

    values    a board of boards: one board for each square of the outer king, on it the inner king
    states    the same once more: is a cell legal, is the side to move in check
    slots     numbers that questions are asked about, beside neighbours; twice, for two lanes
    records   for each square what a king there is to the men

Every board has a margin of two files and two ranks before it, which is also the margin behind the
one before it. The odd lane sees the work space from EXTRA on, so that its slots have the same
numbers as those of the even one, and its places are smaller by EXTRA.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

WIDTH = 10
BOARD = WIDTH * WIDTH
PLACE = np.array([(square // 8 + 2) * WIDTH + square % 8 + 2 for square in range(64)])
AREA = BOARD * (BOARD + 2)
STATES = AREA  # from the place of a value to that of its state
NO_CELL, QUIET, CHECK = 1, 2, 3  # states; beyond the edge of the board: lower than all

# A constant 0, the predictions, and the least and the most a value can be that is coded as its
# distance from one of them.
SLOTS = 3
NIL, WIN, LOSS = range(2 * AREA, 2 * AREA + SLOTS)
LEAST, MOST = SLOTS, 2 * SLOTS  # from a slot to its limits

# A king's file and rank; then of each man its distance from him, and by how many files and ranks
# he is to the right of it and above it, plus SHIFT, as no number is negative.
MEN = 4  # that hints speak of
RECORD = 16
OF_MAN = 3
SHIFT = 7
OUTER = NIL + 3 * SLOTS  # the record of the outer king
INNER = OUTER + RECORD
KINGS = INNER + RECORD  # distance, files and ranks from the inner king to the outer one
PLACED = KINGS + 3  # of each man: file, rank, how many men attack it, how many defend it
OF_PLACED = 4
SPACE = PLACED + OF_PLACED * MEN
EXTRA = SPACE - NIL
RECORDS = SPACE + EXTRA

BITS_OF_CLASS = 3
UNIT = 1 << BITS_OF_CLASS  # of a value; what is below is the class
OUTSIDE = -3750 * UNIT  # as a file has fewer ranks, values are of 16 bits


class _ThreadSpace(threading.local):
    """Made anew in every thread that looks at it."""

    def __init__(self) -> None:
        self.space = np.full(RECORDS + 64 * RECORD, OUTSIDE, np.int16)


_THREAD = _ThreadSpace()


def coder_scratch() -> NDArray[np.int16]:
    """The work space of the thread that asks.

    A plane reads only what it has written itself, and the margins, where nothing is written.
    """
    return _THREAD.space
