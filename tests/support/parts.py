"""Tables that are cut into parts, which threads of this process solve."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.solver.build import table_encoder_of
from unmove.solver.disk_log import LogNotes
from unmove.solver.exchange import Exchange
from unmove.solver.keeper import Keeper, ThreadExchange
from unmove.solver.loop import Progress
from unmove.solver.part_table import work
from unmove.store.folder import Folder
from unmove.store.log_file import LogFile
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric

AnyExchange = Callable[[Keeper, int], Exchange]


def keep_quiet(progress: Progress) -> None:
    """Nobody is told."""


def solve_in_parts(
    keeper: Keeper,
    subtables: SubtableCache,
    *,
    threads: int = 1,
    exchange: AnyExchange = ThreadExchange,
    report: Callable[[Progress], None] = keep_quiet,
) -> None:
    """All parts are solved, each by a thread of its own; raises the first error of one of them."""
    errors: list[BaseException] = []

    def solve(part: int) -> None:
        material, metric = keeper.table.material, keeper.table.metric
        try:
            with WorkerPool(threads) as pool:
                tables = subtables.of(metric, pool)
                work(exchange(keeper, part), material, metric, tables, pool, report)
        except BaseException as error:
            errors.append(error)
            keeper.end(error)

    workers = [Thread(target=solve, args=(part,)) for part in range(keeper.parts)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise errors[0]


def built_in_parts(
    path: Path,
    material: Material,
    metric: Metric,
    folder: Folder,
    parts: int,
    *,
    threads: int = 1,
    exchange: AnyExchange = ThreadExchange,
    report: Callable[[Progress], None] = keep_quiet,
    orbits: int = 1 << 30,
) -> int:
    """The table is at the path, and its log is gone. Returns how many parts there were."""
    with (
        LogFile(path, material, metric) as log,
        SubtableCache(folder) as subtables,
        WorkerPool(1) as pool,
    ):
        keeper = Keeper(log, material, metric, pool, parts, orbits)
        solve_in_parts(keeper, subtables, threads=threads, exchange=exchange, report=report)
        table_encoder_of(keeper.table, pool, LogNotes(log)).write(path)
        log.discard()
        return keeper.parts
