"""The cells of planes that a file may only mark, against plain Python."""

from __future__ import annotations

import numpy as np

from unmove.kernels.arrays import CellNumbers, PositionSet, Scores
from unmove.kernels.codec.cells import mark_equal
from unmove.planes.layout import CELLS


def test_cells_whose_score_is_that_of_their_number_are_marked() -> None:
    """A score of 0 is no move and marks nothing; other cells with the right score are marked."""
    rng = np.random.default_rng(3)
    for kind in (np.uint8, np.uint16):
        numbers = rng.integers(0, 9, (3, CELLS)).astype(kind)
        score = rng.integers(0, 5, (3, CELLS)).astype(kind)
        best = np.array([0, 0, 0, 1, 2, 3, 4, 0, 1], kind)
        marked = np.zeros((3, 64), np.uint64)
        mark_equal(CellNumbers(numbers), Scores(best), Scores(score), PositionSet(marked))
        for plane in range(3):
            for cell in range(CELLS):
                found = int(marked[plane, cell // 64]) >> (cell % 64) & 1
                moved = int(score[plane, cell])
                assert found == (moved > 0 and moved == best[numbers[plane, cell]])
