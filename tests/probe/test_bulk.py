"""Many positions at once, and whole tables as arrays: the same values as board by board."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import chess
import chess.variant
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.position import locate
from unmove import Metric, Tablebase, open_tables
from unmove.errors import BadBoard, BadFen, BadOption, IllegalPosition, MissingTable, UnmoveError
from unmove.games.chess_rules import CHESS_RULES
from unmove.games.rules import columns_of
from unmove.kernels.arrays import Ranks
from unmove.kernels.locate import NOT_FOUND
from unmove.kernels.locate import locate as locate_many
from unmove.material import Material
from unmove.planes.layout import CELLS
from unmove.planes.layouts import of_kings
from unmove.planes.symmetry import IMAGE
from unmove.probe import many
from unmove.probe.bulk import NO_POSITION
from unmove.probe.positions import chart_of
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.source import MapFunction
from unmove.values import BROKEN, SIDES, Side

NAMES = ["KvK", "KQvK", "KPvK", "KQvKR", "KRvKN", "KBBvK", "KPvKP", "KPPvK", "KNvKP"]


def _board(name: str, squares: list[int], turn: int) -> chess.Board:
    board = chess.Board(None)
    for man, square in zip(columns_of(Material.parse(name)), squares, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(man))
    board.turn = chess.COLORS[turn]
    return board


def _random_positions(name: str, number: int) -> tuple[list[list[int]], list[int]]:
    rng, men = random.Random(name), Material.parse(name).men
    squares = [rng.sample(range(64), men) for _ in range(number)]
    return squares, [rng.randrange(2) for _ in range(number)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("metric", list(Metric))
def test_arrays_have_the_values_of_boards(tablebase: Tablebase, name: str, metric: Metric) -> None:
    """A row of squares is worth what its board is, and nothing where the board is refused."""
    probe = {
        Metric.DTM: tablebase.probe_dtm,
        Metric.DTC: tablebase.probe_dtc,
        Metric.DTZ: tablebase.probe_dtz,
    }[metric]
    squares, turns = _random_positions(name, 150)
    values = tablebase.probe_many(name, squares, turns, metric)
    legal = 0
    for i, (row, turn) in enumerate(zip(squares, turns, strict=True)):
        board = _board(name, row, turn)
        try:
            value = probe(board)
        except IllegalPosition:
            assert (values.codes[i], values.outcome[i]) == (BROKEN, NO_POSITION)
            assert not values.legal[i]
            continue
        legal += 1
        assert values.legal[i]
        assert values.outcome[i] == tablebase.probe_wdl(board)
        assert values.plies[i] == (value or 0)
        if metric is Metric.DTZ:
            assert values.outcome50[i] == tablebase.probe_wdl50(board)
    assert legal > 20


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_finds_what_its_slow_twin_finds(small_tables: Folder, name: str) -> None:
    """Every placement stands where the plain rule of the layout puts it, seen through the fold."""
    material = Material.parse(name)
    squares, turns = _random_positions(name, 300)
    with small_tables.open(material, Metric.DTM) as file:
        places, cells = np.empty(300, np.int32), np.empty(300, np.int32)
        locate_many(
            np.array(squares, np.uint8), chart_of(of_kings(file.layout), file.fold), places, cells
        )
        for i, (row, turn) in enumerate(zip(squares, turns, strict=True)):
            board = _board(name, row, turn)
            if board.pawns & chess.BB_BACKRANKS:
                assert places[i] == NOT_FOUND
                continue
            plane, cell = divmod(locate(board, file.layout).cell, CELLS)
            image = IMAGE[file.fold.symmetry[plane]]
            assert places[i] == file.fold.stored_index[plane]
            assert cells[i] == image[cell // 64] * 64 + image[cell % 64]


def test_fens_and_boards_are_answered_in_their_order(tablebase: Tablebase) -> None:
    """Mixed materials, colours and en passant: each answer stands where its question stood."""
    boards = [
        _board(name, row, turn)
        for name in ("KQvKR", "KPvK", "KRvKN")
        for row, turn in zip(*_random_positions(name, 60), strict=True)
    ]
    boards = [board for board in boards if board.is_valid()]
    boards += [board.mirror() for board in boards]
    boards.append(chess.Board("k7/2Q5/8/8/6Pp/7K/8/8 b - g3 0 1"))
    random.Random(1).shuffle(boards)
    expected = [tablebase.probe_dtm(board) or 0 for board in boards]
    assert tablebase.probe_boards(boards).plies.tolist() == expected
    fens = [board.fen() for board in boards]
    assert tablebase.probe_fens(fens).plies.tolist() == expected
    assert len(tablebase.probe_fens([])) == 0


def test_what_cannot_be_answered_is_told_by_number(tablebase: Tablebase) -> None:
    """Errors come with the number of the FEN; the other answers are not lost."""
    fens = [
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1",
        "no fen",
        "4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1",
        "k7/8/K7/8/8/8/8/7Q b - - 0 1",
        "kK6/8/8/8/8/8/8/7Q b - - 0 1",
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "kK6/8/8/8/8/8/8/QRN5 b - - 0 1",  # wrong, and of a table that is not there
    ]
    values, errors = tablebase.answer_fens(fens)
    found = {number: type(error) for number, error in errors.items()}
    assert found == {1: BadFen, 2: MissingTable, 4: IllegalPosition, 6: IllegalPosition}
    assert values.plies[[0, 3, 5]].tolist() == [65, -2, 17]
    with pytest.raises(BadFen):
        tablebase.probe_fens(fens)


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 x - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ5 w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ61 w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ33 w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 wb - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ06 w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 x",
        "8/8/8/3k4/8/2r5/KQ6 w - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w K - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - e3 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 999 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - -",
        "8/8/8/3k4/8/2r5/8/KQ6",
        "",
        "8/8/8/3K4/8/2R5/8/kq6 b - - 0 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 12 40",
    ],
)
def test_a_plain_fen_is_read_as_python_chess_reads_it(fen: str) -> None:
    """The quick reader agrees, or leaves the FEN to the careful one."""
    placement = CHESS_RULES.placement_of_fen(fen)
    try:
        board = chess.Board(fen)
    except ValueError:
        assert placement is None
        return
    assert placement is None or placement == CHESS_RULES.placement(board)


@pytest.mark.parametrize(
    ("squares", "turns", "words"),
    [
        ([[0, 1, 2]], [0], "4 men"),
        ([[0, 1, 2, 3]], [0, 1], "shape"),
        ([[0, 1, 2, 300]], [0], "a1 is 0"),
        ([[0, 1, 2, -1]], [0], "a1 is 0"),
        ([[0, 1, 2, 3]], [2], "1 is Black"),
    ],
)
def test_wrong_arrays_get_a_sentence(
    tablebase: Tablebase, squares: list[list[int]], turns: list[int], words: str
) -> None:
    """Wrong shapes and numbers are told, not answered."""
    with pytest.raises(BadOption, match=words):
        tablebase.probe_many("KQvKR", squares, turns)


def test_squares_off_the_board_are_no_position(tablebase: Tablebase) -> None:
    """64 and more is no square, two men on one square are no position."""
    values = tablebase.probe_many("KQvKR", [[64, 1, 20, 40], [9, 9, 20, 40]], [0, 0])
    assert values.codes.tolist() == [BROKEN, BROKEN]


def test_a_bulk_answer_does_not_depend_on_threads_or_room(small_tables: Folder) -> None:
    """One thread or two, a large cache or hardly any: the same codes."""
    rng = np.random.default_rng(7)
    squares, turns = rng.integers(0, 64, (20_000, 4)), rng.integers(0, 2, 20_000)
    found = []
    for threads, room in ((1, 1 << 28), (2, 1 << 28), (2, 50_000)):
        with open_tables(small_tables.path, room, threads) as tables:
            found.append(tables.probe_many("KRvKP", squares, turns).codes)
            assert tables.cache.bytes <= room
    for one, other in pairwise(found):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["KQvKR", "KBBvK", "KRvKP", "KPvKP"])
def test_many_positions_are_read_family_by_family(
    small_tables: Folder, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each stored plane is decoded once for both sides to move, and the values are the same."""
    rng = np.random.default_rng(7)
    squares, turns = rng.integers(0, 64, (20_000, 4)), rng.integers(0, 2, 20_000)
    material, decoded, found = Material.parse(name), Counter[int](), []
    ranks = TableFile.ranks

    def counted(
        file: TableFile, side: Side, places: NDArray[np.int64], run: MapFunction = map
    ) -> Ranks:
        if file.material == material:
            decoded.update(places.tolist())
        return ranks(file, side, places, run)

    monkeypatch.setattr(TableFile, "ranks", counted)
    monkeypatch.setattr(many, "CELLS_A_TASK", 50 * CELLS)  # a range for each of some families
    for share, threads in ((0, 1), (1 << 30, 1), (1 << 30, 2)):
        decoded.clear()
        monkeypatch.setattr(many, "PLANES_A_SEARCH", share)
        with open_tables(small_tables.path, threads=threads) as tables:
            found.append(tables.probe_many(name, squares, turns).codes)
        assert not share or set(decoded.values()) == {1}
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_table_has_every_position_once(
    small_tables: Folder, tablebase: Tablebase, name: str
) -> None:
    """As many positions as the statistics say, with the same values; each probes to its own."""
    material = Material.parse(name)
    with small_tables.open(material, Metric.DTM) as file:
        summary = file.summary
    batch = tablebase.to_numpy(material)
    for side in SIDES:
        codes = batch.values.codes[batch.turns == side]
        assert len(codes) == summary.legal[side]
        counts = np.bincount(codes, minlength=2)
        assert {c: int(n) for c, n in enumerate(counts) if n and c > 1} == summary.histogram[side]
    some = np.random.default_rng(1).integers(0, len(batch), 500)
    again = tablebase.probe_many(material, batch.squares[some], batch.turns[some])
    assert np.array_equal(again.codes, batch.values.codes[some])


