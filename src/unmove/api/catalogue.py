"""Answers for a folder as a whole: its tables, and the endgames that it has or could have."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unmove.errors import FileError, MissingTable
from unmove.material import Material, all_of
from unmove.planes.layouts import check_men
from unmove.pool.machine import slowness, usable_cores
from unmove.solver.estimate import Cost, Estimate, memory_of, seconds_of
from unmove.solver.plan import memory_limit
from unmove.store.folder import Folder, FolderPaths
from unmove.store.summary import Summary
from unmove.values import WHITE, Metric, Outcome, outcome_of, plies_of
from unmove.variants import Game

if TYPE_CHECKING:
    from unmove.interop.syzygy.tablebase import SyzygyTablebase


@dataclass(frozen=True)
class ServedTable:
    """A table that can be asked."""

    material: Material
    game: str
    metric: Metric
    men: int
    bytes: int
    """The size of the file."""
    positions: int
    """Legal positions, both sides to move."""
    values: str
    """The digest of all values."""
    longest: int | None
    """Plies of the longest win of either side; None if nobody wins."""


@dataclass(frozen=True)
class ServedSyzygyFile:
    """A Syzygy file that can be asked."""

    material: Material
    game: str
    metric: str
    """`wdl` for outcomes, `dtz` for distances."""
    men: int
    bytes: int
    """The size of the file."""


@dataclass(frozen=True)
class KnownEndgame:
    """An endgame, and what is there of it."""

    material: Material
    men: int
    built: tuple[Metric, ...]
    bytes: int
    """The size of its files."""
    longest: int | None
    """Plies of the longest win of either side, by the first metric that is built."""
    wins: float | None
    """The share of positions with White (Red) to move that White wins."""
    estimate: Cost | None
    """Of its missing tables, smaller endgames apart; None if every metric is built."""


def served_tables(folder: FolderPaths) -> list[ServedTable]:
    """The tables of a folder by men and name; files that cannot be read are left out."""
    folder, found = Folder.of(folder), []
    for material, metric in folder.tables():
        try:
            with folder.open(material, metric) as file:
                positions, longest = sum(file.summary.legal), _longest(file.summary, metric)
                size, values = file.size, file.meta.values
        except (FileError, MissingTable):
            continue
        game = material.game.name
        row = (material, game, metric, material.men, size, positions, values, longest)
        found.append(ServedTable(*row))
    return sorted(found, key=lambda table: (table.men, str(table.material), table.metric))


def served_syzygy(files: SyzygyTablebase) -> list[ServedSyzygyFile]:
    """The Syzygy files by men and name; those that are gone are left out."""
    found = []
    for material, value, path in files.files():
        with suppress(OSError):
            row = material, material.game.name, value.value, material.men, path.stat().st_size
            found.append(ServedSyzygyFile(*row))
    return sorted(found, key=lambda file: (file.men, str(file.material), file.metric))


def endgames(folder: FolderPaths, game: Game, men: int) -> list[KnownEndgame]:
    """All endgames of so many men, the strongest first; TooManyMen if none can be solved."""
    check_men(men, game)
    folder = Folder.of(folder)
    return [_endgame(folder, material) for material in all_of(men, game=game)]


def _endgame(folder: Folder, material: Material) -> KnownEndgame:
    metrics = material.game.metrics
    built = tuple(metric for metric in metrics if folder.has(material, metric))
    size, longest, wins = 0, None, None
    for metric in reversed(built):
        try:
            with folder.open(material, metric) as file:
                size += file.size
                counts = file.summary.counts(WHITE)
                longest, wins = _longest(file.summary, metric), counts["win"] / counts["legal"]
        except (FileError, MissingTable):
            continue
    missing = [metric for metric in metrics if metric not in built]
    cost = _cost(material, missing) if missing else None
    return KnownEndgame(material, material.men, built, size, longest, wins, cost)


def _cost(material: Material, metrics: Iterable[Metric]) -> Cost:
    tables = [Estimate(material, metric) for metric in metrics]
    threads, limit = usable_cores(), memory_limit(None)
    return Cost(
        slowness() * seconds_of(tables, threads),
        memory_of(tables, threads, limit),
        sum(each.disk for each in tables),
    )


def _longest(summary: Summary, metric: Metric) -> int | None:
    codes = [code for side in summary.histogram for code in side]
    wins = [plies_of(code, metric) for code in codes if outcome_of(code) == Outcome.WIN]
    return max(wins, default=None)
