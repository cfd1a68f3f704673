"""Names the other way round, one way of counting a game, and queries as people type them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

import chess
import chess.pgn
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.cli.test_cli import answers
from tests.research.test_find import Seen
from tests.support.commands import run
from unmove import Metric, Tablebase
from unmove.cli.app import app
from unmove.cli.failures import exit_code, told
from unmove.errors import BadQuery, NoSuchMetric
from unmove.games.boards import AnyBoard, board_of, exchanged, rules_of
from unmove.games.rules import columns_of
from unmove.games.xiangqi_board import Board as XiangqiBoard
from unmove.kernels.arrays import Codes
from unmove.material import Material
from unmove.research.find import Finder
from unmove.research.histogram import by_moves
from unmove.research.plots import figure_of
from unmove.research.query import NESTING, QueryView, parse
from unmove.research.records import records
from unmove.research.scan import Scan
from unmove.research.zugzwang import ZUGZWANG_KINDS, count, zugzwangs
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import (
    BLACK,
    DRAW,
    SIDES,
    WHITE,
    Level,
    Outcome,
    Outcome50,
    Side,
    loss_code,
    moves_of,
    outcome50_of,
    win_code,
)

TURNED = ["KvKQ", "KRvKQ", "KPvKN", "xiangqi:KAvKP", "xiangqi:KPvKH"]
ENDGAMES = ["KQvKR", "KPvK", "KRvKN", "xiangqi:KPvKA", "xiangqi:KHvKP", "xiangqi:KPPvK"]


class Tables:
    """The tables of both games, each scanned and opened once."""

    def __init__(self, small: Folder, courts: Folder, stack: ExitStack) -> None:
        self.folders = small, courts
        self._subtables = [stack.enter_context(SubtableCache(folder)) for folder in self.folders]
        self._opened = [stack.enter_context(Tablebase(folder.path)) for folder in self.folders]
        self._scans: dict[str, Scan] = {}

    def folder(self, name: str) -> Folder:
        return self.folders[":" in name]

    def opened(self, name: str) -> Tablebase:
        return self._opened[":" in name]

    def scan(self, name: str) -> Scan:
        if name not in self._scans:
            subtables = self._subtables[":" in name]
            self._scans[name] = Scan(subtables, Material.as_written(name), Metric.DTM)
        return self._scans[name]

    def finder(self, name: str, where: str) -> Finder:
        return Finder(self.scan(name), parse(where))

    def count(self, name: str, where: str) -> int:
        return self.finder(name, where).count()

    def boards(self, name: str, where: str, sample: int = 0) -> list[AnyBoard]:
        finder = self.finder(name, where)
        found = finder.sample(sample, 1) if sample else finder.matches()
        return [note.board for some in found for note in finder.notes(some)]

    def ask(self, *arguments: str) -> tuple[str, str]:
        """What a command that ends well says, on standard output and error."""
        folder = self.folder(" ".join(arguments))
        done = CliRunner().invoke(app, [*arguments, "--dir", str(folder.path)])
        assert done.exit_code == 0, done.exception
        return done.stdout, done.stderr

    def answer(self, *arguments: str) -> dict[str, Any]:
        """The one object that it says as JSON."""
        (answer,) = answers(self.ask(*arguments, "--json")[0])
        return answer


@pytest.fixture(scope="module")
def tables(small_tables: Folder, court_tables: Folder) -> Iterator[Tables]:
    with ExitStack() as stack:
        yield Tables(small_tables, court_tables, stack)


def material_of(board: AnyBoard) -> Material:
    """The men of a board, the sides as they are."""
    if isinstance(board, XiangqiBoard):
        return Material.of(*(board.letters(side) for side in SIDES), game=rules_of(board).game)
    men = [piece.symbol() for piece in board.piece_map().values()]
    white = "".join(man for man in men if man.isupper() and man != "K")
    black = "".join(man.upper() for man in men if man.islower() and man != "k")
    return Material.of(white, black)


def swapped_fens(boards: list[AnyBoard]) -> set[str]:
    return {rules_of(board).swapped(board).fen() for board in boards}


# Names the other way round.


@pytest.mark.parametrize("name", TURNED)
def test_a_query_is_about_the_sides_as_they_are_written(tables: Tables, name: str) -> None:
    """What is found for a name the other way round has its colours, and is true when probed."""
    written = Material.as_written(name)
    twins: dict[str, Callable[[Seen], bool]] = {
        "black wins": lambda s: s.outcome == (Outcome.LOSS if s.white else Outcome.WIN),
        "wtm and not check": lambda s: s.white and not s.is_check,
        "btm win or draw": lambda s: s.outcome == 0 or (not s.white and s.outcome == 1),
    }
    for where, true in twins.items():
        boards = tables.boards(name, where, sample=20)
        assert len(boards) == 20
        for board in boards:
            assert material_of(board) == written
            assert true(Seen(tables.opened(name), board)), board.fen()


@pytest.mark.parametrize("name", ["KNvKR", "xiangqi:KAvKP"])
def test_both_orders_of_a_name_find_the_same_with_colours_exchanged(
    tables: Tables, name: str
) -> None:
    """Every position found has its twin under the other name, by the query with other colours."""
    other = str(Material.as_written(name).swapped())
    for where, reverse in (
        ("black wins and dtm >= max - 2", "white wins and dtm >= max - 2"),
        ("wtm win only move", "btm win only move"),
        ("zugzwang and wtm", "zugzwang and btm"),
    ):
        found, twins = tables.boards(name, where), tables.boards(other, reverse)
        assert {board.fen() for board in found} == swapped_fens(twins)
        assert len(found) == len(twins) == tables.count(name, where)


def test_find_counts_the_colours_of_the_name_given(tables: Tables) -> None:
    """In KvKQ it is Black that wins, with FENs and comments that say so."""
    wins = {}
    for name in ("KvKQ", "KQvK"):
        for side in ("white", "black"):
            answer = tables.answer("find", name, "--where", f"{side} wins", "--count")
            assert answer["material"] == name
            wins[name, side] = answer["positions"]
    assert wins["KvKQ", "black"] == wins["KQvK", "white"] == 43_241
    assert wins["KvKQ", "white"] == wins["KQvK", "black"] == 0
    out, _ = tables.ask("find", "KvKQ", "--where", "black wins", "--limit", "9", "--epd")
    assert len(out.splitlines()) == 9
    for line in out.splitlines():
        board, operations = chess.Board.from_epd(line)
        value = tables.opened("KvKQ").probe_dtm(board)
        mover, word = ("White", "loses") if board.turn else ("Black", "wins")
        assert board.queens & board.occupied_co[chess.BLACK] and value is not None
        assert operations["c0"] == f"{mover} to move {word}: mate in {abs(value)} plies"


def test_statistics_are_labelled_as_the_name_is_written(tables: Tables, tmp_path: Path) -> None:
    """`stats KRvKQ` is that of KQvKR with colours exchanged; its FENs, PGN and lines probe true."""
    pgn, text = tmp_path / "a.pgn", tmp_path / "a.txt"
    turned = tables.answer("stats", "KRvKQ", "--pgn", str(pgn), "--lines", str(text))
    plain = tables.answer("stats", "KQvKR")
    assert (turned["material"], plain["material"]) == ("KRvKQ", "KQvKR")
    assert turned["complexity"] == plain["complexity"]
    shown = turned["counts"], turned["counts50"], *turned["histogram"].values()
    stored = plain["counts"], plain["counts50"], *plain["histogram"].values()
    for one, other in zip(shown, stored, strict=True):
        assert one == {"wtm": other["btm"], "btm": other["wtm"]}
    for metric in Metric:
        for which, fen in turned["longest"][metric].items():
            winner, _, turn = which.split("_")
            board = chess.Board(fen)
            value = getattr(tables.opened("KRvKQ"), f"probe_{metric}")(board)
            assert (board.turn, value > 0) == (turn == "wtm", turn[0] == winner[0])
            assert moves_of(value) == turned[f"max_{metric}_moves"][f"{winner}_wins"][turn]
            assert board.rooks & board.occupied_co[chess.WHITE]
    with pgn.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert len(games) == text.read_text().count("KRvKQ dtm. ") == 4
    for game in games:
        assert game.headers["Event"].startswith("KRvKQ, ")
        assert game.headers["Result"] == game.end().board().result()


def test_tables_and_plots_are_labelled_as_the_name_is_written(tables: Tables) -> None:
    """The counts that are shown and drawn are those of the side that the name has first."""
    written = Material.as_written("KvKQ")
    with tables.folder("KvKQ").open(written.canonical(), Metric.DTM) as file:
        summary = file.summary_as(written)
        assert summary.legal == file.summary.legal[::-1]
    out, _ = tables.ask("stats", "KvKQ")
    rows = [line.split()[:3] for line in out.splitlines()]
    white, black = (summary.counts(side) for side in SIDES)
    assert ["White", f"{white['legal']:,}", "0"] in rows and out.startswith("KvKQ: 3 men, simple. ")
    assert ["Black", f"{black['legal']:,}", f"{black['win']:,}"] in rows
    assert "Black wins, White to move:  10 moves" in out and "White wins" not in out
    panel, other = figure_of(summary, written, Metric.DTM).axes
    assert f"White to move: {white['legal']:,} positions" in panel.get_title(loc="left")
    assert [bar.get_height() for bars in other.containers for bar in bars] == list(
        by_moves(summary, Metric.DTM)[BLACK, Outcome.WIN].values()
    )
    assert {record.winner for record in records(summary, written, Metric.DTM)} == {BLACK}


@pytest.mark.parametrize("name", ["KNvKR", "KPvKN", "xiangqi:KPvKH"])
def test_zugzwangs_are_named_for_the_sides_as_written(tables: Tables, name: str) -> None:
    """The kinds of a name the other way round are exchanged, and each position probes true."""
    written = Material.as_written(name)
    plain, scan = count(tables.scan(str(written.canonical()))), tables.scan(name)
    exchange = {"full": "full", "white": "black", "black": "white"}
    assert count(scan) == {exchange[kind]: number for kind, number in plain.items()}
    assert sum(plain.values()) > 0
    listed = list(zugzwangs(scan))
    assert {kind: [z.kind for z in listed].count(kind) for kind in ZUGZWANG_KINDS} == count(scan)
    for zugzwang in random.Random(1).sample(listed, 12):
        board = zugzwang.note(scan).board
        seen = Seen(tables.opened(name), board)
        assert material_of(board) == written and seen.white and seen.passed is not None
        assert (int(seen.outcome), int(seen.passed)) == ZUGZWANG_KINDS[zugzwang.kind]


@pytest.mark.parametrize("name", ["KRvKQ", "KvKPP", "KQvK", "xiangqi:KAvKP", "xiangqi:KPvKA"])
def test_whole_tables_come_with_the_sides_as_written(tables: Tables, name: str) -> None:
    """Columns, squares and turns of a batch are those of the name, and probe to its values."""
    written, opened = Material.as_written(name), tables.opened(name)
    batch = opened.to_numpy(name)
    assert (batch.material, batch.columns) == (written, columns_of(written))
    squares, turns = batch.squares, batch.turns
    if written != written.canonical():
        squares, turns = exchanged(squares, written), 1 - turns
    again = opened.probe_many(written.canonical(), squares, turns)
    assert np.array_equal(again.codes, batch.values.codes)
    rows = np.random.default_rng(1).integers(0, len(batch), 60).tolist()
    boards = [board_of(written, batch.squares[i].tolist(), Side(int(batch.turns[i]))) for i in rows]
    assert all(material_of(board) == written for board in boards)
    assert np.array_equal(opened.probe_boards(boards).codes, batch.values.codes[rows])
    seen: list[int] = []
    opened.for_each(name, lambda part: seen.append(len(part) * (part.material == written)))
    assert sum(seen) == len(batch) == sum(map(len, opened.batches(written)))


@pytest.mark.parametrize("name", ["KRvKQ", "KvKB", "xiangqi:KAvKP"])
def test_the_kind_of_an_endgame_does_not_depend_on_the_order(name: str) -> None:
    """Trivial, simple, complex: the same for both names."""
    written = Material.as_written(name)
    assert written.complexity == written.canonical().complexity


# Counting.


@pytest.mark.parametrize("name", ENDGAMES)
def test_find_counts_what_the_statistics_count(tables: Tables, name: str) -> None:
    """For each side to move and outcome `find --count` is the number that `stats` has."""
    with tables.folder(name).open(Material.parse(name), Metric.DTM) as file:
        summary = file.summary
    for side, turn in enumerate(("wtm", "btm")):
        for outcome in Outcome:
            expected = summary.counts(Side(side))[outcome.word]
            assert tables.count(name, f"{turn} {outcome.word}") == expected


def mirror_image(fen: str) -> str:
    men, *rest = fen.split()
    return " ".join(["/".join(rank[::-1] for rank in men.split("/")), *rest])


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("KPvKP", "zugzwang"),
        ("KRvKN", "dtm >= max - 6"),
        ("xiangqi:KPvKA", "wtm or btm"),
        ("xiangqi:KHvKP", "wtm zugzwang"),
        ("xiangqi:KPPvK", "dtm == max or btm only move and dtm > 8"),
    ],
)
def test_as_many_distinct_positions_are_listed_as_counted(
    tables: Tables, name: str, where: str
) -> None:
    """No FEN comes twice, and in xiangqi each comes with its mirror image."""
    fens = [board.fen() for board in tables.boards(name, where)]
    assert len(set(fens)) == len(fens) == tables.count(name, where) > 50
    if ":" in name:
        assert {mirror_image(fen) for fen in fens} == set(fens)


def test_zugzwangs_of_xiangqi_come_with_their_mirror_images(tables: Tables) -> None:
    """As many are listed as are counted, and the mirror image of each is one of them."""
    scan = tables.scan("xiangqi:KHvKP")
    fens = [found.note(scan).fen for found in zugzwangs(scan)]
    assert len(set(fens)) == len(fens) == sum(count(scan).values()) > 0
    assert {mirror_image(fen) for fen in fens} == set(fens)


def test_a_sample_of_xiangqi_is_reproducible_and_has_both_images(tables: Tables) -> None:
    """The same seed draws the same, nothing twice, and from both images of a position."""
    everything = {board.fen() for board in tables.boards("xiangqi:KPvKA", "btm loss")}
    one, same = (
        [board.fen() for board in tables.boards("xiangqi:KPvKA", "btm loss", sample=200)]
        for _ in range(2)
    )
    assert one == same and len(set(one)) == 200 and set(one) <= everything
    assert set(one) & {mirror_image(fen) for fen in one}


def test_samples_of_chess_are_what_they_were(tables: Tables) -> None:
    """A seed draws the positions that it drew in version 0.1.0."""
    finder = tables.finder("KRvKN", "zugzwang")
    assert [note.fen for some in finder.sample(4, 7) for note in finder.notes(some)] == [
        "8/8/8/8/2k1K3/3R4/8/5n2 w - - 0 1",
        "8/8/8/8/8/2RK4/8/n2k4 b - - 0 1",
        "8/8/8/8/8/3RK3/8/1n2k3 b - - 0 1",
        "8/8/8/8/3R4/2K1k3/1n6/8 b - - 0 1",
    ]


def test_every_count_says_how_it_is_counted(tables: Tables) -> None:
    """`stats`, `find --count` and `zugzwangs` state their game's convention, also as JSON."""
    for name, words in (
        ("KPvK", "modulo the symmetries of the board"),
        ("xiangqi:KPvKA", "Mirror images are counted apart"),
    ):
        where = ["find", name, "--where", "draw", "--count"]
        assert words in tables.ask("stats", name)[0]
        assert words in tables.ask("zugzwangs", name)[0]
        number, said = tables.ask(*where)
        assert int(number) > 0 and words in said and len(said.splitlines()) == 1
        for arguments in (["stats", name], where, ["zugzwangs", name]):
            assert words in tables.answer(*arguments)["counted"], arguments


