"""Positions that look like studies: one winning move after the other, and full-point zugzwangs.

`unmove find` draws positions that are won by a single move. The best line of each is then played
out; the more of the winner's moves are the only ones that win, the better the position. Last come
the mutual zugzwangs: `unmove zugzwangs` counts them, and `unmove find` lists those of a full point,
in which whoever is to move loses.

    unmove build KPvKP
    python examples/study_finder.py KPvKP
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import chess

from unmove import Outcome, Tablebase, open_tables

STUDY = "wtm win and only move and moves >= 20"
FULL_POINT = "wtm and full zugzwang"


@dataclass(frozen=True)
class Study:
    """A won position, its line, and how many of its first moves are the only ones that win."""

    fen: str
    line: str
    only_moves: int


def answers(*command: str) -> Iterator[dict[str, Any]]:
    """What an unmove command prints with --json."""
    call = [sys.executable, "-m", "unmove", *command, "--json"]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stdout)
    return map(json.loads, done.stdout.splitlines())


def study_of(tables: Tablebase, fen: str) -> Study:
    """The line of a won position, up to the first move that is not the only one to win."""
    board = chess.Board(fen)
    winner, text, only_moves = board.turn, [], 0
    for move in tables.line(board):
        if board.turn == winner:
            winning = [other for other in tables.moves(board) if other.outcome == Outcome.WIN]
            if len(winning) > 1:
                break
            only_moves += 1
        text.append(move)
        board.push(move)
    return Study(fen, chess.Board(fen).variation_san(text), only_moves)


def main() -> None:
    """The best studies of a sample and all full-point zugzwangs are shown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("material", help="a chess endgame, such as KPvKP")
    parser.add_argument("--sample", type=int, default=50, help="how many positions to look at")
    parser.add_argument("--best", type=int, default=3, help="how many of them to show")
    parser.add_argument("--dir", help="the folder of the tables")
    asked = parser.parse_args()
    place = ["--dir", asked.dir] if asked.dir else []

    sample = ["--where", STUDY, "--sample", str(asked.sample), "--seed", "1"]
    found = answers("find", asked.material, *sample, *place)
    with open_tables(asked.dir) as tables:
        studies = [study_of(tables, answer["fen"]) for answer in found]
    studies.sort(key=lambda study: study.only_moves, reverse=True)
    for study in studies[: asked.best]:
        print(f"{study.fen}  {study.only_moves} only moves: {study.line}")

    for count in answers("zugzwangs", asked.material, *place):
        print(f"{count['full']} full-point zugzwangs")
    shown = ["--where", FULL_POINT, "--limit", str(asked.best)]
    for answer in answers("find", asked.material, *shown, *place):
        print(answer["fen"])


if __name__ == "__main__":
    main()
