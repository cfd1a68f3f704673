"""EX for one plane of courts: attackers from plane to plane, the courts within it.

An attacker's move reads another plane, where no man of either court stands on its path: the
rows that do are passed over, the bits are masked. A lead that moves away from its representatives
reads a plane through the mirror. The court on the rows moves by whole rows.

The court on the bits moves bit by bit. That is less work than it seems: a position is in the
frontier once, and a candidate is dropped at the first move that escapes.

No move asks whether a man of a court stands on its target, nor a court's move whether anybody does:
such a position is not legal, and sets have none that is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import NOWHERE
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.courts.scratch import CourtScratch
from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.sets import Ply
from unmove.planes.court_geometry import HALF, MOST_TARGETS, CourtGeometry
from unmove.planes.court_layout import CourtAxes, CourtFrame


@inlined
def is_occupied(plane: int, square: int, occupied: NDArray[np.uint64]) -> bool:
    """Whether an attacker stands on the square."""
    half = square // HALF
    there: bool = occupied[plane, half] & bit(square - half * HALF) != NONE
    return there


@inlined
def is_closed(plane: int, path: int, occupied: NDArray[np.uint64], board: CourtGeometry) -> bool:
    """Whether an attacker stands on the path."""
    white = board.half[path, 0] & occupied[plane, 0]
    closed: bool = white | (board.half[path, 1] & occupied[plane, 1]) != NONE
    return closed


@inlined
def rank_moved(
    squares: NDArray[np.int64],
    group: int,
    man: int,
    to: int,
    axes: CourtAxes,
    board: CourtGeometry,
    spots: NDArray[np.int64],
) -> int:
    """The rank of a group's set once one of its men stands on `to` (for none: man = to = -1).

    `spots` is for the squares' numbers, which are sorted.
    """
    first, stop = axes.first[group], axes.first[group + 1]
    row = axes.kinds[first]
    for i in range(first, stop):
        spot = board.spot[row, to if i == man else squares[i]]
        at = i - first
        while at > 0 and spots[at - 1] > spot:
            spots[at] = spots[at - 1]
            at -= 1
        spots[at] = spot
    rank = 0
    for i in range(stop - first):
        rank += board.choose[spots[i], i + 1]
    return rank


@inlined
def mirror_men(
    first: int, axes: CourtAxes, board: CourtGeometry, squares: NDArray[np.int64]
) -> None:
    """The men from the first on stand on the mirror images of their squares."""
    for man in range(first, axes.kinds.shape[0]):
        squares[man] = board.mirror[squares[man]]


@inlined
def rest_of(
    plane: int, mirrored: int, axes: CourtAxes, board: CourtGeometry, scratch: CourtScratch
) -> int:
    """The plane, but for the lead's part, of the men at hand, perhaps seen through the mirror."""
    rest: int = plane % axes.stride[0]
    if mirrored == 0:
        return rest
    mirror_men(axes.first[1], axes, board, scratch.squares)
    rest = 0
    for group in range(1, axes.stride.shape[0]):
        rest += (
            rank_moved(scratch.squares, group, -1, -1, axes, board, scratch.spots)
            * axes.stride[group]
        )
    mirror_men(axes.first[1], axes, board, scratch.squares)
    return rest


@inlined
def or_through(
    source: int,
    path: int,
    into: int,
    ply: Ply,
    frame: CourtFrame,
    board: CourtGeometry,
    scratch: CourtScratch,
) -> None:
    """scratch.frames[into] |= unwon[source] where no man of a court stands on the path."""
    words = frame.words
    rows = board.half[path, frame.row_side]
    for row in range(frame.rows.king.shape[0]):
        if frame.rows.occupied[row] & rows:
            continue
        base = row * words
        for word in range(words):
            scratch.frames[into, base + word] |= (
                ply.unwon[source, base + word] & frame.masks.free[path, word]
            )


@inlined
def or_entry_through(
    source: int,
    path: int,
    into: int,
    ply: Ply,
    frame: CourtFrame,
    board: CourtGeometry,
    scratch: CourtScratch,
) -> None:
    """The same as `or_through` for the frontier's entry of a plane."""
    words = frame.words
    rows = board.half[path, frame.row_side]
    masks = (scratch.new.shape[1] + 63) // 64
    at = np.int64(ply.front.at[source])
    entry = at + masks
    for mask in range(masks):
        follow = ply.front.words[at + mask]
        while follow:
            place = 64 * mask + lowest(follow)
            follow &= follow - ONE
            row = place // words
            if frame.rows.occupied[row] & rows == NONE:
                scratch.frames[into, place] |= (
                    ply.front.words[entry] & frame.masks.free[path, place - row * words]
                )
            entry += 1


@inlined
def unmirror(frame: CourtFrame, scratch: CourtScratch) -> None:
    """scratch.frames[0] |= scratch.frames[1] seen through the mirror: neighbours exchanged."""
    words = frame.words
    for row in range(frame.rows.king.shape[0]):
        base = row * words
        other = (row ^ 1 if row < frame.rows.paired else row) * words
        for word in range(words):
            seen = scratch.frames[1, other + word]
            pairs = frame.masks.pairs[word]
            alone = seen & ~(pairs | pairs << ONE)
            scratch.frames[0, base + word] |= alone | (seen & pairs) << ONE | (seen >> ONE) & pairs


