"""The scratch space of one thread, for the planes of one layout."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.scratch import MOST_MEN, private


class CourtScratch(NamedTuple):
    """Buffers that hold nothing between two planes."""

    squares: NDArray[np.int64]  # [man]: the attackers of the plane at hand
    spots: NDArray[np.int64]  # [i]: the men of a group while they are ranked
    rest: NDArray[np.int64]  # [mirrored]: plane of the men beside the lead, -1 = not yet known
    frames: NDArray[np.uint64]  # [mirrored, word]: a plane as seen in each frame
    new: NDArray[np.uint64]  # [1, word]: the positions that may be settled


def court_scratch(words: int) -> CourtScratch:
    """Fresh scratch space for one thread and planes of so many words."""
    return CourtScratch(
        squares=private(np.int64, MOST_MEN),
        spots=private(np.int64, MOST_MEN),
        rest=private(np.int64, 2),
        frames=private(np.uint64, 2, words),
        new=private(np.uint64, 1, words),
    )
