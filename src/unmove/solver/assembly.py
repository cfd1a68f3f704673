"""Where the planes of a part stand, and what they hold before anything is settled."""

from __future__ import annotations

import numpy as np

from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.kernels.scratch import Scratch
from unmove.kernels.stretch import lay_out
from unmove.solver.backend import SolverBackend, mask_words
from unmove.values import Side


class PartPlaces:
    """From the planes of a backend to those of its part without padding, and back."""

    def __init__(self, backend: SolverBackend) -> None:
        self.backend = backend
        self.masks = mask_words(backend.layout)
        self.order = backend.layout.order
        """[plane without padding]: the plane of the backend."""
        self.place = np.zeros(backend.layout.count, np.int64)
        """[plane of the backend]: the plane without padding."""
        self.place[self.order] = np.arange(len(self.order))

    def lay_out(
        self,
        side: Side,
        start: int,
        until: int,
        scratch: Scratch,
        cells: CellNumbers,
        converted: PositionSet,
        base: int = 0,
    ) -> int:
        """Of the planes start .. until-1 all legal cells, `side` to move, are draws, all else is 0.

        The arrays begin with the plane `base`. Returns the first plane of the backend after these.
        """
        cells[start - base : until - base] = 0
        converted[start - base : until - base] = 0
        before = int(self.order[until - 1]) + 1
        first, stop = np.searchsorted(self.backend.planes, [self.order[start], before])
        planes = self.backend.planes[first:stop]
        legal = self.backend.legal_on(planes, scratch)
        lay_out(self.place[planes] - base, legal[side], cells)
        return before
