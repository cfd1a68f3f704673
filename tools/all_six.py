"""What all 365 endgames of six men would take: `python -m tools.all_six MEASURED`.

MEASURED is a CSV file with a row for each table that was built by DTM, to which `python -m
tools.bench_six --csv MEASURED` appends: endgame, CPU seconds of solving, CPU seconds of writing,
bytes of the file, bytes of memory.

Method: `solver/estimate.py` says what each of the 365 tables takes, from its cells and its men. Of
tables without pawns, and of those with pawns, the sums over the measured ones are divided by what
was estimated for them. The estimates of all tables of the kind are multiplied by that.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from unmove.material import Material, all_of
from unmove.solver.estimate import Estimate
from unmove.values import Metric

DAY = 86_400.0
GIB = 1 << 30


class Taken(NamedTuple):
    """What a table takes, or several together: CPU seconds, bytes."""

    solving: float
    writing: float
    disk: float

    def times(self, factors: Taken) -> Taken:
        """Each by its own factor."""
        return Taken(*(one * other for one, other in zip(self, factors, strict=True)))

    def over(self, other: Taken) -> Taken:
        """The ratios."""
        return Taken(*(one / two for one, two in zip(self, other, strict=True)))


def total(each: Iterable[Taken]) -> Taken:
    """The sums."""
    return Taken(*map(sum, zip(*each, strict=True)))


def estimated(name: str) -> Taken:
    """What `solver/estimate.py` says of a table."""
    table = Estimate(Material.parse(name).canonical(), Metric.DTM)
    return Taken(table.solving, table.seconds - table.solving, table.disk)


def measured(path: Path) -> dict[str, Taken]:
    """The rows of the file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        row["endgame"]: Taken(float(row["solving"]), float(row["writing"]), float(row["disk"]))
        for row in rows
    }


def main() -> None:
    """The measured tables beside their estimates, and the sums of all."""
    rows, names = measured(Path(sys.argv[1])), [str(m) for m in all_of(6) if m.men == 6]
    print("| endgame | cells | solved, ns a cell | written | bits | ratio to the estimates |")
    print("|---|---|---|---|---|---|")
    for name, took in rows.items():
        cells = Estimate(Material.parse(name).canonical(), Metric.DTM).cells
        ratio = took.over(estimated(name))
        print(
            f"| {name} | {cells / 1e9:.2f} G | {1e9 * took.solving / cells:.0f} "
            f"| {1e9 * took.writing / cells:.0f} | {8 * took.disk / cells:.3f} "
            f"| {ratio.solving:.2f}, {ratio.writing:.2f}, {ratio.disk:.2f} |"
        )
    print("\n| | endgames | measured | core-days of solving | of writing | GiB |")
    print("|---|---|---|---|---|---|")
    sums = []
    for kind, has_pawns in (("without pawns", False), ("with pawns", True)):
        of_kind = [name for name in names if ("P" in name) == has_pawns]
        known = [name for name in rows if ("P" in name) == has_pawns]
        if not known:
            sys.exit(f"Nothing can be said of all endgames: none {kind} is measured.")
        factors = total(rows[name] for name in known).over(total(map(estimated, known)))
        sums.append(total(map(estimated, of_kind)).times(factors))
        _row(kind, len(of_kind), len(known), sums[-1])
    _row("all", len(names), len(rows), total(sums))


def _row(kind: str, endgames: int, known: int, took: Taken) -> None:
    days = f"{took.solving / DAY:.2f} | {took.writing / DAY:.2f}"
    print(f"| {kind} | {endgames} | {known} | {days} | {took.disk / GIB:.0f} |")


if __name__ == "__main__":
    main()
