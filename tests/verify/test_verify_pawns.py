"""The proof of tables with pawns: promotion, en passant and zeroing count as they should."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.position import locate
from tests.support.solved import codes_of, solved, table_of, with_code, with_number
from unmove.kernels.arrays import CellNumbers, Palette
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.store.source import PALETTE, STALEMATE, Source, TableLookup
from unmove.store.table import Table
from unmove.values import BROKEN, CHECKMATED, DRAW, SIDES, Level, Metric, Side, loss_code, win_code
from unmove.verify.fixpoint import Verdict, verify
from unmove.verify.kings import KingsProof

PASSING = "8/8/8/8/1p6/8/P7/K3k3 w - - 0 1"  # a2-a4 fails to b4xa3
TO_KNIGHT = "8/8/8/8/8/1K6/p2R4/1k6 b - - 0 1"  # a1=N holds out longest
STALEMATED = "k7/P7/1K6/8/8/8/8/8 b - - 0 1"
FORCED = "k7/2Q5/8/8/7p/7K/6P1/8 w - - 0 1"  # after g2-g4 Black has h4xg3 only
PINNED = "8/8/8/8/k4p1Q/8/6P1/7K w - - 0 1"  # after g2-g4 f4xg3 would open the rank


def stored(table: Table, fen: str) -> tuple[int, int]:
    """The side to move and the cell of a position."""
    address = locate(chess.Board(fen), table.layout)
    return address.side, address.cell


def mismatches_beside(table: Table, fen: str, smaller: TableLookup) -> int:
    """How many cells are wrong on a position's plane, with its side to move."""
    side, index = stored(table, fen)
    plane = index // CELLS
    proof = KingsProof(table, Side(side), smaller)
    return sum(tally.mismatches for tally in proof.check([(plane, plane + 1)], map))


@pytest.mark.parametrize(
    ("name", "metric"), [*(("KPvK", metric) for metric in Metric), ("KPvKP", Metric.DTZ)]
)
def test_a_solved_table_is_a_fixpoint(name: str, metric: Metric) -> None:
    """No cell of a solved table differs from what its moves give."""
    table = table_of(name, metric)
    verdict = verify(table, lambda smaller: solved(smaller, metric))
    legal = sum(int((codes_of(table, side) != BROKEN).sum()) for side in SIDES)
    assert verdict == Verdict(table.material, metric, legal, 0, None)


