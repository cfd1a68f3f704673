"""Syzygy files that we write: how fast, how large, and what another reader finds in them.

    python -m tools.bench_syzygy time TABLES NAME ...            CPU time of a pair, one thread
    python -m tools.bench_syzygy sizes FOLDER SIZES              bytes beside the published files
    python -m tools.bench_syzygy witness TABLES FOLDER [NAME ...]  python-chess's reader

TABLES has our DTZ tables, FOLDER our Syzygy files. SIZES is a CSV file of the published sizes, with
the columns file and bytes; it is not part of the project, as the files are other people's.
docs/reports/0014-syzygy-writing.md has the results. The exit code is 1 if a size or a value is
beyond what is allowed.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import chess
import chess.syzygy

from tools.bench_store import boards_of
from unmove import open_tables
from unmove.interop.syzygy.exporting import PairJob, WrittenPair, export_pairs, plan_pairs
from unmove.interop.syzygy.file import SUFFIXES
from unmove.material import Material
from unmove.store.folder import Folder

MOST_OVER, MOST_OVER_IN_ALL = 1.10, 1.03
"""A file, and all of them together, in the published bytes."""
BOARDS = 100_000
"""Random positions that a witness reads, of all endgames together."""
WARMING = "KQvK", "KPvK"
"""Endgames that are written first, so that kernels are loaded."""


class Stopwatch:
    """A pair listener that prints the CPU time of each pair."""

    def __init__(self) -> None:
        self._start = process_time()

    def progressed(self, job: PairJob, share: float) -> None:
        """Nothing is told on the way."""

    def finished(self, pair: WrittenPair) -> None:
        """A row of the table."""
        taken, expected = process_time() - self._start, PairJob(pair.material).seconds(1)
        memory = PairJob(pair.material).memory(1) / 1e6
        if str(pair.material) not in WARMING:
            print(
                f"| {pair.material} | {taken:.1f} | {expected:.1f} | {memory:,.0f} "
                f"| {pair.outcomes:,} | {pair.distances:,} |",
                flush=True,
            )
        self._start = process_time()


def time(tables: Path, names: list[str]) -> bool:
    """The CPU time of pairs, the estimates beside it, and their bytes."""
    print("| endgame | CPU s | estimated s | estimated MB | outcomes | distances |")
    print("|---|---|---|---|---|---|")
    with TemporaryDirectory() as output:
        for some in (WARMING, names):
            plan = plan_pairs(map(Material.parse, some), Folder(tables), Path(output))
            export_pairs(plan, Folder(tables), 1, Stopwatch())
    return True


def sizes(folder: Path, published: Path) -> bool:
    """The bytes of all files of a folder, together and of those that are much larger."""
    with published.open(encoding="utf-8") as file:
        theirs = {row["file"]: int(row["bytes"]) for row in csv.DictReader(file)}
    suffixes = sorted(SUFFIXES)
    ours = {
        path.name: path.stat().st_size
        for path in sorted(folder.iterdir())
        if path.suffix in suffixes and path.name in theirs
    }
    if not ours:
        sys.exit(f"{folder} has no Syzygy files that {published} names")
    ratios = {name: size / theirs[name] for name, size in ours.items()}
    for suffix in (*suffixes, ".rtb"):
        some = [name for name in ours if suffix in name]
        here, there = sum(ours[name] for name in some), sum(theirs[name] for name in some)
        print(
            f"{len(some)} *{suffix}* files: {here:,} bytes, {here / max(there, 1):.4f} of {there:,}"
        )
    for name, ratio in sorted(ratios.items(), key=lambda each: -each[1])[:10]:
        print(f"{name}: {ours[name]:,} bytes, {ratio:.4f} of {theirs[name]:,}")
    total = sum(ours.values()) / sum(theirs[name] for name in ours)
    return total <= MOST_OVER_IN_ALL and max(ratios.values()) <= MOST_OVER


def witness(tables: Path, folder: Path, names: list[str]) -> bool:
    """What python-chess reads in our files, beside our tables, on random positions."""
    found = names or sorted(path.stem for path in folder.glob("*.rtbw"))
    counts: Counter[str] = Counter()
    with open_tables(tables) as ours, chess.syzygy.open_tablebase(str(folder)) as theirs:
        for name in found:
            boards = boards_of(name, -(-BOARDS // len(found)))
            outcomes = [ours.probe_wdl50(board) for board in boards]
            plies = [ours.probe_dtz(board) or 0 for board in boards]
            for board, outcome, distance in zip(boards, outcomes, plies, strict=True):
                counts[_verdict(board, outcome, distance, theirs)] += 1
    print(", ".join(f"{kind}: {count:,}" for kind, count in counts.most_common()))
    return not counts["wrong"]


def _verdict(
    board: chess.Board, outcome: int, distance: int, theirs: chess.syzygy.Tablebase
) -> str:
    """How a witness's values agree with ours."""
    if theirs.probe_wdl(board) != outcome:
        return "wrong"
    read = theirs.probe_dtz(board)
    if read == distance:
        return "equal"
    if board.is_checkmate():
        return "mate" if read == -1 else "wrong"
    if abs(outcome) == 1:
        return "cursed" if read * distance > 0 and abs(read) > 100 else "wrong"
    return "short" if read * distance > 0 and abs(distance) - abs(read) == 1 else "wrong"


def main() -> None:
    """Does what is asked."""
    what, *rest = sys.argv[1:]
    if what == "time":
        right = time(Path(rest[0]), rest[1:])
    elif what == "sizes":
        right = sizes(Path(rest[0]), Path(rest[1]))
    elif what == "witness":
        right = witness(Path(rest[0]), Path(rest[1]), rest[2:])
    else:
        sys.exit(__doc__)
    sys.exit(not right)


if __name__ == "__main__":
    main()
