"""Sets of positions, what one ply reads and writes, and what both kinds of planes do with them.

A set is an array [plane, word], a bit a cell. The helpers take the number of words of a plane as an
argument: where the caller gives a constant, compiled loops have constant bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import PositionSet
from unmove.kernels.bits import NONE
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.stretch import write_entry
from unmove.values import Side

UNITS, LIVE, END = 0, 1, 2


class Frontier(NamedTuple):
    """The positions settled in one ply, all of one side to move."""

    planes: PositionSet  # [plane, word]; what stands in a plane that is not live is stale
    live: NDArray[np.uint8]  # [plane]: has it something new?
    flags: NDArray[np.uint64]  # [group, key]: the same as seen by the men who move into it


class Escapes(NamedTuple):
    """What saves a loser: positions not (yet) won by the opponent."""

    planes: PositionSet  # [plane, word]: legal, the opponent to move, and not won by him
    blocked: PositionSet  # [plane, word]: the loser has a conversion that does not lose yet


class Ply(NamedTuple):
    """What one ply reads. It takes what it settles out of `unsettled`."""

    mover: Side
    universal: bool  # True: a loss, all moves lead into wins; False: a win, one leads into a loss
    front: Frontier  # the positions, the opponent to move, that moves must lead into
    arrivals: Frontier  # the mover's positions with a conversion that decides at this level
    escapes: Escapes  # read if the ply is universal
    unsettled: PositionSet  # [plane, word]: the mover's legal positions without a value


class PlyOutput(NamedTuple):
    """What one thread writes in a ply.

    Of new.planes and new.live it owns the planes of its ranges. All else is private to it.
    """

    new: Frontier
    log: NDArray[np.uint64]  # see `stretch.py`
    tally: NDArray[np.int64]  # UNITS: settled, as the backend counts; LIVE: planes; END: of the log


@inlined
def keep_unsettled(
    plane: int, words: int, ply: Ply, frames: NDArray[np.uint64], found: NDArray[np.uint64]
) -> np.uint64:
    """found[0] = what is unsettled of frames[0] and of the arrivals on the plane.

    Returns a word that is zero when there is nothing. Writes frames[0].
    """
    if ply.arrivals.live[plane]:
        for word in range(words):
            frames[0, word] |= ply.arrivals.planes[plane, word]
    left = NONE
    for word in range(words):
        kept = frames[0, word] & ply.unsettled[plane, word]
        found[0, word] = kept
        left |= kept
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
def record(plane: int, words: int, found: NDArray[np.uint64], ply: Ply, out: PlyOutput) -> None:
    """The positions of found[0] are settled: in the new frontier and the log, but not counted."""
    for word in range(words):
        out.new.planes[plane, word] = found[0, word]
        ply.unsettled[plane, word] &= ~found[0, word]
    out.tally[END] = write_entry(plane, words, found, out.log, out.tally[END])
    out.new.live[plane] = 1
    out.tally[LIVE] += 1


@kernel
def note_arrivals(
    first: int,
    stop: int,
    planes: NDArray[np.int64],
    place: NDArray[np.int64],
    new: Frontier,
    arrivals: Frontier,
    out: NDArray[np.uint64],
) -> None:
    """out[place[plane]] also has what is new and arrives, on planes[first:stop]."""
    for i in range(first, stop):
        plane = planes[i]
        if new.live[plane] and arrivals.live[plane]:
            for word in range(out.shape[1]):
                out[place[plane], word] |= new.planes[plane, word] & arrivals.planes[plane, word]
