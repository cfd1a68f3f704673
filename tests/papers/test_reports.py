"""Figures of the README and the reports are what their commands print."""

from __future__ import annotations

import re
from pathlib import Path

from unmove.material import Material
from unmove.store.folder import Folder
from unmove.values import Metric

ROOT = Path(__file__).parents[2]
FILES = (ROOT / "docs" / "reports" / "0003-file.md").read_text(encoding="utf-8")
PROBES = (ROOT / "docs" / "reports" / "0011-probing.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _rounded(number: int) -> str:
    """With two digits, as a person reads it."""
    return f"{float(f'{number:.2g}'):,.0f}"


def test_the_sizes_of_the_report_are_those_of_the_files(small_tables: Folder) -> None:
    """Each file of up to four men has the bytes that are told; all rows add up to the total."""
    rows = re.findall(r"^\| (K\w*vK\w*) \| ([\d,]+) \| [\d.]+ \| [\d,]+ \| \w+ \|$", FILES, re.M)
    sizes = {Material.parse(name): _number(size) for name, size in rows}
    assert len(sizes) == len(rows) == 146
    for material, size in sizes.items():
        if material.men <= 4:
            assert small_tables.file(material, Metric.DTM).stat().st_size == size
    (total,) = re.findall(r"^\| all \| ([\d,]+) \|", FILES, re.M)
    assert sum(sizes.values()) == _number(total)
    assert f"takes {total} bytes, {_number(total) / 2**30:.3f} GiB" in FILES
    assert f"| all 146 of 2 to 5 men | {total} |" in FILES
    assert f"up to 5 men {_number(total) / 1e9:.2f} GB" in README


def test_the_readme_tells_the_speed_of_new_boards_beside_that_of_known_ones() -> None:
    """Its figures are those of the report, rounded: new boards, boards asked again, outcomes."""
    text = " ".join(README.split())
    row = r"^\| 10 of 4 men \| ([^|]+) \| ([^|]*)\| [\d,]+ \| ([\d,]+) \| ([\d,]+) \|$"
    rows = re.findall(row, PROBES, re.M)
    new = {(probe, stored.strip()): _number(rate) for probe, stored, rate, _ in rows}
    again = [_number(rate) for probe, _, _, rate in rows if probe in ("DTM", "DTZ")]
    one, both = (_rounded(new["DTM", stored]) for stored in ("one side", "both sides"))
    assert f"{one} probes a second by DTM, or {both} from files that store both sides" in text
    assert f"there are some, {_rounded(new['WDL by .rtbw files', ''])} times a second" in text
    assert f"probes a cached board {_rounded(min(again))} times a second" in text
