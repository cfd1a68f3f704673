"""EX for one plane: the listed planes brought here, frame by frame, and the steps of a king."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, ONE
from unmove.kernels.intrinsics import (
    lowest,
    or_listed,
    undo_exchange,
    undo_mirror_files,
    undo_mirror_ranks,
)
from unmove.kernels.jit import inlined
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import Ply
from unmove.planes.geometry import Geometry
from unmove.values import WHITE, Side

RANK = np.uint64(8)
NOT_FILE_A = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_FILE_H = np.uint64(0x7F7F7F7F7F7F7F7F)


@inlined
def clear_frame(scratch: Scratch, symmetry: int) -> None:
    for row in range(64):
        scratch.frames[symmetry, row] = NONE


@inlined
def open_frame(scratch: Scratch, used: int, symmetry: int) -> int:
    """Makes scratch.frames[symmetry] ready to be or-ed to. Returns the set of frames in use."""
    if not used >> symmetry & 1:
        clear_frame(scratch, symmetry)
    return used | 1 << symmetry


@inlined
def or_entries(symmetry: int, words: NDArray[np.uint64], board: Geometry, scratch: Scratch) -> None:
    """scratch.frames[symmetry] |= the listed entries of a frontier, through their masks."""
    for i in range(scratch.listed[symmetry]):
        at = scratch.source[symmetry, i]
        path = scratch.path[symmetry, i]
        rows = words[at]
        while rows:
            at += 1
            row = lowest(rows)
            rows &= rows - ONE
            scratch.frames[symmetry, row] |= words[at] & board.clear[path, row]


@inlined
def pull_here(symmetry: int, ply: Ply, into_front: bool, board: Geometry, scratch: Scratch) -> None:
    """scratch.frames[symmetry] |= what is listed in this frame, through its masks."""
    if into_front:
        or_entries(symmetry, ply.front.words, board, scratch)
    else:
        or_listed(
            scratch.frames,
            symmetry,
            ply.unwon,
            scratch.source,
            board.clear,
            scratch.path,
            scratch.listed[symmetry],
        )


@inlined
def pull_elsewhere(ply: Ply, into_front: bool, board: Geometry, scratch: Scratch) -> None:
    """scratch.frames[0] |= what is listed in the other seven frames, turned into this one.

    Symmetries are undone files first, then ranks, then the exchange, and frames that agree in
    what is left are merged on the way: seven turns at most, whatever the number of planes.
    """
    used = 1
    for symmetry in range(1, 8):
        if scratch.listed[symmetry]:
            used = open_frame(scratch, used, symmetry)
            pull_here(symmetry, ply, into_front, board, scratch)
    for symmetry in range(1, 8, 2):
        if used >> symmetry & 1:
            used = open_frame(scratch, used, symmetry - 1)
            undo_mirror_files(scratch.frames, symmetry - 1, symmetry)
    for symmetry in range(2, 8, 4):
        if used >> symmetry & 1:
            used = open_frame(scratch, used, symmetry - 2)
            undo_mirror_ranks(scratch.frames, symmetry - 2, symmetry)
    if used >> 4 & 1:
        undo_exchange(scratch.frames, 0, 4)


@inlined
def pull_king(planes: NDArray[np.uint64], plane: int, mover: Side, scratch: Scratch) -> None:
    """scratch.frames[0] |= the positions from which the mover's king steps into planes[plane].

    Sideways first, then the three files up and down. White's king is the row, Black's the bit.
    """
    if mover == WHITE:
        for rank in range(0, 64, 8):
            scratch.spread[rank] = planes[plane, rank + 1]
            scratch.spread[rank + 7] = planes[plane, rank + 6]
            for row in range(rank + 1, rank + 7):
                scratch.spread[row] = planes[plane, row - 1] | planes[plane, row + 1]
        for row in range(64):
            scratch.edge[8 + row] = scratch.spread[row] | planes[plane, row]
        for row in range(64):
            scratch.frames[0, row] |= (
                scratch.spread[row] | scratch.edge[row] | scratch.edge[row + 16]
            )
    else:
        for row in range(64):
            word = planes[plane, row]
            spread = ((word << ONE) & NOT_FILE_A) | ((word >> ONE) & NOT_FILE_H)
            wide = spread | word
            scratch.frames[0, row] |= spread | (wide << RANK) | (wide >> RANK)
