"""Questions asked slightly wrong, and probes in ordinary surroundings: threads, forks, clocks."""

from __future__ import annotations

import ast
import json
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import chess
import chess.variant
import numpy as np
import pytest

from tests.cli.test_cli import answers
from tests.research.test_play import judged, typed
from tests.support.commands import run
from unmove import UNKNOWN, Batch, Material, Metric, Outcome, Outcome50, Tablebase, UnmoveError
from unmove.errors import (
    BadBoard,
    BadFen,
    BadMaterial,
    BadOption,
    CastlingRights,
    IllegalPosition,
    NoSuchMetric,
    VariantBoard,
)
from unmove.games.boards import parse_fen
from unmove.games.rules import columns_of
from unmove.games.xiangqi_board import Board as XiangqiBoard
from unmove.research.playing import PlayedGame
from unmove.store.folder import Folder
from unmove.values import FIFTY

QUEEN_ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
LATE = "7k/8/8/5K2/6R1/8/8/8 w - - {} 80"  # mate in 3 moves, 5 plies

PROBES: dict[str, Callable[[Tablebase, Any], object]] = {
    "probe_dtm": lambda tables, board: tables.probe_dtm(board),
    "probe_dtz": lambda tables, board: tables.probe_dtz(board),
    "probe_wdl": lambda tables, board: tables.probe_wdl(board),
    "probe_wdl50": lambda tables, board: tables.probe_wdl50(board),
    "moves": lambda tables, board: tables.moves(board),
    "line": lambda tables, board: tables.line(board),
    "bulk": lambda tables, board: tables.probe_boards([board]),
    "play": lambda tables, board: PlayedGame(tables, board),
}


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize("variant", chess.variant.VARIANTS)
def test_boards_of_variants_are_refused_on_every_path(
    tablebase: Tablebase, variant: type[chess.Board], probe: str
) -> None:
    """What is not orthodox chess has no value; a Chess960 board without castling rights has."""
    board = variant(QUEEN_ROOK) if variant.uci_variant == "chess" else variant()
    if variant.uci_variant == "chess":
        assert PROBES[probe](tablebase, board)
        assert PROBES[probe](tablebase, chess.Board(QUEEN_ROOK, chess960=True))
        return
    board.set_board_fen(QUEEN_ROOK.split()[0])
    with pytest.raises(VariantBoard, match="orthodox chess"):
        PROBES[probe](tablebase, board)
    assert tablebase.get_wdl(board) is UNKNOWN


def test_men_in_hand_are_refused(tablebase: Tablebase) -> None:
    """A Crazyhouse position with the men of an endgame is none."""
    board = chess.variant.CrazyhouseBoard("8/8/8/3k4/8/2r5/8/KQ6[Qq] w - - 0 1")
    with pytest.raises(VariantBoard, match="crazyhouse"):
        tablebase.probe_dtm(board)


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize("board", [QUEEN_ROOK, None, 7, chess.Move.null(), b"8/8"])
def test_what_is_no_board_gets_a_sentence(tablebase: Tablebase, board: Any, probe: str) -> None:
    """A FEN, or anything else, in the place of a board is told apart from a position."""
    with pytest.raises(BadBoard, match="A board is expected"):
        PROBES[probe](tablebase, board)
    with pytest.raises(BadBoard):
        tablebase.get_wdl(board)


@pytest.mark.parametrize("name", ["KQvKR", "KPvKN", "KQvK", "KBNvK"])
def test_probe_many_means_the_squares_of_the_name_as_written(
    tablebase: Tablebase, name: str
) -> None:
    """With the name the other way round White has the other men; values are those of the boards."""
    written = Material.parse(name).swapped()
    rng = np.random.default_rng(1)
    squares = np.array([rng.permutation(64)[: written.men] for _ in range(300)])
    turns = rng.integers(0, 2, 300)
    for asked in (written, str(written), str(written).lower()):
        values = tablebase.probe_many(asked, squares, turns)
        assert values.legal.any()
        for row, turn, code in zip(squares.tolist(), turns.tolist(), values.codes, strict=True):
            board = chess.Board(None)
            for man, square in zip(columns_of(written), row, strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(man))
            board.turn = turn == 0
            if code:
                assert tablebase.probe_boards([board]).codes[0] == code
            else:
                assert not board.is_valid()