def test_for_each_hands_out_the_same_batches(tablebase: Tablebase) -> None:
    """A function sees what `to_numpy` joins."""
    seen: list[int] = []
    tablebase.for_each("KPvK", lambda batch: seen.append(len(batch)))
    assert sum(seen) == len(tablebase.to_numpy("KPvK"))
    assert len(seen) > 1


def test_many_threads_may_ask_at_once(small_tables: Folder, tablebase: Tablebase) -> None:
    """Concurrent probes of a cold tablebase are all right."""
    boards = [
        board
        for row, turn in zip(*_random_positions("KRvKN", 300), strict=True)
        if (board := _board("KRvKN", row, turn)).is_valid()
    ]
    expected = [tablebase.probe_dtm(board) for board in boards]
    with open_tables(small_tables.path, cache_bytes=200_000) as tables:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(tables.probe_dtm, boards)) == expected
        assert tables.cache.bytes <= 200_000


def test_a_missing_table_names_all_that_is_missing(small_tables: Folder, tmp_path: Path) -> None:
    """A table without those it leans on cannot be asked, and the error says which they are."""
    material = Material.parse("KQvKR")
    source = small_tables.file(material, Metric.DTM)
    (tmp_path / source.name).write_bytes(source.read_bytes())
    with open_tables(tmp_path) as tables, pytest.raises(MissingTable) as error:
        tables.probe_dtm(chess.Board("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"))
    assert set(error.value.missing) == {"KvK", "KRvK", "KQvK"}
    assert "KRvK" in str(error.value)


