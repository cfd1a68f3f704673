"""One ply over all planes of a part: workers settle ranges of them, and results are joined."""

from __future__ import annotations

from collections.abc import Sequence

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
    list_planes,
    restore,
)
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import Ranges, SolverBackend, longest_entry, mask_words
from unmove.solver.entry_room import EntryRoom
from unmove.solver.ply_log import Entries, OpenPly, Settled
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
        mine = backend.planes[first:stop]
        backend.raise_again(worker, mine, opponent_of(ply.mover), out.new)
        pool.arena.relieve()

    task = work if known is None else recall
    pool.for_ranges(len(backend.planes), task, backend.smallest, ranges)
    if known is None:
        units, planes = (sum(int(output.tally[i]) for output in outputs) for i in (UNITS, LIVE))
        known = Settled(units // backend.share, planes)
    gathered = log.close(known)
    if gathered.others is not None:
        _join(gathered.others, backend, pool, ply, outputs, room)
    if room.is_shared:
        pool.arena.release(new.words, room.end)
    backend.announce(opponent_of(ply.mover), raised, new)
    return gathered.settled


def _join(
    others: Sequence[Entries],
    backend: SolverBackend,
    pool: WorkerPool,
    ply: Ply,
    outputs: Sequence[PlyOutput],
    room: EntryRoom,
) -> None:
    """The new frontier has what other parts of the table have settled, as well.

    What they have won is no longer unwon here: moves of the loser may lead there.
    """
    new, masks = outputs[0].new, mask_words(backend.layout)
    new.at[: backend.planes[0]] = 0
    new.at[backend.planes[-1] + 1 :] = 0

    def join(worker: int, first: int, stop: int) -> None:
        for unpack in others[first:stop]:
            out, entries = outputs[worker], unpack()
            begin = room.begin_words(worker, len(entries))
            end = begin + len(entries)
            new.words[begin:end] = entries
            if not ply.universal:
                restore(backend.layout.words, begin, end, ply, out)
            end = leave_out_repeated(begin, end, masks, new)
            room.filled(worker, end)
            planes = np.empty((end - begin) // (1 + masks), np.int64)
            number = list_planes(begin, end, masks, new.words, planes)
            backend.raise_again(worker, planes[:number], opponent_of(ply.mover), out.new)

    pool.for_ranges(len(others), join, 2, [(i, i + 1) for i in range(len(others))])
