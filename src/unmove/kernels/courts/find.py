"""Where a position of xiangqi stands: from the squares of its men to plane and cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.locate import NOT_FOUND
from unmove.planes.court_index import ADVISORS, ELEPHANTS, CourtIndex


@inlined
def mirrored_square(square: int, mirrored: int, index: CourtIndex) -> int:
    """A square, or its mirror image."""
    return int(index.mirror[square]) if mirrored else square


@inlined
def rank_of_attackers(
    table: int, group: int, mirrored: int, squares: NDArray[np.int64], index: CourtIndex
) -> int:
    """The rank of the set of a group's squares; NOT_FOUND if they cannot stand there."""
    rank, row = 0, index.row[table, group]
    first, stop = index.first[table, group], index.first[table, group + 1]
    for man in range(first, stop):
        spot = index.spot[row, mirrored_square(squares[man], mirrored, index)]
        if spot < 0:
            return NOT_FOUND
        smaller = 0
        for other in range(first, stop):
            smaller += index.spot[row, mirrored_square(squares[other], mirrored, index)] < spot
        rank += index.choose[spot, smaller + 1]
    return rank


@inlined
def number_of_court(
    table: int, side: int, first: int, mirrored: int, squares: NDArray[np.int64], index: CourtIndex
) -> int:
    """The number of a court's configuration; `first` is its king. NOT_FOUND if there is none."""
    king = index.court_spot[side, 0, mirrored_square(squares[first], mirrored, index)]
    if king < 0:
        return NOT_FOUND
    number = king * ADVISORS * ELEPHANTS
    first += 1
    for man in range(first, first + index.advisors[table, side]):
        spot = index.court_spot[side, 1, mirrored_square(squares[man], mirrored, index)]
        if spot < 0:
            return NOT_FOUND
        number += (1 << spot) * ELEPHANTS
    first += index.advisors[table, side]
    for man in range(first, first + index.elephants[table, side]):
        spot = index.court_spot[side, 2, mirrored_square(squares[man], mirrored, index)]
        if spot < 0:
            return NOT_FOUND
        number += 1 << spot
    return int(index.number[table, side, number])


@inlined
def find_position(table: int, squares: NDArray[np.int64], index: CourtIndex) -> tuple[int, int]:
    """The plane and the cell of a position in a table; NOT_FOUND if the table has no such cell.

    squares[man] is where a man stands, numbered as in the index. No two men share a square.
    """
    plane, mirrored = 0, 0
    for group in range(index.groups[table]):
        rank = rank_of_attackers(table, group, mirrored, squares, index)
        if rank < 0:
            return NOT_FOUND, 0
        if group == 0:
            mirrored = index.mirrored[index.base[table] + rank]
            rank = index.orbit[index.base[table] + rank]
        plane += rank * index.stride[table, group]
    first = index.attackers[table]
    white = number_of_court(table, 0, first, mirrored, squares, index)
    first += 1 + index.advisors[table, 0] + index.elephants[table, 0]
    black = number_of_court(table, 1, first, mirrored, squares, index)
    if white < 0 or black < 0:
        return NOT_FOUND, 0
    row, bit = (white, black) if index.row_side[table] == 0 else (black, white)
    return plane, row * index.words[table] * 64 + bit


@kernel
def locate_courts(
    columns: NDArray[np.uint8],
    man_map: NDArray[np.int64],
    place: NDArray[np.int32],
    index: CourtIndex,
    squares: NDArray[np.int64],
    places: NDArray[np.int32],
    cells: NDArray[np.int32],
) -> None:
    """places[i], cells[i] = where the position columns[i] stands; NOT_FOUND if it is in no cell.

    man_map[man] is the column of a man of table 0, place[plane] the number of the stored plane.
    `squares` is room for the men, private to the caller.
    """
    for i in range(columns.shape[0]):
        places[i], cells[i] = NOT_FOUND, 0
        apart = True
        for man in range(man_map.shape[0]):
            squares[man] = np.int64(columns[i, man_map[man]])
            apart &= squares[man] < index.mirror.shape[0]
            for other in range(man):
                apart &= squares[other] != squares[man]
        if apart:
            plane, cell = find_position(0, squares, index)
            if plane != NOT_FOUND:
                places[i], cells[i] = place[plane], cell
