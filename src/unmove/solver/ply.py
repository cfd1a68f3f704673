"""One ply over all planes of a part: workers settle ranges of them, and results are joined."""

from __future__ import annotations

import numpy as np

from unmove.kernels.scratch import private
from unmove.kernels.sets import END, LIVE, UNITS, Frontier, Ply, PlyOutput, restore
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import Ranges, SolverBackend, longest_entry
from unmove.solver.entry_room import EntryRoom
from unmove.solver.ply_log import OpenPly, Settled
from unmove.values import opponent_of


def settle(
    backend: SolverBackend,
    pool: WorkerPool,
    ply: Ply,
    new: Frontier,
    log: OpenPly,
    ranges: Ranges = None,
) -> Settled:
    """`new` holds what the ply settles, or has settled in an earlier run, and so does the log."""
    raised = np.zeros((pool.workers, *new.flags.shape), np.uint64)
    outputs = [PlyOutput(new._replace(flags=flags), private(np.int64, 3)) for flags in raised]
    room, known = EntryRoom(longest_entry(backend.layout), pool.workers, ranges), log.known
    pool.arena.release(new.words)

    def work(worker: int, first: int, stop: int) -> None:
        out, begin = outputs[worker], room.begin(worker, first, stop)
        out.tally[END] = begin
        backend.settle(worker, first, stop, ply, out)
        room.filled(worker, int(out.tally[END]))
        log.keep(worker, first, new.words[begin : out.tally[END]])
        pool.arena.relieve()

    def recall(worker: int, first: int, stop: int) -> None:
        out, begin, entries = outputs[worker], room.begin(worker, first, stop), log.entries(first)
        end = begin + len(entries)
        room.filled(worker, end)
        new.words[begin:end] = entries
        new.at[backend.planes[first:stop]] = 0
        restore(backend.layout.words, begin, end, ply, out)
        backend.raise_again(worker, first, stop, opponent_of(ply.mover), out.new)
        pool.arena.relieve()

    task = work if known is None else recall
    pool.for_ranges(len(backend.planes), task, backend.smallest, ranges)
    backend.announce(opponent_of(ply.mover), raised, new)
    if known is None:
        units, planes = (sum(int(output.tally[i]) for output in outputs) for i in (UNITS, LIVE))
        known = Settled(units // backend.share, planes)
    log.close(known)
    return known
