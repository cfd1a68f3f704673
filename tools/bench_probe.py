"""How fast single probes are, as Markdown. docs/reports/0011 has the results.

    python -m tools.bench_probe FOLDER [SYZYGY]         everything
    python -m tools.bench_probe FOLDER six              only what concerns tables of six men

FOLDER has tables by DTM and DTZ. Endgames that it does not have are left out. SYZYGY has files that
python-chess reads; it is asked the same boards in the same process. Times are CPU time of one
thread; those in bulk are wall-clock time of all cores. Tables are open and kernels loaded, unless
something else is said; the cache is empty.
"""

from __future__ import annotations

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


def opened(folder: Folder, names: Sequence[str], metric: Metric) -> Tablebase:
    """The tables of a folder; those of some endgames and of what they lead to are open."""
    tables = open_tables(folder.path, threads=1)
    for name in names:
        for board in boards_of(name, 4):
            tables.get_dtm(board) if metric == Metric.DTM else tables.get_dtz(board)
    return tables


def emptied(tables: Tablebase) -> Tablebase:
    """The same tables with an empty cache."""
    tables._tables.cache.start_afresh()
    return tables


def probe_of(tables: Tablebase, metric: Metric) -> Probe:
    """The function that probes a board by a metric."""
    return tables.probe_dtm if metric == Metric.DTM else tables.probe_dtz


def new_boards(folder: Folder, syzygy: Path | None) -> None:
    """Probes a second: of boards that were never asked for, and of the same again."""
    print(
        "\n| endgames | probe | boards | new, a second | again, a second |\n|---|---|---|---|---|"
    )
    for men, names in ((4, FOUR), (5, FIVE)):
        for metric in (Metric.DTM, Metric.DTZ):
            some = found(folder, names, metric)
            if some:
                with opened(folder, some, metric) as tables:
                    probe = probe_of(emptied(tables), metric)
                    row(f"{len(some)} of {men} men", metric.name, probe, mixed(some))
        if syzygy and men == 4:
            with chess.syzygy.open_tablebase(str(syzygy)) as reader:
                boards = mixed(FOUR)
                each(reader.probe_dtz, [boards_of(name, 1)[0] for name in FOUR])
                row("10 of 4 men", "python-chess WDL", reader.probe_wdl, boards)
                row("10 of 4 men", "python-chess DTZ", reader.probe_dtz, boards)


def row(endgames: str, name: str, probe: Probe, boards: Sequence[chess.Board]) -> None:
    """A line of the table of new boards."""
    new, again = (len(boards) / seconds(lambda: each(probe, boards)) for _ in range(2))
    print(f"| {endgames} | {name} | {len(boards):,} | {new:,.0f} | {again:,.0f} |", flush=True)


def by_table(folder: Folder) -> None:
    """Milliseconds of a probe of a new board by who is to move, and of all moves of a board."""
    print("\n| DTM, milliseconds | stored side | other side | moves, new | again |")
    print("|---|---|---|---|---|")
    for name in found(folder, (*FOUR, *FIVE), Metric.DTM):
        with opened(folder, [name], Metric.DTM) as tables:
            (stored,) = folder_sides(folder, name)
            boards = boards_of(name, 120)
            mine = [board for board in boards if board.turn == stored]
            others = [board for board in boards if board.turn != stored]
            figures = [average(emptied(tables).probe_dtm, some) for some in (mine, others)]
            moves, some = tables.moves, boards[:20]
            figures.append(sum(average(emptied(tables).moves, [board]) for board in some) / 20)
            each(moves, some)
            figures.append(min(average(moves, some) for _ in range(RUNS)))
        print(f"| {name} |" + "".join(f" {figure:.2f} |" for figure in figures), flush=True)


def folder_sides(folder: Folder, name: str) -> list[bool]:
    """The sides to move that a table stores, as python-chess has them."""
    with folder.open(Material.parse(name), Metric.DTM) as file:
        return [chess.COLORS[side] for side in file.sides]


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


def trees(folder: Folder, syzygy: Path | None) -> None:
    """Boards a second of all boards that some plies lead to, depth first, from an empty cache."""
    print(f"\n| trees of depth {DEPTH} | boards | DTM, a second | python-chess WDL |")
    print("|---|---|---|---|")
    for name in found(folder, FOUR[:4], Metric.DTM):
        roots = [board for board in boards_of(name, 20) if board.is_valid()][:TREES]
        with opened(folder, [name], Metric.DTM) as tables:
            boards = [tree(root, DEPTH, tables.get_dtm) for root in roots]
            ours = [seconds(partial(tree, root, DEPTH, emptied(tables).get_dtm)) for root in roots]
        theirs = ""
        if syzygy:
            with chess.syzygy.open_tablebase(str(syzygy)) as reader:
                each(reader.probe_wdl, roots)
                times = [seconds(partial(tree, root, DEPTH, reader.get_wdl)) for root in roots]
                theirs = f"{sum(boards) / sum(times):,.0f}"
        print(
            f"| {name} | {sum(boards):,} | {sum(boards) / sum(ours):,.0f} | {theirs} |", flush=True
        )


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
        with open_tables(folder.path) as tables:
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
    folder, rest = Folder.named(sys.argv[1]), sys.argv[2:]
    if rest != ["six"]:
        syzygy = Path(rest[0]) if rest else None
        new_boards(folder, syzygy)
        by_table(folder)
        trees(folder, syzygy)
    first(folder)
    six_men(folder)


if __name__ == "__main__":
    main()
