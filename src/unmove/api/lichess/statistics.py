"""The statistics of an endgame in the shape that syzygy-tables.info gives them.

Positions are listed by DTZ as lichess's server tells it. The statistics of all metrics, as the rest
of this program tells them, stand beside.
"""

from __future__ import annotations

from typing import Any, TypedDict

from unmove.api.lichess.categories import dtz_of
from unmove.api.record import to_json
from unmove.api.statistics import statistics, summaries
from unmove.material import Material
from unmove.research.records import records
from unmove.store.folder import Folder
from unmove.store.summary import SIDE_KEYS, Summary
from unmove.values import SIDES, Metric, Outcome, Outcome50, Side, outcome50_of, outcome_of


class LongestFields(TypedDict):
    epd: str
    ply: int
    wdl: int


class SideFields(TypedDict):
    """Positions with one side to move: by plies, and by outcome from -2 to 2."""

    win: list[int]
    loss: list[int]
    wdl: dict[str, int]


class FileFields(TypedDict):
    metric: str
    bytes: int
    values: str


class StatisticsAnswer(TypedDict):
    longest: list[LongestFields]
    histogram: dict[str, SideFields] | None
    exact: dict[str, Any]
    dependencies: list[str]
    files: list[FileFields]


def endgame_statistics(folder: Folder, material: Material) -> StatisticsAnswer:
    """The statistics of an endgame; MissingTable if none of its tables is built.

    Without a DTZ table there is no histogram of it.
    """
    by_dtz = summaries(folder, material).get(Metric.DTZ)
    return {
        "longest": [] if by_dtz is None else _longest(by_dtz, material),
        "histogram": None
        if by_dtz is None
        else {name: _side(by_dtz, side) for side, name in zip(SIDES, SIDE_KEYS, strict=True)},
        "exact": to_json(statistics(folder, material)),
        "dependencies": [str(each) for each in material.canonical().conversions()],
        "files": _files(folder, material),
    }


def _longest(summary: Summary, material: Material) -> list[LongestFields]:
    return [
        {
            "epd": " ".join(record.fen.split()[:4]),
            "ply": abs(dtz_of(record.code) or 0),
            "wdl": int(outcome50_of(record.code)),
        }
        for record in records(summary, material, Metric.DTZ)
    ]


def _side(summary: Summary, side: Side) -> SideFields:
    rows: dict[Outcome, dict[int, int]] = {Outcome.WIN: {}, Outcome.LOSS: {}}
    for code, positions in summary.histogram[side].items():
        rows[outcome_of(code)][abs(dtz_of(code) or 0)] = positions
    counts = summary.counts50(side)
    outcomes = sorted(Outcome50)
    return {
        "win": _by_ply(rows[Outcome.WIN]),
        "loss": _by_ply(rows[Outcome.LOSS]),
        "wdl": {str(int(each)): counts[each.name.lower()] for each in outcomes},
    }


def _by_ply(positions: dict[int, int]) -> list[int]:
    """[plies]: how many positions."""
    return [positions.get(ply, 0) for ply in range(max(positions, default=-1) + 1)]


def _files(folder: Folder, material: Material) -> list[FileFields]:
    stored, found = material.canonical(), list[FileFields]()
    for metric in folder.built(stored):
        with folder.open(stored, metric) as file:
            found.append({"metric": metric.value, "bytes": file.size, "values": file.meta.values})
    return found
