"""Exact counts of the endgames of Wu and Beal (1996): see data/README.md."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unmove.values import Code, level_of

DATA = Path(__file__).parents[1] / "data"


def exact_counts() -> dict[str, Any]:
    """By key: how many positions have each value."""
    answer: dict[str, Any] = json.loads((DATA / "xiangqi_exact_counts.json").read_text("utf-8"))
    return answer


def counts_of(legal: Sequence[int], histogram: Sequence[dict[Code, int]]) -> dict[str, Any]:
    """The counts of an endgame in the shape of the known ones; the first side first."""
    answer: dict[str, Any] = {}
    for turn, positions, counts in zip(("wtm", "btm"), legal, histogram, strict=True):
        found: Counter[tuple[str, int]] = Counter()
        for code, number in counts.items():
            level = level_of(code)
            outcome, moves = ("win", (level + 1) // 2) if code % 2 else ("lose", level // 2)
            found[outcome, moves] += number
        answer[f"{turn}_draw"] = positions - sum(counts.values())
        for outcome in ("win", "lose"):
            most = max((n for name, n in found if name == outcome), default=-1)
            answer[f"{turn}_{outcome}"] = [found[outcome, n] for n in range(most + 1)]
    return answer
