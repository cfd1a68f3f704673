"""Compare a running service with Syzygy tables: `python -m tools.compare_service ADDRESS SYZYGY`.

Random legal positions of 3 and 4 men are asked, 2,000 unless told otherwise, and the DTZ of each
and of every move is compared with what python-chess reads from the Syzygy files in the folder
SYZYGY. These are other people's, and not part of the project. A file may count in full moves, so
that its distance is one ply short. Any other difference is an error, and the exit code is 1.
"""

from __future__ import annotations

import json
import random
import sys
import urllib.parse
import urllib.request
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from typing import Any

import chess
import chess.syzygy

from unmove.material import all_of

MATERIALS = [material for men in (3, 4) for material in all_of(men)]


def positions(count: int, seed: int) -> Iterator[chess.Board]:
    """Random legal positions of random endgames, half of them with the colours exchanged."""
    rng = random.Random(seed)
    while count:
        material = rng.choice(MATERIALS)
        men = [*("K" + material.white), *("k" + material.black.lower())]
        board = chess.Board(None)
        for man, square in zip(men, rng.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            count -= 1
            yield board if rng.random() < 0.5 else board.mirror()


def verdict(told: dict[str, Any], board: chess.Board, tables: chess.syzygy.Tablebase) -> str:
    """How what is told of a position compares with the tables."""
    theirs = -1 if board.is_checkmate() else tables.probe_dtz(board)
    ours = told["dtz"]
    if ours == theirs:
        return "equal"
    short = theirs != 0 and ours == theirs + (1 if theirs > 0 else -1)
    return "one ply short" if short else "wrong"


def main() -> None:
    """Prints the counts, and the positions that differ."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("address", metavar="ADDRESS")
    parser.add_argument("syzygy", metavar="SYZYGY")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    with chess.syzygy.open_tablebase(asked.syzygy) as tables:
        for board in positions(asked.positions, asked.seed):
            query = urllib.parse.urlencode({"fen": board.fen()})
            with urllib.request.urlopen(f"{asked.address.rstrip('/')}/standard?{query}") as answer:
                told = json.load(answer)
            rows = [(told, board)]
            for move in told["moves"]:
                child = board.copy(stack=False)
                child.push_uci(move["uci"])
                rows.append((move, child))
            for row, position in rows:
                found = verdict(row, position, tables)
                counts[found] += 1
                if found == "wrong":
                    print(position.fen(), row["dtz"])
    print(", ".join(f"{name}: {number:,}" for name, number in counts.items()))
    sys.exit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
