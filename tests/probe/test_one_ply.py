"""Searches of one ply: the same values as plane by plane, whatever the cache holds."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from unmove import Metric, Tablebase
from unmove.games.boards import AnyBoard, board_of
from unmove.games.rules import columns_of
from unmove.material import Material
from unmove.probe import table_cache
from unmove.store.folder import Folder
from unmove.values import BROKEN, Code, Side

NAMES = ["KQvK", "KBBvK", "KQvKR", "KRvKN", "KQvKQ", "KPvK", "KPvKP", "KPPvK", "KRvKP", "KNPvK"]


def positions(name: str, number: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Random placements and sides to move."""
    rng, men = random.Random(name), columns_of(Material.parse(name))
    squares = [rng.sample(range(64), len(men)) for _ in range(number)]
    return np.array(squares, np.uint8), np.array([rng.randrange(2) for _ in range(number)])


def legal(tables: Tablebase, name: str, number: int, metric: Metric) -> list[tuple[AnyBoard, Code]]:
    """Legal boards with their codes, which come from whole planes."""
    squares, turns = positions(name, number)
    codes = tables.probe_many(name, squares, turns, metric).codes.tolist()
    return [
        (board_of(Material.parse(name), row, Side(turn)), Code(code))
        for row, turn, code in zip(squares.tolist(), turns.tolist(), codes, strict=True)
        if code != BROKEN
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("metric", list(Metric))
def test_single_boards_have_the_values_of_planes(
    small_tables: Folder, tablebase: Tablebase, name: str, metric: Metric
) -> None:
    """From an empty cache, and again, a board has the code that evaluating its plane gives."""
    asked = legal(tablebase, name, 150, metric)
    with Tablebase(small_tables.path, threads=1) as tables:
        for _ in range(2):
            for board, code in asked:
                assert tables.probe(board).codes[metric] == code, board.fen()


@pytest.mark.parametrize("name", ["KQvKR", "KPvKP", "KRvKP"])
def test_boards_together_have_the_values_of_planes(
    small_tables: Folder, tablebase: Tablebase, name: str
) -> None:
    """Many boards in one look-up have the codes that evaluating planes gives."""
    asked = legal(tablebase, name, 300, Metric.DTM)
    with Tablebase(small_tables.path, threads=1) as tables:
        for _ in range(2):
            found = tables.probe_each([board for board, _ in asked])
            assert [codes[Metric.DTM] for codes in found] == [code for _, code in asked]


def test_threads_and_a_small_cache_change_nothing(
    small_tables: Folder, tablebase: Tablebase
) -> None:
    """Two threads that share a cache for a few planes find the same values."""
    asked = legal(tablebase, "KRvKP", 200, Metric.DTZ)
    with Tablebase(small_tables.path, cache_bytes=60_000, threads=2) as tables:

        def codes(number: int) -> list[Code]:
            return [tables.probe(board).codes[Metric.DTZ] for board, _ in asked[number::2]]

        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(codes, range(2)))
    assert found == [[code for _, code in asked[number::2]] for number in range(2)]


@pytest.mark.parametrize("together", [0, 1 << 20])
def test_planes_that_are_searched_often_are_evaluated(
    small_tables: Folder,
    tablebase: Tablebase,
    monkeypatch: pytest.MonkeyPatch,
    together: int,
) -> None:
    """Values are the same whether planes are evaluated one by one or many together."""
    monkeypatch.setattr(table_cache, "MOST_PLANES_TOGETHER", together)
    monkeypatch.setattr(table_cache, "MOST_SEARCHED_CELLS", 1)
    monkeypatch.setattr(table_cache, "MOST_SEARCHED_TOGETHER", 1)
    asked = legal(tablebase, "KPvKP", 60, Metric.DTM)
    with Tablebase(small_tables.path, threads=1) as tables:
        for board, code in asked * 2:
            assert tables.probe(board).codes[Metric.DTM] == code


def test_en_passant_after_a_move_counts(tablebase: Tablebase, small_tables: Folder) -> None:
    """Where a double step may be answered en passant, the search regards it."""
    rng, found = random.Random(5), 0
    with Tablebase(small_tables.path, threads=1) as tables:
        while found < 40:
            file, aside = rng.randrange(8), rng.choice((-1, 1))
            kings = rng.sample(range(64), 2)
            if not 0 <= file + aside < 8 or {8 + file, 24 + file + aside} & set(kings):
                continue
            squares = [kings[0], 8 + file, kings[1], 24 + file + aside]
            board = board_of(Material.parse("KPvKP"), squares, Side(0))
            assert isinstance(board, chess.Board)
            if not board.is_valid() or board.piece_at(24 + file) or board.piece_at(16 + file):
                continue
            found += 1
            for metric in Metric:
                code = tablebase.probe_many("KPvKP", [squares], [0], metric).codes[0]
                assert tables.probe(board).codes[metric] == code, board.fen()
