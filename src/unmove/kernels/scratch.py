"""The scratch space of one thread. Kernels allocate nothing, so it is handed to them."""

from __future__ import annotations

import threading
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MARGIN = 16  # words: two cache lines, as the hardware fetches them in pairs
MOST_MEN = 8  # men beside the kings
MOST_SOURCES = 128  # planes one side's men can come from: four queens, 27 each
MOST_CAPTURES = 20  # of one side: four men and the king take four men
LISTED_PLANES = 2  # sources are listed for so many planes at a time
FRAMES = 8  # one for each symmetry


class Scratch(NamedTuple):
    """Buffers that hold nothing between two planes, but for lists that are made a plane ahead.

    `lists` is 0 or FRAMES, by turns. `edge` has eight zero words at each end.
    """

    squares: NDArray[np.int64]  # [man]: the plane at hand
    image: NDArray[np.int64]  # [man]: the same men seen through a symmetry
    rest: NDArray[np.int64]  # [symmetry]: plane of the men beside the lead, -1 = not yet known
    listed: NDArray[np.int64]  # [lists + symmetry]: how many sources are listed
    source: NDArray[np.int64]  # [lists + symmetry, i]: planes or entries to read
    path: NDArray[np.int64]  # [lists + symmetry, i]: masks to read them through
    captures: NDArray[np.int64]  # [half]: how many captures are listed, half = lists / FRAMES
    after: NDArray[np.int64]  # [half, i]: keys of the planes after a capture
    victim: NDArray[np.int64]  # [half, i]: the man taken
    passes: NDArray[np.int64]  # [half, i]: the mask to read the plane through
    frames: NDArray[np.uint64]  # [symmetry, row]: planes as seen in each frame
    new: NDArray[np.uint64]  # [1, row]: the positions that may be settled
    arrived: NDArray[np.uint64]  # [1, row]: those of them with a conversion that decides
    has_arrived: NDArray[np.bool_]  # [1]: whether there are any
    spread: NDArray[np.uint64]  # [row]
    edge: NDArray[np.uint64]  # [row + 8]


def scratch() -> Scratch:
    """Fresh scratch space for one thread, no cache line of it shared with anything else."""
    return Scratch(
        squares=private(np.int64, MOST_MEN),
        image=private(np.int64, MOST_MEN),
        rest=private(np.int64, 8),
        listed=private(np.int64, LISTED_PLANES * FRAMES),
        source=private(np.int64, LISTED_PLANES * FRAMES, MOST_SOURCES),
        path=private(np.int64, LISTED_PLANES * FRAMES, MOST_SOURCES),
        captures=private(np.int64, LISTED_PLANES),
        after=private(np.int64, LISTED_PLANES, MOST_CAPTURES),
        victim=private(np.int64, LISTED_PLANES, MOST_CAPTURES),
        passes=private(np.int64, LISTED_PLANES, MOST_CAPTURES),
        frames=private(np.uint64, 8, 64),
        new=private(np.uint64, 1, 64),
        arrived=private(np.uint64, 1, 64),
        has_arrived=private(np.bool_, 1),
        spread=private(np.uint64, 64),
        edge=private(np.uint64, 80),
    )


def private(kind: type[Any], *shape: int) -> NDArray[Any]:
    """Zeros for one thread alone: with a margin, so that no other writes to the same cache line."""
    size = prod(shape)
    return np.zeros(MARGIN + size + MARGIN, kind)[MARGIN : MARGIN + size].reshape(shape)


class _ThreadScratch(threading.local):
    """Every thread that reads it has one of its own."""

    def __init__(self) -> None:
        self.scratch = scratch()


_THREAD = _ThreadScratch()


def own_scratch() -> Scratch:
    """The scratch space of the calling thread, the same at every call."""
    return _THREAD.scratch
