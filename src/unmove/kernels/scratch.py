"""The scratch space of one thread; kernels allocate nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_MEN = 8  # men beside the kings
MOST_SOURCES = 128  # planes one side's men can come from: four queens, 27 each


class Scratch(NamedTuple):
    """Buffers that hold nothing between two planes. `edge` has eight zero words at each end."""

    squares: NDArray[np.int64]  # [man]: the plane at hand
    image: NDArray[np.int64]  # [man]: the same men seen through a symmetry
    rest: NDArray[np.int64]  # [symmetry]: plane of the men beside the lead, -1 = not yet known
    listed: NDArray[np.int64]  # [symmetry]: how many sources are listed
    source: NDArray[np.int64]  # [symmetry, i]: planes to read
    path: NDArray[np.int64]  # [symmetry, i]: masks to read them through
    frames: NDArray[np.uint64]  # [symmetry, row]: planes as seen in each frame
    new: NDArray[np.uint64]  # [1, row]: the positions that may be settled
    spread: NDArray[np.uint64]  # [row]
    edge: NDArray[np.uint64]  # [row + 8]


def scratch() -> Scratch:
    """Fresh scratch space for one thread."""
    return Scratch(
        squares=np.zeros(MOST_MEN, np.int64),
        image=np.zeros(MOST_MEN, np.int64),
        rest=np.zeros(8, np.int64),
        listed=np.zeros(8, np.int64),
        source=np.zeros((8, MOST_SOURCES), np.int64),
        path=np.zeros((8, MOST_SOURCES), np.int64),
        frames=np.zeros((8, 64), np.uint64),
        new=np.zeros((1, 64), np.uint64),
        spread=np.zeros(64, np.uint64),
        edge=np.zeros(80, np.uint64),
    )