@pytest.mark.parametrize("metric", Metric)
def test_any_changed_value_is_found(metric: Metric) -> None:
    """A draw made a win, a win made longer or a draw, and a loss made quicker are all reported."""
    table = table_of("KPvK", metric)
    for side, code in (
        (0, DRAW),
        (0, win_code(Level(1))),
        (0, win_code(Level(3))),
        (1, loss_code(Level(2))),
    ):
        places = np.flatnonzero(codes_of(table, side) == code)
        for other in {DRAW, win_code(Level(1)), win_code(Level(7)), loss_code(Level(4))} - {code}:
            spoilt = with_code(table, side, int(places[len(places) // 2]), other)
            assert verify(spoilt, lambda smaller: solved(smaller, metric)).mismatches >= 1


@pytest.mark.parametrize(
    ("name", "fen", "right", "wrong"),
    [
        ("KPvKP", PASSING, win_code(Level(37)), win_code(Level(31))),
        ("KRvKP", TO_KNIGHT, loss_code(Level(24)), loss_code(Level(14))),
    ],
)
def test_a_rule_forgotten_is_found(name: str, fen: str, right: int, wrong: int) -> None:
    """A value as if there were no en passant, or no promotion to a knight, is reported."""
    table = table_of(name)
    side, index = stored(table, fen)
    assert codes_of(table, side)[index] == right
    spoilt = with_code(table, side, index, wrong)
    assert mismatches_beside(table, fen, lambda m: solved(m, Metric.DTM)) == 0
    assert mismatches_beside(spoilt, fen, lambda m: solved(m, Metric.DTM)) == 1


@pytest.mark.parametrize("name", ["KQvK", "KRvK", "KBvK", "KNvK"])
def test_every_promotion_counts(name: str) -> None:
    """A table does not agree with a promotion that would mate at once, whatever the piece."""
    piece = Material.parse(name)

    def smaller(material: Material) -> Source:
        mated = Uniform(Layout(material), CHECKMATED)
        return mated if material == piece else solved(material, Metric.DTM)

    assert verify(table_of("KPvK"), smaller).mismatches > 1000


def test_a_stalemate_not_marked_is_found() -> None:
    """A side without a move is marked as stalemated, and no other is."""
    table = table_of("KPvK")
    for fen, number in ((STALEMATED, 1), ("k7/P7/8/2K5/8/8/8/8 b - - 0 1", STALEMATE)):
        spoilt = with_number(table, *stored(table, fen), number)
        assert verify(table, lambda smaller: solved(smaller, Metric.DTM)).mismatches == 0
        assert verify(spoilt, lambda smaller: solved(smaller, Metric.DTM)).mismatches == 1


@dataclass(frozen=True)
class Uniform:
    """A table of which every cell holds the same code."""

    layout: Layout
    code: int
    metric: Metric = Metric.DTM

    @property
    def palette(self) -> Palette:
        return Palette(np.array([*PALETTE, self.code]))

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        out[:] = len(PALETTE)
        return out


def blank(metric: Metric, *codes: int) -> Table:
    """KQPvKP with a draw in every cell, illegal ones too, and these codes from number 3 on.

    Its cells are zeros, so that the system gives memory only to the few planes that are touched.
    """
    material = Material.parse("KQPvKP")
    shape = Layout(material).count, CELLS
    white, black = (CellNumbers(np.zeros(shape, np.uint8)) for _ in SIDES)
    palette = Palette(np.array([DRAW, DRAW, DRAW, *codes]))
    return Table(material, metric, palette, (white, black))


@pytest.mark.parametrize(
    ("metric", "fen", "plain", "taken", "right"),
    [
        (Metric.DTM, FORCED, None, win_code(Level(9)), win_code(Level(11))),  # he must take
        (Metric.DTC, FORCED, None, win_code(Level(9)), win_code(Level(2))),
        (Metric.DTZ, FORCED, None, win_code(Level(9)), win_code(Level(1))),
        (Metric.DTZ, FORCED, None, win_code(Level(109)), win_code(Level(101))),  # cursed
        (Metric.DTM, FORCED, CHECKMATED, win_code(Level(9)), win_code(Level(11))),  # out of mate
        (Metric.DTM, FORCED, CHECKMATED, DRAW, DRAW),
        (
            Metric.DTM,
            FORCED,
            loss_code(Level(4)),
            win_code(Level(9)),
            win_code(Level(11)),
        ),  # he lives longer
        (
            Metric.DTM,
            FORCED,
            loss_code(Level(4)),
            win_code(Level(1)),
            win_code(Level(5)),
        ),  # he had better not
        (Metric.DTM, FORCED, DRAW, win_code(Level(1)), DRAW),
        (Metric.DTM, PINNED, CHECKMATED, DRAW, win_code(Level(1))),  # he cannot
    ],
)
def test_a_double_step_counts_the_answer_en_passant(
    metric: Metric, fen: str, plain: int | None, taken: int, right: int
) -> None:
    """g2-g4 is worth what the opponent's better answer leaves; None: he has no other move."""
    unlike = win_code(Level(33))
    table = blank(metric, right, unlike, plain or DRAW)
    after = chess.Board(fen)
    after.push_uci("g2g4")
    locate_in(table, after.fen())[...] = STALEMATE if plain is None else 5

    def smaller(material: Material) -> Source:
        return Uniform(Layout(material), taken if material.name == "KQvKP" else DRAW)

    found = []
    for number in (3, 4):
        locate_in(table, fen)[...] = number
        found.append(mismatches_beside(table, fen, smaller))
    assert found[0] == found[1] - 1


def locate_in(table: Table, fen: str) -> NDArray[Any]:
    """A view of a position's cell."""
    side, index = stored(table, fen)
    cell: NDArray[Any] = table.cells[side].reshape(-1)[index : index + 1]
    return cell
