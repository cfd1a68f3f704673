"""Types tell the numbers apart that a value goes by: what is mistaken for another is refused."""

from __future__ import annotations

import re
from pathlib import Path

from mypy import api

ROOT = Path(__file__).parent.parent

BEFORE = """
from unmove.kernels.arrays import CellNumber, CellNumbers, Rank, Ranks, Scores
from unmove.kernels.scores import translate
from unmove.store.codec.order import Order
from unmove.store.source import Source, pick, planes_of
from unmove.store.summary import Summary
from unmove.values import (
    WHITE, Code, Level, Metric, Plies, Side, Value, level_of, moves_of, opponent_of, outcome_of,
    value_of, win_code,
)
import numpy as np

def snippets(
    code: Code, level: Level, side: Side, value: Value, plies: Plies, number: CellNumber,
    rank: Rank, numbers: CellNumbers, ranks: Ranks, scores: Scores, order: Order,
    summary: Summary, source: Source,
) -> None:
    planes, palette = np.arange(3), source.palette
"""

RIGHT = """
outcome_of(code)
win_code(level_of(code))
opponent_of(WHITE)
moves_of(value)
order.to_numbers(palette, number)
summary.counts(side)
planes_of(source, side, planes)
pick(numbers, planes, numbers)
translate(numbers, scores, scores)
translate(ranks, numbers, numbers)
"""

MISTAKEN = """
outcome_of(level)
outcome_of(side)
value_of(value, Metric.DTM)
win_code(code)
win_code(plies)
opponent_of(code)
opponent_of(0)
moves_of(code)
order.to_numbers(palette, rank)
summary.counts(level)
planes_of(source, number, planes)
pick(ranks, planes, numbers)
translate(numbers, ranks, scores)
translate(scores, numbers, numbers)
"""


def test_a_number_of_one_kind_is_not_taken_for_another(tmp_path: Path) -> None:
    """The type checker refuses just the mistaken lines, and so needs no run of them."""
    lines = [*BEFORE.splitlines(), *(f"    {line}" for line in (RIGHT + MISTAKEN).splitlines())]
    module = tmp_path / "snippets.py"
    module.write_text("\n".join(lines), encoding="utf-8")
    cache = "--cache-dir", str(ROOT / ".mypy_cache")
    out, complaint, _ = api.run(
        [*cache, "--config-file", str(ROOT / "pyproject.toml"), str(module)]
    )
    errors = re.findall(r"^(.*):(\d+): error: ", out, re.MULTILINE)
    assert {Path(file).name for file, _ in errors} == {module.name}, out + complaint
    refused = {lines[int(number) - 1].strip() for _, number in errors}
    assert refused == set(MISTAKEN.split("\n")) - {""}, out
