"""The work space in which a plane is coded and decoded.

    values    a board of boards: one board for each square of the outer king, on it the inner king
    states    the same shape: whether a cell is legal, and whether the side to move is in check
    slots     the other numbers that questions ask about; twice, once for each lane
    records   for each square, what a king there is to the men

Every board has a margin of two files and two ranks before it, which is also the margin after the
previous board. The odd lane sees the work space from EXTRA on. So its slots have the same numbers
as those of the even lane, and its places are smaller by EXTRA.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

ContextValues = NDArray[np.int16]
"""The work space, flat. Cells hold context values (`ranks.py`), slots hold small numbers."""

WIDTH = 10
BOARD = WIDTH * WIDTH
PLACE = np.array([(square // 8 + 2) * WIDTH + square % 8 + 2 for square in range(64)])
AREA = BOARD * (BOARD + 2)
STATES = AREA  # from the place of a value to that of its state
NO_CELL, NO_CHECK, IN_CHECK = 1, 2, 3  # states; beyond the edge of the board OUTSIDE

# Slots: a constant 0 and the two predictions. Then for each of them the least and the greatest
# value that is coded as a distance from it.
SLOTS = 3
NIL, WIN, LOSS = range(2 * AREA, 2 * AREA + SLOTS)
LEAST, MOST = SLOTS, 2 * SLOTS  # from a slot to its limits

# The record of a king: his file and rank; then for each man its distance from him, and how many
# files and ranks he is to the right of it and above it, plus SHIFT, so that nothing is negative.
FEATURED_MEN = 4  # men that features speak of
RECORD = 16
OF_MAN = 3
SHIFT = 7
OUTER = NIL + 3 * SLOTS  # the record of the outer king
INNER = OUTER + RECORD
BETWEEN_KINGS = INNER + RECORD  # distance, files and ranks from the inner king to the outer one
PLACED = BETWEEN_KINGS + 3  # of each man: file, rank, how many men attack it, how many defend it
OF_PLACED = 4
SPACE = PLACED + OF_PLACED * FEATURED_MEN
EXTRA = SPACE - NIL
RECORDS = SPACE + EXTRA

BITS_OF_CLASS = 3
UNIT = 1 << BITS_OF_CLASS  # one rank in a context value; the bits below are the class
OUTSIDE = -3750 * UNIT  # below every value: a file has few enough ranks for 16 bits above this


class _ThreadSpace(threading.local):
    """Made anew in every thread that looks at it."""

    def __init__(self) -> None:
        self.space = np.full(RECORDS + 64 * RECORD, OUTSIDE, np.int16)


_THREAD = _ThreadSpace()


def coder_scratch() -> ContextValues:
    """The work space of the calling thread.

    Coding a plane reads only what it has written itself, and the margins, which nobody writes.
    """
    return _THREAD.space
