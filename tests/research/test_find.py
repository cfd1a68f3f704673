"""Finding positions by a query: the same as looking at every board, one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property

import chess
import numpy as np
import pytest

from tests.support.commands import run
from unmove import Metric, Tablebase
from unmove.errors import BadQuery, IllegalPosition
from unmove.games.boards import AnyBoard, parse_fen, rules_of
from unmove.material import Material
from unmove.research.find import Finder, Matches
from unmove.research.query import parse
from unmove.research.scan import Scan
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import SIDES, Outcome, moves_of


@dataclass(frozen=True)
class Seen:
    """One board, looked at by probing: the plain twin of a query's view."""

    tables: Tablebase
    board: AnyBoard

    @cached_property
    def outcome(self) -> Outcome:
        return self.tables.probe_wdl(self.board)

    @cached_property
    def dtm(self) -> int:
        value = self.tables.probe_dtm(self.board)
        return -1 if value is None else abs(value)

    @cached_property
    def moves(self) -> int:
        value = self.tables.probe_dtm(self.board)
        return -1 if value is None else moves_of(value)

    @cached_property
    def passed(self) -> Outcome | None:
        """What the side to move would have if the other one were; None if that is illegal."""
        fields = self.board.fen().split()
        fields[1] = "b" if fields[1] == "w" else "w"
        try:
            return Outcome(-self.tables.probe_wdl(parse_fen(" ".join(fields))))
        except IllegalPosition:
            return None

    @property
    def white(self) -> bool:
        return rules_of(self.board).side(self.board) == 0

    @property
    def stake(self) -> int:
        """Half points that having the move costs."""
        return 0 if self.passed is None else self.passed - self.outcome

    @cached_property
    def keeping(self) -> list[str]:
        """The moves that keep a win or a draw."""
        if self.outcome is Outcome.LOSS:
            return []
        ranked = self.tables.moves(self.board)
        return [str(move.move) for move in ranked if move.outcome is self.outcome]

    @property
    def only(self) -> bool:
        return len(self.keeping) == 1 and len(rules_of(self.board).moves(self.board)) > 1

    @property
    def underpromotion(self) -> bool:
        return bool(self.keeping) and all(move[4:] in ("r", "b", "n") for move in self.keeping)

    @property
    def is_check(self) -> bool:
        return rules_of(self.board).is_check(self.board)

    @property
    def is_stuck(self) -> bool:
        return not rules_of(self.board).moves(self.board)


TWINS: dict[str, Callable[[Seen], bool]] = {
    "wtm win": lambda s: s.white and s.outcome > 0,
    "BTM and not (win or draw)": lambda s: not s.white and s.outcome < 0,
    "white wins and btm": lambda s: not s.white and s.outcome < 0,
    "black wins or draw and wtm": lambda s: (
        (s.outcome != 0 and (s.outcome > 0) != s.white) or (s.outcome == 0 and s.white)
    ),
    "dtm > 6 and dtm <= 13 or dtm == 0": lambda s: 6 < s.dtm <= 13 or s.dtm == 0,
    "moves != 4 and not draw": lambda s: s.outcome != 0 and s.moves != 4,
    "zugzwang": lambda s: s.stake > 0,
    "half zugzwang": lambda s: s.stake == 1,
    "full zugzwang": lambda s: s.stake == 2,
    "check and not win": lambda s: s.is_check and s.outcome <= 0,
    "not check and dtm < 5": lambda s: not s.is_check and 0 <= s.dtm < 5,
    "only move": lambda s: s.only,
    "win not only move": lambda s: s.outcome > 0 and not s.only,
    "underpromotion": lambda s: s.underpromotion,
    "stalemate": lambda s: s.is_stuck and s.outcome == 0,
    "mate": lambda s: s.is_stuck and s.outcome < 0,
}


@contextmanager
def _finder(folder: Folder, name: str, where: str, metric: Metric = Metric.DTM) -> Iterator[Finder]:
    with SubtableCache(folder) as subtables:
        yield Finder(Scan(subtables, Material.parse(name), metric), parse(where))


def _found(folder: Folder, name: str, where: str, metric: Metric = Metric.DTM) -> list[str]:
    with _finder(folder, name, where, metric) as finder:
        return [note.fen for some in finder.matches() for note in finder.notes(some)]


