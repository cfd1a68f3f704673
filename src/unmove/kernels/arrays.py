"""What the cells of arrays hold: a type for each kind of number.

In memory all are small integers. Only their types keep a number of a palette from being taken for a
rank or a score. `store/codec/order.py` draws the way of a value from one to the next.
"""

from __future__ import annotations

from typing import Any, NewType

import numpy as np
from numpy.typing import NDArray

CellNumber = NewType("CellNumber", int)
"""An index into a palette."""
CellNumbers = NewType("CellNumbers", NDArray[Any])
"""[plane, cell]: cell numbers; uint8, or uint16 for a palette of more than 256 codes."""

Palette = NewType("Palette", NDArray[np.int64])
"""[cell number]: its code."""

Rank = NewType("Rank", int)
"""A place in the file's order of values."""
Ranks = NewType("Ranks", NDArray[Any])
"""[plane, cell]: ranks, as a file holds them before they are coded; uint8 or uint16."""

Score = NewType("Score", int)
"""A place in a mover's order of preference; 0 for no move."""
Scores = NewType("Scores", NDArray[Any])
"""[plane, cell]: scores; uint8, or uint16 for a table of more than 256 scores."""

Codes = NewType("Codes", NDArray[np.uint16])
"""Codes, in any shape."""

PositionSet = NewType("PositionSet", NDArray[np.uint64])
"""[plane, word]: a bit a cell."""
