"""Published figures of index sizes: Nalimov's Tables 1, 3 to 7 and 9 to 14, and older schemes."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from unmove.indexes.classic import Edwards, Heinz, Naive, Thompson, Wendroff
from unmove.indexes.compare import Sizes, compare, overhead
from unmove.indexes.kings import pairs_462, pairs_1806, pairs_apart
from unmove.indexes.legal import broken_entries, legal_entries
from unmove.indexes.nalimov import Nalimov, available
from unmove.indexes.nalimov_table6 import KQRK, WithoutSharing, table_6
from unmove.indexes.storage import cells_coded, planes_kept
from unmove.indexes.zellner import Zellner
from unmove.kernels.fold import fold
from unmove.kernels.legality import mark_legal
from unmove.kernels.scratch import scratch
from unmove.material import Material
from unmove.papers.published import rows_of
from unmove.planes.geometry import geometry
from unmove.planes.layout import Layout, Man
from unmove.values import BLACK, SIDES, WHITE

HEINZ_SLIP = 3612 * (8684 - 8648)
"""What Table 1 has too much for three pawns of a side: 8684 for C(48, 3) / 2 = 8648."""

TOTALS = {
    9: (187_848, 198_588),
    10: (72_662_274, 76_439_484),
    11: (2_917_997_520, 3_109_418_880),
    12: (8_194_644_772, 8_658_285_808),
    13: (3_516_860_679, 4_065_491_116),
}
"""The aggregates of Tables 9 to 13."""


@pytest.fixture(scope="module")
def sizes() -> dict[Material, Sizes]:
    """The sizes of all 145 endgames."""
    return {row.material: row for row in compare()}


def test_the_sizes_of_nalimov_are_those_of_tables_9_to_13(sizes: dict[Material, Sizes]) -> None:
    """All 290 sizes are equal, and so are the sums of each table."""
    rows = rows_of("nalimov_tables9_13_index_sizes")
    sums = dict.fromkeys(TOTALS, (0, 0))
    for row in rows:
        white, black = sizes[Material.parse(row["endgame"])].nalimov
        assert (white, black) == (int(row["nalimov_wtm"]), int(row["nalimov_btm"])), row["endgame"]
        before = sums[int(row["paper_table"])]
        sums[int(row["paper_table"])] = before[0] + white, before[1] + black
    assert len(rows) == len(sizes) == 145
    assert sums == TOTALS


def test_the_overheads_of_older_schemes_are_those_of_tables_9_to_13(
    sizes: dict[Material, Sizes],
) -> None:
    """All 870 percentages are equal, Heinz's slip in KPPPK restored."""
    for row in rows_of("nalimov_tables9_13_overheads"):
        ours = sizes[Material.parse(row.pop("endgame"))]
        slip = HEINZ_SLIP if ours.material.name == "KPPPvK" else 0
        schemes = ours.thompson, ours.edwards, ours.heinz + slip
        found = [overhead(entries, base) for base in ours.nalimov for entries in schemes]
        assert found == pytest.approx([float(value) for value in row.values()], abs=0.00501)


def test_the_totals_are_those_of_table_7(sizes: dict[Material, Sizes]) -> None:
    """Summed over all endgames, the schemes need what Table 7 says."""
    rows = sizes.values()
    assert sum(row.nalimov[0] for row in rows) == 14_702_353_093
    assert sum(row.nalimov[1] for row in rows) == 15_909_833_876
    assert sum(row.heinz for row in rows) == 16_807_619_304 - HEINZ_SLIP
    assert sum(row.thompson for row in rows) == 25_936_842_240
    assert sum(row.edwards for row in rows) == 37_046_484_992


def test_the_broken_entries_are_those_of_table_14(sizes: dict[Material, Sizes]) -> None:
    """289 of 290 numbers are equal.

    KNNKB with Black to move has 616,152 in print, which is the number of KQRK. It cannot differ
    from KBBKB: White's pair, whatever it is, only stands in the way of Black's bishop.
    """
    different = {}
    for row in rows_of("nalimov_table14_broken"):
        ours = sizes[Material.parse(row["endgame"])]
        for turn, broken in zip(("wtm", "btm"), ours.broken, strict=True):
            if broken != int(row[f"broken_{turn}"]):
                different[row["endgame"], turn] = broken, int(row[f"broken_{turn}"])
    assert different == {("KNNKB", "btm"): (4_272_301, 616_152)}
    assert sizes[Material.parse("KBBKB")].broken[1] == 4_272_301
    assert sizes[Material.parse("KQRK")].broken[0] == 616_152