@dataclass(frozen=True)
class SolverBackend:
    """A table to be asked many queries, and 200 of all its positions."""

    tables: Tablebase
    scan: Scan

    @cached_property
    def everything(self) -> list[tuple[Matches, Seen]]:
        finder = Finder(self.scan, parse("wtm or btm"))
        return [
            (some.where(np.array([i])), Seen(self.tables, note.board))
            for some in finder.sample(200, 1)
            for i, note in enumerate(finder.notes(some))
        ]

    def check(self, where: str) -> None:
        """These positions are found or not as the twin says, and 60 of those found are right."""
        true, finder = TWINS[where], Finder(self.scan, parse(where))
        found = list(finder.matches())
        asked = [some.index[0] for some, _ in self.everything]
        here = {
            (some.side, index)
            for some in found
            for index in some.index[np.isin(some.index, asked)].tolist()
        }
        for some, seen in self.everything:
            assert ((some.side, some.index[0]) in here) == true(seen), seen.board.fen()
        for some in found:
            few = np.random.default_rng(1).permutation(len(some))[: 1 + 60 // len(found)]
            for note in finder.notes(some.where(few)):
                assert true(Seen(self.tables, note.board)), note.fen


@pytest.fixture(scope="module")
def backend(small_tables: Folder, court_tables: Folder) -> Iterator[Callable[[str], SolverBackend]]:
    """The grounds of both games, each made once."""
    with ExitStack() as stack:

        @cache
        def made(name: str) -> SolverBackend:
            folder = court_tables if ":" in name else small_tables
            tables = stack.enter_context(Tablebase(folder.path))
            subtables = stack.enter_context(SubtableCache(folder))
            return SolverBackend(tables, Scan(subtables, Material.parse(name), Metric.DTM))

        yield made


@pytest.mark.parametrize("where", TWINS)
@pytest.mark.parametrize("name", ["KPvK", "KRvKN", "KPvKP", "xiangqi:KPvKA", "xiangqi:KHvKP"])
def test_a_query_finds_what_boards_say(
    backend: Callable[[str], SolverBackend], name: str, where: str
) -> None:
    """A board is found if and only if the query is true of it, probed by itself."""
    backend(name).check(where)


def test_the_longest_wins_are_those_of_the_statistics(small_tables: Folder) -> None:
    """`max` is the longest for the side to move and the outcome, and there are so many of them."""
    with small_tables.open(Material.parse("KQvKR"), Metric.DTM) as file:
        histogram = file.summary.histogram
    for where, side, code in (
        ("wtm win and dtm == max", 0, max(c for c in histogram[0] if c % 2)),
        ("btm loss moves == max", 1, max(c for c in histogram[1] if c % 2 == 0)),
        ("btm win and dtm > max - 1", 1, max(c for c in histogram[1] if c % 2)),
    ):
        assert len(_found(small_tables, "KQvKR", where)) == histogram[side][code]


def test_cursed_wins_are_told_by_dtz(small_tables: Folder) -> None:
    """What the 50-move rule spoils is what the statistics count."""
    with small_tables.open(Material.parse("KNvKP"), Metric.DTZ) as file:
        counts = [file.summary.counts50(side) for side in SIDES]
    cursed = sum(each["cursed_win"] + each["blessed_loss"] for each in counts)
    assert len(_found(small_tables, "KNvKP", "cursed", Metric.DTZ)) == cursed


def test_the_knight_that_saves_is_found(tablebase: Tablebase) -> None:
    """Nothing but b1=N+ stops this mate; Saavedra's rook can wait, as the king may go back."""
    needed = chess.Board("8/8/8/8/8/2K5/1p5R/2k5 b - - 0 1")
    saavedra = chess.Board("8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1").mirror()
    found = set(_found(tablebase.folder, "KPvKR", "underpromotion"))
    for board, there in ((needed, True), (saavedra, False)):
        images = {board.fen(), board.transform(chess.flip_horizontal).fen()}
        assert bool(images & found) == there


def test_each_position_is_found_once(tablebase: Tablebase) -> None:
    """All positions are as many as the statistics count, modulo symmetry."""
    for name in ("KQvKR", "KBBvK", "KPPvK"):
        with tablebase.folder.open(Material.parse(name), Metric.DTM) as file:
            legal = sum(file.summary.legal)
        code, out, _ = run(
            "find", name, "--where", "wtm or btm", "--count", folder=tablebase.folder.path
        )
        assert (code, int(out)) == (0, legal)


def test_epd_is_read_back(small_tables: Folder) -> None:
    """python-chess reads the EPD, its comment and the mate it announces."""
    where = ["--where", "win and dtm >= max - 2"]
    code, out, _ = run("find", "KQvKR", *where, "--epd", folder=small_tables.path)
    assert code == 0
    with Tablebase(small_tables.path) as tables:
        for line in out.splitlines():
            board, operations = chess.Board.from_epd(line)
            assert board.is_valid()
            value = tables.probe_dtm(board)
            assert value is not None and operations["dm"] == moves_of(value)
            assert f"{value} plies" in str(operations["c0"])


def test_fen_and_json_are_read_back(small_tables: Folder) -> None:
    """The same positions come as FENs and as JSON, in the same order, as many as the limit."""
    arguments = ["find", "KPvK", "--where", "draw", "--limit", "7"]
    _, fens, _ = run(*arguments, folder=small_tables.path)
    _, rows, _ = run(*arguments, "--json", folder=small_tables.path)
    boards = [chess.Board(fen) for fen in fens.splitlines()]
    assert len(boards) == 7 and all(board.is_valid() for board in boards)
    assert [json.loads(row)["fen"] for row in rows.splitlines()] == fens.splitlines()


def test_a_sample_depends_on_its_seed_alone(small_tables: Folder) -> None:
    """A sample is part of what is found, without repetition, the same for all threads."""
    arguments = ["find", "KPvK", "--where", "btm draw", "--sample", "50"]
    texts = [
        run(*arguments, "--seed", seed, "--threads", threads, folder=small_tables.path)[1]
        for seed, threads in (("1", "1"), ("1", "2"), ("2", "1"))
    ]
    assert texts[0] == texts[1] != texts[2]
    sample = texts[0].splitlines()
    assert len(set(sample)) == 50
    assert set(sample) <= set(_found(small_tables, "KPvK", "btm draw"))


def test_a_sample_is_even(small_tables: Folder) -> None:
    """Every match is drawn about as often as another."""
    with SubtableCache(small_tables) as subtables:
        finder = Finder(Scan(subtables, Material.parse("KRvKN"), Metric.DTM), parse("zugzwang"))
        samples = [finder.sample(12, seed) for seed in range(40)]
        drawn = [(m.side, int(at)) for sample in samples for m in sample for at in m.index]
        matches = [(some.side, int(at)) for some in finder.matches() for at in some.index]
    assert len(matches) == 36 and set(drawn) == set(matches)
    assert all(3 <= drawn.count(each) <= 28 for each in matches)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 0),
        ("wtm wins", 4),
        ("wtm and", 7),
        ("dtm max", 4),
        ("dtm == -5", 7),
        ("(win or draw", 12),
        ("win)", 3),
        ("dtm == 5 $ win", 9),
        ("not", 3),
        ("dtm == max -", 12),
        ("__import__('os')", 0),
    ],
)
def test_a_wrong_query_is_told_its_place(text: str, place: int, small_tables: Folder) -> None:
    """One sentence, exit code 2, and where the mistake is."""
    with pytest.raises(BadQuery) as error:
        parse(text)
    assert error.value.place == place
    code, out, said = run("find", "KPvK", "--where", text, folder=small_tables.path)
    assert (code, out, len(said.splitlines())) == (2, "", 1)


def test_other_mistakes_have_their_exit_codes(small_tables: Folder) -> None:
    """Two metrics at once are refused, and so is a table that is not there."""
    folder = small_tables.path
    assert run("find", "KPvK", "--where", "dtm == 5 and dtz == 3", folder=folder)[0] == 2
    assert run("find", "KPvK", "--where", "cursed", "--metric", "dtm", folder=folder)[0] == 2
    assert run("find", "KPPvKP", "--where", "win", folder=folder)[0] == 3
