"""Placements of a Syzygy sub-table, each once of all its images under the symmetries of the board.

A number stands for one placement, but some placements have two numbers: those whose lead is its own
image. Without pawns that is a lead on the diagonal, with pawns a symmetric set of leading pawns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.kernels.syzygy.numbering import (
    FIRST,
    LEAD,
    LEADING_PAWNS,
    PLACED_MEN,
    Numbering,
    number_of,
    place,
    transposed,
)


@inlined
def other_number(
    numbering: Numbering, number: int, squares: NDArray[Any], image: NDArray[Any]
) -> int:
    """The number of the image of a placement that may have another one; `number` itself if not."""
    if numbering[LEAD] == LEADING_PAWNS:
        for man in range(numbering[PLACED_MEN]):
            image[man] = squares[man] ^ 7
        return number_of(numbering, image)
    for leader in range(numbering[FIRST + 1]):
        if squares[leader] >> 3 != squares[leader] & 7:
            return number
    for man in range(numbering[PLACED_MEN]):
        image[man] = transposed(squares[man])
    return number_of(numbering, image)


@kernel
def place_each(
    numbering: Numbering,
    first: int,
    squares: NDArray[np.int64],
    image: NDArray[np.int64],
    chosen: NDArray[np.bool_],
) -> None:
    """squares[i] = the placement of the number first + i, in the order of the piece list.

    chosen[i]: whether it is the first of its images. `image` is room for one placement.
    """
    for i in range(squares.shape[0]):
        place(numbering, first + i, squares[i])
        chosen[i] = other_number(numbering, first + i, squares[i], image) >= first + i
