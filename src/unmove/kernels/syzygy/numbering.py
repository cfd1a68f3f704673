"""Numbers of placements in a Syzygy sub-table: from squares to a number, and back.

A numbering is a row of integers (`Descriptor.numbering`), so that many of them are one array. The
men of a placement are in the order of its piece list. They form groups: the lead, which symmetry
reduces, and then each set of like men. A placement's number is the sum of each group's number times
its factor. Squares of a group are counted among those that earlier groups leave free.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.syzygy.board import (
    KING_SQUARES,
    KINGS,
    LEADING_START,
    LOWER,
    LOWER_SQUARES,
    PAWN_TWIST,
    PAWN_TWIST_SQUARES,
    SET_COUNTS,
    TRIANGLE_NUMBERS,
    TRIANGLE_SQUARES,
)

MOST_FILE_MEN: Final = 7
THREE: Final = 0
"""The lead is three different men without pawns."""
KING_PAIR: Final = 1
"""The lead is the two kings."""
LEADING_PAWNS: Final = 2
"""The lead is the pawns of a side, its first on one of the files a to d."""
LEADS: Final = np.array([31332, 462], np.int64)
"""[lead without pawns]: how many placements it has."""

PLACED_MEN: Final = 0
LEAD: Final = 1  # THREE, KING_PAIR or LEADING_PAWNS
LEAD_FILE: Final = 2  # of the first leading pawn, 0 to 3
OTHERS: Final = 3  # pawns that do not lead
GROUPS: Final = 4
PLACEMENTS: Final = 5  # how many placements there are
FIRST: Final = 6  # of each group: its first man; one more entry closes the last group
FACTOR: Final = FIRST + MOST_FILE_MEN + 1  # of each group
SETS: Final = FACTOR + MOST_FILE_MEN  # of each group: how many placements it has
NUMBERING_COLUMNS: Final = SETS + MOST_FILE_MEN

Numbering = NDArray[np.int64]
"""[column]: one of the numbers above."""


@inlined
def transposed(square: int) -> int:
    """The square seen in the diagonal from a1 to h8."""
    return (square & 7) << 3 | square >> 3


@inlined
def normalise(numbering: Numbering, squares: NDArray[Any]) -> None:
    """The lead is where the numbering has it: the placement is mirrored in place."""
    men, lead, leaders = numbering[PLACED_MEN], numbering[LEAD], numbering[FIRST + 1]
    if lead == LEADING_PAWNS:
        first_pawn_first(squares, leaders)
    mirror = 7 if squares[0] & 4 else 0
    if lead != LEADING_PAWNS and squares[0] & 32:
        mirror |= 56
    for man in range(men):
        squares[man] ^= mirror
    if lead == LEADING_PAWNS:
        return
    for leader in range(leaders):
        above = (squares[leader] >> 3) - (squares[leader] & 7)
        if above > 0:
            for man in range(men):
                squares[man] = transposed(squares[man])
        if above != 0:
            break


@inlined
def first_pawn_first(squares: NDArray[Any], pawns: int) -> None:
    """The leading pawn nearest to an edge comes first."""
    for man in range(1, pawns):
        if PAWN_TWIST[squares[man]] > PAWN_TWIST[squares[0]]:
            squares[0], squares[man] = squares[man], squares[0]


@inlined
def number_of_three(squares: NDArray[Any]) -> int:
    """The number of three normalised men."""
    a, b, c = np.int64(squares[0]), np.int64(squares[1]), np.int64(squares[2])
    i = int(b > a)
    j = int(c > a) + int(c > b)
    if a >> 3 != a & 7:
        return int(TRIANGLE_NUMBERS[a] * 3906 + (b - i) * 62 + c - j)
    if b >> 3 != b & 7:
        return int(23436 + (a >> 3) * 1736 + LOWER[b] * 62 + c - j)
    if c >> 3 != c & 7:
        return int(30380 + (a >> 3) * 196 + ((b >> 3) - i) * 28 + LOWER[c])
    return int(31164 + (a >> 3) * 42 + ((b >> 3) - i) * 6 + (c >> 3) - j)


@inlined
def number_of_pawns(numbering: Numbering, squares: NDArray[Any]) -> int:
    """The number of the leading pawns, the first of them normalised."""
    pawns = numbering[FIRST + 1]
    number = LEADING_START[pawns, numbering[LEAD_FILE], squares[0] >> 3]
    for man in range(1, pawns):
        twist = PAWN_TWIST[squares[man]]
        smaller = 0
        for other in range(1, pawns):
            smaller += int(PAWN_TWIST[squares[other]] < twist)
        number += SET_COUNTS[smaller + 1, twist]
    return int(number)


@inlined
def number_of_lead(numbering: Numbering, squares: NDArray[Any]) -> int:
    """The number of the lead of a normalised placement; -1 for kings that touch."""
    if numbering[LEAD] == THREE:
        return number_of_three(squares)
    if numbering[LEAD] == KING_PAIR:
        return int(KINGS[TRIANGLE_NUMBERS[squares[0]], squares[1]])
    return number_of_pawns(numbering, squares)


@inlined
def number_of_set(squares: NDArray[Any], first: int, stop: int, missing: int) -> int:
    """The number of a set of men, among the squares that the men before it leave free.

    `missing` squares, below all others, are none that they could stand on.
    """
    number = 0
    for man in range(first, stop):
        square = np.int64(squares[man])
        place, smaller = square - missing, 0
        for other in range(first):
            place -= int(squares[other] < square)
        for other in range(first, stop):
            smaller += int(squares[other] < square)
        number += SET_COUNTS[smaller + 1, place]
    return number


@inlined
def number_of(numbering: Numbering, squares: NDArray[Any]) -> int:
    """The number of a placement; -1 if it has none. It is normalised in place.

    The men stand on different squares, and pawns on squares of pawns. The lead of pawns begins on
    the numbering's file or its mirror image.
    """
    normalise(numbering, squares)
    lead = number_of_lead(numbering, squares)
    if lead < 0:
        return -1
    number = lead * numbering[FACTOR]
    for group in range(1, numbering[GROUPS]):
        first, stop = numbering[FIRST + group], numbering[FIRST + group + 1]
        missing = 8 if group == 1 and numbering[OTHERS] > 0 else 0
        number += number_of_set(squares, first, stop, missing) * numbering[FACTOR + group]
    return int(number)


@kernel
def numbers_of(numbering: Numbering, squares: NDArray[Any], numbers: NDArray[np.int64]) -> None:
    """numbers[i] = the number of the placement squares[i], which is normalised in place."""
    for i in range(squares.shape[0]):
        numbers[i] = number_of(numbering, squares[i])


@inlined
def place_free(square: int, squares: NDArray[Any], first: int) -> int:
    """The square that has this place among those that the men before `first` leave free."""
    last = -1
    for _ in range(first):
        lowest = 64
        for other in range(first):  # the next one in ascending order
            if last < squares[other] < lowest:
                lowest = squares[other]
        if lowest <= square:
            square += 1
        last = lowest
    return square


@inlined
def largest_place(number: int, men: int) -> int:
    """The largest n of which there are at most `number` sets of so many men."""
    place = men - 1
    while place < 63 and SET_COUNTS[men, place + 1] <= number:
        place += 1
    return place


@inlined
def place_set(number: int, squares: NDArray[Any], first: int, stop: int, missing: int) -> None:
    """squares[first:stop] = the set of this number. See `number_of_set`."""
    for man in range(stop - 1, first - 1, -1):
        men = man - first + 1
        place = largest_place(number, men)
        number -= SET_COUNTS[men, place]
        squares[man] = place_free(place + missing, squares, first)


@inlined
def place_three(number: int, squares: NDArray[Any]) -> None:
    """squares[:3] = the lead of three men of this number.

    Men on the diagonal are first placed by their ranks, then moved to the squares of these.
    """
    on_diagonal = 0
    if number < 23436:
        squares[0] = TRIANGLE_SQUARES[number // 3906]
        squares[1] = place_free(number % 3906 // 62, squares, 1)
        squares[2] = place_free(number % 62, squares, 2)
    elif number < 30380:
        squares[0] = 9 * ((number - 23436) // 1736)
        squares[1] = LOWER_SQUARES[(number - 23436) % 1736 // 62]
        squares[2] = place_free((number - 23436) % 62, squares, 2)
    elif number < 31164:
        squares[0] = (number - 30380) // 196
        squares[1] = place_free((number - 30380) % 196 // 28, squares, 1)
        squares[2] = LOWER_SQUARES[(number - 30380) % 28]
        on_diagonal = 2
    else:
        squares[0] = (number - 31164) // 42
        squares[1] = place_free((number - 31164) % 42 // 6, squares, 1)
        squares[2] = place_free((number - 31164) % 6, squares, 2)
        on_diagonal = 3
    for man in range(on_diagonal):
        squares[man] *= 9


@inlined
def place_pawns(numbering: Numbering, number: int, squares: NDArray[Any]) -> None:
    """The leading pawns stand as this number says."""
    pawns, file = numbering[FIRST + 1], numbering[LEAD_FILE]
    rank = 6
    while LEADING_START[pawns, file, rank] > number:
        rank -= 1
    squares[0] = 8 * rank + file
    number -= LEADING_START[pawns, file, rank]
    for man in range(pawns - 1, 0, -1):
        place = largest_place(number, man)
        number -= SET_COUNTS[man, place]
        squares[man] = PAWN_TWIST_SQUARES[place]


@inlined
def place(numbering: Numbering, number: int, squares: NDArray[Any]) -> None:
    """squares = the placement of this number, 0 <= number < numbering[PLACEMENTS]."""
    lead = number // numbering[FACTOR] % numbering[SETS]
    if numbering[LEAD] == THREE:
        place_three(lead, squares)
    elif numbering[LEAD] == KING_PAIR:
        squares[0], squares[1] = KING_SQUARES[lead, 0], KING_SQUARES[lead, 1]
    else:
        place_pawns(numbering, lead, squares)
    for group in range(1, numbering[GROUPS]):
        first, stop = numbering[FIRST + group], numbering[FIRST + group + 1]
        missing = 8 if group == 1 and numbering[OTHERS] > 0 else 0
        rest = number // numbering[FACTOR + group] % numbering[SETS + group]
        place_set(rest, squares, first, stop, missing)


@kernel
def squares_of(numbering: Numbering, first: int, squares: NDArray[Any]) -> None:
    """squares[i] = the placement of the number first + i, in the order of the piece list."""
    for i in range(squares.shape[0]):
        place(numbering, first + i, squares[i])
