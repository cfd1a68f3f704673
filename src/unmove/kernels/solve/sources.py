"""Where the men of a plane can go: the planes to read, listed by the frame they are seen in.

*Pull style*: a position belongs to EX(S) if a move leads from it into S. So for each man of the
mover we read the planes that have it on a square it reaches, through a mask that keeps the kings
off its path. A lead that moves away from its representatives reads a plane of another frame.

*Flags* make work follow the frontier. For a group of men, and the squares of all others, one word
says on which squares a man of the group would meet a plane with something new in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PAWN
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import at, lowest, prefetch_word
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import Frontier, Ply
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame
from unmove.planes.symmetry import EXCHANGE, MIRROR_FILES, MIRROR_RANKS

PAIRS, BYTES = np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
NIBBLES, TWOS = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x3333333333333333)
EVENS = np.uint64(0x5555555555555555)
SWAPS = (
    (np.uint64(0x0F0F0F0F00000000), np.uint64(28)),
    (np.uint64(0x3333000033330000), np.uint64(14)),
    (np.uint64(0x5500550055005500), np.uint64(7)),
)
"""What is exchanged with the bits so far below it, to transpose a board."""


@inlined
def put_men(plane: int, frame: Frame, scratch: Scratch) -> np.int64:
    """scratch.squares = the men of a plane. Returns their `number`."""
    men = frame.kinds.shape[0]
    digits = np.int64(0)
    for man in range(men):
        square = np.int64(frame.squares[at(plane), man])
        scratch.squares[man] = square
        digits = digits << 6 | square
    return digits


@inlined
def number(squares: NDArray[np.int64], men: int) -> np.int64:
    """The number of a placement of men: their squares as digits to base 64."""
    digits = np.int64(0)
    for man in range(men):
        digits = digits << 6 | squares[man]
    return digits


@inlined
def key(placement: np.int64, men: int, left_out: int) -> np.int64:
    """The number of a placement of all men but one, given that of all."""
    behind = 6 * (men - 1 - left_out)  # bits of the digits that stay where they are
    return placement >> (behind + 6) << behind | placement & ((1 << behind) - 1)


@inlined
def pair_rank(one: int, other: int) -> int:
    """The rank of {one, other} among the pairs of squares."""
    low, high = min(one, other), max(one, other)
    return high * (high - 1) // 2 + low


@inlined
def triple_rank(one: int, two: int, three: int) -> int:
    """The rank of {one, two, three} among the triples of squares."""
    high = max(one, two, three)
    low = min(one, two, three)
    middle = one + two + three - high - low
    return high * (high - 1) * (high - 2) // 6 + middle * (middle - 1) // 2 + low


@kernel  # a call, so that the smaller sets do not carry its loops
def set_rank(squares: NDArray[np.int64], first: int, size: int, man: int, to: int) -> int:
    """The rank of a set of any size; see `rank_moved`."""
    rank = 0
    for i in range(first, first + size):
        square = to if i == man else squares[i]
        sets = square  # of one man below it; then of as many as stand at or below it
        occupied = 1
        for j in range(first, first + size):
            if (to if j == man else squares[j]) < square:
                sets = sets * (square - occupied) // (occupied + 1)
                occupied += 1
        rank += sets
    return rank


@inlined
def rank_moved(squares: NDArray[np.int64], first: int, size: int, man: int, to: int) -> int:
    """The rank of a group's set once one of its men stands on `to` (for none: man = to = -1)."""
    one = to if man == first else squares[at(first)]
    if size == 1:
        return one
    two = to if man == first + 1 else squares[at(first + 1)]
    if size == 2:
        return pair_rank(one, two)
    three = to if man == first + 2 else squares[at(first + 2)]
    if size == 3:
        return triple_rank(one, two, three)
    return set_rank(squares, first, size, man, to)


@inlined
def rest_of(frame: Frame, board: Geometry, scratch: Scratch, symmetry: int) -> int:
    """The plane, but for the lead's part, of the men at hand seen through a symmetry."""
    men = frame.kinds.shape[0]
    for man in range(frame.first[1], men):
        scratch.image[man] = board.image[at(symmetry), at(scratch.squares[man])]
    plane = 0
    for group in range(1, frame.stride.shape[0]):
        first = frame.first[group]
        size = frame.first[group + 1] - first
        plane += rank_moved(scratch.image, first, size, -1, -1) * frame.stride[group]
    return plane