def test_probe_many_turns_names_of_xiangqi_round(xiangqi_tables: Folder) -> None:
    """Black's soldier is Black's, and stands on Black's squares."""
    board = XiangqiBoard.parse("4k4/9/9/9/9/9/9/9/4p4/3K5 b")
    squares = [[board.men.index(man) for man in "Kkp"]]
    with Tablebase(xiangqi_tables.path) as tables:
        values = tables.probe_many("xiangqi:KvKP", squares, turns=["b"])
        assert values.plies.tolist() == [tables.probe_dtm(board)] == [1]


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("spelled", [lambda metric: metric.value, lambda metric: metric.upper()])
def test_a_metric_may_be_given_by_name(
    tablebase: Tablebase, metric: Metric, spelled: Callable[[Metric], str]
) -> None:
    """A string means the same as the enum on every path, whatever was asked before."""
    name, fen = spelled(metric), QUEEN_ROOK
    board = chess.Board(fen)
    plain = tablebase.probe_boards([board], metric)
    for values in (
        tablebase.probe_boards([board], name),
        tablebase.probe_fens([fen], name),
        tablebase.probe_many("KQvKR", [[0, 1, 35, 18]], [0], name),
    ):
        assert values.plies.tolist() == plain.plies.tolist()
        assert values.metric == metric
    assert tablebase.moves(board, name) == tablebase.moves(board, metric)
    assert tablebase.line(board, name) == tablebase.line(board, metric)
    assert tablebase.moves(board)[0].value(name) == tablebase.moves(board)[0].value(metric)
    assert np.array_equal(
        tablebase.to_numpy("KQvK", name).values.codes,
        tablebase.to_numpy("KQvK", metric).values.codes,
    )
    assert PlayedGame(tablebase, board, name).metric == metric


@pytest.mark.parametrize("metric", ["rubbish", "", "dtm ", None, 1, True, b"dtm"])
def test_what_is_no_metric_is_refused(tablebase: Tablebase, metric: Any) -> None:
    """Every method that takes a metric names the three there are."""
    board = chess.Board(QUEEN_ROOK)
    for ask in (
        lambda: tablebase.moves(board, metric),
        lambda: tablebase.line(board, metric),
        lambda: tablebase.probe_boards([board], metric),
        lambda: tablebase.probe_fens([QUEEN_ROOK], metric),
        lambda: tablebase.probe_many("KQvKR", [[0, 1, 35, 18]], [0], metric),
        lambda: tablebase.to_numpy("KQvK", metric),
        lambda: tablebase.batches("KQvK", metric),
        lambda: tablebase.moves(board)[0].value(metric),
        lambda: PlayedGame(tablebase, board, metric),
    ):
        with pytest.raises(BadOption, match="dtm, dtc, dtz"):
            ask()


