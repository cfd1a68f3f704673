"""WXF notation: the federation's own examples, round trips, pyffish."""

from __future__ import annotations

from itertools import combinations

import pyffish
import pytest

from tests.games.test_xiangqi import random_boards
from unmove.errors import BadMove
from unmove.games.xiangqi import FILES
from unmove.games.xiangqi_board import START_FEN, Board, Move
from unmove.games.xiangqi_notation import format_wxf, parse_move
from unmove.values import WHITE

WXF = pyffish.NOTATION_XIANGQI_WXF


def written(fen: str, *moves: str) -> str:
    """The moves, given in coordinates, in WXF notation; each is read back."""
    board = Board.parse(fen)
    for text in moves:
        assert parse_move(board, format_wxf(board, Move.parse(text))) == Move.parse(text)
    return " ".join(format_wxf(board, Move.parse(text)) for text in moves)


def test_files_count_from_the_movers_right() -> None:
    """Red's file 2 is h, Black's is b."""
    assert written(START_FEN, "h3e3", "h1g3", "i1i2", "a4a5") == "C2.5 H2+3 R1+1 P9+1"
    assert written(START_FEN.replace(" w ", " b "), "h8e8", "b10c8", "c7c6") == "C8.5 H2+3 P3+1"
    assert written(START_FEN, "b3b10", "f1e2", "g1e3", "e1e2") == "C8+7 A4+5 E3+5 K5+1"


def test_front_and_rear_of_two_on_a_file() -> None:
    """Cannons, chariots and horses have + and -, as Red sees it and as Black does."""
    fen = "3k5/9/9/9/9/9/C8/C7R/8R/4K4 {}"
    assert written(fen.format("w"), "a4b4", "a4a5", "a3b3", "a3a2") == "C+.8 C++1 C-.8 C--1"
    assert written(fen.format("w"), "i3h3", "i2i1", "i3i10") == "R+.2 R--1 R++7"
    fen = "3k5/9/2n6/9/2n6/9/9/9/9/4K4 b"
    assert written(fen, "c8e9", "c6e5", "c6e7") == "H--5 H++5 H+-5"


def test_advisors_and_elephants_on_a_file_keep_it() -> None:
    """Their direction tells them apart; + and - are read all the same."""
    fen = "3k5/9/9/9/9/2B6/9/5A3/9/2B1KA3 w"
    assert written(fen, "f1e2", "f3e2", "c1a3", "c5a3") == "A4+5 A4-5 E7+9 E7-9"
    board = Board.parse(fen)
    assert parse_move(board, "A-+5") == Move.parse("f1e2")
    assert parse_move(board, "E+-9") == Move.parse("c5a3")


@pytest.mark.parametrize(
    ("ranks", "names"),
    [
        ((7,), ["P3.4"]),
        ((7, 6), ["P+.4", "P-.4"]),
        ((8, 7, 6), ["P+.4", "P3.4", "P-.4"]),
        ((9, 8, 7, 6), ["++.4", "P+.4", "P-.4", "--.4"]),
        ((10, 9, 8, 7, 6), ["++.4", "P+.4", "P3.4", "P-.4", "--.4"]),
    ],
)
def test_soldiers_on_one_file(ranks: tuple[int, ...], names: list[str]) -> None:
    """The federation's examples: up to five soldiers on file 3 go to file 4."""
    board = with_soldiers([("g", rank) for rank in ranks])
    for rank, name in zip(ranks, names, strict=True):
        move = Move.parse(f"g{rank}f{rank}")
        assert format_wxf(board, move) == name
        assert parse_move(board, name) == parse_move(board, name.replace(".", "=")) == move


def test_soldiers_on_two_files() -> None:
    """The federation's example: three soldiers on file 3, two on file 7."""
    board = with_soldiers([("g", 8), ("g", 7), ("g", 6), ("c", 8), ("c", 7)])
    moves = ["g8f8", "g7f7", "g6f6", "c8d8", "c7d7"]
    names = ["3+.4", "33.4", "3-.4", "7+.6", "7-.6"]
    assert [format_wxf(board, Move.parse(move)) for move in moves] == names
    assert [str(parse_move(board, name)) for name in names] == moves


def with_soldiers(squares: list[tuple[str, int]]) -> Board:
    """The kings, who see nothing of each other, and White's soldiers."""
    cells = list(Board.parse("9/9/3k5/9/9/9/9/9/9/4K4 w").men)
    for file, rank in squares:
        cells["abcdefghi".index(file) + FILES * (rank - 1)] = "P"
    return Board("".join(cells), WHITE)


def test_every_set_of_soldiers_is_told_apart() -> None:
    """No two moves have one name, wherever the soldiers of two files stand."""
    squares = [(file, rank) for file in "cg" for rank in (6, 7, 8, 9)]
    for count in range(2, 6):
        for some in combinations(squares, count):
            board = with_soldiers(list(some))
            names = [format_wxf(board, move) for move in board.legal_moves()]
            assert len(set(names)) == len(names)


def test_moves_are_read_as_they_are_written() -> None:
    """In random positions every legal move has a name of its own, in both notations."""
    for board in random_boards(400, seed=21):
        moves = board.legal_moves()
        names = [format_wxf(board, move) for move in moves]
        assert len(set(names)) == len(names)
        for move, name in list(zip(moves, names, strict=True))[::7]:
            assert parse_move(board, name) == parse_move(board, str(move)) == move


def test_names_of_pyffish_are_read() -> None:
    """What Fairy-Stockfish writes is understood, but for soldiers that it numbers on a file."""
    same = 0
    for board in random_boards(300, seed=22):
        fen = board.fen()
        for move in board.legal_moves()[::5]:
            theirs = pyffish.get_san("xiangqi", fen, str(move), False, WXF)
            if theirs[0].isalpha():
                assert parse_move(board, theirs) == move, (fen, theirs)
                same += format_wxf(board, move) == theirs.replace("=", ".")
    assert same > 1000


def test_other_letters_and_signs_are_read() -> None:
    """Small letters, = for ., N and B; and a file where it leaves no doubt."""
    start = Board.parse(START_FEN)
    assert parse_move(start, " c2=5 ") == Move.parse("h3e3")
    assert parse_move(start, "n8+7") == Move.parse("b1c3")
    assert parse_move(start, "B3+5") == Move.parse("g1e3")
    board = Board.parse("3k5/9/9/9/9/9/C8/Cp7/9/4K4 w")
    assert parse_move(board, "C9.5") == Move.parse("a4e4")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("C2.6.", "a1 to i10"),
        ("hello", "a1 to i10"),
        ("C2.8", "it breaks the rules"),
        ("h3h9", "it breaks the rules"),
        ("R2.5", "it breaks the rules"),
        ("", "a1 to i10"),
    ],
)
def test_what_is_no_move_is_refused(text: str, reason: str) -> None:
    """The sentence quotes it and shows how moves are written."""
    with pytest.raises(BadMove, match=reason) as caught:
        parse_move(Board.parse(START_FEN), text)
    assert repr(text) in str(caught.value)
    assert "C2.5" in str(caught.value)


def test_a_name_that_several_men_answer_to_is_refused() -> None:
    """Two cannons of a file can both go to file 5, so their file does not tell which one does."""
    with pytest.raises(BadMove, match="several men"):
        parse_move(Board.parse("3k5/9/9/9/9/9/C8/C8/9/4K4 w"), "C9.5")
