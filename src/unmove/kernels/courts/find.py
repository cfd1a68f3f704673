"""Where a position of xiangqi stands: from the squares of its men to plane and cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.planes.court_index import ADVISORS, ELEPHANTS, CourtIndex

NOWHERE = -1


@inlined
def seen(square: int, mirrored: int, f: CourtIndex) -> int:
    """A square, perhaps through the mirror."""
    return int(f.mirror[square]) if mirrored else square


@inlined
def rank_of_group(
    t: int, group: int, mirrored: int, squares: NDArray[np.int64], f: CourtIndex
) -> int:
    """The rank of the set of a group's squares; NOWHERE if they cannot stand there."""
    rank, row = 0, f.row[t, group]
    first, stop = f.first[t, group], f.first[t, group + 1]
    for man in range(first, stop):
        spot = f.spot[row, seen(squares[man], mirrored, f)]
        if spot < 0:
            return NOWHERE
        smaller = 0
        for other in range(first, stop):
            smaller += f.spot[row, seen(squares[other], mirrored, f)] < spot
        rank += f.choose[spot, smaller + 1]
    return rank


@inlined
def number_of_court(
    t: int, side: int, at: int, mirrored: int, squares: NDArray[np.int64], f: CourtIndex
) -> int:
    """The number of a court's configuration, its men from number `at` on; NOWHERE if none."""
    king = f.court_spot[side, 0, seen(squares[at], mirrored, f)]
    if king < 0:
        return NOWHERE
    index = king * ADVISORS * ELEPHANTS
    at += 1
    for man in range(at, at + f.advisors[t, side]):
        seat = f.court_spot[side, 1, seen(squares[man], mirrored, f)]
        if seat < 0:
            return NOWHERE
        index += (1 << seat) * ELEPHANTS
    at += f.advisors[t, side]
    for man in range(at, at + f.elephants[t, side]):
        seat = f.court_spot[side, 2, seen(squares[man], mirrored, f)]
        if seat < 0:
            return NOWHERE
        index += 1 << seat
    return int(f.number[t, side, index])


@inlined
def find(t: int, squares: NDArray[np.int64], f: CourtIndex) -> tuple[int, int]:
    """The plane and the cell of a position in table t; NOWHERE if it is no placement there.

    squares[man] as the finder numbers men; that no two share a square is for the caller to know.
    """
    plane, mirrored = 0, 0
    for group in range(f.groups[t]):
        rank = rank_of_group(t, group, mirrored, squares, f)
        if rank < 0:
            return NOWHERE, 0
        if group == 0:
            mirrored = f.mirrored[f.base[t] + rank]
            rank = f.orbit[f.base[t] + rank]
        plane += rank * f.stride[t, group]
    at = f.attackers[t]
    white = number_of_court(t, 0, at, mirrored, squares, f)
    at += 1 + f.advisors[t, 0] + f.elephants[t, 0]
    black = number_of_court(t, 1, at, mirrored, squares, f)
    if white < 0 or black < 0:
        return NOWHERE, 0
    row, bit = (white, black) if f.row_side[t] == 0 else (black, white)
    return plane, row * f.words[t] * 64 + bit


@kernel
def locate_courts(
    columns: NDArray[np.uint8],
    seat: NDArray[np.int64],
    place: NDArray[np.int32],
    f: CourtIndex,
    squares: NDArray[np.int64],
    places: NDArray[np.int32],
    cells: NDArray[np.int32],
) -> None:
    """places[i], cells[i] = where the position columns[i] stands; NOWHERE if it stands nowhere.

    seat[man] is the column of a man of table 0, place[plane] the stored plane; `squares` is room
    for the men, private to the caller.
    """
    for i in range(columns.shape[0]):
        places[i], cells[i] = NOWHERE, 0
        apart = True
        for man in range(seat.shape[0]):
            squares[man] = np.int64(columns[i, seat[man]])
            apart &= squares[man] < f.mirror.shape[0]
            for other in range(man):
                apart &= squares[other] != squares[man]
        if apart:
            plane, cell = find(0, squares, f)
            if plane != NOWHERE:
                places[i], cells[i] = place[plane], cell