def test_two_kings_have_462_places() -> None:
    """The smallest endgame has an index without a broken entry; Table 14 lists it."""
    kings = Material.parse("KK")
    assert Nalimov(kings, WHITE).size == legal_entries(kings, WHITE) == 462
    assert broken_entries(kings, WHITE) == 0
    assert [len(pairs) for pairs in (pairs_462(), pairs_1806(), pairs_apart())] == [462, 1806, 3612]


@pytest.mark.parametrize(
    ("names", "edwards", "thompson", "heinz"),
    [
        (["KPK"], 32 * 64**2, 24 * 64**2, 3612 * 24),
        (["KQK", "KNK"], 10 * 64**2, 462 * 64, 462 * 62),
        (["KPKP"], 32 * 64**3, 24 * 48 * 64**2, 3612 * 24 * 47),
        (["KPPK"], 32 * 64**3, 24 * 48 * 64**2, 3612 * 576),
        (["KRKP", "KBPK"], 32 * 64**3, 24 * 64**3, 3612 * 24 * 61),
        (["KBBK"], 10 * 64**3, 462 * 64**2, 462 * 1891),
        (["KBNK", "KQKR", "KRKR"], 10 * 64**3, 462 * 64**2, 462 * 62 * 61),
        (["KPPKP"], 32 * 64**4, 24 * 48**2 * 64**2, 3612 * 24 * 1081),
        (["KPPPK"], 32 * 64**4, 24 * 48**2 * 64**2, 3612 * 8684 - HEINZ_SLIP),
        (["KPPKQ", "KNPPK"], 32 * 64**4, 24 * 48 * 64**3, 3612 * 576 * 60),
        (["KRPKP"], 32 * 64**4, 24 * 48 * 64**3, 3612 * 24 * 47 * 60),
        (["KBBPK", "KNNKP"], 32 * 64**4, 24 * 64**4, 3612 * 24 * 1830),
        (["KRPKR", "KRPKQ", "KBNKP", "KQRPK"], 32 * 64**4, 24 * 64**4, 3612 * 24 * 61 * 60),
        (["KQQQK"], 10 * 64**4, 462 * 64**3, 462 * 37820),
        (["KBBNK", "KRRKQ"], 10 * 64**4, 462 * 64**3, 462 * 62 * 1830),
        (["KQRBK", "KBNKN"], 10 * 64**4, 462 * 64**3, 462 * 62 * 61 * 60),
    ],
)
def test_the_formulas_are_those_of_table_1(
    names: list[str], edwards: int, thompson: int, heinz: int
) -> None:
    """For each kind of endgame the older schemes have the printed number of entries."""
    for material in map(Material.parse, names):
        for side in SIDES:
            assert Edwards(material, side).size == edwards
            assert Thompson(material, side).size == thompson
            assert Heinz(material, side).size == heinz


@pytest.mark.parametrize(
    ("other", "queen", "rook", "bishop", "knight", "pawn"),
    [
        ("a1", {59}, {60}, {61}, {60, 61}, {47, 48}),
        ("b1", {57}, {59}, {60}, {59, 60}, {47, 48}),
        ("c1", {57}, {59}, {60}, {58, 59}, {47, 48}),
        ("b2", {54}, {58}, {58}, {58, 59}, {46, 47}),
        ("a3", {57}, {59}, {60}, {58, 59}, {45, 46}),
        ("c3", {54}, {58}, {58}, {54, 55}, {44, 45}),
    ],
)
def test_men_have_the_squares_of_table_3(
    other: str, queen: set[int], rook: set[int], bishop: set[int], knight: set[int], pawn: set[int]
) -> None:
    """As many squares are available to each man, for a black king on `other`, as Table 3 says.

    White's king on a square that is closed to the man anyway makes the difference.
    """
    black = chess.parse_square(other)
    kings = [pair for pair in pairs_apart() if pair[1] == black]
    for kind, squares in enumerate((knight, bishop, rook, queen, pawn)):
        assert {len(available(Man(kind, WHITE), pair)) for pair in kings} == squares


def test_the_examples_of_table_3_and_section_3() -> None:
    """Squares of Q, R, B, N, P for White's king on a1, a2, a3 and Black's on c2; of Q, N, P.

    Table 3 has 56 squares for the knight with a king on a1, and section 3.2 has 57: from a1 a
    knight would check, and that square is not lost twice.
    """
    for white, squares in {
        "a1": (54, 58, 58, 57, 47),
        "a2": (54, 58, 58, 56, 46),
        "a3": (54, 58, 58, 57, 46),
    }.items():
        kings = chess.parse_square(white), chess.C2
        assert tuple(len(available(Man(kind, WHITE), kings)) for kind in (3, 2, 1, 0, 4)) == squares
    for black, three in {"a1": (59, 60, 48), "h2": (57, 59, 47), "f3": (54, 54, 45)}.items():
        kings = chess.D1, chess.parse_square(black)
        assert tuple(len(available(Man(kind, WHITE), kings)) for kind in (3, 0, 4)) == three


