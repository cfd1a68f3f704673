"""Tables with files of Syzygy beside them, which answer for outcomes."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import chess
import pytest

from tests.conftest import linked
from tests.support.syzygy import write
from unmove import UNKNOWN, Outcome, Outcome50, Tablebase, open_tables
from unmove.errors import BadOption, IllegalPosition, MissingTable, NoOtherFiles, NothingAsked
from unmove.games.xiangqi_board import Board
from unmove.interop.syzygy.tablebase import SyzygyTablebase
from unmove.kernels.syzygy import tables as kinds
from unmove.store.folder import Folder

ROOK = "8/8/8/8/8/k7/8/KR6 w - - {} 1"
DRAWN = "7K/8/8/8/8/8/1kR5/8 b - - {} 1"


@pytest.fixture(scope="module")
def syzygy(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """The files of a rook and of a pawn."""
    place = tmp_path_factory.mktemp("syzygy")
    for name in ("KRvK", "KQvK", "KPvK"):
        write(place, name, kinds.OUTCOMES, tablebase)
    return place


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder without tables."""
    return tmp_path_factory.mktemp("nothing")


def boards(letters: str, number: int) -> list[chess.Board]:
    """Random legal boards with these men."""
    rng, found = random.Random(letters), list[chess.Board]()
    while len(found) < number:
        board = chess.Board(None)
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            found.append(board)
    return found


@pytest.mark.parametrize("letters", ["KkR", "Kkr", "KkP", "Kkp"])
def test_outcomes_are_those_of_our_tables(
    syzygy: Path, nothing: Path, tablebase: Tablebase, letters: str
) -> None:
    """Without a table of ours, both kinds of outcome are right, and distances are unknown."""
    with open_tables(nothing, syzygy=syzygy) as tables:
        for board in boards(letters, 200):
            assert tables.probe_wdl(board) == tables.get_wdl(board) == tablebase.probe_wdl(board)
            assert tables.probe_wdl50(board) == tablebase.probe_wdl50(board)
            assert tables.get_wdl50(board) == tablebase.probe_wdl50(board)
            assert tables.get_dtm(board) is UNKNOWN


def test_a_clock_needs_our_distances(small_tables: Folder, syzygy: Path, nothing: Path) -> None:
    """With a running clock only a draw is answered without the DTZ table."""
    board, drawn = chess.Board(ROOK.format(90)), chess.Board(DRAWN.format(90))
    with open_tables(nothing, syzygy=syzygy) as tables:
        with pytest.raises(MissingTable):
            tables.probe_wdl50(board)
        assert tables.get_wdl50(board) is UNKNOWN
        assert tables.probe_wdl(board) is Outcome.WIN
        assert tables.probe_wdl50(drawn) is Outcome50.DRAW
    with open_tables(small_tables.path, syzygy=syzygy) as tables:
        assert tables.probe_wdl50(board) is Outcome50.CURSED_WIN
        board.halfmove_clock = 1
        assert tables.probe_wdl50(board) is Outcome50.WIN


def test_our_tables_answer_for_the_rest(
    small_tables: Folder, xiangqi_tables: Folder, syzygy: Path, tmp_path: Path
) -> None:
    """Endgames without such a file, and another game, are answered by the tables."""
    with open_tables([small_tables.path, xiangqi_tables.path], syzygy=syzygy) as tables:
        for board in boards("KkBN", 20):
            assert tables.probe_wdl(board) is tables.probe(board).outcome
        assert tables.probe_wdl(Board.parse("3k5/4P4/9/9/9/9/9/9/9/4K4 w")) is Outcome.WIN
    folder = linked(tmp_path, small_tables, "KRvK")
    with open_tables(folder.path, syzygy=syzygy) as tables:
        assert tables.probe_wdl(chess.Board(ROOK.format(0))) is Outcome.WIN
        with pytest.raises(MissingTable):
            tables.probe_dtm(chess.Board(ROOK.format(0)))


def test_the_files_are_asked_first(
    small_tables: Folder, syzygy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a file answers is not looked up in a table."""
    asked = []
    probe = SyzygyTablebase.probe_wdl

    def watched(self: SyzygyTablebase, board: chess.Board) -> int:
        asked.append(board)
        return probe(self, board)

    monkeypatch.setattr(SyzygyTablebase, "probe_wdl", watched)
    with open_tables(small_tables.path, syzygy=syzygy) as tables:
        some = boards("KkR", 10)
        for board in some:
            tables.probe_wdl(board)
        assert asked == some
        assert tables.cache.misses == tables.cache.hits == 0


def test_mistakes_are_told_as_without_the_files(syzygy: Path, nothing: Path) -> None:
    """An illegal board is refused; so is a full one, by a missing table."""
    touching = chess.Board("8/8/8/8/8/8/k7/KR6 w - - 0 1")
    with open_tables(nothing, syzygy=syzygy) as tables:
        with pytest.raises(IllegalPosition, match="kings touch"):
            tables.probe_wdl(touching)
        assert tables.get_wdl(chess.Board()) is UNKNOWN


def test_tables_with_files_can_be_pickled(syzygy: Path, nothing: Path) -> None:
    """The copy opens the same files."""
    tables = open_tables(nothing, syzygy=[syzygy])
    with pickle.loads(pickle.dumps(tables)) as copy:
        assert copy.probe_wdl(chess.Board(ROOK.format(0))) is Outcome.WIN
    tables.close()
    assert tables.probe_wdl(chess.Board(ROOK.format(0))) is Outcome.WIN


def test_a_folder_without_such_files_is_refused(nothing: Path, syzygy: Path) -> None:
    """So are things that are no folder; a mistyped name would otherwise go unnoticed."""
    for place in (nothing, nothing / "nowhere", str(nothing)):
        with pytest.raises(NoOtherFiles, match="no Syzygy files"):
            open_tables(nothing, syzygy=place)
    for wrong in (3, True, [], [None], ""):
        with pytest.raises((BadOption, NoOtherFiles, NothingAsked), match="folder"):
            open_tables(nothing, syzygy=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        open_tables(nothing, 1 << 20, 1, syzygy)  # type: ignore[call-arg]
