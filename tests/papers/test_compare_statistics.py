"""Our counts beside official ones."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tools.compare_statistics import main

from unmove.material import Material
from unmove.store.folder import Folder
from unmove.values import SIDES, Metric, level_of, outcome_of


def statistics(tables: Folder, name: str, times: int) -> dict[str, Any]:
    """The statistics of one of our tables, as that program would print them."""
    with tables.open(Material.parse(name), Metric.DTZ) as file:
        summary = file.summary
    found: dict[str, Any] = {}
    for side, key in zip(SIDES, ("white", "black"), strict=True):
        rows: dict[str, dict[str, int]] = {"win": {}, "lose": {}}
        for code, positions in summary.histogram[side].items():
            word = "win" if outcome_of(code) > 0 else "lose"
            rows[word][str(level_of(code))] = times * positions
        totals = {word: times * number for word, number in summary.counts(side).items()}
        sums = {"wins": totals["win"], "draws": totals["draw"], "losses": totals["loss"]}
        found[key] = {**rows, "totals": sums}
    return found


def compared(
    tmp_path: Path,
    tables: Folder,
    official: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> int:
    """The exit code."""
    path = tmp_path / "statistics.json"
    path.write_text(json.dumps(official), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["compare", str(path), str(tables.path)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


def test_equal_counts_are_counted_and_others_named(
    tmp_path: Path,
    small_tables: Folder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without like men each count must be equal; what is not in our folder is left out."""
    official = {name: statistics(small_tables, name, 1) for name in ("KQvK", "KRvKN")}
    official["KQRBvKN"] = {}
    assert compared(tmp_path, small_tables, official, monkeypatch) == 0
    out = capsys.readouterr().out
    assert "tables without: 2" in out and "wrong: 0" in out
    official["KRvKN"]["white"]["win"]["7"] += 1
    assert compared(tmp_path, small_tables, official, monkeypatch) == 1
    assert "KRvKN white win 7:" in capsys.readouterr().out


def test_like_men_are_counted_apart_there(
    tmp_path: Path, small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums of a pair are twice ours, or a little less; more is wrong, and so is much less."""
    official = {"KBBvK": statistics(small_tables, "KBBvK", 2)}
    assert compared(tmp_path, small_tables, official, monkeypatch) == 0
    for times in (1, 3):
        official = {"KBBvK": statistics(small_tables, "KBBvK", times)}
        assert compared(tmp_path, small_tables, official, monkeypatch) == 1