def test_a_damaged_block_is_named_by_the_probe_that_meets_it(
    small_tables: Folder, tmp_path: Path
) -> None:
    """A flipped bit in a block: other blocks answer, this one raises with file and block."""
    for material, metric in small_tables.tables():
        if metric is Metric.DTM and material.men <= 4 and "P" not in material.name:
            source = small_tables.file(material, metric)
            (tmp_path / source.name).write_bytes(source.read_bytes())
    path = tmp_path / "KQvKR.dtm.unmove"
    data = bytearray(path.read_bytes())
    data[-1000] ^= 4
    path.write_bytes(bytes(data))
    failed, answered = 0, 0
    with open_tables(tmp_path) as tables:
        for row, turn in zip(*_random_positions("KQvKR", 300), strict=True):
            board = _board("KQvKR", row, turn)
            if not board.is_valid():
                continue
            try:
                tables.probe_dtm(board)
                answered += 1
            except UnmoveError as error:
                assert "KQvKR.dtm.unmove is damaged in block 32" in str(error)
                failed += 1
    assert answered > failed > 0


def test_opening_a_folder_reads_no_blocks(small_tables: Folder) -> None:
    """All tables of the folder can be opened; nothing is decoded for it."""
    with open_tables(small_tables.path) as tables:
        opened = tables.open_all()
        assert len(opened) == len(tables.tables()) == len(list(small_tables.tables()))
        assert tables.cache.entries == tables.cache.misses == 0


def test_some_boards_have_the_codes_that_they_have_alone(tablebase: Tablebase) -> None:
    """Of several endgames, sides and en-passant rights; what no table has is left out."""
    fens = (
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1",
        "kq6/8/2R5/8/3K4/8/8/8 b - - 0 1",
        "8/8/8/3k4/3Pp3/8/8/3K4 b - d3 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    )
    boards = [chess.Board(fen) for fen in fens]
    absent = [
        chess.Board(),
        chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        chess.variant.AtomicBoard("4k3/8/8/8/8/8/8/4K2R w - - 0 1"),
        chess.Board("8/8/8/3k4/3b4/2r5/8/KQ6 w - - 0 1"),
    ]
    found = tablebase.probe_each(board for board in [*boards, *absent])
    assert found[: len(boards)] == [tablebase.probe(board).codes for board in boards]
    assert found[len(boards) :] == [{}] * len(absent)
    assert tablebase.probe_each([]) == []


@pytest.mark.parametrize(
    ("boards", "error"),
    [
        (chess.Board(), BadOption),
        ("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1", BadOption),
        (None, BadOption),
        ([None], BadBoard),
        (["8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"], BadBoard),
        ([chess.Board("8/8/8/8/8/8/8/KQ6 w - - 0 1")], IllegalPosition),
        ([chess.Board("3k4/8/8/8/8/8/8/K2Q4 w - - 0 1")], IllegalPosition),
    ],
)
def test_what_is_no_board_is_refused_among_some(
    tablebase: Tablebase, boards: Any, error: type[Exception]
) -> None:
    """One board for many, a text, nothing, an illegal position."""
    with pytest.raises(error):
        tablebase.probe_each(boards)
