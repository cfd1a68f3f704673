"""Nalimov, Haworth, Heinz, Space-efficient indexing of endgame tables for chess (2001)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from itertools import product

from unmove.indexes.classic import Edwards, Heinz, Thompson
from unmove.indexes.compare import Sizes, overhead
from unmove.indexes.compare import sizes_of as _sizes_of
from unmove.indexes.nalimov import Nalimov
from unmove.indexes.nalimov_table6 import KQRK, WithoutSharing, table_6
from unmove.material import Material
from unmove.papers.context import PublishedRecord, ReproductionContext
from unmove.papers.figures import Figure, FigureTable, OurStorage, UnknownFigure
from unmove.papers.published import FigureValue, number_of, rows_of
from unmove.store.summary import TURN_KEYS
from unmove.values import SIDES, WHITE, Metric

_PAPER = "nalimov"
LONGEST = FigureTable(_PAPER, "Table 8: longest mates", men=5)
ENTRIES = FigureTable(_PAPER, "Tables 9 to 13: entries of Nalimov's index", men=5)
OVERHEADS = FigureTable(_PAPER, "Tables 9 to 13: older indexes, per cent larger")
TOTALS = FigureTable(_PAPER, "Tables 9 to 13: aggregates")
SUMMARY = FigureTable(_PAPER, "Table 7: all endgames of 3 to 5 men")
SCHEMES = FigureTable(_PAPER, "Table 1: Edwards', Thompson's and Heinz' indexes")
CONSTRAINTS = FigureTable(_PAPER, "Table 6: KQRK under more and more constraints")
BROKEN_ENTRIES = FigureTable(_PAPER, "Table 14: broken entries of Nalimov's index")

sizes_of = cache(_sizes_of)


def figures(context: ReproductionContext) -> Iterator[Figure]:
    """All figures; only the longest mates and our storage need tables."""
    yield from longest_mates(context)
    yield from entries(context)
    yield from overheads()
    yield from aggregates()
    yield from summary()
    yield from schemes()
    yield from constraints()
    yield from broken_entries()


def wanted(men: int) -> list[tuple[Material, Metric]]:
    """The tables of the longest mates, up to so many men."""
    found = [Material.parse(row["endgame"]) for row in rows_of("nalimov_table8_max_dtm")]
    return [(material, Metric.DTM) for material in found if material.men <= men]


def longest_mates(context: ReproductionContext) -> Iterator[Figure]:
    """The longest wins of either side, either side to move."""
    for row in rows_of("nalimov_table8_max_dtm"):
        record = context.record(Material.parse(row["endgame"]), Metric.DTM)
        yield from LONGEST.figures(row, "endgame", _moves(record))


def _moves(record: PublishedRecord | UnknownFigure) -> dict[str, FigureValue] | UnknownFigure:
    if isinstance(record, UnknownFigure):
        return record
    longest = record.summary.max_moves(Metric.DTM)
    return {f"{wins}_{turn}": n for wins, row in longest.items() for turn, n in row.items()}


def entries(context: ReproductionContext) -> Iterator[Figure]:
    """The sizes of the index, and what our files code and take instead."""
    for row in rows_of("nalimov_tables9_13_index_sizes"):
        sizes = sizes_of(Material.parse(row["endgame"]))
        beside = _beside(context, sizes)
        for turn, ours in zip(TURN_KEYS, sizes.nalimov, strict=True):
            published = number_of(row[f"nalimov_{turn}"])
            yield ENTRIES.figure(row["endgame"], turn, published, ours, beside)


def _beside(context: ReproductionContext, sizes: Sizes) -> OurStorage:
    """Our file; if there is none, the cells of the side that has fewer."""
    record = context.record(sizes.material, Metric.DTM)
    if isinstance(record, UnknownFigure):
        return OurStorage(sum(sizes.nalimov), min(sizes.coded))
    coded = sum(sizes.coded[side] for side in record.sides)
    return OurStorage(sum(sizes.nalimov), coded, record.size, sum(record.summary.legal))


def overheads() -> Iterator[Figure]:
    """By how many per cent the older indexes are larger."""
    for row in rows_of("nalimov_tables9_13_overheads"):
        yield from OVERHEADS.figures(
            row, "endgame", _overheads([sizes_of(Material.parse(row["endgame"]))])
        )


def aggregates() -> Iterator[Figure]:
    """The last rows of the five tables."""
    where = rows_of("nalimov_tables9_13_index_sizes")
    for row in rows_of("nalimov_tables9_13_totals"):
        mine = [
            sizes_of(Material.parse(other["endgame"]))
            for other in where
            if other["paper_table"] == row["paper_table"]
        ]
        sums = {
            f"nalimov_{turn}": sum(sizes.nalimov[side] for sizes in mine)
            for side, turn in enumerate(TURN_KEYS)
        }
        ours = sums | _overheads(mine)
        yield from TOTALS.figures(row, "paper_table", {c: ours[c] for c in row if c in ours})


def _overheads(rows: list[Sizes]) -> dict[str, FigureValue]:
    """What each older index needs beyond Nalimov's, by scheme and side to move."""
    bases = [sum(sizes.nalimov[side] for sizes in rows) for side in SIDES]
    return {
        f"{scheme}_{turn}": _percent(sum(getattr(sizes, scheme) for sizes in rows), base)
        for turn, base in zip(TURN_KEYS, bases, strict=True)
        for scheme in ("thompson", "edwards", "heinz")
    }


