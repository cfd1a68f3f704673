"""How fast single probes are, as Markdown. docs/reports/0011 has the results.

    python -m tools.bench_probe FOLDER... [--syzygy SYZYGY]    everything
    python -m tools.bench_probe FOLDER --only six              what concerns tables of six men
    (--only new, moves or trees: that part)

Each FOLDER has tables by DTM and DTZ: one with one side stored, say, and one with both. Endgames
that it does not have are left out. SYZYGY has files of Syzygy; python-chess reads them, too, and is
asked the same boards in the same process. Times are CPU time of one thread; those in bulk are
wall-clock time of all cores. Tables are open and kernels loaded, unless something else is said; the
cache is empty.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import chess
import chess.syzygy
import numpy as np
from numpy.typing import NDArray

from tools.bench_store import boards_of
from unmove import Metric, Tablebase, open_tables
from unmove.material import Material
from unmove.store.folder import Folder

FOUR = ("KQvKR", "KRvKN", "KRvKB", "KBNvK", "KQvKQ", "KRvKR", "KPvKP", "KRvKP", "KQvKP", "KRPvK")
FIVE = ("KQRvKR", "KBBvKN", "KRBvKN", "KRPvKR", "KRNvKN", "KBNvKN")
SIX = ("KBBvKNN", "KRBvKNN", "KRNvKNN", "KRBvKBN")
BOARDS_A_TABLE, TREES, RUNS = 200, 2, 5
IN_BULK = 20_000_000  # positions
DEPTH = 3  # plies of a tree

Probe = Callable[[chess.Board], Any]


def found(folder: Folder, names: Sequence[str], metric: Metric) -> list[str]:
    """The endgames that the folder has."""
    return [name for name in names if folder.has(Material.parse(name), metric)]


def seconds(work: Callable[[], object]) -> float:
    """The CPU time that something takes."""
    start = process_time()
    work()
    return process_time() - start


def each(probe: Probe, boards: Sequence[chess.Board]) -> None:
    """All boards are probed, one by one."""
    for board in boards:
        probe(board)


def mixed(names: Sequence[str]) -> list[chess.Board]:
    """Random boards of some endgames, in random order."""
    boards = [board for name in names for board in boards_of(name, BOARDS_A_TABLE)]
    random.Random(1).shuffle(boards)
    return boards


def opened(
    folder: Folder, names: Sequence[str], metric: Metric, syzygy: Path | None = None
) -> Tablebase:
    """The tables of a folder; those of some endgames and of what they lead to are open."""
    tables = open_tables(folder, threads=1, syzygy=syzygy)
    for name in names:
        for board in boards_of(name, 4):
            tables.get_dtm(board) if metric == Metric.DTM else tables.get_dtz(board)
            if syzygy:
                tables.probe_wdl(board)
    return tables


def emptied(tables: Tablebase) -> Tablebase:
    """The same tables with an empty cache."""
    tables._tables.cache.start_afresh()
    return tables


def probe_of(tables: Tablebase, metric: Metric) -> Probe:
    """The function that probes a board by a metric."""
    return tables.probe_dtm if metric == Metric.DTM else tables.probe_dtz


def new_boards(folders: Sequence[Folder], syzygy: Path | None) -> None:
    """Probes a second: of boards that were never asked for, and of the same again."""
    print(
        "\n| endgames | probe | stored | boards | new, a second | again, a second |"
        "\n|---|---|---|---|---|---|"
    )
    for men, names in ((4, FOUR), (5, FIVE)):
        for folder in folders:
            for metric in (Metric.DTM, Metric.DTZ):
                some = found(folder, names, metric)
                if some:
                    with opened(folder, some, metric) as tables:
                        probe, boards = probe_of(tables, metric), mixed(some)
                        each(probe, boards)  # now all tables that they lead to are open
                        emptied(tables)
                        sides = sides_of(folder, some[0])
                        row(f"{len(some)} of {men} men", metric.name, sides, probe, boards)
        if syzygy:
            outcomes(folders[0], syzygy, men, names)


def sides_of(folder: Folder, name: str) -> str:
    """Which sides to move a folder stores: one or both."""
    with folder.open(Material.parse(name), Metric.DTM) as file:
        return "both sides" if len(file.sides) > 1 else "one side"


def outcomes(folder: Folder, syzygy: Path, men: int, names: Sequence[str]) -> None:
    """The same of outcomes, by python-chess and by our tables with a source of outcomes."""
    some = [name for name in names if any(syzygy.glob(f"{name}.rtbw"))]
    if not some:
        return
    endgames, boards = f"{len(some)} of {men} men", mixed(some)
    with chess.syzygy.open_tablebase(str(syzygy)) as reader:
        each(reader.probe_dtz, [boards_of(name, 1)[0] for name in some])
        row(endgames, "python-chess WDL", "", reader.probe_wdl, boards)
        row(endgames, "python-chess DTZ", "", reader.probe_dtz, boards)
    with opened(folder, some, Metric.DTM, syzygy) as tables:
        row(endgames, "WDL by .rtbw files", "", tables.probe_wdl, boards)


def row(endgames: str, name: str, sides: str, probe: Probe, boards: Sequence[chess.Board]) -> None:
    """A line of the table of new boards."""
    new, again = (len(boards) / seconds(lambda: each(probe, boards)) for _ in range(2))
    columns = endgames, name, sides, f"{len(boards):,}", f"{new:,.0f}", f"{again:,.0f}"
    print(f"| {' | '.join(columns)} |", flush=True)


def by_table(folder: Folder) -> None:
    """Milliseconds of a probe of a new board by who is to move, and of all moves of a board."""
    print("\n| DTM, milliseconds | stored | White | Black | moves, new | again |")
    print("|---|---|---|---|---|---|")
    for name in found(folder, (*FOUR, *FIVE), Metric.DTM):
        with opened(folder, [name], Metric.DTM) as tables:
            boards = boards_of(name, 120)
            figures = [
                average(emptied(tables).probe_dtm, [b for b in boards if b.turn == side])
                for side in chess.COLORS
            ]
            moves, some = tables.moves, boards[:20]
            figures.append(sum(average(emptied(tables).moves, [board]) for board in some) / 20)
            each(moves, some)
            figures.append(min(average(moves, some) for _ in range(RUNS)))
        with folder.open(Material.parse(name), Metric.DTM) as file:
            stored = file.meta.stored
        print(f"| {name} | {stored} |" + "".join(f" {f:.2f} |" for f in figures), flush=True)


def average(probe: Probe, boards: Sequence[chess.Board]) -> float:
    """Milliseconds a board."""
    return 1e3 * seconds(lambda: each(probe, boards)) / len(boards)


def tree(board: chess.Board, depth: int, probe: Probe) -> int:
    """All boards up to so many plies away are probed; returns how many there are."""
    boards = 1
    probe(board)
    if depth:
        for move in list(board.legal_moves):
            board.push(move)
            boards += tree(board, depth - 1, probe)
            board.pop()
    return boards


def trees(folders: Sequence[Folder], syzygy: Path | None) -> None:
    """Boards a second of all boards that some plies lead to, depth first, from an empty cache."""
    columns = [f"DTM, {sides_of(folder, FOUR[0])}" for folder in folders]
    columns += ["python-chess WDL", "WDL by .rtbw files"] if syzygy else []
    print(f"\n| trees of depth {DEPTH}, boards a second | boards | {' | '.join(columns)} |")
    print("|---|---" + "|---" * len(columns) + "|")
    for name in found(folders[0], FOUR[:4], Metric.DTM):
        roots = [board for board in boards_of(name, 20) if board.is_valid()][:TREES]
        times = [tree_time(folder, name, roots) for folder in folders]
        if syzygy:
            with chess.syzygy.open_tablebase(str(syzygy)) as reader:
                each(reader.probe_wdl, roots)
                times.append(sum(seconds(partial(tree, r, DEPTH, reader.get_wdl)) for r in roots))
            with opened(folders[0], [name], Metric.DTM, syzygy) as tables:
                times.append(sum(seconds(partial(tree, r, DEPTH, tables.get_wdl)) for r in roots))
        boards = sum(tree(root, DEPTH, lambda _: None) for root in roots)
        speeds = "".join(f" {boards / each_time:,.0f} |" for each_time in times)
        print(f"| {name} | {boards:,} |{speeds}", flush=True)


def tree_time(folder: Folder, name: str, roots: Sequence[chess.Board]) -> float:
    """The time that the trees of some boards take, each from an empty cache."""
    with opened(folder, [name], Metric.DTM) as tables:
        for root in roots:  # what they lead to is open
            tree(root, DEPTH, tables.get_dtm)
        return sum(seconds(partial(tree, root, DEPTH, emptied(tables).get_dtm)) for root in roots)


_FIRST = """
import sys, time, chess
from pathlib import Path
from tools.bench_store import boards_of
from unmove import open_tables
folder, name, turn, number = sys.argv[1], sys.argv[2], sys.argv[3] == "white", int(sys.argv[4])
boards = [board for board in boards_of(name, 60) if board.turn == turn]
with open_tables(folder, threads=1) as tables:
    for board in boards_of("KRvKN", 20) + boards_of("KQvKR", 20):
        tables.probe_dtm(board)
