"""The probe: right for every colour, side and symmetry, and never a made-up value."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import chess
import pytest

from unmove import UNKNOWN, Metric, Outcome, Outcome50, Tablebase
from unmove.errors import (
    BadFen,
    CastlingRights,
    DamagedFile,
    IllegalPosition,
    MissingTable,
    TooManyMen,
)
from unmove.games.boards import parse_fen
from unmove.kernels.locate import NOT_FOUND
from unmove.material import Material
from unmove.probe import table_cache
from unmove.probe.table_cache import TableCache
from unmove.store.folder import Folder
from unmove.values import Code, Level, Side, loss_code

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


def _values(tables: Tablebase, board: chess.Board) -> tuple[int | None, ...]:
    return tables.probe_dtm(board), tables.probe_dtc(board), tables.probe_dtz(board)


@pytest.mark.parametrize(
    "men", ["KQk", "KQkr", "KRkn", "KBBk", "KkbB", "Kqkq", "KPk", "KkpP", "Kkpr", "KPPk", "Kkpp"]
)
def test_all_images_and_colours_agree(tablebase: Tablebase, men: str) -> None:
    """Mirrored, turned and colour-exchanged boards have the value of the board."""
    men = men if men != "Kqkq" else "KQkq"
    turns = [
        chess.flip_horizontal,
        chess.flip_vertical,
        chess.flip_diagonal,
        chess.flip_anti_diagonal,
    ]
    if "P" in men.upper():
        turns = turns[:1]
    for board in _random_boards(men, 40):
        value = _values(tablebase, board)
        for other in (board.mirror(), *(board.transform(turn) for turn in turns)):
            assert _values(tablebase, other) == value


@pytest.mark.parametrize(
    "men", ["KQkr", "KRkn", "KBNk", "KRRk", "KQkq", "KBkn", "KPk", "KPkp", "KRkp", "KNPk", "KPPk"]
)
@pytest.mark.parametrize("metric", list(Metric))
def test_best_moves_give_the_value(tablebase: Tablebase, men: str, metric: Metric) -> None:
    """The best of all moves is worth what the position is worth, for every metric."""
    probe = {
        Metric.DTM: tablebase.probe_dtm,
        Metric.DTC: tablebase.probe_dtc,
        Metric.DTZ: tablebase.probe_dtz,
    }[metric]
    for board in _random_boards(men, 40):
        ranked = tablebase.moves(board, metric)
        assert {r.move for r in ranked} == set(board.legal_moves)
        if not ranked:
            continue
        best = ranked[0]
        assert best.outcome is tablebase.probe_wdl(board)
        assert best.outcome50 is tablebase.probe_wdl50(board)
        assert best.value(metric) == probe(board)


def test_a_forced_capture_en_passant_is_probed(tablebase: Tablebase) -> None:
    """Where en passant is the only legal move, the position is worth what it leads to."""
    board = chess.Board("k7/2Q5/8/8/6Pp/7K/8/8 b - g3 0 1")
    (only,) = board.legal_moves
    assert board.san(only) == "hxg3"
    child = board.copy()
    child.push(only)
    dtm = tablebase.probe_dtm(child)
    assert dtm is not None
    assert tablebase.probe_dtm(board) == -dtm - 1
    assert tablebase.probe_dtc(board) == tablebase.probe_dtz(board) == -1
    assert tablebase.probe_wdl50(board) is Outcome50.LOSS
    assert [ranked.dtm for ranked in tablebase.moves(board)] == [-dtm - 1]


@pytest.mark.parametrize(
    ("fen", "takes"),
    [
        ("8/8/8/8/1kpP4/8/8/4K3 b - d3 0 1", True),
        ("8/8/8/8/2pPk3/8/8/4K3 b - d3 0 1", True),  # d4 gives no check; the choice is free
        ("8/8/8/4k3/2pP4/8/8/4K3 b - d3 0 1", True),  # out of a check by the pawn it takes
        ("8/8/8/8/1kp1P3/8/8/4K3 b - e3 0 1", False),  # nobody beside: the square says nothing
    ],
)
def test_a_right_to_take_en_passant_counts(tablebase: Tablebase, fen: str, takes: bool) -> None:
    """A position is worth its best move, en passant among them where it is legal."""
    board = chess.Board(fen)
    assert board.has_legal_en_passant() == takes
    ranked = tablebase.moves(board)
    assert ranked[0].dtm == tablebase.probe_dtm(board)
    assert any(board.is_en_passant(r.move) for r in ranked) == takes
    plain = board.copy()
    plain.ep_square = None
    if not takes:
        assert _values(tablebase, board) == _values(tablebase, plain)


def test_en_passant_changes_values(tablebase: Tablebase) -> None:
    """There are positions that a right to take en passant saves or wins."""
    changed = 0
    for white, black, mover in ((27, 26, chess.BLACK), (35, 36, chess.WHITE)):
        for kings in random.Random(1).sample(range(64 * 64), 1500):
            board = chess.Board(None)
            squares = (white, chess.PAWN, True), (black, chess.PAWN, False)
            men = (*squares, (kings // 64, chess.KING, True), (kings % 64, chess.KING, False))
            if len({square for square, _, _ in men}) < 4:
                continue
            for square, kind, color in men:
                board.set_piece_at(square, chess.Piece(kind, color))
            board.turn = mover
            if not board.is_valid():
                continue
            plain = tablebase.probe_dtm(board)
            board.ep_square = white - 8 if mover is chess.BLACK else black + 8
            if board.is_valid() and board.has_legal_en_passant():
                exact = tablebase.probe_dtm(board)
                assert exact == tablebase.moves(board)[0].dtm
                changed += exact != plain
    assert changed > 50


@pytest.mark.parametrize(
    ("fen", "san"),
    [
        ("8/2P5/8/8/8/k7/8/2K5 w - - 0 1", "c8=Q"),
        ("8/k1P5/2K5/8/8/8/8/8 w - - 0 1", "c8=R"),  # a queen would be stalemate
        ("5K2/4P3/5k2/8/8/8/8/7r w - - 0 1", "e8=N"),  # a check, and the only draw
    ],
)
def test_the_right_piece_is_promoted_to(tablebase: Tablebase, fen: str, san: str) -> None:
    """Promotions to lesser pieces are ranked first where they are better."""
    ranked = tablebase.moves(chess.Board(fen))
    assert ranked[0].san.rstrip("+#") == san


def test_each_promotion_piece_is_worth_its_own_endgame(tablebase: Tablebase) -> None:
    """The four promotions have the values of the four endgames behind them."""
    board = chess.Board("8/2P4k/8/8/5K2/8/8/2r5 w - - 0 1")
    for kind, letter in zip((5, 4, 3, 2), "QRBN", strict=True):
        (ranked,) = (r for r in tablebase.moves(board) if r.move.promotion == kind)
        child = board.copy()
        child.push(ranked.move)
        assert child.piece_at(chess.C8) == chess.Piece.from_symbol(letter)
        outcome = tablebase.probe_wdl(child)
        assert ranked.outcome == -outcome
        assert ranked.dtz == (None if outcome is Outcome.DRAW else -outcome)


def test_signs_are_those_of_the_side_to_move(tablebase: Tablebase) -> None:
    """Checkmated is 0, mating next is +1, and the loser's plies are negative."""
    mated = chess.Board(MATED)
    assert tablebase.probe_dtm(mated) == 0
    assert tablebase.probe_wdl(mated) is Outcome.LOSS
    assert tablebase.probe_dtc(mated) == tablebase.probe_dtz(mated) == 0
    assert tablebase.probe_wdl50(mated) is Outcome50.LOSS
    before = chess.Board("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
    assert tablebase.probe_dtm(before) == tablebase.probe_dtz(before) == 1
    assert tablebase.probe_wdl50(before) is Outcome50.WIN
    assert tablebase.moves(before)[0].san.endswith("#")
    stalemate = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert tablebase.probe_dtm(stalemate) is tablebase.probe_dtz(stalemate) is None
    assert tablebase.probe_wdl50(stalemate) is Outcome50.DRAW
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


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("only", [False, True], ids=["all metrics", "one metric"])
@pytest.mark.parametrize("men", ["KQkr", "KPkp"])
def test_a_line_has_the_moves_that_are_ranked_first(
    small_tables: Folder, tmp_path: Path, men: str, metric: Metric, only: bool
) -> None:
    """Each move of a line is the first of all, though the others are not searched to the end."""
    folder = small_tables.path
    if only:
        folder = tmp_path
        for material, other in small_tables.tables():
            if other == metric:
                shutil.copy(small_tables.file(material, other), folder)
    with Tablebase(folder) as tables, Tablebase(folder) as ranking:
        for board in _random_boards(men, 2):
            for move in tables.line(board, metric):
                assert move == ranking.moves(board, metric)[0].move
                board.push(move)


@pytest.mark.parametrize("metric", list(Metric))
def test_a_line_promotes_and_mates(tablebase: Tablebase, metric: Metric) -> None:
    """Best play with a pawn goes through its promotion to mate."""
    board = chess.Board("8/8/8/8/1p6/8/4P3/K6k w - - 0 1")
    line = tablebase.line(board, metric)
    if tablebase.probe_wdl(board) is Outcome.DRAW:
        assert line == []
        return
    assert any(move.promotion for move in line)
    for move in line:
        board.push(move)
    assert board.is_checkmate()


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
        ("4k3/8/8/8/8/8/8/4K2p w - - 0 1", IllegalPosition),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", CastlingRights),
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", IllegalPosition),
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", IllegalPosition),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", None),
        ("4k3/8/8/8/4P3/8/8/4K3 b - d3 0 1", IllegalPosition),
        ("4k3/8/8/8/4P3/4R3/8/4K3 b - e3 0 1", IllegalPosition),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", IllegalPosition),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", IllegalPosition),
        ("4k3/8/8/8/4P3/8/8/4K3 b - z9 0 1", BadFen),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - 100 80", None),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - 151 80", BadFen),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - -1 80", BadFen),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - many 80", BadFen),
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
        ("4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1", TooManyMen),
        ("4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1", MissingTable),
    ],
)
def test_fair_questions_without_an_answer(
    tablebase: Tablebase, fen: str, error: type[Exception]
) -> None:
    """probe_x raises what is missing, get_x returns the default, which is no draw."""
    board = chess.Board(fen)
    probes = tablebase.probe_dtm, tablebase.probe_dtc, tablebase.probe_dtz
    for probe in (*probes, tablebase.probe_wdl, tablebase.probe_wdl50):
        with pytest.raises(error):
            probe(board)
    assert tablebase.get_dtz(board) is tablebase.get_wdl50(board) is UNKNOWN
    assert tablebase.get_dtm(board) is UNKNOWN
    assert tablebase.get_dtm(board, None) is None
    assert tablebase.get_dtc(board, "none") == "none"
    assert tablebase.get_wdl(board, 7) == 7