@inlined
def list_one(
    scratch: Scratch,
    listing: int,
    ply: Ply,
    into_front: bool,
    board: Geometry,
    source: int,
    origin: int,
    to: int,
) -> None:
    """There is one more plane to read in a frame, or an entry of the frontier if it has one.

    The path of a man whose entry is read is the set of its squares: for a few rows of a plane it is
    cheaper than a mask plane.
    """
    i = scratch.listed[at(listing)]
    if into_front:
        entry = np.int64(ply.front.at[at(source)])
        scratch.source[at(listing), at(i)] = entry
        scratch.path[at(listing), at(i)] = np.int64(board.between[at(origin), at(to)])
        scratch.listed[at(listing)] = i + (entry != 0)
        prefetch_word(ply.front.words, entry)
    else:
        scratch.source[at(listing), at(i)] = source
        scratch.path[at(listing), at(i)] = np.int64(board.path[at(origin), at(to)])
        scratch.listed[at(listing)] = i + 1


@inlined
def list_lead(
    lists: int,
    man: int,
    targets: np.uint64,
    ply: Ply,
    into_front: bool,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> None:
    """The sources of a man of the lead, each in the frame of its representative."""
    origin = scratch.squares[man]
    size = frame.first[1]
    while targets:
        to = lowest(targets)
        targets &= targets - ONE
        moved = rank_moved(scratch.squares, 0, size, man, to)
        symmetry = frame.symmetry[at(moved)]
        if scratch.rest[at(symmetry)] < 0:
            scratch.rest[at(symmetry)] = rest_of(frame, board, scratch, symmetry)
        source = scratch.rest[at(symmetry)] + frame.orbit[at(moved)] * frame.stride[0]
        seen_from = board.image[at(symmetry), at(origin)]
        seen_to = board.image[at(symmetry), at(to)]
        list_one(scratch, lists + symmetry, ply, into_front, board, source, seen_from, seen_to)


@inlined
def list_follower(
    plane: int,
    lists: int,
    man: int,
    targets: np.uint64,
    ply: Ply,
    into_front: bool,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> None:
    """The sources of a man beside the lead: planes along its group's axis, in this frame."""
    origin = scratch.squares[man]
    group = frame.group[man]
    first = frame.first[at(group)]
    size = frame.first[at(group + 1)] - first
    stride = frame.stride[at(group)]
    axis = plane - rank_moved(scratch.squares, first, size, -1, -1) * stride
    if size == 1:  # the common case, kept free of ranks
        while targets:
            to = lowest(targets)
            targets &= targets - ONE
            source = axis + to * stride
            list_one(scratch, lists, ply, into_front, board, source, origin, to)
    while targets:
        to = lowest(targets)
        targets &= targets - ONE
        source = axis + rank_moved(scratch.squares, first, size, man, to) * stride
        list_one(scratch, lists, ply, into_front, board, source, origin, to)


@inlined
def list_sources(
    plane: int,
    placement: np.int64,
    lists: int,
    ply: Ply,
    into_front: bool,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
) -> int:
    """Lists the planes that the mover's men reach, by frame; returns how many there are.

    Reads scratch.squares, whose number is `placement`. They are planes of `unwon`, or with
    `into_front` the entries of the frontier that its flags announce.
    """
    men = frame.kinds.shape[0]
    for symmetry in range(8):
        scratch.listed[at(lists + symmetry)] = 0
        scratch.rest[symmetry] = -1
    for man in range(men):
        if frame.sides[man] != ply.mover:
            continue
        targets = frame.moves[at(plane), man]
        if into_front and targets != NONE:
            targets &= ply.front.flags[at(frame.group[man]), at(key(placement, men, man))]
        if targets == NONE:
            continue
        if frame.group[man] == 0:
            list_lead(lists, man, targets, ply, into_front, frame, board, scratch)
        else:
            list_follower(plane, lists, man, targets, ply, into_front, frame, board, scratch)
    total = 0
    for symmetry in range(8):
        total += scratch.listed[at(lists + symmetry)]
    return total


@inlined
def raise_flags(
    placement: np.int64, side: int, frame: Frame, scratch: Scratch, flags: NDArray[np.uint64]
) -> None:
    """The plane of scratch.squares is announced to the men of `side`, who move next.

    Pawns do not move inside a plane's slice. The flags of a lead want `turn_flags` at the end.
    """
    men = frame.kinds.shape[0]
    for man in range(men):
        if frame.sides[man] == side and frame.kinds[man] < PAWN:
            seen = at(key(placement, men, man))
            flags[at(frame.group[man]), seen] |= bit(scratch.squares[man])


@kernel
def raise_again(
    first: int, stop: int, side: int, frame: Frame, scratch: Scratch, new: Frontier
) -> None:
    """The flags of a frontier's planes among frame.planes[first:stop] are raised."""
    for i in range(first, stop):
        plane = frame.planes[i]
        if new.at[plane]:
            placement = put_men(plane, frame, scratch)
            raise_flags(placement, side, frame, scratch, new.flags)


@inlined
def is_asked_for(squares: NDArray[np.int64], frame: Frame) -> bool:
    """Whether squares ascend in each group, as those of a key do; see `order_rest`."""
    ascending = True
    for group in range(frame.stride.shape[0]):
        for i in range(frame.first[group] - (group > 0) + 1, frame.first[group + 1] - 1):
            ascending &= squares[i - 1] < squares[i]
    return ascending


@inlined
def order_rest(squares: NDArray[np.int64], frame: Frame) -> None:
    """Squares ascending in each group, for all men but one of the lead."""
    for group in range(frame.stride.shape[0]):
        first = frame.first[group] - (group > 0)
        for i in range(first + 1, frame.first[group + 1] - 1):
            for j in range(i, first, -1):
                if squares[j] < squares[j - 1]:
                    squares[j], squares[j - 1] = squares[j - 1], squares[j]


@inlined
def turned(word: np.uint64, symmetry: int) -> np.uint64:
    """The image of a set of squares: see `planes/symmetry.py`."""
    if symmetry & EXCHANGE:
        for mask, shift in SWAPS:
            swap = (word ^ (word << shift)) & mask
            word ^= swap ^ (swap >> shift)
    if symmetry & MIRROR_RANKS:
        word = (word >> np.uint64(32)) | (word << np.uint64(32))
        word = ((word >> np.uint64(16)) & PAIRS) | ((word & PAIRS) << np.uint64(16))
        word = ((word >> np.uint64(8)) & BYTES) | ((word & BYTES) << np.uint64(8))
    if symmetry & MIRROR_FILES:
        word = ((word >> np.uint64(4)) & NIBBLES) | ((word & NIBBLES) << np.uint64(4))
        word = ((word >> np.uint64(2)) & TWOS) | ((word & TWOS) << np.uint64(2))
        word = ((word >> ONE) & EVENS) | ((word & EVENS) << ONE)
    return word


@kernel
def turn_flags(
    first: int,
    stop: int,
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
    raised: NDArray[np.uint64],
    flags: NDArray[np.uint64],
) -> None:
    """flags[key] = what is raised for the lead there, or for an image of it.

    A lead comes from any frame. So an image of a plane is announced as well as the plane itself.
    Done for the keys first .. stop-1 that are the first of their images, and for all these images.
    """
    others = frame.kinds.shape[0] - 1
    for here in range(first, stop):
        rest = here
        for man in range(others - 1, -1, -1):
            scratch.squares[man] = rest & 63
            rest >>= 6
        if not is_asked_for(scratch.squares, frame):
            continue
        is_first = True
        word = NONE
        for symmetry in range(8):
            for man in range(others):
                scratch.image[man] = board.image[symmetry, scratch.squares[man]]
            order_rest(scratch.image, frame)
            seen = number(scratch.image, others)
            if seen < here:
                is_first = False
                break
            scratch.rest[symmetry] = seen
            word |= turned(raised[seen], board.inverse[symmetry])
        if is_first:
            for symmetry in range(8):
                flags[scratch.rest[symmetry]] = turned(word, symmetry)
