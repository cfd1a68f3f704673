"""The file is what docs/format.md says: a reader written from that page alone agrees with ours."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.reference.reader import PIECES, Damaged, Known, Reader, Shelf, values_digest
from unmove import Metric
from unmove.games.chess import LETTERS
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.planes.layouts import layout_of, of_kings
from unmove.planes.position import board_at
from unmove.pool.workers import WorkerPool
from unmove.solver.build import table_encoder_of
from unmove.solver.loop import solve
from unmove.store.codec.arrangement import arrangement_of
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import SIDES, Side

METRICS = list(Metric)
POSITIONS = 4  # of each table, metric and side to move


@pytest.fixture(scope="module")
def shelf(small_tables: Folder) -> Shelf:
    """The second reader on all small tables."""
    return Shelf(small_tables.path)


def assert_same_cells(path: Path, step: int = 1) -> None:
    """Every step-th stored plane has the same ranks and legal cells in both readers."""
    second = Reader(path)
    with TableFile(path) as file:
        assert list(second.layout.stored) == file.fold.stored.tolist()
        assert len(second.sides) == len(file.sides)
        places = np.arange(0, len(file.fold.stored), step)
        for side in file.sides:
            run, order = second.sides[chess.COLORS[side]], file.order(side)
            assert (run.wins, run.losses) == (list(order.wins), list(order.losses))
            for place, ranks in zip(places.tolist(), file.ranks(side, places), strict=True):
                assert run.ranks(place) == ranks.tolist(), f"plane {place} of {path.name}"


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK"])
@pytest.mark.parametrize("metric", METRICS)
def test_three_men_decode_alike(small_tables: Folder, name: str, metric: Metric) -> None:
    """Every stored cell of every 3-man table has the same rank in both readers."""
    assert_same_cells(small_tables.file(Material.parse(name), metric))


@pytest.mark.slow
def test_four_men_decode_alike(small_tables: Folder) -> None:
    """Every stored cell of a 4-man table has the same rank in both readers."""
    assert_same_cells(small_tables.file(Material.parse("KQvKR"), Metric.DTM))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        *(("KPvKP", Metric.DTZ), ("KRvKP", Metric.DTC), ("KPPvK", Metric.DTM)),
        *(("KNNvK", Metric.DTM), ("KBNvK", Metric.DTZ), ("KRRvK", Metric.DTC)),
        ("KQvKR", Metric.DTM),
    ],
)
def test_planes_of_other_tables_decode_alike(
    small_tables: Folder, name: str, metric: Metric
) -> None:
    """So have planes of tables with pawns of both sides, a pair of pawns, and a pair of pieces."""
    assert_same_cells(small_tables.file(Material.parse(name), metric), step=97)


@pytest.mark.parametrize(
    ("name", "metric", "step"),
    [("KPvK", Metric.DTM, 2), ("KRvKP", Metric.DTC, 211), ("KPvKP", Metric.DTZ, 201)],
)
def test_both_sides_decode_alike(both_sides: Folder, name: str, metric: Metric, step: int) -> None:
    """Of a file with both sides every cell of some planes has the same rank in both readers."""
    assert_same_cells(both_sides.file(Material.parse(name), metric), step)


@pytest.mark.parametrize(
    ("name", "metric"),
    [("KPvK", Metric.DTM), ("KRvKP", Metric.DTC), ("KPvKP", Metric.DTZ), ("KQvKR", Metric.DTM)],
)
def test_positions_of_files_with_both_sides_are_answered_alike(
    both_sides: Folder, subtables: SubtableCache, name: str, metric: Metric
) -> None:
    """Random positions have the solver's values by the second reader, marked or not."""
    assert_same_values(Shelf(both_sides.path), subtables, name, metric)


