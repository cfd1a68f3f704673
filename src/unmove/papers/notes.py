"""The shorter papers: Thompson, Wendroff et al., Zellner, and the KBBKN statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import ceil

from unmove.indexes.classic import Naive, Thompson, Wendroff
from unmove.indexes.kings import pairs_462
from unmove.indexes.zellner import TRIANGLE, Zellner
from unmove.material import Material
from unmove.papers.context import ReproductionContext
from unmove.papers.figures import Figure, FigureTable, OurStorage, UnknownFigure
from unmove.papers.published import FigureValue, number_of, rows_of
from unmove.values import WHITE, Metric, level_of, outcome_of

SIX_MEN = Material.parse("KRBKBN")
KBBK, KBKN = Material.parse("KBBK"), Material.parse("KBKN")
FOUR_BITS = "four bits a position, thousand bytes"

THOMPSON_SIZES = FigureTable("thompson", "Section 3: sizes for six men")
THOMPSON = FigureTable("thompson", "Sections 7 and 8: longest wins to conversion", men=6)
WENDROFF = FigureTable("wendroff", "Table 1: nodes, and longest wins to conversion", men=6)
ZELLNER = FigureTable("zellner", "KBBK squeezed into a micro", men=4)
KBBKN = FigureTable("kbbkn", "Table 1: positions of the subgames by moves to mate", men=4)


def thompson(context: ReproductionContext) -> Iterator[Figure]:
    """Thompson, 6-Piece Endgames (1996)."""
    size = Thompson(SIX_MEN, WHITE).size
    ours: dict[str, FigureValue] = {
        "placements of two kings": len(pairs_462()),
        "ways to place four pieces, millions (2^20)": size // len(pairs_462()) >> 20,
        "positions of six men, thousand millions": round(size / 1e9, 2),
        "a bitmap of them, million bytes (to the next ten)": 10 * round(size / 8e7),
    }
    for row in rows_of("thompson_sizes"):
        published = number_of(row["published"])
        yield THOMPSON_SIZES.figure(row["figure"], "published", published, ours[row["figure"]])
    for row in rows_of("thompson_six_men"):
        yield _longest(context, THOMPSON, row)


def wendroff(context: ReproductionContext) -> Iterator[Figure]:
    """Wendroff, Warnock, Stiller, Mayer, Brickner, Bits and pieces (1993)."""
    for row in rows_of("wendroff_table1"):
        size = Wendroff(Material.parse(row["endgame"]), WHITE).size
        yield WENDROFF.figure(row["endgame"], "nodes", number_of(row["nodes"]), size)
        yield _longest(context, WENDROFF, row)


def _longest(context: ReproductionContext, table: FigureTable, row: dict[str, str]) -> Figure:
    """The longest win of White, White to move."""
    name, published = row["endgame"], number_of(row["max_to_win"])
    ours = context.longest(Material.parse(name), Metric.DTC)
    return table.figure(name, "max to win", published, ours)


def wendroff_wants(men: int) -> list[tuple[Material, Metric]]:
    """Tables by DTC."""
    return _by_conversion("wendroff_table1", men)


def thompson_wants(men: int) -> list[tuple[Material, Metric]]:
    """Tables by DTC, both of six men."""
    return _by_conversion("thompson_six_men", men)


def _by_conversion(data: str, men: int) -> list[tuple[Material, Metric]]:
    found = [Material.parse(row["endgame"]) for row in rows_of(data)]
    return [(material, Metric.DTC) for material in found if material.men <= men]


def zellner(context: ReproductionContext) -> Iterator[Figure]:
    """Zellner, KBBK squeezed into a micro (1987)."""
    index, record = Zellner(), context.record(KBBK, Metric.DTM)
    halves = 32 * 32  # bishops on squares of one colour each
    diagonal = 4 * (64 + 8) // 2  # White's king on or above it, Black's on one of four squares
    ours: dict[str, FigureValue | UnknownFigure] = {
        "four men anywhere": Naive(KBBK, WHITE).size,
        "bishops of opposite colours, Black's king in the triangle": 64 * halves * len(TRIANGLE),
        'with the diagonal\'s rule ("around")': (6 * 64 + diagonal) * halves,
        "legal positions": index.size,
        "bitmap, thousand bytes (rounded up)": ceil(index.size / 8000),
        FOUR_BITS: round(index.size / 2000),
        "longest mate, moves": context.longest(KBBK, Metric.DTM),
    }
    for row in rows_of("zellner_kbbk"):
        published, found = number_of(row["published"]), ours[row["figure"]]
        beside = None
        if row["figure"] == FOUR_BITS and not isinstance(record, UnknownFigure):
            beside = OurStorage(index.size, None, record.size, sum(record.summary.legal))
        yield ZELLNER.figure(row["figure"], "published", published, found, beside)


def kbbkn(context: ReproductionContext) -> Iterator[Figure]:
    """Van den Herik and Herschberg, The KBBKN statistics (1987): Thompson's counts."""
    records = [context.record(material, Metric.DTM) for material in (KBBK, KBKN)]
    missing = next((record for record in records if isinstance(record, UnknownFigure)), None)
    counts: Counter[int] = Counter()
    for record, times in zip(records, (2, 1), strict=True):  # see the remark in the catalogue
        if isinstance(record, UnknownFigure):
            continue
        for code, positions in record.summary.histogram[WHITE].items():
            if outcome_of(code) > 0:
                counts[(level_of(code) + 1) // 2] += times * positions
    for row in rows_of("kbbkn_mfreq"):
        ours = missing or counts[int(row["moves"])]
        yield KBBKN.figure(row["moves"], "mfreq", number_of(row["mfreq"]), ours)


def kbbk_wants(men: int) -> list[tuple[Material, Metric]]:
    """The tables of both notes on KBBK."""
    return [(material, Metric.DTM) for material in (KBBK, KBKN) if material.men <= men]