def test_no_enum_is_compared_by_identity() -> None:
    """A string or an unpickled value equals an enum and is not the same object."""
    enums = {"Metric", "Outcome", "Outcome50", "Complexity", "Verdict", "Needs"}
    games = {"CHESS", "XIANGQI"}
    found = []
    for path in (Path(__file__).parents[2] / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
                for side in (node.left, *node.comparators):
                    owner = side.value if isinstance(side, ast.Attribute) else side
                    name = owner.id if isinstance(owner, ast.Name) else ""
                    if name in games or (name in enums and isinstance(side, ast.Attribute)):
                        found.append(f"{path.name}:{node.lineno}")
    assert not found


@pytest.mark.parametrize(
    ("turns", "sides"),
    [
        ([chess.WHITE, chess.BLACK], [0, 1]),
        ([0, 1], [0, 1]),
        (["w", "b"], [0, 1]),
        (["White", "BLACK"], [0, 1]),
        (("r", "black"), [0, 1]),
        (np.array([True, False]), [0, 1]),
        (np.array([0, 1], np.uint8), [0, 1]),
        (np.array(["b", "w"]), [1, 0]),
    ],
)
def test_turns_are_read_as_colours_numbers_or_words(
    tablebase: Tablebase, turns: Any, sides: list[int]
) -> None:
    """chess.WHITE is White, though True is 1."""
    squares = [[0, 1, 35, 18], [0, 1, 35, 18]]
    found = tablebase.probe_many("KQvKR", squares, turns)
    assert (
        found.codes.tolist()
        == tablebase.probe_many("KQvKR", squares, np.array(sides)).codes.tolist()
    )
    assert found.plies[sides.index(0)] == 65


@pytest.mark.parametrize(
    "turns", [[True, 0], [1, chess.BLACK], [2, 0], [-1, 0], ["x", "w"], [0.0, 1.0], [None, 0], 0]
)
def test_turns_that_are_ambiguous_or_rubbish_are_refused(tablebase: Tablebase, turns: Any) -> None:
    """Booleans beside numbers, other numbers, other words: a sentence instead of a guess."""
    with pytest.raises(BadOption):
        tablebase.probe_many("KQvKR", [[0, 1, 35, 18], [0, 1, 35, 18]], turns)


@pytest.mark.parametrize(
    "squares",
    [
        [[0, 1, 35]],
        [[0.5, 1, 2, 3]],
        [["a1", "b1", "d5", "c3"]],
        [[0, 1], [2]],
        [[0, 1, 2, -1]],
        None,
    ],
)
def test_squares_that_are_none_are_refused(tablebase: Tablebase, squares: Any) -> None:
    """Each mistake in an array of squares has a sentence."""
    with pytest.raises(BadOption, match="squares"):
        tablebase.probe_many("KQvKR", squares, [0])


@pytest.mark.parametrize("material", [7, None, "", "KQ", "K" * 1_000_000, ["KQvKR"]])
def test_names_that_are_none_are_refused_briefly(tablebase: Tablebase, material: Any) -> None:
    """A name of the wrong type, or a very long one, is told in one short sentence."""
    with pytest.raises(BadMaterial) as error:
        tablebase.probe_many(material, [[0, 1, 35, 18]], [0])
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("one", [QUEEN_ROOK, chess.Board(QUEEN_ROOK), 7])
def test_one_question_in_the_place_of_many_is_told(tablebase: Tablebase, one: Any) -> None:
    """A FEN is not a list of letters."""
    for ask in (tablebase.probe_fens, tablebase.probe_boards, tablebase.answer_fens):
        with pytest.raises(BadOption, match="a list of them"):
            ask(one)


def test_a_missing_table_is_told_from_a_draw(small_tables: Folder, tablebase: Tablebase) -> None:
    """get_x gives None for a draw, UNKNOWN for what no table has; it raises for neither."""
    drawn = chess.Board("8/8/8/3k4/8/8/8/KB6 w - - 0 1")
    assert tablebase.get_dtm(drawn) is tablebase.get_dtc(drawn) is tablebase.get_dtz(drawn) is None
    assert tablebase.get_wdl(drawn) == Outcome.DRAW
    missing = [
        chess.Board(),
        chess.Board("4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1"),
        chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
    ]
    getters = (tablebase.get_dtm, tablebase.get_dtc, tablebase.get_dtz, tablebase.get_wdl50)
    for board in missing:
        for get in (*getters, tablebase.get_wdl):
            assert get(board) is UNKNOWN
            assert get(board, "other") == "other"
    assert not UNKNOWN
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN
    with pytest.raises(CastlingRights):
        tablebase.probe_wdl(missing[2])
    with pytest.raises(IllegalPosition):
        tablebase.get_wdl(chess.Board("8/8/8/8/8/8/8/Kk6 w - - 0 1"))


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        (LATE.format(0), Outcome50.WIN),
        (LATE.format(95), Outcome50.WIN),  # mate with the 100th ply
        (LATE.format(96), Outcome50.CURSED_WIN),
        (LATE.format(100), Outcome50.CURSED_WIN),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", Outcome50.WIN),  # mates at once
        ("7k/8/6K1/8/8/8/8/R7 w - - 100 80", Outcome50.CURSED_WIN),  # a draw is claimed before
        ("R6k/8/6K1/8/8/8/8/8 b - - 100 80", Outcome50.LOSS),  # mated, whatever the clock
        ("R6k/8/6K1/8/8/8/8/8 b - - 150 80", Outcome50.LOSS),
        ("7k/8/5K2/6Q1/8/8/8/8 b - - 98 80", Outcome50.LOSS),  # mated with the 100th ply
        ("7k/8/5K2/6Q1/8/8/8/8 b - - 99 80", Outcome50.BLESSED_LOSS),
        ("8/8/8/8/8/1k6/p7/K7 b - - 99 80", Outcome50.DRAW),
        ("8/8/8/3pP3/8/8/5K1k/8 w - d6 0 80", Outcome50.WIN),
    ],
)
def test_outcomes_respect_the_half_move_clock(
    tablebase: Tablebase, fen: str, outcome: Outcome50
) -> None:
    """A win counts if its next zeroing, or mate, comes with the 100th ply or before."""
    board = chess.Board(fen)
    assert tablebase.probe_wdl50(board) == outcome
    assert tablebase.probe_fens([fen], "dtz").outcome50.tolist() == [outcome]
    assert tablebase.probe_boards([board], "dtz").outcome50.tolist() == [outcome]


