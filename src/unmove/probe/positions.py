"""Where the columns of an array of positions stand in the planes of a layout."""

from __future__ import annotations

from math import comb

import numpy as np

from unmove.games.chess import LETTERS, SQUARES
from unmove.games.rules import columns_of
from unmove.kernels.locate import Chart
from unmove.planes.fold import Fold
from unmove.planes.layout import Layout
from unmove.planes.symmetry import IMAGE


def chart_of(layout: Layout, fold: Fold) -> Chart:
    """The chart of a layout without padding."""
    columns = columns_of(layout.material)
    free = list(range(len(columns)))

    def take(letter: str) -> int:
        column = next(i for i in free if columns[i] == letter)
        free.remove(column)
        return column

    kings = [take("K"), take("k")]
    letters = [LETTERS[man.kind] for man in layout.men]
    seats = [
        take(letter.lower() if man.side else letter)
        for letter, man in zip(letters, layout.men, strict=True)
    ]
    return Chart(
        seat=np.array(seats, np.int64),
        kings=np.array(kings, np.int64),
        leaders=layout.leaders,
        first=np.array(layout.starts, np.int64),
        stride=np.array(layout.group_strides, np.int64),
        sets=np.array([comb(SQUARES, size) for _, size in layout.groups], np.int64),
        orbit=layout.lead.orbit,
        symmetry=layout.lead.symmetry,
        place=fold.place,
        mirror=fold.symmetry,
        image=IMAGE,
    )