def test_full_zugzwangs_of_equal_sides_are_pairs_of_twins(tables: Tables) -> None:
    """Of KPvKP's 30 none is its own twin with the colours reversed; the output says 15."""
    out, _ = tables.ask("zugzwangs", "KPvKP", "KNvKP")
    assert "KPvKP has equal sides, so each position stands beside its twin" in out
    assert "30 full-point zugzwangs are 15 and their twins." in out and "KNvKP has" not in out
    scan = tables.scan("KPvKP")
    boards = [chess.Board(z.note(scan).fen) for z in zugzwangs(scan) if z.kind == "full"]

    def known(board: chess.Board) -> str:
        return min(board.board_fen(), board.transform(chess.flip_horizontal).board_fen())

    pairs = {frozenset((known(board), known(board.mirror()))) for board in boards}
    assert (len(boards), len(pairs)) == (30, 15) and all(len(pair) == 2 for pair in pairs)


# Queries as people type them.


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("dtm = 5", "dtm == 5"),
        ("dtm <> 5", "dtm != 5"),
        ("3 < dtm < 7", "dtm > 3 and dtm < 7"),
        ("7>=dtm", "dtm <= 7"),
        ("max - 4 <= moves <= max - 2 wtm", "wtm moves >= max - 4 and moves <= max - 2"),
        ("5 = dtm != 3", "dtm == 5"),
        ("white to move", "wtm"),
        ("Black to move and draw", "btm draw"),
        ("red to move red wins", "wtm white wins"),
        ("mutual zugzwang", "zugzwang"),
        ("win && !(dtm > 5) || checkmate", "win and not dtm > 5 or mate"),
        ("mate in 3", "win and moves == 3"),
        ("mates in max", "win and moves == max"),
        ("mated in 2", "loss and moves == 2"),
        ("mated in 0", "mate"),
        ("in check", "check"),
        ("dtm < 99999999999999999999", "win or loss"),
        ("dtm == 0000000000000000000005", "dtm == 5"),
        ("not " * NESTING + "win", "win"),
        ("(" * NESTING + "win" + ")" * NESTING, "win"),
    ],
)
@pytest.mark.parametrize("name", ["KRvKN", "xiangqi:KPvKA"])
def test_what_people_type_means_what_they_mean(
    tables: Tables, name: str, typed: str, plain: str
) -> None:
    """Each way to say it finds the same positions as the plain one."""
    found = [
        [(m.side, m.index.tolist()) for m in tables.finder(name, where).matches() if len(m)]
        for where in (typed, plain)
    ]
    assert found[0] == found[1]
    assert found[0] or "zugzwang" in typed