with open_tables(folder, threads=1) as tables:
    start, clock = time.process_time(), time.perf_counter()
    tables.probe_dtm(boards[number])
    print(time.process_time() - start, time.perf_counter() - clock)
"""


def first(folder: Folder) -> None:
    """Milliseconds of the first probe of a table, kernels loaded by probes of other endgames."""
    print("\n| first probe | side to move | CPU, ms | wall, ms |\n|---|---|---|---|")
    for name in found(folder, SIX, Metric.DTM):
        for turn in ("white", "black"):
            runs = [first_probe(folder, name, turn, number) for number in range(RUNS)]
            cpu, wall = (
                f"{min(times):.0f} to {max(times):.0f}" for times in zip(*runs, strict=True)
            )
            print(f"| {name} | {turn} | {cpu} | {wall} |", flush=True)


def first_probe(folder: Folder, name: str, turn: str, number: int) -> tuple[float, float]:
    """CPU time and wall time of one first probe, in a process of its own."""
    command = [sys.executable, "-c", _FIRST, str(folder), name, turn, str(number)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    cpu, wall = map(float, run.stdout.split())
    return 1e3 * cpu, 1e3 * wall


def six_men(folder: Folder) -> None:
    """Single probes of boards asked before, and random positions in bulk from an empty cache."""
    print("\n| table | again, a second | random positions in bulk | s | million a second |")
    print("|---|---|---|---|---|")
    for name in found(folder, SIX, Metric.DTM):
        with opened(folder, [name], Metric.DTM) as tables:
            boards = boards_of(name, 20)
            each(tables.probe_dtm, boards)
            probes = partial(each, tables.probe_dtm, 50 * boards)
            again = 50 * len(boards) / min(seconds(probes) for _ in range(RUNS))
        with open_tables(folder) as tables:
            squares, turns = random_squares(Material.parse(name).men, IN_BULK)
            start = perf_counter()
            legal = int(tables.probe_many(name, squares, turns).legal.sum())
            taken = perf_counter() - start
        print(
            f"| {name} | {again:,.0f} | {IN_BULK:,}, {legal:,} of them legal | {taken:.0f} "
            f"| {IN_BULK / taken / 1e6:.2f} |",
            flush=True,
        )


def random_squares(men: int, number: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The squares of the men of many positions, and who is to move. Some are not legal."""
    rng, squares = np.random.default_rng(1), np.empty((number, men), np.uint8)
    board = np.tile(np.arange(64, dtype=np.uint8), (number // 20, 1))
    for first in range(0, number, len(board)):
        squares[first : first + len(board)] = rng.permuted(board, axis=1)[:, :men]
    return squares, rng.integers(0, 2, number, np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--syzygy", type=Path)
    parser.add_argument("--only", choices=("new", "moves", "trees", "six"))
    asked = parser.parse_args()
    folders = [Folder.named(name) for name in asked.folders]
    if asked.only in (None, "new"):
        new_boards(folders, asked.syzygy)
    for folder in folders if asked.only in (None, "moves") else ():
        by_table(folder)
    if asked.only in (None, "trees"):
        trees(folders, asked.syzygy)
    for folder in folders if asked.only in (None, "six") else ():
        first(folder)
        six_men(folder)


if __name__ == "__main__":
    main()
