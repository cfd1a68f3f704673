"""Which cells of a plane are legal positions.

No two men share a square, the kings do not touch, and the side that is not to move is not in
check. A move that leaves the own king in check ends outside this set and so vanishes by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, bit
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import Scratch
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame
from unmove.values import WHITE


@inlined
def attacked(man: int, men: int, frame: Frame, board: Geometry, scratch: Scratch) -> np.uint64:
    """The squares a man attacks past the other men of the plane, their own squares included."""
    origin = scratch.squares[man]
    squares: np.uint64 = board.reach[frame.kinds[man], origin]
    for other in range(men):
        if other != man:
            square = scratch.squares[other]
            squares &= ~(board.shadow[origin, square] & ~bit(square))
    return squares


@kernel
def mark_legal(
    first: int,
    stop: int,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
    white: NDArray[np.uint64],
    black: NDArray[np.uint64],
) -> None:
    """white[plane] and black[plane] = the legal positions with that side to move.

    For the planes frame.planes[first:stop]. A man of White's checks Black's king (a bit of the
    row) unless White's own king (the row) is in between; for Black's men it is the other way round.
    """
    men = frame.kinds.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        occupied = NONE
        for man in range(men):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
            occupied |= bit(scratch.squares[man])
        for row in range(64):
            alone = ~(occupied | board.king[row] | bit(row))
            white[plane, row] = alone if occupied & bit(row) == NONE else NONE
            black[plane, row] = white[plane, row]
        for man in range(men):
            origin = scratch.squares[man]
            checks = attacked(man, men, frame, board, scratch)
            if frame.sides[man] == WHITE:
                for row in range(64):
                    white[plane, row] &= ~(checks & ~board.shadow[origin, row])
            else:
                for row in range(64):
                    if checks & bit(row):
                        black[plane, row] &= board.between[origin, row]
