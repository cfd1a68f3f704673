"""The loop of Wu and Beal (1996) as it was printed, to see where its figures come from.

Their distances to mate are not all right. The printed loop counts in moves of the winner and
differs from ours in three ways:

1. it stops as soon as no new win is found, though captures into longer endgames may bring more;
2. for a loss, after the first move, it looks only at the positions before the newest wins, not at
   those whose last escape was a capture that loses by now;
3. tables that are incomplete for these reasons are what larger endgames are worked out from.

What was published as the largest distance counts as long as every number of moves up to it occurs,
in the table or among the smaller endgames' positions that stood in its index: those after a
capture, the man that captured on a square where its victim could have stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as counting

import numpy as np

from unmove.games.xiangqi import ADVISOR, ELEPHANT, STANDS
from unmove.material import Material
from unmove.planes.layouts import of_courts
from unmove.pool.workers import WorkerPool
from unmove.solver.loop import WinnerRun, solve_part
from unmove.solver.partial_table import TableInMemory
from unmove.store.source import TableLookup, planes_of
from unmove.successors.courts import material_after, victims
from unmove.values import BLACK, SIDES, WHITE, Level, Metric, level_of, opponent_of


def as_printed(run: WinnerRun) -> None:
    """What the printed loop finds is settled."""
    won = run.won(Level(1), run.mates())
    for level in map(Level, counting(2, 2)):
        if won is None:
            return
        conversions = run.subtable_values.won_at(level)
        if level > 2:
            conversions = conversions._replace(arrive=False)
        lost = run.settle_lost(level, won, conversions)
        won = run.won(Level(level + 1), lost)


def solve_as_wu_beal(material: Material, tables: TableLookup, pool: WorkerPool) -> TableInMemory:
    """The table that the printed loop makes, from tables that it made."""
    partial = TableInMemory(material, Metric.DTM)
    solve_part(partial, tables, pool, loop=as_printed)
    return partial


def published_maximum(partial: TableInMemory, tables: TableLookup) -> int:
    """The largest distance in moves, as it was counted, if White is the winner."""
    wins = {(level_of(code) + 1) // 2 for code in partial.counts[WHITE] if code % 2}
    losses = {level_of(code) // 2 for code in partial.counts[BLACK] if code % 2 == 0}
    found = wins | losses | set(_loaded(partial, tables))
    return next(n for n in counting() if n + 1 not in found)


def _loaded(partial: TableInMemory, tables: TableLookup) -> Iterator[int]:
    """The distances of the smaller endgames' positions that stood in the index."""
    layout = of_courts(partial.layout)
    for mover in SIDES:
        for victim in victims(layout, mover):
            material = material_after(layout, victim)
            source = tables(material.canonical())
            theirs = of_courts(source.layout)
            if theirs.material != material:
                continue  # Black has become the stronger side: White does not win there
            planes = theirs.frame.planes
            if victim.kind in (ADVISOR, ELEPHANT):  # only attackers get where these stand
                own = [man for man, each in enumerate(theirs.men) if each.side == mover]
                stands = STANDS[victim.side, victim.kind]
                planes = planes[stands[theirs.frame.squares[planes][:, own]].any(axis=1)]
            numbers = np.unique(planes_of(source, opponent_of(mover), planes))
            for code in source.palette[numbers].tolist():
                if code > 1 and code % 2 == mover % 2 == 1:
                    yield (level_of(code) + 1) // 2
                if code > 1 and code % 2 == mover % 2 == 0:
                    yield level_of(code) // 2
