"""How many positions of a table there are by distance, as people count it: in moves."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from unmove.store.summary import Summary
from unmove.values import SIDES, Metric, Outcome, Outcome50, Side, moves_of_code, result_of

Series: TypeAlias = tuple[Side, Outcome | Outcome50]
"""The side to move and its outcome; by DTZ that under the 50-move rule."""


def by_moves(summary: Summary, metric: Metric) -> dict[Series, Counter[int]]:
    """The positions of each series by moves to go: White to move first, wins first, no draws."""
    found: dict[Series, Counter[int]] = {}
    for side, histogram in zip(SIDES, summary.histogram, strict=True):
        for code, positions in histogram.items():
            series = side, result_of(code, metric)
            found.setdefault(series, Counter())[moves_of_code(code, metric)] += positions
    return {key: found[key] for key in sorted(found, key=lambda key: (key[0], -key[1]))}