def _percent(size: int, base: int) -> float:
    """How much more `size` is than `base`: to two places, a half away from zero as in print."""
    exact = overhead(size, base)
    return math.copysign(math.floor(abs(exact) * 100 + 0.5) / 100, exact)


def summary() -> Iterator[Figure]:
    """The sums over all 145 endgames."""
    names = [row["endgame"] for row in rows_of("nalimov_tables9_13_index_sizes")]
    all_sizes = [sizes_of(Material.parse(name)) for name in names]
    base = {turn: sum(s.nalimov[side] for s in all_sizes) for side, turn in enumerate(TURN_KEYS)}
    base["all"] = sum(base.values())
    for row in rows_of("nalimov_table7_totals"):
        side, scheme = row.pop("side"), row.pop("scheme")
        size = base[side]
        if scheme != "Nalimov":
            size = sum(getattr(s, scheme.lower()) for s in all_sizes) * (1 + (side == "all"))
        ours = {"elements": size, "extra": size - base[side], "delta": _percent(size, base[side])}
        known = {column: ours[column] for column in row if row[column]}
        yield from SUMMARY.figures({"": f"{scheme}, {side}", **row}, "", known)


def schemes() -> Iterator[Figure]:
    """The formulas of the older indexes, for every endgame of a kind."""
    for row in rows_of("nalimov_table1_schemes"):
        found = {
            tuple(scheme(material, side).size for scheme in (Edwards, Thompson, Heinz))
            for material in endgames_like(row["endgames"])
            for side in SIDES
        }
        ((edwards, thompson, heinz),) = found
        ours = {
            "edwards": edwards,
            "edwards_delta": _percent(edwards, thompson),
            "thompson": thompson,
            "heinz_delta": _percent(heinz, thompson),
            "heinz": heinz,
        }
        yield from SCHEMES.figures(row, "endgames", ours)


def endgames_like(pattern: str) -> list[Material]:
    """The endgames of a kind: X, Y and Z stand for pieces, of one side for different ones."""
    sides = re.fullmatch(r"K([PXYZ]*)K([PXYZ]*)", pattern)
    if sides is None:
        raise ValueError(f"{pattern!r} is no kind of endgame")
    letters = sorted(set(pattern) & set("XYZ"))
    found = []
    for pieces in product("QRBN", repeat=len(letters)):
        stands_for = {"P": "P", **dict(zip(letters, pieces, strict=True))}
        men = ["".join(stands_for[letter] for letter in side) for side in sides.groups()]
        kinds = [len(set(side)) for side in sides.groups()]
        if [len(set(side)) for side in men] == kinds:
            found.append(Material.of(*men).canonical())
    return list(dict.fromkeys(found))


def constraints() -> Iterator[Figure]:
    """How each constraint makes an index smaller."""
    sizes = {row.constraints: row.size for row in table_6()}
    cut = {index.size: index.full_size for index in (Nalimov(KQRK, WHITE), WithoutSharing())}
    for row in rows_of("nalimov_table6_kqrk"):
        size = sizes[row["constraints"]]
        ours = {"size": size}
        if row["cut_off"]:
            ours["cut_off"] = cut[size] - size
        yield from CONSTRAINTS.figures(row, "constraints", ours)


def broken_entries() -> Iterator[Figure]:
    """The entries that are no positions."""
    for row in rows_of("nalimov_table14_broken"):
        sizes = sizes_of(Material.parse(row["endgame"]))
        broken = zip(TURN_KEYS, sizes.broken, strict=True)
        ours = {f"broken_{turn}": number for turn, number in broken}
        yield from BROKEN_ENTRIES.figures(row, "endgame", ours)
