"""Values in the order in which a Syzygy sub-table numbers its placements.

From one number to the next a single man goes to the next square, mostly. While no other man moves,
the place of the position in our table follows from that man's square alone.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.locate import Chart, rank_of_group
from unmove.kernels.syzygy.numbering import (
    FACTOR,
    FIRST,
    GROUPS,
    LEAD,
    LEADING_PAWNS,
    OTHERS,
    PLACED_MEN,
    SETS,
    THREE,
    Numbering,
    place,
)
from unmove.planes.symmetry import COMPOSE

SEVERAL_MEN: Final = -1
WHITE_KING, BLACK_KING, FOLLOWER, OTHER_MAN = 0, 1, 2, 3
"""What the man that moves is in our layout: OTHER_MAN if it leads, or has others like it."""


class Walk(NamedTuple):
    """A sub-table's numbers and our layout, whose columns are the places of the piece list."""

    numbering: Numbering
    chart: Chart
    role: NDArray[np.int64]  # [man]: its role, from WHITE_KING to OTHER_MAN
    stride: NDArray[np.int64]  # [man]: planes from square to square, for a FOLLOWER
    row_step: int  # values from a row to the next
    cell_step: int  # values from a cell to the next
    squares: NDArray[np.int64]  # [man]: scratch


@inlined
def moving_man(numbering: Numbering, number: int) -> tuple[int, int]:
    """The man that moves from this number on, or SEVERAL_MEN; and how many numbers it has.

    They are the numbers left until the next man moves, this one included.
    """
    if numbering[FACTOR] == 1:
        lead = number % numbering[SETS]
        if numbering[LEAD] == THREE and lead < 30380:  # below that the third man has 62 squares
            return 2, 62 - lead % 62
        return SEVERAL_MEN, 1
    for group in range(1, numbering[GROUPS]):
        if numbering[FACTOR + group] == 1:
            first = numbering[FIRST + group]
            pawns = numbering[LEAD] == LEADING_PAWNS and group == 1 and numbering[OTHERS] > 0
            if numbering[FIRST + group + 1] - first > 1 or pawns:
                return SEVERAL_MEN, 1
            return first, numbering[SETS + group] - number % numbering[SETS + group]
    return SEVERAL_MEN, 1


@inlined
def plane_of(walk: Walk, without: int) -> tuple[int, int]:
    """The plane of walk.squares, seen as if one man stood on a1, and the symmetry it is seen by."""
    chart, squares = walk.chart, walk.squares
    groups = chart.stride.shape[0]
    lead = 0
    for group in range(min(chart.leaders, groups)):
        rank = rank_of_group(squares, chart.first[group], chart.first[group + 1], 0, chart)
        lead = lead * chart.sets[group] + rank
    seen = chart.symmetry[lead]
    plane = chart.orbit[lead] * (chart.stride[0] if groups else 1)
    for group in range(chart.leaders, groups):
        if chart.man_map[chart.first[group]] == without:
            continue
        rank = rank_of_group(squares, chart.first[group], chart.first[group + 1], seen, chart)
        plane += rank * chart.stride[group]
    return plane, seen


@inlined
def value_at(walk: Walk, plane: int, seen: int, values: NDArray[Any]) -> Any:
    """The value on a plane, the kings as they stand."""
    chart = walk.chart
    mirror = chart.mirror[plane]
    white = chart.image[mirror, chart.image[seen, walk.squares[chart.kings[0]]]]
    black = chart.image[mirror, chart.image[seen, walk.squares[chart.kings[1]]]]
    return values[chart.place[plane] * walk.row_step + (white * 64 + black) * walk.cell_step]


@inlined
def occupied_by(squares: NDArray[np.int64], first: int, stop: int) -> np.uint64:
    """The squares of some men as a set."""
    occupied = np.uint64(0)
    for man in range(first, stop):
        occupied |= np.uint64(1) << np.uint64(squares[man])
    return occupied


@inlined
def line_of_king(walk: Walk, role: int, plane: int, seen: int) -> tuple[int, int, int]:
    """For a king that moves: the symmetry of a plane, the other king's cells, cells a square."""
    chart = walk.chart
    turned = COMPOSE[seen, chart.mirror[plane]]
    if role == WHITE_KING:
        return turned, chart.image[turned, walk.squares[chart.kings[1]]], 64
    return turned, chart.image[turned, walk.squares[chart.kings[0]]] * 64, 1


@kernel
def gather(first: int, stop: int, walk: Walk, values: NDArray[Any], out: NDArray[Any]) -> None:
    """out[i] = the value of the placement with the number first + i, up to stop - 1.

    The values of [row, cell] are in one array, by the steps of the walk; chart.place gives the rows
    of planes.
    """
    numbering, squares = walk.numbering, walk.squares
    number = first
    while number < stop:
        place(numbering, number, squares)
        man, numbers = moving_man(numbering, number)
        last = min(stop, number + numbers)
        if man == SEVERAL_MEN:
            plane, seen = plane_of(walk, SEVERAL_MEN)
            out[number - first] = value_at(walk, plane, seen, values)
            number += 1
            continue
        taken = occupied_by(squares, 0, man)
        later = occupied_by(squares, man + 1, numbering[PLACED_MEN])
        role = walk.role[man]
        plane, seen = plane_of(walk, man if role == FOLLOWER else SEVERAL_MEN)
        square, row = squares[man], walk.chart.place[plane]
        turned, other, step = line_of_king(walk, role, plane, seen)
        while True:
            squares[man] = square
            if role == FOLLOWER:
                moved = plane + walk.chart.image[seen, square] * walk.stride[man]
                out[number - first] = value_at(walk, moved, seen, values)
            elif role == OTHER_MAN:
                plane, seen = plane_of(walk, SEVERAL_MEN)
                out[number - first] = value_at(walk, plane, seen, values)
            else:
                cell = other + walk.chart.image[turned, square] * step
                out[number - first] = values[row * walk.row_step + cell * walk.cell_step]
            number += 1
            if number == last:
                break
            square += 1
            while taken >> np.uint64(square) & np.uint64(1):
                square += 1
            if later >> np.uint64(square) & np.uint64(1):  # from here on that man stands elsewhere
                break
