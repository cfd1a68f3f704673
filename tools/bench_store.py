"""How small, how fast: files and probes, as Markdown. docs/reports/0003 has the results.

    python -m tools.bench_store FOLDER          everything
    python -m tools.bench_store FOLDER sizes    the sizes of all DTM tables only
    python -m tools.bench_store FOLDER memory   what the cache takes only
    python -m tools.bench_store FOLDER single   probes board by board only

One thread, unless something else is said. FOLDER must have the DTM tables of 3 to 5 men.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import chess
import numpy as np

from unmove import Metric, Tablebase, open_tables
from unmove.games.rules import columns_of
from unmove.kernels.arrays import Ranks
from unmove.material import Material, all_of
from unmove.pool.workers import WorkerPool
from unmove.solver.build import table_encoder_of
from unmove.solver.loop import solve
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.variants import CHESS

WARM = ("KQvKR", "KRvKN", "KPvKP")
COLD = ("KBBvKN", "KQRvKR", "KRPvKR")
DECODED = (*WARM, *COLD, "KQPvKQ", "KPPvKR", "KRBvKN")
LIMIT = 250  # microseconds
ROUNDS = 5  # over all tables: what disturbs the machine comes and goes
FEW, MANY = 1_000_000, 8_000_000  # positions asked for at once


def best(times: int, work: Callable[[], object]) -> float:
    """The shortest of several times, in seconds."""
    found = []
    for _ in range(times):
        start = perf_counter()
        work()
        found.append(perf_counter() - start)
    return min(found)


def _each(function: Callable[[Any], object], items: Iterable[Any]) -> None:
    for item in items:
        function(item)


def sizes(folder: Folder) -> None:
    """Bytes, and bits a legal position of both sides, of every DTM table of chess."""
    print("| table | bytes | bits a position | positions | stored |")
    print("|---|---|---|---|---|")
    total = positions = 0
    for material, metric in sorted(folder.tables(), key=lambda key: (key[0].men, key[0].name)):
        if metric != Metric.DTM or material.game != CHESS:
            continue
        with folder.open(material, metric) as file:
            legal = sum(file.summary.legal)
            total, positions = total + file.size, positions + legal
            print(
                f"| {material} | {file.size:,} | {8 * file.size / legal:.3f} | {legal:,} "
                f"| {file.meta.stored} |"
            )
    print(f"| all | {total:,} | {8 * total / positions:.3f} | {positions:,} | |")


def decoding(folder: Folder) -> None:
    """Microseconds a plane of 4,096 cells, of every table; the best of several rounds."""
    materials = [material for men in (3, 4, 5) for material in all_of(men)]
    rounds = [[_decoding(folder, material) for material in materials] for _ in range(ROUNDS)]
    of_all = np.min(rounds, axis=0)
    print("\n| table | microseconds to decode a plane | one at a time | many at once |")
    print("|---|---|---|---|")
    for material, times in zip(materials, of_all, strict=True):
        if str(material) in DECODED:
            print(f"| {material} |" + "".join(f" {time:.0f} |" for time in times))
    for how, times in zip(
        ("Decoding alone", "One at a time", "Many at once"), of_all.T, strict=True
    ):
        slowest = materials[int(times.argmax())]
        over = (times > LIMIT).sum()
        print(
            f"\n{how}: {over} of {len(times)} over {LIMIT}, at most {times.max():.0f} ({slowest})."
        )


def _decoding(folder: Folder, material: Material) -> tuple[float, float, float]:
    """Microseconds a plane: to decode it; to read and check it and find its legal cells as well,
    one at a time; and the same, many at once.
    """
    with folder.open(material, Metric.DTM) as file:
        side, size, planes = file.sides[0], file.meta.planes_a_block, file.meta.planes
        some = np.unique(np.random.default_rng(1).integers(0, planes, 100))
        rows = [some[i : i + 1] for i in range(len(some))]
        out = Ranks(np.empty((1, file.layout.cells), file.order(side).kind))
        calls = [
            partial(
                file.coder(side).decode,
                file.block(place // size),
                min(size, planes - place // size * size),
                row % size,
                file.facts(side, row),
                out,
            )
            for place, row in zip(some.tolist(), rows, strict=True)
        ]
        alone = best(3, partial(_each, lambda call: call(), calls)) / len(some)
        one = best(3, partial(_each, partial(file.ranks, side), rows)) / len(some)
        many = best(3, partial(file.ranks, side, some)) / len(some)
    return alone * 1e6, one * 1e6, many * 1e6


def writing(folder: Folder, name: str) -> None:
    """CPU seconds to choose, learn, write, reopen and compare a table."""
    with WorkerPool(1) as pool, SubtableCache(folder) as subtables, TemporaryDirectory() as place:
        target = Path(place) / f"{name}.unmove"
        partial = solve(Material.parse(name), Metric.DTM, subtables.of(Metric.DTM), pool)
        encoder = table_encoder_of(partial, pool)
        encoder.write(target)  # compiles
        start = process_time()
        encoder.write(target)
        print(f"\nWriting {name}: {process_time() - start:.1f} CPU seconds, compared when written.")


def boards_of(name: str, number: int) -> list[chess.Board]:
    rng, men = random.Random(name), columns_of(Material.parse(name))
    boards: list[chess.Board] = []
    while len(boards) < number:
        board = chess.Board(None)
        for man, square in zip(men, rng.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            boards.append(board)
    return boards


def single(folder: Folder) -> None:
    """Probes a second, board by board: of boards never asked before, and of the same again."""
    print("\n| table | new boards, a second | again, a second |\n|---|---|---|")
    for name in (*WARM, *COLD):
        with open_tables(folder.path, threads=1) as tables:
            boards = boards_of(name, 2000 if name in WARM else 200)
            tables.probe_dtm(boards[0])  # opens the tables
            new = best(1, partial(_each, tables.probe_dtm, boards[1:]))
            again = best(3, partial(_each, tables.probe_dtm, boards))
            print(f"| {name} | {len(boards) / new:,.0f} | {len(boards) / again:,.0f} |")


def bulk(folder: Folder) -> None:
    """Positions a second, random squares, many at once."""
    print("\n| table | positions | a second, cold | warm |\n|---|---|---|---|")
    asked = [(name, FEW) for name in (*WARM, *COLD)] + [(name, MANY) for name in COLD]
    for name, number in asked:
        men, rng = Material.parse(name).men, np.random.default_rng(1)
        board = np.tile(np.arange(64, dtype=np.uint8), (FEW, 1))
        some = [rng.permuted(board, axis=1)[:, :men] for _ in range(number // FEW)]
        squares, turns = np.concatenate(some), rng.integers(0, 2, number)
        with open_tables(folder.path, cache_bytes=2 << 30, threads=1) as tables:
            tables.probe_many(name, squares[:1], turns[:1])
            tables.close()
            ask = partial(tables.probe_many, name, squares, turns)
            cold, warm = best(1, ask), best(3, ask)
        print(f"| {name} | {number:,} | {number / cold:,.0f} | {number / warm:,.0f} |")


def opening(folder: Folder) -> None:
    """Milliseconds to open all tables of a folder, in a process of its own."""
    script = (
        "import sys, time; from unmove.store.folder import Folder; from pathlib import Path;"
        "start = time.perf_counter(); f = Folder(Path(sys.argv[1]));"
        "n = [f.open(m, k) for m, k in f.tables() if (m.game.name, k) == ('chess', 'dtm')];"
        "print(len(n), round(1000 * (time.perf_counter() - start), 1))"
    )
    command = [sys.executable, "-c", script, str(folder.path)]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(3)]
    number, _ = runs[0].stdout.split()
    milliseconds = min(float(run.stdout.split()[1]) for run in runs)
    print(f"\nOpening {number} tables: {milliseconds} ms.")


def memory(folder: Folder) -> None:
    """Megabytes a process grows by, probing many more planes than its cache holds.

    The same questions are asked before with hardly any cache, so that only the cache makes a
    difference: in what is allocated, and in what the system sees, which depends on what the
    allocator gives back.
    """
    limit, allocated, resident = 64 << 20, [], []
    tracemalloc.start()
    for room in (1 << 20, limit):
        tables = open_tables(folder.path, cache_bytes=room, threads=1)
        for seed in range(20):
            _ask(tables, "KQRvKR", seed)
        allocated.append(tracemalloc.get_traced_memory()[0])
        resident.append(_anonymous())
    print(
        f"\nCache limit {limit / 1e6:.1f} MB: {tables.cache.bytes / 1e6:.1f} MB held, "
        f"{(allocated[1] - allocated[0]) / 1e6:.1f} MB more allocated, the process grew by "
        f"{(resident[1] - resident[0]) / 1e6:.1f} MB."
    )


def _ask(tables: Tablebase, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    squares = rng.integers(0, 64, (3000, Material.parse(name).men))
    tables.probe_many(name, squares, rng.integers(0, 2, 3000))


def _anonymous() -> int:
    """Bytes of memory that are this process's own."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) << 10
    return 0


def main() -> None:
    folder = Folder(Path(sys.argv[1]))
    match sys.argv[2:]:
        case ["sizes"]:
            sizes(folder)
        case ["memory"]:
            memory(folder)
        case ["single"]:
            single(folder)
        case _:
            sizes(folder)
            decoding(folder)
            writing(folder, "KBBvKN")
            single(folder)
            bulk(folder)
            opening(folder)
            sys.stdout.flush()  # what follows is a process of its own, to start from nothing
            subprocess.run([sys.executable, "-m", "tools.bench_store", sys.argv[1], "memory"])


if __name__ == "__main__":
    main()