def test_mate_in_is_a_mate_of_the_side_to_move(tables: Tables) -> None:
    """`mate in 3`: it mates with its third move; `mated in 3`: it is mated by the other's third."""
    for where, value in (("mate in 3", 5), ("mated in 3", -6)):
        boards = tables.boards("KQvKR", where, sample=20)
        assert len(boards) == 20
        assert all(tables.opened("KQvKR").probe_dtm(board) == value for board in boards)


def test_cursed_wins_and_blessed_losses_have_names() -> None:
    """Both ask for DTZ, and are true of what the 50-move rule makes a draw."""
    codes = np.array(
        [DRAW, *(code(Level(100 + n)) for n in (0, 1, 7) for code in (win_code, loss_code))]
    )
    for words, outcomes in (
        ("cursed win", {Outcome50.CURSED_WIN}),
        ("blessed loss", {Outcome50.BLESSED_LOSS}),
        ("cursed", {Outcome50.CURSED_WIN, Outcome50.BLESSED_LOSS}),
        ("win not cursed", {Outcome50.WIN}),
    ):
        query = parse(words)
        view = QueryView(
            WHITE, Metric.DTZ, Codes(codes.astype(np.uint16)), np.zeros(len(codes), np.bool_), {}
        )
        found = query.test(view)[0].tolist()
        assert query.metrics == {Metric.DTZ}
        assert found == [outcome50_of(code) in outcomes for code in codes.tolist()] and any(found)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("dtm == max - 1", "odd number of plies"),
        ("win and dtm == 4", "odd number of plies"),
        ("loss dtm = 5 and check", "odd number of plies"),
        ("wtm win and dtm > max", "so far off. `max` in plies: White to move, win 69, loss 36"),
        ("moves == 1000", "Black to move, win 37, loss 70"),
        ("dtm == " + "9" * 5000, "Black to move, win 37, loss 70"),
        ("mate in 0", "a win takes at least one ply"),
        ("draw and dtm > 3", "A draw has no distance"),
    ],
)
def test_what_can_never_match_is_answered_with_a_hint(
    tables: Tables, where: str, words: str
) -> None:
    """Nothing is found, and a sentence says why."""
    finder = tables.finder("KQvKR", where)
    assert finder.count() == 0
    assert words in (finder.hint() or "")


