"""Positions and their values as the rows of a file, and what the columns mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from unmove.games.fens import fens_of
from unmove.games.rules import columns_of
from unmove.interop.columnar import Column, Part, Sheet
from unmove.material import Material
from unmove.planes.layouts import check_supported
from unmove.probe.batches import Batch
from unmove.probe.bulk import Values
from unmove.probe.tablebase import Tablebase
from unmove.research.find import Finder, Matches
from unmove.research.query import Query, metric_of, parse
from unmove.research.scan import ReportFraction, Scan
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric
from unmove.variants import CHESS, XIANGQI
from unmove.version import __version__

SQUARE_TYPE: Final = np.dtype(np.uint8)
TURN_TYPE: Final = np.dtype(np.uint8)
OUTCOME_TYPE: Final = np.dtype(np.int8)
PLIES_TYPE: Final = np.dtype(np.int16)
TEXT_TYPE: Final = np.dtype(np.str_)

EVERY_POSITION: Final = "wtm or btm"
"""A query that is true of every position."""

_CORNERS: Final = {CHESS: "a1 is 0, h1 is 7, h8 is 63", XIANGQI: "a1 is 0, i1 is 8, i10 is 89"}
_GOALS: Final = {
    Metric.DTM: "mate",
    Metric.DTC: "the next capture or promotion that keeps the outcome, or mate",
    Metric.DTZ: "the next capture or pawn move that keeps outcome50, or mate",
}
_CONVENTION: Final = (
    "Values are those of perfect play, seen by the side to move. A ply is a move of one side."
)
_CLEAN: Final = "Nobody may castle or take en passant, and the half-move clock is 0."
"""What holds for all positions of chess."""


@dataclass(frozen=True)
class Request:
    """Which rows and columns are wanted."""

    material: Material
    """The sides as they are written: the first is White."""
    metrics: tuple[Metric, ...]
    where: str | None = None
    """A query (see `query.py`); None takes every position."""
    sample: int | None = None
    seed: int = 0
    fen: bool = False
    """Whether there is a column with the FEN."""


def sheet_of(request: Request) -> Sheet:
    """The columns of a request, and what a reader of the file should know."""
    material, game = request.material, request.material.game
    facts = {
        "program": f"unmove {__version__}",
        "game": game.name,
        "material": str(material),
        "metrics": [metric.value for metric in request.metrics],
        "where": request.where,
        "sample": request.sample,
        "seed": request.seed if request.sample else None,
        "counted": game.symmetry,
        "convention": f"{_CONVENTION} {_CLEAN}" if game == CHESS else _CONVENTION,
    }
    return Sheet(tuple(_columns(request)), facts)


def _columns(request: Request) -> Iterator[Column]:
    game = request.material.game
    white, black = game.side_names
    for name, man in zip(_names(request.material), columns_of(request.material), strict=True):
        owner = white if man.isupper() else black
        meaning = f"square of {owner}'s {man.upper()}, counted rank by rank: {_CORNERS[game]}"
        yield Column(name, SQUARE_TYPE, meaning)
    yield Column("turn", TURN_TYPE, f"side to move: 0 {white}, 1 {black}")
    rule = " without the 50-move rule" if game == CHESS else ""
    yield Column("outcome", OUTCOME_TYPE, f"for the side to move{rule}: 1 win, 0 draw, -1 loss")
    if Metric.DTZ in request.metrics:
        words = "2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss"
        yield Column(
            "outcome50", OUTCOME_TYPE, f"for the side to move under the 50-move rule: {words}"
        )
    for name, metric in _distances(request):
        meaning = (
            f"plies to {_GOALS[metric]}: positive if the side to move wins, negative if it loses, "
            "0 if it is mated or draws, which outcome tells apart"
        )
        yield Column(name, PLIES_TYPE, meaning)
    if request.fen:
        yield Column("fen", TEXT_TYPE, "the position as a FEN")


def _names(material: Material) -> list[str]:
    """A column for each man; names that would occur twice are numbered."""
    names = [f"{'w' if man.isupper() else 'b'}{man.upper()}" for man in columns_of(material)]
    return [
        name if names.count(name) == 1 else f"{name}{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]


def _distances(request: Request) -> list[tuple[str, Metric]]:
    """The columns of distances: one metric is called `plies`, several go by their names."""
    if len(request.metrics) == 1:
        return [("plies", request.metrics[0])]
    return [(metric.value, metric) for metric in request.metrics]


@contextmanager
def opened(
    request: Request, folder: Folder, threads: int, report: ReportFraction
) -> Iterator[Iterator[Part]]:
    """The rows of a request, in the order of the table; MissingTable if one is not there."""
    with positions(request, folder, threads, report) as (batches, tables):
        yield _rows(request, batches, tables)


@contextmanager
def positions(
    request: Request, folder: Folder, threads: int, report: ReportFraction
) -> Iterator[tuple[Iterator[Batch], Tablebase]]:
    """The positions of a request with their values by its first metric, and the open tables."""
    material = request.material
    query = parse(EVERY_POSITION if request.where is None else request.where)
    asked = metric_of(query, None if query.metrics else request.metrics[0], material.game)
    check_supported(material)
    for metric in (*request.metrics, asked):
        material.game.require(metric)
        folder.require(material.canonical(), metric)
    with Tablebase(folder, threads=threads) as tables, SubtableCache(folder, threads) as subtables:
        if request.where is None and request.sample is None:
            yield _all(request, tables, report), tables
        else:
            yield _found(request, Scan(subtables, material, asked), query, report), tables


def _all(request: Request, tables: Tablebase, report: ReportFraction) -> Iterator[Batch]:
    """Every position."""
    metric = request.metrics[0]
    with tables.folder.open(request.material.canonical(), metric) as file:
        total = sum(file.summary.legal)
    done = 0
    for batch in tables.batches(request.material, metric):
        yield batch
        done += len(batch)
        report(done / total)


def _found(request: Request, scan: Scan, query: Query, report: ReportFraction) -> Iterator[Batch]:
    """The positions that match the query, or a sample of them."""
    finder = Finder(scan, query)
    if request.sample is None:
        matches: Iterable[Matches] = finder.matches(report)
    else:
        matches = finder.sample(request.sample, request.seed, report)
    for found in matches:
        turns = np.full(len(found), found.side, np.uint8)
        values = Values(found.codes, scan.metric)
        yield Batch(request.material, scan.squares(found.places), turns, values)


def _rows(request: Request, batches: Iterable[Batch], tables: Tablebase) -> Iterator[Part]:
    """The rows of positions; values by further metrics are looked up in the tables."""
    names = _names(request.material)
    for batch in batches:
        squares, turns = batch.squares, batch.turns
        values = {batch.values.metric: batch.values}
        for metric in request.metrics:
            if metric not in values:
                values[metric] = tables.probe_many(request.material, squares, turns, metric)
        part: Part = dict(zip(names, squares.T, strict=True))
        part |= {"turn": turns, "outcome": batch.values.outcome}
        if Metric.DTZ in request.metrics:
            part["outcome50"] = values[Metric.DTZ].outcome50
        part |= {name: values[metric].plies for name, metric in _distances(request)}
        if request.fen:
            part["fen"] = fens_of(request.material, squares, turns)
        yield part
