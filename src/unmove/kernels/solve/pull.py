"""EX for one plane: the listed planes brought here, frame by frame, and the steps of a king."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, ONE
from unmove.kernels.intrinsics import (
    at,
    lowest,
    or_listed,
    prefetch_rank,
    undo_exchange,
    undo_mirror_files,
    undo_mirror_ranks,
)
from unmove.kernels.jit import inlined
from unmove.kernels.scratch import Scratch
from unmove.kernels.sets import Ply, drop_word
from unmove.kernels.stretch import filled_bytes
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
def or_entries(symmetry: int, lists: int, words: NDArray[np.uint64], scratch: Scratch) -> None:
    """scratch.frames[symmetry] |= the listed entries of a frontier, where no king is on a path."""
    listing = lists + symmetry
    for i in range(scratch.listed[at(listing)]):
        word = at(scratch.source[at(listing), i])
        path = np.uint64(scratch.path[at(listing), i])
        rows = words[word]
        while rows:
            word += ONE
            row = lowest(rows)
            rows &= rows - ONE
            passes = (path >> np.uint64(row) & ONE) - ONE  # all ones, or nothing
            scratch.frames[at(symmetry), row] |= words[word] & ~path & passes


@inlined
def pull_here(
    symmetry: int, lists: int, ply: Ply, into_front: bool, board: Geometry, scratch: Scratch
) -> None:
    """scratch.frames[symmetry] |= what is listed in this frame, through its masks."""
    if into_front:
        or_entries(symmetry, lists, ply.front.words, scratch)
    else:
        or_listed(
            scratch.frames,
            symmetry,
            ply.unwon,
            scratch.source,
            board.clear,
            scratch.path,
            lists + symmetry,
            scratch.listed[lists + symmetry],
        )


@inlined
def pull_elsewhere(
    lists: int, ply: Ply, into_front: bool, board: Geometry, scratch: Scratch
) -> None:
    """scratch.frames[0] |= what is listed in the other seven frames, turned into this one.

    Symmetries are undone files first, then ranks, then the exchange, and frames that agree in
    what is left are merged on the way: seven turns at most, whatever the number of planes.
    """
    used = 1
    for symmetry in range(1, 8):
        if scratch.listed[lists + symmetry]:
            used = open_frame(scratch, used, symmetry)
            pull_here(symmetry, lists, ply, into_front, board, scratch)
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
def king_steps(word: np.uint64) -> np.uint64:
    """The squares from which a king steps into a set."""
    spread = ((word << ONE) & NOT_FILE_A) | ((word >> ONE) & NOT_FILE_H)
    wide = spread | word
    return spread | (wide << RANK) | (wide >> RANK)


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
            scratch.frames[0, row] |= king_steps(planes[plane, row])


@inlined
def pull_king_entry(
    entry: np.int64, mover: Side, words: NDArray[np.uint64], board: Geometry, scratch: Scratch
) -> None:
    """The same for an entry of a frontier."""
    word = at(entry)
    rows = words[word]
    while rows:
        word += ONE
        row = lowest(rows)
        rows &= rows - ONE
        if mover == WHITE:
            around = board.king[row]
            while around:
                scratch.frames[0, lowest(around)] |= words[word]
                around &= around - ONE
        else:
            scratch.frames[0, row] |= king_steps(words[word])


@inlined
def drop_king(
    rows: np.uint64, plane: int, unwon: NDArray[np.uint64], scratch: Scratch
) -> np.uint64:
    """scratch.new, of which some rows are filled, loses those whose Black king steps into `unwon`.

    Returns the mask of the rows that are left.
    """
    follow = rows
    while follow:
        row = lowest(follow)
        follow &= follow - ONE
        rows = drop_word(row, rows, king_steps(unwon[at(plane), row]), scratch.new)
    return rows


@inlined
def drop_listed(
    rows: np.uint64, lists: int, unwon: NDArray[np.uint64], board: Geometry, scratch: Scratch
) -> np.uint64:
    """scratch.new, of which some rows are filled, loses what a listed plane of this frame saves.

    Returns the mask of the rows that are left. A row is given up as soon as nothing is left of it.
    """
    ranks = filled_bytes(rows)
    for i in range(scratch.listed[at(lists)]):
        follow = ranks
        while follow:
            prefetch_rank(unwon, scratch.source[at(lists), i] * 8 + (lowest(follow) >> 3))
            follow &= follow - ONE
    follow = rows
    while follow:
        row = lowest(follow)
        follow &= follow - ONE
        saved = NONE
        for i in range(scratch.listed[at(lists)]):
            source, path = scratch.source[at(lists), i], scratch.path[at(lists), i]
            saved |= unwon[at(source), row] & board.clear[at(path), row]
            if scratch.new[0, row] & ~saved == NONE:
                break
        rows = drop_word(row, rows, saved, scratch.new)
    return rows
