"""Compare our counts with official ones: `python -m tools.compare_statistics STATISTICS TABLES`.

STATISTICS is a JSON file with the statistics of Syzygy's generator: by name, side to move and
outcome, how many positions have which DTZ. It is not part of the project: it is other people's.
TABLES is a folder with our DTZ tables.

Without like men the counts must be equal, ply by ply, as must be the sums of wins, draws and
losses. With like men that program numbers these apart: a position counts as often as its like men
can be exchanged, but for those that a mirror maps onto themselves with men exchanged. So for them
only the share is shown: our counts, that many times, are just above theirs. Any other difference is
an error, and the exit code is 1.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from math import factorial, prod
from pathlib import Path
from typing import Any

from unmove.material import Material
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.values import (
    BLACK,
    FIFTY,
    SIDES,
    WHITE,
    Code,
    Metric,
    Outcome,
    Side,
    level_of,
    outcome_of,
)

NAMES = {WHITE: "white", BLACK: "black"}
OUTCOMES = {"win": Outcome.WIN, "lose": Outcome.LOSS}
SLACK = 0.01  # of the counts of like men: those that a mirror maps onto themselves


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("statistics", type=Path)
    parser.add_argument("tables", type=Path)
    arguments = parser.parse_args()
    theirs: dict[str, Any] = json.loads(arguments.statistics.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    folder = Folder(arguments.tables)
    for name, statistics in sorted(theirs.items()):
        material = Material.parse(name)
        if not folder.has(material.canonical(), Metric.DTZ):
            continue
        with folder.open(material.canonical(), Metric.DTZ) as file:
            summary = file.summary_as(material)
        times = prod(factorial(side.count(man)) for side in material.sides for man in set(side))
        counts["tables with like men" if times > 1 else "tables without"] += 1
        for side in SIDES:
            where = f"{name} {NAMES[side]}"
            if times == 1:
                _compare_plies(statistics[NAMES[side]], summary, side, where, counts, wrong)
            _compare_sums(statistics[NAMES[side]], summary, side, times, where, counts, wrong)
    print("\n".join(f"{what}: {number:,}" for what, number in counts.items()))
    print(f"wrong: {len(wrong)}", *wrong[:10], sep="\n")
    sys.exit(bool(wrong))


def _compare_plies(
    theirs: dict[str, Any],
    summary: Summary,
    side: Side,
    where: str,
    counts: Counter[str],
    wrong: list[str],
) -> None:
    """Every count of a table without like men."""
    for word, outcome in OUTCOMES.items():
        ours: Counter[int] = Counter()
        for code, positions in summary.histogram[side].items():
            if outcome_of(code) == outcome:
                ours[_ply(code)] += positions
        printed = {int(ply): number for ply, number in theirs.get(word, {}).items()}
        for ply in sorted({*ours, *printed}):
            there = printed.get(ply, 0)
            counts["equal counts by ply"] += ours[ply] == there
            if ours[ply] != there:
                wrong.append(f"{where} {word} {ply}: {there} there, {ours[ply]} here")


def _compare_sums(
    theirs: dict[str, Any],
    summary: Summary,
    side: Side,
    times: int,
    where: str,
    counts: Counter[str],
    wrong: list[str],
) -> None:
    """The sums of a table: equal, or with like men just below ours."""
    for outcome, number in _totals(theirs).items():
        here = times * summary.counts(side)[outcome.word]
        most = number if times == 1 else number * (1 + SLACK) + times * FIFTY
        counts["equal sums" if times == 1 else "sums of like men"] += number <= here <= most
        if not number <= here <= most:
            wrong.append(f"{where} {outcome.word}: {number} there, {here} here")


def _ply(code: Code) -> int:
    """The ply under which a position is counted there; late wins and losses are put off by 100."""
    level = int(level_of(code))
    return level - FIFTY if level > 2 * FIFTY else level


def _totals(theirs: dict[str, Any]) -> dict[Outcome, int]:
    """Sums by outcome, without the 50-move rule."""
    totals = theirs["totals"]
    return {
        Outcome.WIN: totals.get("wins", 0) + totals.get("cursed wins", 0),
        Outcome.DRAW: totals.get("draws", 0),
        Outcome.LOSS: totals.get("losses", 0) + totals.get("cursed losses", 0),
    }


if __name__ == "__main__":
    main()
