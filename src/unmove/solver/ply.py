"""One ply over all planes of a part: workers settle ranges of them, and results are joined."""

from __future__ import annotations

import numpy as np

from unmove.kernels.scratch import private
from unmove.kernels.sets import (
    END,
    LIVE,
    REPEATED,
    TALLIES,
    UNITS,
    Frontier,
    Ply,
    PlyOutput,
    leave_out_repeated,
    restore,
)
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import Ranges, SolverBackend, longest_entry, mask_words
from unmove.solver.entry_room import EntryRoom
from unmove.solver.ply_log import OpenPly, Settled
from unmove.values import opponent_of

MANY_REPEATED = 4  # one of so many words: then those of entries that repeat others are left out


def settle(
    backend: SolverBackend,
    pool: WorkerPool,
    ply: Ply,
    new: Frontier,
    log: OpenPly,
    ranges: Ranges = None,
) -> Settled:
    """`new` holds what the ply settles, or has settled in an earlier run, and so does the log."""
    raised = pool.arena.zeros("raised", (pool.workers, *new.flags.shape), np.uint64)
    outputs = [
        PlyOutput(new._replace(flags=flags), private(np.int64, len(TALLIES))) for flags in raised
    ]
    room, known = EntryRoom(longest_entry(backend.layout), pool.workers, ranges), log.known
    if not room.is_shared:
        pool.arena.release(new.words)

    def work(worker: int, first: int, stop: int) -> None:
        out, begin = outputs[worker], room.begin(worker, first, stop)
        out.tally[END], out.tally[REPEATED] = begin, 0
        backend.settle(worker, first, stop, ply, out)
        end = int(out.tally[END])
        log.keep(worker, first, new.words[begin:end])
        if out.tally[REPEATED] * MANY_REPEATED > end - begin:
            end = leave_out_repeated(begin, end, mask_words(backend.layout), new)
        room.filled(worker, end)
        pool.arena.relieve()

    def recall(worker: int, first: int, stop: int) -> None:
        out, begin, entries = outputs[worker], room.begin(worker, first, stop), log.entries(first)
        end = begin + len(entries)
        new.words[begin:end] = entries
        new.at[backend.planes[first:stop]] = 0
        restore(backend.layout.words, begin, end, ply, out)
        room.filled(worker, leave_out_repeated(begin, end, mask_words(backend.layout), new))
        backend.raise_again(worker, first, stop, opponent_of(ply.mover), out.new)
        pool.arena.relieve()

    task = work if known is None else recall
    pool.for_ranges(len(backend.planes), task, backend.smallest, ranges)
    if room.is_shared:
        pool.arena.release(new.words, room.end)
    backend.announce(opponent_of(ply.mover), raised, new)
    if known is None:
        units, planes = (sum(int(output.tally[i]) for output in outputs) for i in (UNITS, LIVE))
        known = Settled(units // backend.share, planes)
    log.close(known)
    return known
