"""The probe: right for every colour, side and symmetry, and never a made-up value."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import chess
import pytest

from unmove import Metric, Outcome, Tablebase
from unmove.errors import (
    BadFen,
    CastlingRights,
    DamagedFile,
    IllegalPosition,
    MissingTable,
    TooManyMen,
    UnsupportedMaterial,
)
from unmove.material import Material
from unmove.probe.board import parse_fen
from unmove.store.folder import Folder

MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"


def _random_boards(men: str, number: int) -> list[chess.Board]:
    rng = random.Random(men)
    boards: list[chess.Board] = []
    while len(boards) < number:
        board = chess.Board(None)
        for letter, square in zip(men, rng.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid():
            boards.append(board)
    return boards


@pytest.mark.parametrize("men", ["KQk", "KQkr", "KRkn", "KBBk", "KkbB", "Kqkq"])
def test_all_images_and_colours_agree(tablebase: Tablebase, men: str) -> None:
    """Mirrored, turned and colour-exchanged boards have the value of the board."""
    men = men if men != "Kqkq" else "KQkq"
    turns = (
        chess.flip_horizontal,
        chess.flip_vertical,
        chess.flip_diagonal,
        chess.flip_anti_diagonal,
    )
    for board in _random_boards(men, 40):
        value = tablebase.probe_dtm(board), tablebase.probe_dtc(board)
        for turn in turns:
            other = board.transform(turn)
            assert (tablebase.probe_dtm(other), tablebase.probe_dtc(other)) == value
        other = board.mirror()
        assert (tablebase.probe_dtm(other), tablebase.probe_dtc(other)) == value


@pytest.mark.parametrize("men", ["KQkr", "KRkn", "KBNk", "KRRk", "KQkq", "KBkn"])
def test_best_moves_give_the_value(tablebase: Tablebase, men: str) -> None:
    """The best of all moves is worth what the position is worth, for both metrics."""
    for board in _random_boards(men, 40):
        ranked = tablebase.moves(board)
        assert {r.move for r in ranked} == set(board.legal_moves)
        if not ranked:
            continue
        best = ranked[0]
        assert best.outcome is tablebase.probe_wdl(board)
        assert best.dtm == tablebase.probe_dtm(board)
        if best.outcome is Outcome.WIN:
            assert tablebase.probe_dtc(board) == min(r.dtc for r in ranked if r.dtc and r.dtc > 0)
        elif best.outcome is Outcome.LOSS:
            assert tablebase.probe_dtc(board) == min(r.dtc or 0 for r in ranked)
        else:
            assert tablebase.probe_dtc(board) is None


def test_signs_are_those_of_the_side_to_move(tablebase: Tablebase) -> None:
    """Checkmated is 0, mating next is +1, and the loser's plies are negative."""
    mated = chess.Board(MATED)
    assert tablebase.probe_dtm(mated) == 0
    assert tablebase.probe_wdl(mated) is Outcome.LOSS
    before = chess.Board("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
    assert tablebase.probe_dtm(before) == 1
    assert tablebase.moves(before)[0].san.endswith("#")
    stalemate = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert tablebase.probe_dtm(stalemate) is None
    assert tablebase.probe_wdl(stalemate) is Outcome.DRAW


@pytest.mark.parametrize("metric", list(Metric))
def test_the_line_ends_in_mate(tablebase: Tablebase, metric: Metric) -> None:
    """Best play goes on to mate; by DTM in just as many plies as the value says."""
    board = chess.Board("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1")
    line = tablebase.line(board, metric)
    end = board.copy()
    for move in line:
        end.push(move)
    assert end.is_checkmate()
    if metric is Metric.DTM:
        assert len(line) == tablebase.probe_dtm(board)
    assert tablebase.line(chess.Board("8/8/8/3k4/8/8/8/KB6 w - - 0 1"), metric) == []


@pytest.mark.parametrize(
    ("fen", "error"),
    [
        ("", BadFen),
        ("nonsense", BadFen),
        ("8/8/8/8/8/8/8/8/8 w - - 0 1", BadFen),
        ("8/8/8/8/8/8/8/8 w - - 0 1", IllegalPosition),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", IllegalPosition),
        ("8/8/8/8/8/8/8/KKk5 w - - 0 1", IllegalPosition),
        ("8/8/8/8/8/8/8/Kk6 w - - 0 1", IllegalPosition),
        ("8/8/8/8/8/k7/8/K6Q b - - 0 1", None),
        ("7Q/8/8/8/8/k7/8/K7 w - - 0 1", None),
        ("Q7/8/8/8/8/k7/8/K7 w - - 0 1", IllegalPosition),
        ("P6k/8/8/8/8/8/8/K7 w - - 0 1", IllegalPosition),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", CastlingRights),
    ],
)
def test_wrong_boards_are_refused(fen: str, error: type[Exception] | None) -> None:
    """What is no FEN, breaks the rules, or may still castle gets its own error."""
    if error is None:
        parse_fen(fen)
    else:
        with pytest.raises(error):
            parse_fen(fen)


@pytest.mark.parametrize(
    ("fen", "error"),
    [
        ("4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1", TooManyMen),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", UnsupportedMaterial),
        ("4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1", MissingTable),
    ],
)
def test_fair_questions_without_an_answer(
    tablebase: Tablebase, fen: str, error: type[Exception]
) -> None:
    """probe_x raises what is missing, get_x returns the default."""
    board = chess.Board(fen)
    for probe in (tablebase.probe_dtm, tablebase.probe_dtc, tablebase.probe_wdl):
        with pytest.raises(error):
            probe(board)
    assert tablebase.get_dtm(board) is None
    assert tablebase.get_dtc(board, "none") == "none"
    assert tablebase.get_wdl(board, 7) == 7


def test_a_damaged_file_is_never_answered_from(small_tables: Folder, tmp_path: Path) -> None:
    """A probe that touches a damaged block raises; get_x raises too."""
    for metric in Metric:
        shutil.copy(small_tables.file(Material.parse("KQK"), metric), tmp_path)
    path = Folder(tmp_path).file(Material.parse("KQK"), Metric.DTM)
    data = bytearray(path.read_bytes())
    for i in range(40, len(data) // 2, 50):
        data[i] ^= 0xFF
    path.write_bytes(bytes(data))
    with Tablebase(tmp_path) as tables, pytest.raises(DamagedFile):
        tables.get_dtm(chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 0 1"))


def test_one_metric_is_enough_for_the_outcome(small_tables: Folder, tmp_path: Path) -> None:
    """With only DTC built, outcomes and rankings still work."""
    for name in ("KQK", "KK"):
        shutil.copy(small_tables.file(Material.parse(name), Metric.DTC), tmp_path)
    board = chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    with Tablebase(tmp_path) as tables:
        assert tables.probe_wdl(board) is Outcome.WIN
        assert tables.get_dtm(board) is None
        assert tables.moves(board)[0].dtc == tables.probe_dtc(board)


def test_a_small_cache_answers_the_same(small_tables: Folder, tablebase: Tablebase) -> None:
    """With room for one block only, values are the same and the limit holds."""
    with Tablebase(small_tables.path, cache_bytes=1) as tables:
        for board in _random_boards("KQkr", 30):
            assert tables.probe_dtm(board) == tablebase.probe_dtm(board)
        assert tables._cache.bytes <= 8 * 4096
