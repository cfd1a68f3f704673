"""Where positions stand in a table: from squares to stored planes and cells, many at a time."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel

CHOOSE = np.array([[comb(s, k) for s in range(64)] for k in range(8)], np.int64)
NOT_FOUND = -1  # in place of a plane: there is no such position in the table


class Chart(NamedTuple):
    """A layout without padding, and its fold. A position is a row of squares, one column a man."""

    man_map: NDArray[np.int64]  # [man of the layout]: its column
    kings: NDArray[np.int64]  # [side]: the king's column
    leaders: int  # groups that make up the lead
    first: NDArray[np.int64]  # [group]: its first man; one more entry closes the last group
    stride: NDArray[np.int64]  # [group]
    sets: NDArray[np.int64]  # [group]: how many sets of squares there are
    orbit: NDArray[np.int64]  # [rank of the lead's placement]
    symmetry: NDArray[np.int64]  # [rank of the lead's placement]
    place: NDArray[np.int32]  # [plane]: see `planes.fold`
    mirror: NDArray[np.uint8]  # [plane]
    image: NDArray[np.int64]  # [symmetry, square]


@inlined
def rank_of_group(row: NDArray[Any], first: int, stop: int, seen: int, chart: Chart) -> int:
    """The rank of the set of squares of the men first .. stop-1, seen through a symmetry."""
    rank = 0
    for man in range(first, stop):
        square = chart.image[seen, row[chart.man_map[man]]]
        smaller = 0
        for other in range(first, stop):
            smaller += chart.image[seen, row[chart.man_map[other]]] < square
        rank += CHOOSE[smaller + 1, square]
    return rank


@inlined
def is_placement(row: NDArray[Any]) -> bool:
    """Whether all men are on the board and no two on one square."""
    occupied = np.uint64(0)
    for man in range(row.shape[0]):
        square = np.uint64(1) << np.uint64(row[man] & 63)
        if row[man] > 63 or occupied & square != np.uint64(0):
            return False
        occupied |= square
    return True


@kernel
def locate(
    squares: NDArray[Any],
    chart: Chart,
    places: NDArray[np.int32],
    cells: NDArray[np.int32],
) -> None:
    """places[i], cells[i] = where the position squares[i] stands; NOT_FOUND if it is in no cell."""
    for i in range(squares.shape[0]):
        row = squares[i]
        places[i], cells[i] = NOT_FOUND, 0
        if not is_placement(row):
            continue
        groups = chart.stride.shape[0]
        leaders = min(chart.leaders, groups)
        lead = 0
        for group in range(leaders):
            rank = rank_of_group(row, chart.first[group], chart.first[group + 1], 0, chart)
            lead = lead * chart.sets[group] + rank
        if chart.orbit[lead] < 0:
            continue
        seen = chart.symmetry[lead]
        plane = chart.orbit[lead] * (chart.stride[0] if groups else 1)
        for group in range(leaders, groups):
            rank = rank_of_group(row, chart.first[group], chart.first[group + 1], seen, chart)
            plane += rank * chart.stride[group]
        mirror = chart.mirror[plane]
        white = chart.image[mirror, chart.image[seen, row[chart.kings[0]]]]
        black = chart.image[mirror, chart.image[seen, row[chart.kings[1]]]]
        places[i], cells[i] = chart.place[plane], white * 64 + black
