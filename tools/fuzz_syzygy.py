"""Damage Syzygy files on purpose, and read them: `python -m tools.fuzz_syzygy SYZYGY`.

SYZYGY is a folder of `.rtbw` and `.rtbz` files; nothing in it is changed. Each corruption spoils a
copy of one file: some bytes, a bit, a stretch, or the end of it. Then positions of its endgame are
asked; now and then all of them, if it has three men, which decodes the file as a whole. What
follows is counted:

    error    the reader refuses with an error of its own
    right    every position has the value that the sound files give
    wrong    a position has another value: the damaged bytes still make sense as a file

With --verify the reader computes checksums, and nothing may be wrong; without, only the program's
life is at stake. The exit code is 1 if anything is wrong with --verify, or if another exception is
raised than an error of unmove. A wild read would end the process by a signal. A corruption is
repeated by its number: --first 1234 --tries 1.
"""

from __future__ import annotations

import random
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import chess

from unmove import SyzygyTablebase, UnmoveError, open_syzygy
from unmove.games.boards import board_of
from unmove.interop.syzygy.answers import SyzygyPath
from unmove.material import Material
from unmove.values import SIDES

BOARDS = 24
"""Positions that are asked after each corruption."""
WHOLE_EVERY = 19
"""Of so many corruptions, one is asked for all positions. No divisor of the number of files."""
PLACES = (8, 40, 400, 1 << 30)
"""Bytes at the beginning that a corruption is drawn from; most is decided in the first ones."""
TOLD_EVERY = 5000
MOST_SHOWN = 5


@dataclass(frozen=True)
class Target:
    """A file to damage, the positions that are asked, and their values by the sound files."""

    file: SyzygyPath
    data: bytes
    boards: list[chess.Board]
    values: list[int]
    everything: bytes | None
    """The values of all positions, of an endgame of three men."""


def everything_of(tables: SyzygyTablebase, file: SyzygyPath) -> bytes:
    """The values of all positions of a file."""
    return tables.to_numpy(file.material, file.value).values.numbers.tobytes()


def boards_of(material: Material, number: int) -> list[chess.Board]:
    """Random legal positions, the same at each call."""
    rng, boards = random.Random(str(material)), list[chess.Board]()
    while len(boards) < number:
        board = board_of(material, rng.sample(range(64), material.men), rng.choice(SIDES))
        if isinstance(board, chess.Board) and board.is_valid():
            boards.append(board)
    return boards


def targets_of(tables: SyzygyTablebase) -> list[Target]:
    """All files whose positions can be asked."""
    found = []
    for file in sorted(tables.files(), key=lambda file: file.path.name):
        boards = boards_of(file.material, BOARDS)
        values = tables.probe_boards(boards, file.value).numbers.tolist()
        everything = everything_of(tables, file) if file.material.men == 3 else None
        found.append(Target(file, file.path.read_bytes(), boards, values, everything))
    return found


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Other bytes, of which at least one differs or is missing."""
    spoiled = bytearray(data)
    while bytes(spoiled) == data:
        first = rng.randrange(min(len(data), rng.choice(PLACES)))
        match rng.randrange(6):
            case 0:
                spoiled[first] ^= 1 << rng.randrange(8)
            case 1:
                spoiled[first : first + 4] = rng.randbytes(len(spoiled[first : first + 4]))
            case 2:
                for _ in range(rng.choice((2, 5, 30))):
                    spoiled[rng.randrange(min(len(data), rng.choice(PLACES)))] = rng.randrange(256)
            case 3:
                stop = min(len(data), first + rng.choice((16, 64, 1000)))
                spoiled[first:stop] = bytes([rng.choice((0, 255))]) * (stop - first)
            case 4:
                source = rng.randrange(len(data))
                part = data[source : source + rng.choice((2, 6, 64))]
                spoiled[first : first + len(part)] = part[: len(data) - first]
            case 5:
                del spoiled[-64 * rng.randrange(1, 1 + max(1, len(data) // 64)) :]
    return bytes(spoiled)


class Arena:
    """A folder of links to sound files, one of which at a time is a damaged copy."""

    def __init__(self, source: SyzygyTablebase, folder: Path, *, verify: bool) -> None:
        self._folder = folder
        for file in source.files():
            (folder / file.path.name).symlink_to(file.path.absolute())
        self._tables = open_syzygy(folder, verify=verify)

    def attack(self, target: Target, number: int) -> str:
        """What becomes of a corruption: error, right or wrong."""
        place = self._folder / target.file.path.name
        place.unlink()
        place.write_bytes(damaged(target.data, random.Random(number)))
        try:
            return self._outcome(target, whole=number % WHOLE_EVERY == 0)
        finally:
            self._tables.close()
            place.unlink()
            place.symlink_to(target.file.path.absolute())

    def _outcome(self, target: Target, *, whole: bool) -> str:
        """What becomes of the corruption that is in the folder."""
        tables, file = self._tables, target.file
        try:
            if whole and target.everything is not None:
                same = everything_of(tables, file) == target.everything
                return "right" if same else "wrong"
            found = tables.probe_boards(target.boards, file.value).numbers.tolist()
        except UnmoveError:
            return "error"
        return "right" if found == target.values else "wrong"


def fuzz(
    source: SyzygyTablebase, tries: int, *, first: int = 0, verify: bool = False
) -> tuple[Counter[str], list[str]]:
    """What becomes of some corruptions, counted, and the first of those that are wrong."""
    targets, counts, shown = targets_of(source), Counter[str](), list[str]()
    started = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(source, Path(folder), verify=verify)
        for number in range(first, first + tries):
            target = targets[number % len(targets)]
            outcome = arena.attack(target, number)
            counts[outcome] += 1
            if outcome == "wrong" and len(shown) < MOST_SHOWN:
                shown.append(f"{target.file.path.name}, corruption {number}")
            if (number - first + 1) % TOLD_EVERY == 0:
                spent = perf_counter() - started
                print(f"{number - first + 1:,} in {spent:.0f} s", file=sys.stderr, flush=True)
    return counts, shown


def main() -> None:
    """Prints the counts."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", metavar="SYZYGY")
    parser.add_argument("--tries", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first corruption")
    parser.add_argument("--verify", action="store_true", help="compute checksums")
    asked = parser.parse_args()
    with open_syzygy(asked.folder) as source:
        counts, shown = fuzz(source, asked.tries, first=asked.first, verify=asked.verify)
    told = ", ".join(f"{counts[name]:,} {name}" for name in ("error", "right", "wrong"))
    print(f"{counts.total():,} corruptions{', checksums computed' * asked.verify}: {told}.")
    if shown and asked.verify:
        print(*shown, sep="\n")
    sys.exit(bool(asked.verify and counts["wrong"]))


if __name__ == "__main__":
    main()
