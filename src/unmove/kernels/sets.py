"""Sets of positions, what one ply reads and writes, and what both kinds of planes do with them.

A set is an array [plane, word], a bit a cell. The helpers take the number of words of a plane as an
argument: where the caller gives a constant, compiled loops have constant bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet
from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import lowest, popcount
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.stretch import CONVERTED, entry_end, plane_of, write_entry
from unmove.values import Side

UNITS, LIVE, END, REPEATED = TALLIES = range(4)
MOVING, CHECKED, UNCHECKED, STANDING = 0, 1, 2, 3
"""Whose fate a ply decides: those who move into the frontier; of those who cannot move, the ones in
check, the ones not in check, or all."""


class Frontier(NamedTuple):
    """The positions settled in one ply, all of one side to move, packed: see `stretch.py`."""

    words: NDArray[np.uint64]  # entries
    at: NDArray[np.uint32]  # [plane]: where the masks of its entry begin; 0: nothing new
    flags: NDArray[np.uint64]  # [group, key]: the same as seen by the men who move into it


class SubtableSets(NamedTuple):
    """Positions of the endgames one capture away, by the group that lost a man."""

    planes: NDArray[np.uint64]  # [group, key, row]
    live: NDArray[np.uint8]  # [group, key]: what stands in a plane that is not live is stale


class Conversions(NamedTuple):
    """The mover's conversions at one level. A backend has them as sets of cells, or as captures.

    The arrays of the other kind are empty.
    """

    arrive: bool  # whether any decides at this level
    live: NDArray[np.uint8]  # [plane]: does one decide there? What is not live is stale
    arriving: PositionSet  # [plane, word]: the positions with one that decides
    leaving: PositionSet  # [plane, word]: where no move of a pawn beats it; empty: everywhere
    blocked: PositionSet  # [plane, word]: the loser has one that does not lose yet
    targets: SubtableSets  # captures into these positions decide
    saving: SubtableSets  # captures into these positions do not lose yet


class Ply(NamedTuple):
    """What one ply reads. It takes what it settles out of `unsettled`."""

    mover: Side
    universal: bool  # True: a loss, all moves lead into wins; False: a win, one leads into a loss
    whose: int  # MOVING, CHECKED, UNCHECKED or STANDING
    front: Frontier  # the positions, the opponent to move, that moves must lead into
    conversions: Conversions
    late: Frontier  # the mover's positions with a late move: see `solver/late_moves.py`
    late_arrive: bool  # whether late moves decide at this level; else they save a loser
    unwon: PositionSet  # [plane, word]: legal, the winner to move, and not won by him
    unsettled: PositionSet  # [plane, word]: the mover's legal positions without a value


class PlyOutput(NamedTuple):
    """What one thread writes in a ply.

    Of new.at it owns the planes of its ranges, of new.words what its ranges have room for. All else
    is private to it.
    """

    new: Frontier
    # UNITS: settled, as the backend counts; LIVE: planes; END: of entries; REPEATED: words of those
    # that repeat others
    tally: NDArray[np.int64]


@inlined
def or_entry(plane: int, words: int, front: Frontier, into: NDArray[np.uint64]) -> None:
    """into[0] |= the positions of a plane that has an entry in a frontier."""
    masks: int = (words + 63) // 64
    at = np.int64(front.at[plane])
    word = at + masks
    for mask in range(masks):
        follow = front.words[at + mask]
        while follow:
            into[0, 64 * mask + lowest(follow)] |= front.words[word]
            follow &= follow - ONE
            word += 1


@inlined
def keep_standing(plane: int, words: int, ply: Ply, found: NDArray[np.uint64]) -> np.uint64:
    """found[0] = the unsettled positions whose fate is decided if they have no move.

    The loser is in check if the same men are not legal with the winner to move. Returns a word that
    is zero when there is nothing.
    """
    left = NONE
    for word in range(words):
        kept = ply.unsettled[plane, word]
        if ply.whose == CHECKED:
            kept &= ~ply.unwon[plane, word]
        elif ply.whose == UNCHECKED:
            kept &= ply.unwon[plane, word]
        found[0, word] = kept
        left |= kept
    return left


@inlined
def keep_unsettled(
    plane: int, words: int, ply: Ply, frames: NDArray[np.uint64], found: NDArray[np.uint64]
) -> np.uint64:
    """found[0] = what is unsettled of frames[0] and, if they arrive, of the late moves.

    Returns a word that is zero when there is nothing. Writes frames[0].
    """
    if ply.late_arrive and ply.late.at[plane]:
        or_entry(plane, words, ply.late, frames)
    left = NONE
    for word in range(words):
        kept = frames[0, word] & ply.unsettled[plane, word]
        found[0, word] = kept
        left |= kept
    return left


@inlined
def drop_blocked(
    plane: int, words: int, ply: Ply, frames: NDArray[np.uint64], found: NDArray[np.uint64]
) -> np.uint64:
    """found[0] loses what a conversion known as a set, or a late move, saves.

    Returns a word that is zero when nothing is left. May write frames[0].
    """
    left = ONE
    if not ply.late_arrive and ply.late.at[plane]:
        for word in range(words):
            frames[0, word] = NONE
        or_entry(plane, words, ply.late, frames)
        left = drop(words, found, frames, 0)
    if left and ply.conversions.blocked.shape[0]:
        left = drop(words, found, ply.conversions.blocked, plane)
    return left


@inlined
def drop(words: int, found: NDArray[np.uint64], saved: NDArray[np.uint64], plane: int) -> np.uint64:
    """found[0] &= ~saved[plane]; returns a word that is zero when nothing is left."""
    left = NONE
    for word in range(words):
        kept = found[0, word] & ~saved[plane, word]
        found[0, word] = kept
        left |= kept
    return left


@inlined
def drop_word(row: int, rows: np.uint64, saved: np.uint64, found: NDArray[np.uint64]) -> np.uint64:
    """found[0, row] &= ~saved; returns the mask of rows without this one if nothing is left."""
    kept = found[0, row] & ~saved
    found[0, row] = kept
    return rows & ~(np.uint64(kept == NONE) << np.uint64(row))


@inlined
def take_out(
    at: int, plane: int | np.int64, words: int, ply: Ply, entries: NDArray[np.uint64]
) -> int:
    """The positions of the entry whose masks begin at `at` are settled. Returns the cells."""
    masks: int = (words + 63) // 64
    cells = 0
    word = at + masks
    for mask in range(masks):
        follow = entries[at + mask]
        while follow:
            ply.unsettled[plane, 64 * mask + lowest(follow)] &= ~entries[word]
            cells += popcount(entries[word])
            follow &= follow - ONE
            word += 1
    return cells


@inlined
def record(plane: int, words: int, found: NDArray[np.uint64], ply: Ply, out: PlyOutput) -> int:
    """The positions of found[0] are settled, and an entry of the new frontier. Returns the cells.

    An entry goes out in sequence. To write the value of each cell to its place in the table instead
    would cost a cache miss a word, a third of all time.
    """
    at = out.tally[END] + 1
    out.new.at[plane] = at
    out.tally[END] = write_entry(np.uint64(plane), words, found, out.new.words, at - 1)
    out.tally[LIVE] += 1
    return take_out(at, plane, words, ply, out.new.words)


@inlined
def note_converted(
    plane: int,
    words: int,
    found: NDArray[np.uint64],
    arrived: NDArray[np.uint64],
    ply: Ply,
    out: PlyOutput,
) -> None:
    """Those of found[0] that a conversion wins follow the plane's entry, as one of their own.

    Writes found[0].
    """
    left = NONE
    for word in range(words):
        kept = found[0, word] & arrived[0, word]
        if ply.conversions.leaving.shape[0]:
            kept &= ply.conversions.leaving[plane, word]
        found[0, word] = kept
        left |= kept
    if left:
        header = np.uint64(plane) | bit(CONVERTED)
        begin = out.tally[END]
        out.tally[END] = write_entry(header, words, found, out.new.words, begin)
        out.tally[REPEATED] += out.tally[END] - begin


@kernel
def leave_out_repeated(begin: int, end: int, masks: int, front: Frontier) -> int:
    """Of the entries begin .. end of a frontier, those that repeat others are gone.

    The others follow one another from `begin` on. Returns where they end.
    """
    at = to = begin
    while at < end:
        following = entry_end(at, masks, front.words)
        if front.words[at] >> np.uint64(CONVERTED) == NONE:
            front.at[plane_of(front.words[at])] = to + 1
            for word in range(at, following):
                front.words[to] = front.words[word]
                to += 1
        at = following
    return to


@kernel
def list_planes(
    begin: int, end: int, masks: int, words: NDArray[np.uint64], out: NDArray[np.int64]
) -> int:
    """`out` begins with the planes of the entries begin .. end; returns how many there are."""
    at, number = begin, 0
    while at < end:
        out[number] = plane_of(words[at])
        number += 1
        at = entry_end(at, masks, words)
    return number


@kernel
def put_back(
    first: int, stop: int, planes: NDArray[np.int64], front: Frontier, out: PositionSet
) -> None:
    """On planes[first:stop] the set has the positions of the frontier again."""
    for i in range(first, stop):
        plane = planes[i]
        if front.at[plane]:
            or_entry(plane, out.shape[1], front, out[plane : plane + 1])


@kernel
def restore(words: int, begin: int, end: int, ply: Ply, out: PlyOutput) -> None:
    """The positions of the entries begin .. end of the new frontier are settled, as by `record`."""
    entries = out.new.words
    masks: int = (words + 63) // 64
    at = begin
    while at < end:
        if entries[at] >> np.uint64(CONVERTED) == NONE:
            plane = plane_of(entries[at])
            out.new.at[plane] = at + 1
            take_out(at + 1, plane, words, ply, entries)
        at = entry_end(at, masks, entries)
