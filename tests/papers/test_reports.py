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
    """Its figures are those of the reports, rounded: new boards by men, the slowest asked again."""
    text = " ".join(README.split())
    for men, unit in ((4, "probes a second with four men"), (5, "with five")):
        row = rf"^\| \d+ of {men} men \| DT[MZ] \| [\d,]+ \| ([\d,]+) \| [\d,]+ \|$"
        rates = [_number(rate) for rate in re.findall(row, PROBES, re.M)]
        assert f"{_rounded(min(rates))} to {_rounded(max(rates))} {unit}" in text
    known = re.findall(r"^\| K\w+ \| [\d,]+ \| ([\d,]+) \|$", FILES, re.M)
    assert min(map(_number, known)) >= 80_000
    assert "probes a cached board 80,000 times a second" in text
