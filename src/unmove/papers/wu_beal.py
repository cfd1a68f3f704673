"""Wu and Beal, Retrograde Analysis of some Chinese Chess Endgames (1996): their two tables.

Not all of their distances to mate are exact. Each is compared twice: with what their printed loop
gives (`papers/wu_beal_loop.py`), and with the exact distance (docs/reports/0004-xiangqi.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from unmove.material import Material
from unmove.papers.context import PublishedRecord, ReproductionContext
from unmove.papers.figures import Comparison, Figure, FigureTable, OurStorage, UnknownFigure, words
from unmove.papers.published import rows_of
from unmove.papers.wu_beal_loop import published_maximum, solve_as_wu_beal
from unmove.papers.xiangqi_counts import count_all, count_database, count_real
from unmove.pool.workers import WorkerPool
from unmove.solver.partial_table import TableInMemory
from unmove.values import BLACK, WHITE, Metric, level_of, opponent_of
from unmove.variants import XIANGQI

_PAPER = "wu-beal"
_MEN = 9  # of the largest endgames
SIZES = FigureTable(_PAPER, "Both tables: sizes", men=_MEN)
CONVERSION = FigureTable(_PAPER, "Both tables: distance to conversion", men=_MEN)
PRINTED = FigureTable(_PAPER, "Both tables: distance to mate, by the loop as printed", men=_MEN)
MATE = FigureTable(_PAPER, "Both tables: distance to mate, exact", men=_MEN)


def material_of(key: str) -> Material:
    """The material of a key, `100011-220000` for KCAPvKAAEE; sides as they are.

    Digits count advisors, elephants, horses, rooks, gunners and pawns of White, then of Black.
    """
    white, black = (
        "".join(letter * int(digit) for letter, digit in zip("AEHRCP", side, strict=True))
        for side in key.split("-")
    )
    return Material.of(white, black, game=XIANGQI)


def rows() -> list[tuple[str, dict[str, int]]]:
    """All rows as (key, numbers by column)."""
    return [
        (row.pop("material"), {column: int(number) for column, number in row.items()})
        for row in rows_of("wu_beal_xiangqi")
    ]


def wanted(men: int) -> list[tuple[Material, Metric]]:
    """The tables of both metrics, up to so many men."""
    found = [material_of(key).canonical() for key, _ in rows()]
    return [(m, metric) for metric in XIANGQI.metrics for m in found if m.men <= men]


def figures(context: ReproductionContext) -> Iterator[Figure]:
    """The sizes, by counting, and the distances, from tables."""
    yield from _sizes(context)
    yield from _distances(context, CONVERSION, Metric.DTC)
    yield from _as_printed(context)
    yield from _distances(context, MATE, Metric.DTM)


def _sizes(context: ReproductionContext) -> Iterator[Figure]:
    """The three counts, and what our file by DTM takes."""
    counts = {"all": count_all, "real": count_real, "database": count_database}
    for key, row in rows():
        given = material_of(key)
        record = context.record(given, Metric.DTM)
        beside = None
        if isinstance(record, PublishedRecord):
            entries = 2 * row["database"]  # both sides to move
            beside = OurStorage(entries, None, record.size, sum(record.summary.legal))
        for column, count in counts.items():
            yield SIZES.figure(given.name, column, row[column], count(given), beside)


def _distances(
    context: ReproductionContext, table: FigureTable, metric: Metric
) -> Iterator[Figure]:
    """The longest wins of the first side."""
    for key, row in rows():
        given, column = material_of(key), f"max_{metric}"
        record = context.record(given, metric)
        ours = record if isinstance(record, UnknownFigure) else _longest(record, given, metric)
        yield table.figure(given.name, words(column), row[column], ours)


def _longest(record: PublishedRecord, given: Material, metric: Metric) -> int:
    """The longest win of the first side, in moves: it to move, or by DTM either side to move.

    By exact DTM the loser may capture into an endgame that takes longer.
    """
    side = WHITE if given.is_canonical else BLACK  # what the first side is called in the table
    win, loss = (record.summary.deepest(side, turn) for turn in (side, opponent_of(side)))
    first = 0 if win is None else (level_of(win) + 1) // 2
    other = 0 if loss is None else level_of(loss) // 2
    return max(first, other) if metric == Metric.DTM else first


def _as_printed(context: ReproductionContext) -> Iterator[Figure]:
    """What the printed loop gives, solved in memory, with smaller endgames from that loop too."""

    @cache
    def printed(material: Material) -> TableInMemory:
        return solve_as_wu_beal(material, printed, WorkerPool(context.threads))

    for key, row in rows():
        given = material_of(key)
        ours: int | UnknownFigure
        if given.men <= context.men:
            ours = published_maximum(printed(given.canonical()), printed)
        else:
            command = f"unmove reproduce {_PAPER} --men {given.men}"
            ours = UnknownFigure(Comparison.NEEDS_TABLES, command)
        yield PRINTED.figure(given.name, "max dtm", row["max_dtm"], ours)
