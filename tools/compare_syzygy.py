"""Compare our values with those of Syzygy tables: `python -m tools.compare_syzygy SAMPLES TABLES`.

SAMPLES is a CSV file with the columns material, fen, wdl and dtz, as python-chess reads them from
Syzygy tables (wdl from -2 to 2). It is not part of the project: the tables are other people's.
TABLES is a folder with our DTZ tables.

A Syzygy table may count in full moves. Then its distances (but for 1) are all even or all odd, and
those of the other kind are one ply short. A mated side has -1 there and 0 here. Any other
difference is an error, and the exit code is 1.
"""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentParser, FileType
from collections import Counter
from collections.abc import Iterable, Mapping

import chess

from unmove import Material, Tablebase

Row = Mapping[str, str]
Part = tuple[str, bool, str]
"""A part of a Syzygy table that counts in one unit: material, stronger side to move, wdl."""


def compare(rows: Iterable[Row], tables: Tablebase) -> tuple[Counter[str], list[str]]:
    """How many samples are equal or one ply short, and the FENs of all others."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    short: dict[Part, list[str]] = {}
    parities: dict[Part, set[int]] = {}
    for row in rows:
        board, theirs = chess.Board(row["fen"]), int(row["dtz"])
        ours = tables.probe_dtz(board) or 0
        part = row["material"], _stronger_moves(board, row["material"]), row["wdl"]
        if abs(theirs) > 1:
            parities.setdefault(part, set()).add(theirs % 2)
        if tables.probe_wdl50(board) != int(row["wdl"]):
            wrong.append(row["fen"])
        elif ours == theirs or (board.is_checkmate() and (ours, theirs) == (0, -1)):
            counts["equal"] += 1
        elif ours == theirs + (1 if theirs > 0 else -1):
            counts["one ply short"] += 1
            short.setdefault(part, []).append(row["fen"])
        else:
            wrong.append(row["fen"])
    wrong += [
        fen for part, fens in short.items() if len(parities.get(part, ())) > 1 for fen in fens
    ]
    return counts, wrong


def _stronger_moves(board: chess.Board, name: str) -> bool:
    """Whether the side to move is the first one of the material's name."""
    sides = [
        "".join(
            chess.piece_symbol(piece.piece_type).upper()
            for piece in board.piece_map().values()
            if piece.color == colour
        )
        for colour in (board.turn, not board.turn)
    ]
    return Material.of(*sides) == Material.parse(name)


def main() -> None:
    """Prints the counts, and the FENs that differ."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("samples", type=FileType(encoding="utf-8"), metavar="SAMPLES")
    parser.add_argument("tables", metavar="TABLES")
    asked = parser.parse_args()
    with asked.samples as file, Tablebase(asked.tables) as tables:
        counts, wrong = compare(csv.DictReader(file), tables)
    counts["wrong"] = len(wrong)
    print(", ".join(f"{name}: {number:,}" for name, number in counts.items()))
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
