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
MOST_OFFSETS: Final = 512
"""So many values are looked up together: the processor waits for memory once and not for each."""
LONGEST_RUN: Final = 64
BLOCK_ROWS: Final = 64
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
    offsets: NDArray[np.int64]  # [MOST_OFFSETS]: scratch


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
def offset_of(walk: Walk, plane: int, seen: int) -> int:
    """Where the value of a plane stands, the kings as they are."""
    chart = walk.chart
    mirror = chart.mirror[plane]
    white = chart.image[mirror, chart.image[seen, walk.squares[chart.kings[0]]]]
    black = chart.image[mirror, chart.image[seen, walk.squares[chart.kings[1]]]]
    return int(chart.place[plane] * walk.row_step + (white * 64 + black) * walk.cell_step)


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


@inlined
def put_offsets(walk: Walk, man: int, numbers: int, filled: int) -> int:
    """walk.offsets[filled:] has where values stand while only this man moves; returns how many.

    They are of the placement walk.squares and those after it, at most so many.
    """
    squares, role = walk.squares, walk.role[man]
    taken = occupied_by(squares, 0, man)
    later = occupied_by(squares, man + 1, walk.numbering[PLACED_MEN])
    plane, seen = plane_of(walk, man if role == FOLLOWER else SEVERAL_MEN)
    square, base = squares[man], walk.chart.place[plane] * walk.row_step
    turned, other, step = line_of_king(walk, role, plane, seen)
    for i in range(numbers):
        squares[man] = square
        if role == FOLLOWER:
            moved = plane + walk.chart.image[seen, square] * walk.stride[man]
            walk.offsets[filled + i] = offset_of(walk, moved, seen)
        elif role == OTHER_MAN:
            plane, seen = plane_of(walk, SEVERAL_MEN)
            walk.offsets[filled + i] = offset_of(walk, plane, seen)
        else:
            cell = other + walk.chart.image[turned, square] * step
            walk.offsets[filled + i] = base + cell * walk.cell_step
        square += 1
        while taken >> np.uint64(square & 63) & np.uint64(1):
            square += 1
        if later >> np.uint64(square & 63) & np.uint64(1):  # that man stands elsewhere from now on
            return i + 1
    return numbers


@kernel
def gather(first: int, stop: int, walk: Walk, values: NDArray[Any], out: NDArray[Any]) -> None:
    """out[i] = the value of the placement with the number first + i, up to stop - 1.

    The values of [row, cell] are in one array, by the steps of the walk; chart.place gives the rows
    of planes.
    """
    number, done, filled = first, 0, 0
    while number < stop:
        place(walk.numbering, number, walk.squares)
        man, numbers = moving_man(walk.numbering, number)
        if man == SEVERAL_MEN:
            numbers = 1
            plane, seen = plane_of(walk, SEVERAL_MEN)
            walk.offsets[filled] = offset_of(walk, plane, seen)
        else:
            numbers = put_offsets(walk, man, min(numbers, stop - number), filled)
        number += numbers
        filled += numbers
        if number == stop or filled > MOST_OFFSETS - LONGEST_RUN:
            for i in range(filled):
                out[done + i] = values[walk.offsets[i]]
            done += filled
            filled = 0


@kernel
def transpose(values: NDArray[Any], out: NDArray[Any]) -> None:
    """out[cell, row] = values[row, cell], block by block: each fits into a cache."""
    rows, cells = values.shape
    for first_row in range(0, rows, BLOCK_ROWS):
        for first_cell in range(0, cells, BLOCK_ROWS):
            for row in range(first_row, min(first_row + BLOCK_ROWS, rows)):
                for cell in range(first_cell, min(first_cell + BLOCK_ROWS, cells)):
                    out[cell, row] = values[row, cell]
