"""How fast Syzygy files are read, beside python-chess, as Markdown: docs/reports/0013 has results.

    python -m tools.bench_reading SYZYGY

SYZYGY has the files of all endgames of 3 and 4 men; those of five men are asked if they are there.
Times are CPU time of one thread, the best of several runs. Everything is warm: files are open, both
readers have answered each position before.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import process_time

import chess
import chess.syzygy
import numpy as np
from numpy.typing import NDArray

from tools.fuzz_syzygy import boards_of
from unmove import Material, SyzygyTablebase, open_syzygy
from unmove.material import all_of

BOARDS, RUNS, IN_BULK = 100, 3, 500_000
FIVE = ("KQRvKR", "KBBvKN", "KRBvKN", "KRPvKR", "KRNvKN", "KBNvKN")
VALUES = ("wdl", "dtz")


def best(work: Callable[[], object]) -> float:
    """The least CPU time of some runs, after one that is not counted."""
    work()
    found = []
    for _ in range(RUNS):
        start = process_time()
        work()
        found.append(process_time() - start)
    return min(found)


def drawn(tables: SyzygyTablebase, name: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Random legal positions of an endgame, in random order."""
    material, rng = Material.parse(name), np.random.default_rng(1)
    squares = rng.integers(0, 64, (4 * IN_BULK, material.men), np.uint8)
    turns = rng.integers(0, 2, len(squares), np.uint8)
    legal = np.flatnonzero(tables.probe_many(name, squares, turns).legal)[:IN_BULK]
    return squares[legal], turns[legal]


def rate(count: int, work: Callable[..., object], *asked: object) -> float:
    """How many of so many things are done in a second."""
    return count / best(partial(work, *asked))


def each(probe: Callable[[chess.Board], int], boards: Sequence[chess.Board]) -> list[int]:
    """The values of boards, one by one."""
    return [probe(board) for board in boards]


def single(folder: str, names: Sequence[str], men: int) -> None:
    """Boards a second, one at a time, of both readers."""
    boards = [board for name in names for board in boards_of(Material.parse(name), BOARDS)]
    random.Random(1).shuffle(boards)
    with open_syzygy(folder) as ours, chess.syzygy.open_tablebase(folder) as theirs:
        for value in VALUES:
            mine, yours = getattr(ours, f"probe_{value}"), getattr(theirs, f"probe_{value}")
            assert each(mine, boards) == each(yours, boards)
            a, b = (rate(len(boards), each, probe, boards) for probe in (mine, yours))
            told = f"| {len(names)} endgames of {men} men | {value.upper()} | {a:,.0f} | {b:,.0f} |"
            print(f"{told} {a / b:.0f} |", flush=True)


def bulk(folder: str, names: Sequence[str]) -> None:
    """Positions a second, half a million in one call, and of all positions in turn."""
    for name in names:
        with open_syzygy(folder) as tables:
            asked = name, *drawn(tables, name)
            rates = [rate(len(asked[2]), tables.probe_many, *asked, value) for value in VALUES]
            whole = [count / seconds for count, seconds in (timed(tables, name, v) for v in VALUES)]
        figures = " | ".join(f"{figure:,.0f}" for figure in (*rates, *whole))
        print(f"| {name} | {len(asked[2]):,} | {figures} |", flush=True)


def timed(tables: SyzygyTablebase, name: str, value: str) -> tuple[int, float]:
    """The positions of a whole endgame, and the CPU time that reading them takes."""
    count, start = 0, process_time()
    for batch in tables.batches(name, value):
        count += len(batch)
    return count, process_time() - start


def main() -> None:
    """Prints the tables."""
    (folder,) = sys.argv[1:]
    have = {path.stem for path in Path(folder).glob("*.rtbz")}
    four = [material.name for material in all_of(4) if material.name in have]
    five = [name for name in FIVE if name in have]
    print("| one at a time | value | unmove, a second | python-chess, a second | times |")
    print("|---|---|---|---|---|")
    for men, names in ((4, four), (5, five)):
        if names:
            single(folder, names, men)
    print("\n| in bulk | positions | WDL a second | DTZ a second | all, WDL | all, DTZ |")
    print("|---|---|---|---|---|---|")
    bulk(folder, [n for n in ("KQvKR", "KRvKN", "KBNvK", "KRvKP", "KPvKP", *five) if n in have])


if __name__ == "__main__":
    main()
