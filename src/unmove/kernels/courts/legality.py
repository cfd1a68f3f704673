"""Which cells of a plane of courts are legal positions.

No two men share a square, the kings do not face each other on an open file, and the side that is
not to move is not in check. A king that faces the other attacks as a chariot does, whoever is to
move. So all attacks have one form: they go from a square to the king's, along a path on which a
certain number of men stands. That is one man for a cannon and none for all others. The men on the
path may be attackers or of either court.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import CANNON, CHARIOT, FILES
from unmove.kernels.bits import NONE
from unmove.kernels.intrinsics import popcount
from unmove.kernels.jit import inlined, kernel
from unmove.planes.court_geometry import HALF, NO_SQUARES, NO_WAY, CourtGeometry
from unmove.planes.court_layout import CourtFrame
from unmove.values import WHITE

PALACE = (3, 66)  # its first square, by side; three files and three ranks


@inlined
def screens_missing(
    plane: int, kind: int, path: int, occupied: NDArray[np.uint64], board: CourtGeometry
) -> int:
    """How many men of the courts must stand on the path for a capture.

    Negative if too many attackers stand on it.
    """
    wanted = 1 if kind == CANNON else 0
    for half in range(2):
        wanted -= popcount(board.half[path, half] & occupied[plane, half])
    return wanted


class KingAttack(NamedTuple):
    """An attack on a king's square."""

    king: int  # the square
    on_rows: bool  # whether the king belongs to the court on the rows
    path: int
    missing: int  # men of the courts that must stand on the path; see `screens_missing`


@kernel
def forbid_check(
    plane: int,
    row: int,
    attack: KingAttack,
    frame: CourtFrame,
    board: CourtGeometry,
    out: NDArray[np.uint64],
) -> None:
    """The cells of a row in which the king stands open to the attack are out of out[plane].

    If the king belongs to the court on the rows, he stands on the square in this row.
    """
    path = attack.path
    own = popcount(frame.rows.occupied[row] & board.half[path, frame.row_side])
    if own > attack.missing:
        return
    base, square = row * frame.words, attack.king % HALF
    masks = frame.masks.free if own == attack.missing else frame.masks.screen
    for word in range(frame.words):
        seen = masks[path, word]
        if not attack.on_rows:
            seen &= frame.masks.kings[square, word]
        out[plane, base + word] &= ~seen


@inlined
def forbid_checks(
    plane: int,
    man: int,
    frame: CourtFrame,
    board: CourtGeometry,
    out: NDArray[np.uint64],
) -> None:
    """The cells in which an attacker could take the king are out of out[plane]."""
    kind, origin = frame.axes.kinds[man], np.int64(frame.squares[plane, man])
    on_rows = frame.sides[man] != frame.row_side
    for i in range(9):
        king = PALACE[1 - frame.sides[man]] + FILES * (i // 3) + i % 3
        path = board.path[kind, origin, king]
        if path == NO_WAY:
            continue
        missing = screens_missing(plane, kind, path, frame.occupied, board)
        if missing < 0:
            continue
        attack = KingAttack(king, on_rows, path, missing)
        for row in range(frame.rows.king.shape[0]):
            if not on_rows or frame.rows.king[row] == king:
                forbid_check(plane, row, attack, frame, board, out)


@inlined
def fill_row(
    plane: int, row: int, frame: CourtFrame, board: CourtGeometry, out: NDArray[np.uint64]
) -> None:
    """out[plane] has the cells of a row where no two men overlap and the kings do not face."""
    base = row * frame.words
    occupied = frame.occupied[plane, frame.row_side]
    for word in range(frame.words):
        out[plane, base + word] = NONE
    if frame.rows.occupied[row] & occupied:
        return
    for word in range(frame.words):
        out[plane, base + word] = frame.masks.free[NO_SQUARES, word]
    for man in range(frame.axes.kinds.shape[0]):
        square = np.int64(frame.squares[plane, man])
        if square // HALF != frame.row_side:
            for word in range(frame.words):
                out[plane, base + word] &= ~frame.masks.on[square % HALF, word]
    king = frame.rows.king[row]
    for i in range(3):
        far = PALACE[1 - frame.row_side] - 3 + FILES * i + king % FILES
        path = board.path[CHARIOT, king, far]
        missing = screens_missing(plane, CHARIOT, path, frame.occupied, board)
        attack = KingAttack(far, False, path, missing)
        forbid_check(plane, row, attack, frame, board, out)


@kernel
def mark_legal_courts(
    first: int,
    stop: int,
    frame: CourtFrame,
    board: CourtGeometry,
    white: NDArray[np.uint64],
    black: NDArray[np.uint64],
) -> None:
    """white[plane] and black[plane] = the legal positions with that side to move.

    For the planes frame.planes[first:stop], which the caller owns.
    """
    rows = frame.rows.king.shape[0]
    for i in range(first, stop):
        plane = frame.planes[i]
        for row in range(rows):
            fill_row(plane, row, frame, board, white)
        for word in range(white.shape[1]):
            black[plane, word] = white[plane, word]
        for man in range(frame.axes.kinds.shape[0]):
            if frame.sides[man] == WHITE:
                forbid_checks(plane, man, frame, board, white)
            else:
                forbid_checks(plane, man, frame, board, black)