@pytest.mark.parametrize("name", ["KRPvKN", "KPPvKB", "KQBvKQ", "KNNNvK"])
@pytest.mark.parametrize("side", SIDES)
def test_what_is_known_of_a_plane_is_what_the_page_says(name: str, side: Side) -> None:
    """Legal cells, checks, attackers and defenders of planes are those that python-chess finds."""
    layout = of_kings(layout_of(Material.parse(name)))
    planes = np.random.default_rng(5).choice(layout.frame.planes, 12, replace=False)
    known = arrangement_of(layout).facts(planes, side)
    squares = layout.squares_at(planes).tolist()
    for i, order in enumerate(squares):
        men = chess.BaseBoard.empty()
        for man, square in zip(layout.men, order, strict=True):
            men.set_piece_at(square, chess.Piece(PIECES[LETTERS[man.kind]], man.side == 0))
        expected = Known(men, order, side == 0)
        cells = [known.legal[i], known.checked[i]]
        legal, checked = np.unpackbits(np.stack(cells).view(np.uint8), axis=1, bitorder="little")
        assert expected.states[:-1] == (1 + legal + checked).tolist()
        found = [(s % 8, s // 8, theirs, ours) for s, theirs, ours in known.men[i].tolist()]
        assert expected.men == found


def test_zstandard_blocks_decode_alike(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path
) -> None:
    """Every stored cell of a file of the other coder has the same rank in both readers."""
    material, metric = Material.parse("KPvK"), Metric.DTM
    pool = WorkerPool(1)
    encoder = table_encoder_of(solve(material, metric, subtables.of(metric), pool), pool)
    path = tmp_path / "KPvK.dtm.unmove"
    encoder.write(path, coder="zstd")
    assert_same_cells(path)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        *((name, Metric.DTM) for name in ("KPvK", "KQvKR", "KRvKP", "KPvKP", "KBNvK", "KQvKQ")),
        *((name, Metric.DTC) for name in ("KQvK", "KPvK", "KRvKP", "KQvKR")),
        *((name, Metric.DTZ) for name in ("KPvK", "KNvKP", "KPvKP", "KBNvK")),
    ],
)
def test_any_position_is_answered_alike(
    shelf: Shelf, subtables: SubtableCache, name: str, metric: Metric
) -> None:
    """Random positions of either side to move have the solver's values by the second reader."""
    assert_same_values(shelf, subtables, name, metric)


def assert_same_values(shelf: Shelf, subtables: SubtableCache, name: str, metric: Metric) -> None:
    """Random positions of a table have the solver's values by the second reader."""
    table = subtables.load(Material.parse(name), metric)
    rng = random.Random(f"{name}.{metric}")
    for side in SIDES:
        codes = table.palette[table.cells[side]].ravel()
        for cell in rng.sample(np.flatnonzero(codes).tolist(), POSITIONS):
            board = board_at(of_kings(table.layout), side, cell)
            assert shelf.value(board, metric.value) == codes[cell], board.fen()


@pytest.mark.parametrize("metric", METRICS)
def test_a_double_step_beside_a_pawn_is_answered_alike(
    shelf: Shelf, subtables: SubtableCache, metric: Metric
) -> None:
    """Positions whose best move may be answered en passant have the solver's values."""
    table = subtables.load(Material.parse("KPvKP"), metric)
    rng = random.Random(7)
    planes = [
        plane for plane in range(table.layout.count) if _stand_ready(of_kings(table.layout), plane)
    ]
    for side in SIDES:
        codes = table.palette[table.cells[side]]
        for plane in planes[:: len(planes) // 4]:
            for cell in rng.sample(np.flatnonzero(codes[plane]).tolist(), 10):
                board = board_at(of_kings(table.layout), side, plane * CELLS + cell)
                assert shelf.value(board, metric.value) == codes[plane, cell], board.fen()


def _stand_ready(layout: Layout, plane: int) -> bool:
    """White's pawn may step past Black's, or Black's past White's."""
    (white,), (black,) = layout.placement(plane)
    ranks = chess.square_rank(white), chess.square_rank(black)
    aside = abs(chess.square_file(white) - chess.square_file(black))
    return aside == 1 and ranks in ((1, 3), (4, 6))


def test_the_digest_of_the_values_is_what_the_page_says(shelf: Shelf) -> None:
    """The second reader, asked for every cell of a table, comes to the digest in its `meta`."""
    reader = shelf.reader("KRvK", "dtm")
    assert reader is not None
    assert values_digest(shelf, reader) == reader.meta["values"]


def test_the_second_reader_checks_what_it_reads(small_tables: Folder, tmp_path: Path) -> None:
    """It refuses a file with any one of its bytes changed."""
    good = small_tables.file(Material.parse("KQvK"), Metric.DTM).read_bytes()
    path = tmp_path / "bad.unmove"
    for place in range(0, len(good), 37):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        with pytest.raises(Damaged):
            Reader(path)