@pytest.mark.parametrize("where", ["dtm == max - 2", "dtm == 4", "stalemate and wtm"])
def test_what_may_match_gets_no_hint(tables: Tables, where: str) -> None:
    """Whoever may find something, or asks for no distance, is told nothing."""
    assert tables.finder("KQvKR", where).hint() is None


def test_a_hint_stands_beside_the_answer(tables: Tables) -> None:
    """Zero, and the hint on standard error, or as a field."""
    where = ["find", "KRvK", "--where", "dtm == max - 1"]
    for arguments, zero in ((where, ""), ([*where, "--count"], "0\n")):
        out, said = tables.ask(*arguments)
        assert out == zero and "odd number of plies" in said
    answer = tables.answer(*where, "--count")
    assert answer["positions"] == 0 and "odd number" in answer["hint"]
    out, said = tables.ask(*where, "--json")
    assert out == "" and "odd number" in json.loads(said)["hint"]


@pytest.mark.parametrize("depth", [NESTING + 1, 400, 100_000])
@pytest.mark.parametrize("opening", ["(", "not ", "!", "(not "])
def test_a_query_too_deep_is_told_the_limit(opening: str, depth: int) -> None:
    """However deep, a sentence that is short and comes quickly."""
    start = perf_counter()
    with pytest.raises(BadQuery, match=f"at most {NESTING} deep") as error:
        parse(opening * depth + "win" + ")" * depth * opening.count("("))
    assert perf_counter() - start < 5
    assert len(str(error.value)) < 500


