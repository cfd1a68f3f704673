"""Answers for endgames: how many positions have which value, and the longest wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unmove.api.turns import ByTurn, LongestWins
from unmove.errors import UnmoveError
from unmove.material import Complexity, Material
from unmove.research.records import records
from unmove.store.folder import Folder, FolderPaths
from unmove.store.summary import SIDE_KEYS, TURN_KEYS, Summary
from unmove.values import SIDES, Metric, plies_of, result_of


@dataclass(frozen=True)
class OutcomeCounts:
    """Positions by outcome for the side to move, without the 50-move rule."""

    legal: int
    win: int
    draw: int
    loss: int


@dataclass(frozen=True)
class Outcome50Counts:
    """Positions by outcome for the side to move, under the 50-move rule with a clock of 0."""

    win: int
    cursed_win: int
    draw: int
    blessed_loss: int
    loss: int


@dataclass(frozen=True)
class EndgameStatistics:
    """The statistics of an endgame, the sides as its name has them."""

    material: Material
    men: int
    complexity: Complexity
    counted: str
    """How positions are counted, as a sentence."""
    counts: ByTurn[OutcomeCounts]
    """Positions."""
    counts50: ByTurn[Outcome50Counts] | None
    """Positions; None without a DTZ table."""
    max_dtm_moves: LongestWins | None
    """Moves to mate; None without a table. So are the next two."""
    max_dtc_moves: LongestWins | None
    """Moves to conversion or mate."""
    max_dtz_moves: LongestWins | None
    """Moves to zeroing or mate; a cursed win is longer than any other."""
    longest: Mapping[str, Mapping[str, str]]
    """By metric and by winner and side to move (`white_wins_wtm`): the FEN of a longest win."""
    longest_positions: Mapping[str, Mapping[str, int]]
    """By the same: how many positions are as long."""
    histogram: Mapping[str, Mapping[str, Mapping[str, Mapping[str, int]]]]
    """By metric, side to move, outcome (by DTZ under the 50-move rule) and plies: positions."""


def summaries(folder: FolderPaths, material: Material | str) -> dict[Metric, Summary]:
    """The statistics of each metric that is built, sides as written; MissingTable if none is."""
    folder, written = Folder.of(folder), Material.as_written(material)
    found, stored = {}, written.canonical()
    for metric in folder.built(stored):
        with folder.open(stored, metric) as file:
            found[metric] = file.summary_as(written)
    return found


def chosen_summary(
    folder: Folder, material: Material, metric: Metric | None
) -> tuple[Metric, Summary]:
    """The statistics by a metric, or else by the first that is built; MissingTable without it."""
    found = summaries(folder, material)
    chosen = metric or next(iter(found))
    if chosen not in found:
        raise _not_built(folder, material, chosen)
    return chosen, found[chosen]


def _not_built(folder: Folder, material: Material, metric: Metric) -> UnmoveError:
    material.game.require(metric)
    return folder.missing(material.canonical(), metric)


def statistics(folder: FolderPaths, material: Material | str) -> EndgameStatistics:
    """The statistics of an endgame; MissingTable if none of its tables is built."""
    material = Material.as_written(material)
    found = summaries(folder, material)
    counts = next(iter(found.values()))
    longest = {metric: LongestWins.of(summary, metric) for metric, summary in found.items()}
    return EndgameStatistics(
        material=material,
        men=material.men,
        complexity=material.complexity,
        counted=material.game.symmetry,
        counts=ByTurn(*(OutcomeCounts(**counts.counts(side)) for side in SIDES)),
        counts50=_counts50(found.get(Metric.DTZ)),
        max_dtm_moves=longest.get(Metric.DTM),
        max_dtc_moves=longest.get(Metric.DTC),
        max_dtz_moves=longest.get(Metric.DTZ),
        longest={
            metric.value: {which.replace(" ", "_"): fen for which, fen in summary.longest.items()}
            for metric, summary in found.items()
        },
        longest_positions={
            metric.value: {
                f"{SIDE_KEYS[record.winner]}_wins_{TURN_KEYS[record.side]}": record.positions
                for record in records(summary, material, metric)
            }
            for metric, summary in found.items()
        },
        histogram={metric.value: _histogram(summary, metric) for metric, summary in found.items()},
    )


def _counts50(summary: Summary | None) -> ByTurn[Outcome50Counts] | None:
    if summary is None:
        return None
    return ByTurn(*(Outcome50Counts(**summary.counts50(side)) for side in SIDES))


def _histogram(summary: Summary, metric: Metric) -> dict[str, dict[str, dict[str, int]]]:
    """See `EndgameStatistics`, of one metric."""
    result: dict[str, dict[str, dict[str, int]]] = {}
    for side, turn in zip(SIDES, TURN_KEYS, strict=True):
        rows: dict[str, dict[str, int]] = {"win": {}, "loss": {}}
        for code, positions in sorted(summary.histogram[side].items()):
            plies = str(plies_of(code, metric))
            rows.setdefault(result_of(code, metric).word.replace(" ", "_"), {})[plies] = positions
        result[turn] = rows
    return result