def test_a_table_that_was_missing_is_found_once_it_is_there(
    small_tables: Folder, tmp_path: Path
) -> None:
    """An open folder notices what is built into it; until then it names what is missing."""
    board = chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    with Tablebase(tmp_path) as tables:
        for missing, name in ((["KvK", "KQvK"], "KvK"), (["KQvK"], "KQvK")):
            for _ in range(2):
                with pytest.raises(MissingTable) as error:
                    tables.probe_dtm(board)
                assert list(error.value.missing) == missing
            shutil.copy(small_tables.file(Material.parse(name), Metric.DTM), tmp_path)
        assert tables.probe_dtm(board) is not None


def test_a_damaged_file_is_never_answered_from(small_tables: Folder, tmp_path: Path) -> None:
    """A probe that touches a damaged block raises; get_x raises too."""
    for metric in Metric:
        for name in ("KvK", "KQvK"):
            shutil.copy(small_tables.file(Material.parse(name), metric), tmp_path)
    path = Folder(tmp_path).file(Material.parse("KQvK"), Metric.DTM)
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
        assert tables.get_dtm(board) is UNKNOWN
        assert tables.moves(board)[0].dtc == tables.probe_dtc(board)


def test_a_small_cache_answers_the_same(small_tables: Folder, tablebase: Tablebase) -> None:
    """With room for a few planes only, values are the same and the limit holds."""
    with Tablebase(small_tables.path, cache_bytes=20_000) as tables:
        for board in _random_boards("KQkr", 30):
            assert tables.probe_dtm(board) == tablebase.probe_dtm(board)
            assert tables.cache.bytes <= tables.cache.limit == 20_000
        assert tables.cache.dropped > 0


def test_a_searched_value_is_remembered(
    small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cell is searched twice; after some cells of a plane all of it is evaluated at once."""
    monkeypatch.setattr(table_cache, "MOST_SEARCHED_TOGETHER", 2)
    board = chess.Board("8/8/8/3k4/8/2r5/8/KQ6 b - - 0 1")
    with Tablebase(small_tables.path) as tables:
        cache = TableCache(tables.folder, 1 << 20, 1)
        table = cache.table(Material.parse("KQvKR"), Metric.DTM)
        (side,) = {0, 1}.difference(table.file.sides)
        found = [table.find([0, 1, king, 18]) for king in (35, 36, 44, 45)]
        assert len({place for place, _ in found}) == 1 and found[0][0] != NOT_FOUND
        searched: list[int] = []
        for place, cell in found * 2:

            def search(cell: int = cell) -> Code:
                searched.append(cell)
                return loss_code(Level(7))

            table.code(Side(side), place, cell, search)
        assert searched == [cell for _, cell in found[:2]]
        board.turn = bool(1 - side)
        assert table.code(Side(side), *found[0], search) == tables.probe(board).codes[Metric.DTM]
        cache.close()