def test_deep_nesting_ends_the_command_with_a_sentence(small_tables: Folder) -> None:
    """400 parentheses: exit code 2, one line."""
    where = "(" * 400 + "win" + ")" * 400
    code, out, said = run("find", "KPvK", "--where", where, folder=small_tables.path)
    assert (code, out, len(said.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("x", "The query 'x' is not understood at 'x': 'x' is no word of queries"),
        ("", "The query '' ends too early: write, for example"),
        ("win and", "The query 'win and' ends too early: a word is expected here"),
        ("win)", "is not understood at ')': there is no ( for this )"),
        ("(win", "ends too early: a ) is missing"),
        ("dtm 5", "is not understood at '5': dtm must be compared, as in 3 <= dtm <= 7"),
        ("dtm == -5", "at '-5': a number of plies or max is expected; distances have no sign"),
        ("3 < win", "at 'win': a distance is expected: dtm, dtc, dtz or moves"),
        ("5", "ends too early: a number must be compared"),
        ("mate in check", "at 'check': a number of moves or max is expected"),
        ("a" * 10_000, "aaa ... aaaaaaaaaaaaaaaaaaaa' is no word of queries"),
        ("win; loss", "'; loss': ';' is no part of any query"),
    ],
)
def test_a_mistake_in_a_query_is_told_in_plain_english(where: str, said: str) -> None:
    """What is wrong, where, and what would be right."""
    with pytest.raises(BadQuery) as error:
        parse(where)
    assert said in str(error.value)