@lru_cache(1)  # the table of the test before
def _all_of(tables: Tablebase, name: str) -> Batch:
    """All positions of an endgame."""
    return tables.to_numpy(name, "dtz")


@pytest.mark.parametrize("clock", [0, 1, 37, 90, 96, 97, 98, 99])
@pytest.mark.parametrize("name", ["KPvKP", "KQvKR", "KRvKP", "KBNvK"])
def test_a_search_of_the_clock_agrees_with_the_outcome(
    tablebase: Tablebase, name: str, clock: int
) -> None:
    """What the rule makes of a position is what it makes of its best move, ply by ply."""
    rng = np.random.default_rng(clock)
    batch = _all_of(tablebase, name)
    for i in rng.integers(len(batch), size=15).tolist():
        board = chess.Board(None)
        for man, square in zip(batch.columns, batch.squares[i].tolist(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn, board.halfmove_clock = not batch.turns[i], clock
        found = tablebase.probe_wdl50(board)
        best = []
        for move in board.legal_moves:
            board.push(move)
            best.append(-int(tablebase.probe_wdl50(board)))
            board.pop()
        if not best:
            assert found == (Outcome50.LOSS if board.is_check() else Outcome50.DRAW)
        else:
            assert found == max(best)
            ranked = tablebase.moves(board)
            assert max(move.outcome50 or 0 for move in ranked) == max(best)


def test_en_passant_counts_with_the_clock(tablebase: Tablebase) -> None:
    """A capture en passant zeroes the clock, and so may save the win."""
    fen = "8/8/8/8/Pp6/8/8/k1K5 b - a3 0 1"
    board = chess.Board(fen)
    board.halfmove_clock = 99
    (taking,) = (move for move in tablebase.moves(board) if board.is_en_passant(move.move))
    board.push(taking.move)
    assert taking.outcome50 == -tablebase.probe_wdl50(board)
    assert board.halfmove_clock == 0


def test_probe_line_and_play_say_what_the_clock_does(small_tables: Folder) -> None:
    """In time, too late, and the bare word when there is no clock."""
    out = run("probe", LATE.format(0), folder=small_tables.path)[1]
    assert "half-move clock" not in out
    out = run("probe", LATE.format(95), folder=small_tables.path)[1]
    assert "in time for the 50-move rule, with a half-move clock of 95" in out
    for command in ("probe", "line", "play"):
        out = run(command, LATE.format(96), folder=small_tables.path)[1]
        assert "With a half-move clock of 96 the 50-move rule makes it a draw." in out
    out = run("line", LATE.format(96), folder=small_tables.path)[1]
    assert "After 4 plies of this line a draw can be claimed" in out
    (answer,) = answers(run("line", "--json", LATE.format(96), folder=small_tables.path)[1])
    assert (answer["outcome50"], answer["draw_claim"]) == ("cursed win", 4)
    (answer,) = answers(run("probe", "--json", LATE.format(96), folder=small_tables.path)[1])
    assert answer["outcome50"] == answer["moves"][0]["outcome50"] == "cursed win"
    source = f"{LATE.format(95)}\n{LATE.format(96)}\n"
    out = run("probe", "--input", "-", folder=small_tables.path, stdin=source)[1]
    assert [answer["outcome50"] for answer in answers(out)] == ["win", "cursed win"]


def test_without_dtz_the_clock_gets_a_note(small_tables: Folder, tmp_path: Path) -> None:
    """Where the rule cannot be judged, one sentence says so; none where there is no clock."""
    for name in ("KvK", "KRvK"):
        source = small_tables.file(Material.parse(name), Metric.DTM)
        (tmp_path / source.name).write_bytes(source.read_bytes())
    out = run("probe", LATE.format(96), folder=tmp_path)[1]
    assert out.count("The half-move clock (96) is not taken into account") == 1
    assert "clock" not in run("probe", LATE.format(0), folder=tmp_path)[1]


def test_play_judges_by_the_clock(tablebase: Tablebase, small_tables: Folder) -> None:
    """A move that mates too late is no win, and the game ends as was said."""
    assert judged(tablebase, LATE.format(0), "Kg6") == "Still won, mate in 3, the best there is."
    assert judged(tablebase, LATE.format(95), "Kg6").endswith("only move that keeps the outcome.")
    assert judged(tablebase, LATE.format(95), "Kf6").startswith("That lets the win slip")
    said = typed(small_tables, LATE.format(99), "Kf6")
    assert "the 50-move rule makes it a draw" in said
    assert "A draw: 50 moves" in said
    pawn = chess.Board("8/8/8/8/8/8/1P6/K6k w - - 99 80")
    best = PlayedGame(tablebase, pawn).ranked()[0]
    assert (best.outcome50, pawn.is_zeroing(best.move)) == (Outcome50.WIN, True)


def _values_in_child(tables: Tablebase, fen: str, values: Any) -> None:
    squares = np.array([np.random.default_rng(i).permutation(64)[:4] for i in range(5000)])
    found = tables.probe_many("KQvKR", squares, np.zeros(5000, np.int64))
    values.put((tables.probe_dtm(chess.Board(fen)), int(found.codes.astype(np.int64).sum())))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_process_probes_after_its_parent(small_tables: Folder, method: str) -> None:
    """Forked with a tablebase that has threads and a cache, or given a pickled one: it answers."""
    context: Any = multiprocessing.get_context(method)
    with Tablebase(small_tables.path, threads=2) as tables:
        values = context.SimpleQueue()
        expected: Any = multiprocessing.get_context("fork").SimpleQueue()
        _values_in_child(tables, QUEEN_ROOK, expected)
        busy = threading.Event()
        other = threading.Thread(target=_probe_until, args=(tables, busy))
        other.start()
        children = [
            context.Process(target=_values_in_child, args=(tables, QUEEN_ROOK, values))
            for _ in range(3)
        ]
        for child in children:
            child.start()
        for child in children:
            child.join(60)
            assert child.exitcode == 0
        busy.set()
        other.join()
        wanted = expected.get()
        assert [values.get() for _ in children] == [wanted] * 3


def _probe_until(tables: Tablebase, done: threading.Event) -> None:
    boards = [chess.Board(f"8/8/8/7k/8/2r5/8/K{n}Q{6 - n} w - - 0 1") for n in (1, 3, 4, 5)]
    while not done.is_set():
        tables.probe_boards(boards)


def test_a_closed_tablebase_leaves_no_threads(small_tables: Folder) -> None:
    """They have ended when `close` returns, and start again with the next question."""
    before = threading.active_count()
    tables = Tablebase(small_tables.path, threads=3)
    squares = np.random.default_rng(7).integers(0, 64, (5000, 3))  # enough for several threads
    for _ in range(2):
        assert tables.probe_many("KQvK", squares, np.zeros(5000, np.uint8)).legal.any()
        assert threading.active_count() == before + 3
        tables.close()
        assert threading.active_count() == before


def test_a_pickled_tablebase_opens_its_folder_again(small_tables: Folder) -> None:
    """Folder, cache limit and threads come along; decoded planes do not."""
    with Tablebase(small_tables.path, cache_bytes=1 << 20, threads=1) as tables:
        tables.probe_dtm(chess.Board(QUEEN_ROOK))
        data = pickle.dumps(tables)
        assert len(data) < 1000
        with pickle.loads(data) as again:
            assert again.cache.limit == 1 << 20
            assert again.folder == tables.folder
            assert again.probe_dtm(chess.Board(QUEEN_ROOK)) == 65


def test_close_lets_other_threads_finish(small_tables: Folder) -> None:
    """Closing again and again while others probe disturbs nobody; afterwards nothing is mapped."""
    tables = Tablebase(small_tables.path, threads=2)
    failed: list[BaseException] = []
    done = threading.Event()

    def probe() -> None:
        rng = np.random.default_rng(threading.get_ident())
        try:
            while not done.is_set():
                squares = np.array([rng.permutation(64)[:4] for _ in range(50)])
                tables.probe_many("KQvKR", squares, rng.integers(0, 2, 50))
                tables.probe_dtm(chess.Board(QUEEN_ROOK))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=probe) for _ in range(3)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        tables.close()
        time.sleep(0.001)
    done.set()
    for thread in threads:
        thread.join()
    tables.close()
    assert not failed
    maps = Path(f"/proc/{os.getpid()}/maps")
    if maps.exists():
        own = Tablebase(small_tables.path)
        own.probe_dtm(chess.Board("8/8/8/3k4/8/8/8/KN5N w - - 0 1"))
        before = maps.read_text().count("KNNvK.dtm")
        own.close()
        assert maps.read_text().count("KNNvK.dtm") == before - 1


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("threads", -1),
        ("threads", 1.5),
        ("threads", "2"),
        ("cache_bytes", -1),
        ("cache_bytes", None),
    ],
)
def test_impossible_options_get_a_sentence(small_tables: Folder, option: str, value: Any) -> None:
    """Negative or broken numbers of threads and bytes are told when the folder is opened."""
    options: dict[str, Any] = {option: value}
    with pytest.raises(BadOption, match=option):
        Tablebase(small_tables.path, **options)