@pytest.mark.parametrize(
    ("other", "numbers"),
    [
        ("h1", {"a1": 0, "f1": 5, "a2": 6, "f2": 11, "a3": 12, "h3": 19, "a8": 52, "g8": 58}),
        ("c2", {"a1": 0, "e1": 1, "h1": 4, "a2": 5, "h2": 9, "a3": 10, "h3": 14, "g8": 53}),
    ],
)
def test_the_queen_is_numbered_as_in_tables_4_and_5(other: str, numbers: dict[str, int]) -> None:
    """The squares open to a queen are numbered from a1 to h8, leaving out those that are closed."""
    squares = available(Man(3, WHITE), (chess.H8, chess.parse_square(other)))
    assert {name: squares.index(chess.parse_square(name)) for name in numbers} == numbers


def test_constraints_make_an_index_smaller_as_in_table_6() -> None:
    """All rows are equal but the last, reckoned with 10 * 60 broken entries at the ends."""
    printed = [
        16_777_216,
        15_249_024,
        2_621_440,
        2_382_660,
        1_892_352,
        1_747_284,
        1_662_738,
        1_608_222,
        1_500_276,
    ]
    rows = [rung.size for rung in table_6()]
    apart = WithoutSharing()
    first = next(n for n in range(apart.size) if apart.position_at(n))
    assert rows[:-1] == printed
    assert apart.full_size - 10 * 60 == 1_474_407
    assert (first, apart.full_size - apart.size) == (236, 360)
    assert rows[-1] == apart.size == 1_474_647
    assert Nalimov(KQRK, WHITE).full_size - rows[-2] == 366


def test_wendroff_has_the_nodes_of_his_table_1() -> None:
    """Black's king on ten squares, all other men on 64."""
    nodes = {
        "KQK": 40_960,
        "KRKN": 2_621_440,
        "KBBKN": 167_772_160,
        "KRBKNN": 10_737_418_240,
    }
    assert {name: Wendroff(Material.parse(name), WHITE).size for name in nodes} == nodes


def test_thompson_needs_a_gigabyte_for_six_men() -> None:
    """462 * 64^4 positions, roughly 8G: a bitmap of some 970 megabytes."""
    size = Thompson(Material.parse("KRBKBN"), BLACK).size
    assert round(size / 1e9, 2) == 7.75
    assert size // 8 == 968_884_224


def test_zellner_has_320_680_positions() -> None:
    """An index without a hole, from 64^4 over 655,360 and with the diagonal's rule some 525,000."""
    index = Zellner()
    assert Naive(index.material, WHITE).size == 16_777_216
    assert 64 * 32 * 32 * 10 == 655_360
    assert (6 * 64 + 4 * 36) * 32 * 32 == 540_672  # "around 525,000"
    assert len(index.pairs()) == 462
    assert index.size == 320_680
    assert index.size / 8 < 41_000  # "41 Kbytes (= 328,000 bits)"
    assert index.size / 2 == 160_340  # "some 160 Kbytes"


@pytest.mark.parametrize("name", ["KQvK", "KPvK", "KBBvK", "KPPvK", "KRvKR", "KNvKP", "KNNNvK"])
def test_our_storage_is_counted_as_it_is(name: str) -> None:
    """Planes kept and cells coded, by formula, are those of the fold and the kernels."""
    layout = Layout(Material.parse(name))
    kept = fold(layout).stored
    frame = layout.frame_of(kept)
    sides = [np.zeros((len(kept), 64), np.uint64) for _ in range(2)]
    mark_legal(0, len(kept), frame, geometry(), scratch(), *sides)
    coded = [int(np.bitwise_count(side).sum()) for side in sides]
    assert planes_kept(layout.material) == len(kept)
    assert [cells_coded(layout.material, side) for side in SIDES] == coded


def test_what_all_endgames_take(sizes: dict[Material, Sizes]) -> None:
    """The sums that docs/indexes.md gives: cells in our planes, and the legal ones of them."""
    rows = sizes.values()
    assert sum(row.cells for row in rows) == 20_298_858_496
    assert sum(row.coded[0] for row in rows) == 11_499_914_536
    assert sum(row.coded[1] for row in rows) == 14_533_696_920
    assert sum(min(row.coded) for row in rows) == 11_192_283_026
    assert sum(sum(row.nalimov) - sum(row.broken) for row in rows) == 26_169_594_515