def test_xiangqi_has_no_cursed_wins_to_build(tables: Tables) -> None:
    """A sentence about the 50-move rule and exit code 2, no advice to build what is refused."""
    folder, name = str(tables.folder("xiangqi:").path), "xiangqi:KHvKP"
    for arguments in (
        ["find", name, "--where", "cursed"],
        ["find", name, "--where", "win", "--metric", "dtz"],
        ["stats", name, "--metric", "dtz"],
        ["export", name, "--metric", "dtz", "--output", "never.csv"],
    ):
        error = CliRunner().invoke(app, [*arguments, "--dir", folder]).exception
        assert isinstance(error, NoSuchMetric) and exit_code(error) == 2
        assert "50-move rule" in told(error) and "build" not in told(error)


# Red and Black.


def test_xiangqi_is_shown_with_red_and_black(tables: Tables, tmp_path: Path) -> None:
    """Comments, headings, titles and lines say Red; the names of fields stay white and black."""
    name, lines = "xiangqi:KHvKP", tmp_path / "lines.txt"
    found, _ = tables.ask("find", name, "--where", "red to move win", "--limit", "2", "--epd")
    shown, _ = tables.ask("stats", name, "--lines", str(lines))
    counted, _ = tables.ask("zugzwangs", name)
    listed, _ = tables.ask("zugzwangs", name, "--list")
    for text in (found, shown, lines.read_text(), counted, listed):
        assert "Red" in text and "White" not in text
    assert "half, Red wins" in counted and "Red to move" in listed
    assert set(ZUGZWANG_KINDS) <= set(tables.answer("zugzwangs", name))
    assert {"white_wins", "black_wins"} == set(tables.answer("stats", name)["max_dtm_moves"])
    with tables.folder(name).open(Material.parse(name), Metric.DTM) as file:
        panels = figure_of(file.summary, Material.parse(name), Metric.DTM).axes
    assert [panel.get_title(loc="left").split()[0] for panel in panels] == ["Red", "Black"]