@pytest.mark.parametrize(
    "bad",
    [
        f"8/8/8/3k4/8/2r5/8/KQ6 w - - {'9' * 5000} 1",
        f"8/8/8/3k4/8/2r5/8/KQ6 w - - 0 {'9' * 5000}",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 99999 1",
        "8/8/8/3k4/8/2r5/8/KQ6 w - - ² 1",
        "3k5/4P4/9/9/9/9/9/9/9/4K4 x " + "9" * 5000,
        "x" * 1_000_000,
        "/" * 9,
        "\0",
        "",
        None,
        b"8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1",
        7,
    ],
)
def test_a_bad_fen_is_one_bad_answer(tablebase: Tablebase, bad: Any) -> None:
    """The others are answered, and its error is short."""
    values, errors = tablebase.answer_fens([QUEEN_ROOK, bad, QUEEN_ROOK])
    assert values.plies.tolist() == [65, 0, 65]
    assert list(errors) == [1]
    assert isinstance(errors[1], BadFen)
    assert len(str(errors[1])) < 400


def test_a_long_line_of_rubbish_is_not_echoed(small_tables: Folder) -> None:
    """A megabyte in the place of a FEN gives a short sentence, and the next line is answered."""
    source = f"{'q' * 1_000_000}\n8/8/8/3k4/8/2r5/8/KQ6 w - - {'1' * 5000} 1\n{QUEEN_ROOK}\n"
    code, out, _ = run("probe", "--input", "-", folder=small_tables.path, stdin=source)
    first, second, third = answers(out)
    assert code == 2
    assert len(json.dumps(first)) < 1000 and len(json.dumps(second)) < 1000
    assert third["dtm"] == 65


