"""The 108 endgames of Wu and Beal (1996), theirs beside ours: `python -m tools.xiangqi_rows DIR`.

The folder has the tables that `make prove` builds. The published distance to mate stands beside
what the loop as printed gives, worked out here, and beside the exact one.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from tests.wu_beal import material_of, rows

from unmove.crew.crew import Crew
from unmove.games.xiangqi_counts import count_all, count_database, count_real
from unmove.material import Material
from unmove.solver.draft import Draft
from unmove.solver.printed import published_maximum, solve_as_printed
from unmove.store.folder import Folder
from unmove.values import Metric, level_of

HEAD = (
    "endgame",
    "real (all three equal)",
    "DTC published",
    "DTC",
    "DTM published",
    "as printed",
    "DTM exact: win",
    "loss",
    "bytes (DTM + DTC)",
)


@cache
def printed(material: Material) -> Draft:
    """The table that the printed loop makes."""
    return solve_as_printed(material, printed, Crew(2))


def longest(folder: Folder, material: Material, metric: Metric, side: int) -> tuple[int, int]:
    """The longest win of the first side, it to move, and the longest loss of the other, in moves.

    `side` is what the first side is called in the table.
    """
    with folder.open(material, metric) as file:
        wins, losses = file.summary.histogram[side], file.summary.histogram[1 - side]
    return (
        max(((level_of(code) + 1) // 2 for code in wins if code % 2), default=0),
        max((level_of(code) // 2 for code in losses if code % 2 == 0), default=0),
    )


def row_of(folder: Folder, key: str, published: dict[str, int]) -> list[str]:
    """The cells of a row; bold where a published distance to mate is not the exact one."""
    given = material_of(key)
    material = given.canonical()
    side = int(given != material)
    counted = count_all(given), count_real(given), count_database(given)
    sizes = counted == (published["all"], published["real"], published["database"])
    dtc, _ = longest(folder, material, Metric.DTC, side)
    win, loss = longest(folder, material, Metric.DTM, side)
    theirs = published["max_dtm"]
    bytes_ = sum(folder.file(material, m).stat().st_size for m in (Metric.DTM, Metric.DTC))
    return [
        given.name,
        f"{counted[1]:,}" if sizes else "**differ**",
        str(published["max_dtc"]),
        str(dtc) if dtc == published["max_dtc"] else f"**{dtc}**",
        str(theirs),
        str(published_maximum(printed(material), printed)),
        str(win) if max(win, loss) == theirs else f"**{win}**",
        str(loss),
        f"{bytes_:,}",
    ]


def main() -> None:
    folder = Folder(Path(sys.argv[1]))
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for key, published in rows():
        print("| " + " | ".join(row_of(folder, key, published)) + " |", flush=True)


if __name__ == "__main__":
    main()
