"""Syzygy files are read as python-chess reads them, one position at a time or many."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import chess.variant
import numpy as np
import pytest

from tests.support.syzygy import write
from unmove import Tablebase, open_syzygy
from unmove.errors import (
    BadBoard,
    BadOption,
    CastlingRights,
    DamagedFile,
    FileError,
    ForeignFile,
    IllegalPosition,
    MissingSyzygyFile,
    NoOtherFiles,
    NothingAsked,
    TooManyMen,
    UnmoveError,
    VariantBoard,
)
from unmove.games.boards import board_of, parse_fen
from unmove.interop.syzygy.file import SyzygyFile
from unmove.interop.syzygy.tablebase import SyzygyTablebase
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.probe import ILLEGAL_VALUE
from unmove.material import Material
from unmove.values import Side

THREE_MEN = ("KQvK", "KRvK", "KBvK", "KNvK", "KPvK")
TRIES_TO_DAMAGE = 60
BOTH = (tables.OUTCOMES, tables.DISTANCES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """Files of three men, with pairs and codes of many lengths; some of four men, plain."""
    place = tmp_path_factory.mktemp("syzygy")
    for name in THREE_MEN:
        for kind in BOTH:
            write(place, name, kind, tablebase, runs=True)
    for kind in BOTH:
        write(place, "KRRvK", kind, tablebase)
        write(place, "KRvKN", kind, tablebase, runs=True)
    write(place, "KPvKP", tables.OUTCOMES, tablebase)
    return place


@pytest.fixture(scope="module")
def ours(folder: Path) -> Iterator[SyzygyTablebase]:
    with open_syzygy(folder) as found:
        yield found


@pytest.fixture(scope="module")
def theirs(folder: Path) -> Iterator[chess.syzygy.Tablebase]:
    with chess.syzygy.open_tablebase(str(folder)) as found:
        yield found


def random_boards(name: str, number: int) -> list[chess.Board]:
    """Legal positions of an endgame; in every other one the colours are exchanged."""
    rng = random.Random(name)
    material = Material.parse(name)
    boards: list[chess.Board] = []
    while len(boards) < number:
        squares = rng.sample(range(64), material.men)
        board = board_of(material, squares, Side(rng.randrange(2)))
        assert isinstance(board, chess.Board)
        if board.is_valid():
            boards.append(board.mirror() if len(boards) % 2 else board)
    return boards


@pytest.mark.parametrize("name", [*THREE_MEN, "KRRvK", "KRvKN"])
def test_values_are_those_of_python_chess(
    name: str, ours: SyzygyTablebase, theirs: chess.syzygy.Tablebase
) -> None:
    """Outcomes and distances of random positions: one by one, and many at once."""
    boards = random_boards(name, 300)
    outcomes = [theirs.probe_wdl(board) for board in boards]
    distances = [theirs.probe_dtz(board) for board in boards]
    assert [ours.probe_wdl(board) for board in boards] == outcomes
    assert [ours.probe_dtz(board) for board in boards] == distances
    assert ours.probe_boards(boards).numbers.tolist() == outcomes
    found = ours.probe_fens([board.fen() for board in boards], "dtz")
    assert found.numbers.tolist() == distances
    assert found.wdl.tolist() == outcomes
    assert len(found) == len(boards) and found.legal.all()


@pytest.mark.parametrize("name", [*THREE_MEN, "KRvKN", "KNvKR", "KvKP"])
def test_every_position_has_the_value_of_our_table(
    name: str, ours: SyzygyTablebase, tablebase: Tablebase
) -> None:
    """All legal positions, whichever side is named first; a mated side has -1."""
    batch = tablebase.to_numpy(name, "dtz")
    found = ours.probe_many(name, batch.squares, batch.turns)
    outcomes = batch.values.outcome50
    assert (found.numbers == outcomes).all()
    plies = np.abs(batch.values.plies)
    expected = np.where(np.abs(outcomes) == 1, 101 + (plies - 1) // 2 * 2, np.maximum(plies, 1))
    distances = ours.probe_many(name, batch.squares, batch.turns, "dtz")
    assert (distances.numbers == np.sign(outcomes) * expected).all()
    assert (distances.wdl == outcomes).all()


def test_en_passant_counts(ours: SyzygyTablebase, theirs: chess.syzygy.Tablebase) -> None:
    """Positions after double steps, those in which only a capture en passant is legal included."""
    boards = [chess.Board("8/8/8/8/k1pP4/8/2K5/8 b - d3 0 1"), *after_double_steps(400)]
    assert any(board.has_legal_en_passant() for board in boards)
    assert [ours.probe_wdl(board) for board in boards] == [theirs.probe_wdl(b) for b in boards]


def after_double_steps(number: int) -> list[chess.Board]:
    """Positions in which a pawn may just be taken en passant."""
    found: list[chess.Board] = []
    for board in random_boards("KPvKP", 60 * number):
        for move in board.legal_moves:
            if board.piece_type_at(move.from_square) == chess.PAWN:
                child = board.copy(stack=False)
                child.push(move)
                if child.has_legal_en_passant():
                    found.append(child)
    return found[:number]


def test_many_positions_are_unpacked(folder: Path, tablebase: Tablebase) -> None:
    """What is asked for often is decoded as a whole, within the limit, with the same values."""
    batch = tablebase.to_numpy("KRvK", "dtz")
    with open_syzygy(folder) as some, open_syzygy(folder, cache_bytes=40_000) as few:
        for value in ("wdl", "dtz"):
            first = some.probe_many("KRvK", batch.squares, batch.turns, value)
            again = some.probe_many("KRvK", batch.squares, batch.turns, value)
            little = few.probe_many("KRvK", batch.squares, batch.turns, value)
            assert (first.numbers == again.numbers).all()
            assert (first.numbers == little.numbers).all()
        assert some.unpacked_bytes > 40_000 >= few.unpacked_bytes > 0


def test_a_position_that_is_none_has_no_value(ours: SyzygyTablebase) -> None:
    """In an array it is marked; a board or a FEN is refused, with the reason."""
    squares = [[0, 9, 9], [0, 63, 9], [0, 1, 9], [99, 1, 9]]
    found = ours.probe_many("KvKR", squares, [0, 1, 0, 1])
    assert found.legal.tolist() == [False, True, False, False]
    assert found.numbers[0] == ILLEGAL_VALUE and found.wdl[0] == -128
    touching = chess.Board("8/8/8/8/8/8/Rk6/1K6 w - - 0 1")
    for refused in (ours.probe_wdl, ours.probe_dtz, ours.get_wdl):
        with pytest.raises(IllegalPosition, match="touch"):
            refused(touching)
    with pytest.raises(IllegalPosition, match="touch"):
        ours.probe_boards([touching])


def test_what_python_chess_raises_a_key_error_for_is_one(ours: SyzygyTablebase) -> None:
    """Missing files, castling rights, variants, too many men; `get_x` has a default for them."""
    cases: list[tuple[chess.Board, type[UnmoveError]]] = [
        (chess.Board("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"), MissingSyzygyFile),
        (chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), CastlingRights),
        (chess.Board(), CastlingRights),
        (chess.Board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"), TooManyMen),
        (chess.Board("1nbqkb2/8/8/8/8/8/8/1NBQKBR1 w - - 0 1"), TooManyMen),
        (chess.Board("2bnkn2/8/8/8/8/8/8/2BNKN2 w - - 0 1"), TooManyMen),
        (chess.variant.SuicideBoard("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"), VariantBoard),
    ]
    for board, expected in cases:
        for probe, get in ((ours.probe_wdl, ours.get_wdl), (ours.probe_dtz, ours.get_dtz)):
            with pytest.raises(expected) as caught:
                probe(board)
            assert isinstance(caught.value, KeyError)
            assert str(caught.value) == caught.value.args[0]  # and not in quotes
            assert get(board) is None and get(board, 7) == 7
    with pytest.raises(MissingSyzygyFile, match=r"KQvKR\.rtbw"):
        ours.probe_many("KRvKQ", [[0, 18, 7, 63]], [0])


def test_other_boards_and_options_are_refused(ours: SyzygyTablebase, tmp_path: Path) -> None:
    """Each gets the sentence that other probes have for it."""
    with pytest.raises(VariantBoard):
        ours.probe_wdl(parse_fen("3k5/9/9/9/9/9/9/9/9/4K4 w"))  # type: ignore[arg-type]
    with pytest.raises(BadBoard):
        ours.probe_wdl("8/8/8/8/8/8/Rk6/1K6 w - - 0 1")  # type: ignore[arg-type]
    with pytest.raises(BadOption, match="dtm"):
        ours.probe_boards([], "dtm")
    with pytest.raises(BadOption, match="men"):
        ours.probe_many("KRvK", [[0, 1]], [0])
    with pytest.raises(NoOtherFiles):
        open_syzygy(tmp_path / "nowhere")
    with pytest.raises(NothingAsked):
        open_syzygy([])
    assert len(ours.probe_boards([])) == 0


def test_folders_are_added_and_travel(folder: Path, tmp_path: Path) -> None:
    """A folder without files is none to complain of; a pickle opens the folders again."""
    with open_syzygy(tmp_path) as found:
        assert found.add_directory(folder, load_dtz=False) == 8
        board = chess.Board("8/8/8/8/8/8/1R6/2k4K b - - 0 1")
        assert found.probe_wdl(board) == 0
        with pytest.raises(MissingSyzygyFile, match=r"rtbz"):
            found.probe_dtz(chess.Board("8/8/8/8/8/k7/8/KR6 w - - 0 1"))
        assert found.names() == [*found.names("wdl")] and found.names("dtz") == []
        again = pickle.loads(pickle.dumps(found))
        found.close()
        assert again.probe_wdl(board) == found.probe_wdl(board) == 0
    with pytest.raises(NoOtherFiles):
        found.add_directory(tmp_path / "nowhere")


def test_files_of_other_endgames_are_refused(folder: Path, tmp_path: Path) -> None:
    """Another magic, another material, an empty file, and one that cannot be read."""
    good = {
        kind: (folder / f"KRvK.{end}").read_bytes()
        for kind, end in zip("wz", ("rtbw", "rtbz"), strict=True)
    }
    board = chess.Board("8/8/8/8/8/k7/8/KQ6 w - - 0 1")
    for data, expected in (
        (good["z"], ForeignFile),
        (good["w"], DamagedFile),
        (b"", DamagedFile),
        (good["w"][:-1], DamagedFile),
        (good["w"][:-64], DamagedFile),
        ((folder / "KPvK.rtbw").read_bytes(), DamagedFile),
    ):
        (tmp_path / "KQvK.rtbw").write_bytes(data)
        with open_syzygy(tmp_path) as found, pytest.raises(expected, match=r"KQvK\.rtbw"):
            found.probe_wdl(board)
    (tmp_path / "KQvK.rtbw").unlink()
    (tmp_path / "KQvK.rtbw").mkdir()
    with open_syzygy(tmp_path) as found, pytest.raises(FileError):
        found.probe_wdl(board)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_an_error_or_has_values(
    folder: Path, tmp_path: Path, seed: int, kind: int
) -> None:
    """Whatever bytes a file has, its probes end, with a value that there is or an error of ours."""
    rng = random.Random(seed)
    name = "KPvK" + (".rtbw", ".rtbz")[kind]
    for other in THREE_MEN:
        for end in (".rtbw", ".rtbz"):
            (tmp_path / (other + end)).symlink_to(folder / (other + end))
    boards = random_boards("KPvK", 40)
    errors = 0
    for _ in range(TRIES_TO_DAMAGE):
        data = bytearray((folder / name).read_bytes())
        for _ in range(rng.choice((1, 1, 3, 30))):
            data[rng.randrange(rng.choice((40, 400, len(data))))] = rng.randrange(256)
        (tmp_path / name).unlink()
        (tmp_path / name).write_bytes(data[: rng.choice((len(data), len(data), len(data) - 64))])
        with open_syzygy(tmp_path) as found:
            try:
                values = found.probe_boards(boards, ("wdl", "dtz")[kind])
                assert set(values.wdl.tolist()) <= {-2, -1, 0, 1, 2}
            except FileError:
                errors += 1
    assert 0 < errors < TRIES_TO_DAMAGE


def test_bare_kings_need_no_file(tmp_path: Path) -> None:
    """They are a draw, with any files or none."""
    board = chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1")
    with open_syzygy(tmp_path) as empty:
        assert empty.probe_wdl(board) == empty.probe_dtz(board) == 0


@pytest.mark.parametrize(
    ("name", "short"),
    [("KQvKR", [[True, False], [False, True]]), ("KQvKQ", [[True, False], [True, False]])],
)
def test_the_other_side_counts_from_its_opponent(name: str, short: list[list[bool]]) -> None:
    """Or as the stored one, if both have the same men: each is stored as the other one then."""
    file = object.__new__(SyzygyFile)
    file.material, file.kind = Material.parse(name), tables.DISTANCES
    file.rows = np.zeros((1, tables.ROW_WIDTH), np.int64)
    file.rows[0, tables.DISTANCE_FLAGS] = tables.WINS_IN_PLIES
    assert file.short.tolist() == short


def test_a_file_that_vanishes_is_missing(folder: Path, tmp_path: Path) -> None:
    """And one that comes is known when the folder is looked through again."""
    for end in ("rtbw", "rtbz"):
        (tmp_path / f"KRvK.{end}").write_bytes((folder / f"KRvK.{end}").read_bytes())
    board = chess.Board("8/8/8/8/8/k7/8/KR6 w - - 0 1")
    with open_syzygy(tmp_path) as found:
        (tmp_path / "KRvK.rtbz").rename(tmp_path / "away")
        with pytest.raises(MissingSyzygyFile, match=r"KRvK\.rtbz"):
            found.probe_dtz(board)
        assert found.get_dtz(board) is None and found.probe_wdl(board) == 2
        (tmp_path / "away").rename(tmp_path / "KRvK.rtbz")
        found.look_again()
        assert found.probe_dtz(board) > 0
        assert [file.path.name for file in found.files()] == ["KRvK.rtbw", "KRvK.rtbz"]


@pytest.mark.parametrize("directory", [None, 5, b"x", "", [], [""], ["a", None]])
def test_what_is_no_folder_is_a_sentence(directory: Any) -> None:
    """As for our own tables."""
    with pytest.raises(UnmoveError, match="folder"):
        open_syzygy(directory)


@pytest.mark.parametrize("size", ["1G", -1, True, None])
def test_a_size_of_the_cache_is_a_whole_number(folder: Path, size: Any) -> None:
    """Anything else is refused at once, and not when many positions are asked for."""
    with pytest.raises(BadOption, match="cache_bytes"):
        open_syzygy(folder, cache_bytes=size)