@kernel
def pull_attackers(
    plane: int,
    ply: Ply,
    into_front: bool,
    frame: CourtFrame,
    board: CourtGeometry,
    scratch: CourtScratch,
) -> bool:
    """scratch.frames[0] |= the positions from which an attacker of the mover escapes into `unwon`.

    With `into_front`, those from which one goes into the frontier. Reads scratch.squares. Returns
    whether there was any plane to read.
    """
    axes, size = frame.axes, scratch.new.shape[1]
    found, any_mirrored = False, False
    scratch.rest[0] = scratch.rest[1] = -1
    for man in range(axes.kinds.shape[0]):
        if frame.sides[man] != ply.mover:
            continue
        row, origin, group = axes.kinds[man], scratch.squares[man], frame.group[man]
        here = (
            plane
            - rank_moved(scratch.squares, group, -1, -1, axes, board, scratch.spots)
            * axes.stride[group]
        )
        for i in range(MOST_TARGETS):
            to = board.targets[row, origin, i]
            if to == NOWHERE:
                break
            path = board.path[row, origin, to]
            if is_occupied(plane, to, frame.occupied) or is_closed(
                plane, path, frame.occupied, board
            ):
                continue
            moved = rank_moved(scratch.squares, group, man, to, axes, board, scratch.spots)
            mirrored = 0
            source = here + moved * axes.stride[group]
            if group == 0:
                mirrored = axes.mirrored[moved]
                if scratch.rest[mirrored] < 0:
                    scratch.rest[mirrored] = rest_of(plane, mirrored, axes, board, scratch)
                source = axes.orbit[moved] * axes.stride[0] + scratch.rest[mirrored]
            if into_front and ply.front.at[source] == 0:
                continue
            if mirrored:
                path = board.path[row, board.mirror[origin], board.mirror[to]]
                if not any_mirrored:
                    for word in range(size):
                        scratch.frames[1, word] = NONE
                any_mirrored = True
            if into_front:
                or_entry_through(source, path, mirrored, ply, frame, board, scratch)
            else:
                or_through(source, path, mirrored, ply, frame, board, scratch)
            found = True
    if any_mirrored:
        unmirror(frame, scratch)
    return found


@kernel
def pull_rows(
    plane: int, at: int, frame: CourtFrame, planes: NDArray[np.uint64], scratch: CourtScratch
) -> None:
    """scratch.frames[0] |= where the court on the rows has a move into planes[at].

    The men of planes[at] stand as on `plane`.
    """
    words = frame.words
    occupied = frame.occupied[plane, frame.row_side]
    for row in range(frame.rows.king.shape[0]):
        base = row * words
        for move in range(frame.rows.start[row], frame.rows.start[row + 1]):
            if frame.rows.gate[move] & occupied:
                continue
            other = frame.rows.to[move] * words
            for word in range(words):
                scratch.frames[0, base + word] |= planes[at, other + word]


@kernel
def push_bits(plane: int, frame: CourtFrame, scratch: CourtScratch) -> None:
    """scratch.frames[0] |= the positions from which the court on the bits moves into scratch.new.

    Its moves can be taken back: what it goes to is also where it comes from.
    """
    words = frame.words
    occupied = frame.occupied[plane, 1 - frame.row_side]
    for row in range(frame.rows.king.shape[0]):
        base = row * words
        for word in range(words):
            left = scratch.new[0, base + word]
            while left:
                at = word * 64 + lowest(left)
                left &= left - ONE
                for move in range(frame.bits.start[at], frame.bits.start[at + 1]):
                    if frame.bits.gate[move] & occupied == NONE:
                        other = frame.bits.to[move]
                        scratch.frames[0, base + (other >> 6)] |= bit(other & 63)


@kernel
def drop_bits(
    plane: int, frame: CourtFrame, saved: NDArray[np.uint64], scratch: CourtScratch
) -> np.uint64:
    """scratch.new loses the positions from which the court on the bits moves into saved[plane].

    Returns a word that is zero when nothing is left.
    """
    words = frame.words
    occupied = frame.occupied[plane, 1 - frame.row_side]
    some = NONE
    for row in range(frame.rows.king.shape[0]):
        base = row * words
        for word in range(words):
            kept = left = scratch.new[0, base + word]
            while left:
                lone = left & (~left + ONE)
                at = word * 64 + lowest(left)
                left ^= lone
                for move in range(frame.bits.start[at], frame.bits.start[at + 1]):
                    other = frame.bits.to[move]
                    if saved[plane, base + (other >> 6)] & bit(other & 63) == NONE:
                        continue
                    if frame.bits.gate[move] & occupied == NONE:
                        kept ^= lone
                        break
            scratch.new[0, base + word] = kept
            some |= kept
    return some