def test_every_moment_of_the_clock_is_a_number_of_plies() -> None:
    """The clock is read from FENs as it stands, up to the 75-move rule."""
    assert FIFTY == 100
    board = parse_fen(LATE.format(150))
    assert isinstance(board, chess.Board) and board.halfmove_clock == 150
    with pytest.raises(UnmoveError):
        parse_fen(LATE.format(151))


def test_xiangqi_has_no_distance_to_zeroing(xiangqi_tables: Folder) -> None:
    """It is told so, and not advised to build what cannot be; a search goes on."""
    fen = "3k5/4P4/9/9/9/9/9/9/9/4K4 w"
    board = parse_fen(fen)
    with Tablebase(xiangqi_tables.path) as tables:
        assert tables.probe_wdl(board) == Outcome.WIN
        assert set(tables.moves(board)[0].codes) == {Metric.DTM, Metric.DTC}
        assert tables.get_dtz(board) is tables.get_wdl50(board) is UNKNOWN
        for ask in (tables.probe_dtz, tables.probe_wdl50, lambda board: tables.line(board, "dtz")):
            with pytest.raises(NoSuchMetric, match="no dtz in xiangqi"):
                ask(board)
    code, _, err = run("line", fen, "--metric", "dtz", folder=xiangqi_tables.path)
    assert (code, "unmove build" in err) == (2, False)
    code, out, _ = run("probe", "--input", "-", folder=xiangqi_tables.path, stdin=fen)
    assert (code, answers(out)[0]["dtm"], answers(out)[0]["dtz"]) == (0, 1, None)


@pytest.mark.parametrize("folder", [123, "", [""], [1], b"tables", True])
def test_what_is_no_folder_gets_a_sentence(folder: Any) -> None:
    """A number, bytes or an empty text in the place of a folder are told."""
    with pytest.raises(BadOption, match="folder"):
        Tablebase(folder)
