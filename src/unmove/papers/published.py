"""The published numbers: rows of the files in `data/`."""

from __future__ import annotations

import csv
from math import prod
from pathlib import Path

DATA = Path(__file__).parent / "data"

FigureValue = int | float | None
"""A number; None where a paper has a dash, and there is no such win."""


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a file, by column."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number_of(text: str) -> FigureValue:
    """The number that a text stands for: empty, whole, decimal, or a product such as 462*62."""
    if not text:
        return None
    if "." in text:
        return float(text)
    return prod(map(int, text.split("*")))
