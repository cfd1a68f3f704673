"""Xiangqi: the tables, each rule by a position of its own, FENs, and moves against pyffish."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyffish
import pytest

from tests.reference import xiangqi as reference
from unmove.errors import BadFen, BadMove, IllegalPosition
from unmove.games.xiangqi import (
    BETWEEN,
    FLIP,
    LETTERS,
    MIRROR,
    NOWHERE,
    RAYS,
    SQUARES,
    STANDS,
    STEPS,
    UNSTEPS,
)
from unmove.games.xiangqi_board import NO_MAN, START_FEN, Board, Move, square_name
from unmove.values import BLACK, SIDES, WHITE, Side

MEN = [(side, kind) for side in SIDES for kind in range(len(LETTERS))]
MOST = {"R": 2, "C": 2, "H": 2, "A": 2, "E": 2, "P": 5}


def letter_of(side: Side, kind: int) -> str:
    return LETTERS[kind] if side == 0 else LETTERS[kind].lower()


def targets(fen: str, origin: str) -> str:
    """Where the man on a square can go, in order of the squares."""
    moves = [move for move in Board.parse(fen).legal_moves() if square_name(move.origin) == origin]
    return " ".join(square_name(square) for square in sorted(move.target for move in moves))


@pytest.mark.parametrize(("side", "kind"), MEN)
def test_tables_are_those_of_the_reference(side: Side, kind: int) -> None:
    """Where a man stands and steps is what a plain description of the rules gives."""
    letter = letter_of(side, kind)
    assert tuple(STANDS[side, kind].nonzero()[0]) == reference.squares_of(letter)
    for square in reference.squares_of(letter):
        steps = {(t, b) for t, b in STEPS[side, kind, square].tolist() if t != NOWHERE}
        expected = reference.steps(letter, square)
        assert steps == {(t, NOWHERE if b is None else b) for t, b in expected}


@pytest.mark.parametrize(("side", "kind"), MEN)
def test_unsteps_are_steps_backwards(side: Side, kind: int) -> None:
    """A step from a to b over a gate is an unstep from b to a over the same one."""
    steps, unsteps = (
        {
            (square, other, gate)
            for square in range(SQUARES)
            for other, gate in table[side, kind, square].tolist()
            if other != NOWHERE
        }
        for table in (STEPS, UNSTEPS)
    )
    assert unsteps == {(target, origin, gate) for origin, target, gate in steps}
    assert len(steps) == [24, 0, 0, 508, 8, 16, 126][kind]


def test_lines_are_those_of_the_reference() -> None:
    """Rays end at the edge, and what is between two squares of a line is between them both ways."""
    for square in range(SQUARES):
        rays = [tuple(s for s in ray if s != NOWHERE) for ray in RAYS[square].tolist()]
        assert set(rays) == set(reference.rays(square))
        for ray in rays:
            for i, other in enumerate(ray):
                assert [s for s in BETWEEN[square, other] if s != NOWHERE] == list(ray[:i])
                assert set(BETWEEN[square, other]) == set(BETWEEN[other, square])


def test_the_board_has_one_symmetry() -> None:
    """Mirrored or turned to the other side, men stand and step as before."""
    image = [*MIRROR.tolist(), NOWHERE]
    turned = [*FLIP.tolist(), NOWHERE]
    for side, kind in MEN:
        assert (STANDS[side, kind] == STANDS[side, kind][MIRROR]).all()
        for square in range(SQUARES):
            steps = STEPS[side, kind, square].tolist()
            mirrored = STEPS[side, kind, image[square]].tolist()
            other = STEPS[1 - side, kind, turned[square]].tolist()
            assert sorted([image[t], image[b]] for t, b in steps) == sorted(mirrored)
            assert sorted([turned[t], turned[b]] for t, b in steps) == sorted(other)


def test_the_king_stays_in_his_palace() -> None:
    """He goes one square up, down or aside, and not out of nine squares."""
    assert targets("3k5/9/9/9/9/9/9/9/4K4/9 w", "e2") == "e1 f2 e3"
    assert targets("3k5/9/9/9/9/9/9/5K3/9/9 w", "f3") == "f2 e3"


def test_kings_may_not_face_each_other() -> None:
    """A king attacks the other along an open file: none may step there, nor a man step aside."""
    assert targets("3k5/9/9/9/9/9/9/9/9/4K4 b", "d10") == "d9"
    assert targets("4k4/9/9/9/9/4n4/9/9/9/4K4 b", "e5") == ""
    assert targets("4k4/9/9/9/9/4p4/9/9/9/4K4 b", "e5") == "e4"
    with pytest.raises(IllegalPosition, match="face"):
        Board.parse("4k4/9/9/9/9/9/9/9/9/4K4 w")


def test_the_advisor_keeps_to_the_diagonals_of_the_palace() -> None:
    """From the middle to four corners, from a corner to the middle."""
    assert targets("3k5/9/9/9/9/9/9/9/4A4/4K4 w", "e2") == "d1 f1 d3 f3"
    assert targets("3k5/9/9/9/9/9/9/3A5/9/4K4 w", "d3") == "e2"


def test_the_elephant_does_not_cross_the_river_nor_an_occupied_eye() -> None:
    """Two squares aslant, if the square between is empty, on its own side."""
    assert targets("3k5/9/9/9/9/2B6/9/9/9/4K4 w", "c5") == "a3 e3"
    assert targets("3k5/9/9/9/9/9/9/4B4/3p5/5K3 w", "e3") == "g1 c5 g5"
    assert targets("3k5/9/9/9/9/9/9/4B4/9/5K3 w", "e3") == "c1 g1 c5 g5"


def test_a_horse_is_blocked_beside_its_origin() -> None:
    """The leg is the square it passes straight; a man there stops two moves."""
    assert targets("5k3/9/9/9/4N4/9/9/9/9/3K5 w", "e6") == "d4 f4 c5 g5 c7 g7 d8 f8"
    assert targets("5k3/9/9/4c4/4N4/9/9/9/9/3K5 w", "e6") == "d4 f4 c5 g5 c7 g7"
    assert targets("5k3/9/9/9/3RN4/9/9/9/9/3K5 w", "e6") == "d4 f4 g5 g7 d8 f8"
    assert targets("5k3/9/9/3R5/4N4/9/9/9/9/3K5 w", "e6") == "d4 f4 c5 g5 c7 g7 d8 f8"


def test_a_horse_gives_check_unless_its_own_leg_is_blocked() -> None:
    """Black's horse on c3 attacks d1 over c2, not over d2."""
    assert Board.parse("4k4/9/9/9/9/9/9/2n6/9/3K5 w").is_check()
    assert Board.parse("4k4/9/9/9/9/9/9/2n6/3R5/3K5 w").is_check()
    assert not Board.parse("4k4/9/9/9/9/9/9/2n6/2R6/3K5 w").is_check()


def test_a_chariot_goes_straight_as_far_as_it_is_free() -> None:
    """It stops before its own man and on another's."""
    fen = "4k4/9/9/9/1n1R2P2/9/9/3A5/9/5K3 w"
    assert targets(fen, "d6") == "d4 d5 b6 c6 e6 f6 d7 d8 d9 d10"


def test_a_cannon_needs_one_screen_to_capture() -> None:
    """It moves like a chariot, and captures by a jump over just one man, whoever that is."""
    fen = "4k4/9/9/9/1C1n1n1r1/9/9/9/9/3K5 w"
    assert targets(fen, "b6") == "b1 b2 b3 b4 b5 a6 c6 f6 b7 b8 b9 b10"
    assert targets("3k5/9/9/9/9/4p4/9/9/4K4/4C4 w", "e1").endswith("i1 e5")


@pytest.mark.parametrize(
    ("between", "check"),
    [
        ("9/9/9/9", False),
        ("4a4/9/9/9", True),  # the king's own man
        ("9/9/9/4P4", True),  # the cannon's
        ("4a4/9/9/4P4", False),
    ],
)
def test_a_cannon_gives_check_over_one_man(between: str, check: bool) -> None:
    """Not over none or two; its own man will do, and so will the other side's."""
    assert Board.parse(f"4k4/{between}/9/9/4C4/9/3K5 b").is_check() == check


def test_a_side_that_cannot_move_has_lost() -> None:
    """Mated or not: there is no stalemate in xiangqi."""
    stalemate = Board.parse("3k5/9/3P5/9/9/9/9/9/9/4K4 b")
    assert stalemate.is_lost()
    assert not stalemate.is_check()
    mate = Board.parse("3k4R/9/3P5/9/9/9/9/9/9/4K4 b")
    assert mate.is_lost()
    assert mate.is_check()


def test_a_check_must_be_met() -> None:
    """By a step aside, a man between (or for a cannon, a screen taken away), or by taking."""
    assert {str(m) for m in Board.parse("3ak4/9/9/9/9/9/4R4/9/9/3K5 b").legal_moves()} == {
        "e10f10",
        "d10e9",
    }
    moves = Board.parse("4k4/4r4/9/9/9/9/4C4/9/9/3K5 b").legal_moves()
    assert Move.parse("e9a9") in moves
    assert Move.parse("e9e8") not in moves
    assert Move.parse("e9e4") in moves


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("3k5/9/9/9/9/9/9/9/9/9 w", "Red must have one king"),
        ("3k1k3/9/9/9/9/9/9/9/9/4K4 w", "Black must have one king"),
        ("k8/9/9/9/9/9/9/9/9/4K4 w", "Black's king cannot stand on a10"),
        ("3k5/9/9/9/9/9/9/9/3A5/4K4 w", "Red's advisor cannot stand on d2"),
        ("3k5/9/9/9/2E6/9/9/9/9/4K4 w", "Red's elephant cannot stand on c6"),
        ("3k5/9/9/9/9/1P7/9/9/9/4K4 w", "Red's soldier cannot stand on b5"),
        ("3k5/9/9/9/9/9/9/9/9/2P1K4 w", "Red's soldier cannot stand on c1"),
        ("3k5/9/RRR6/9/9/9/9/9/9/4K4 w", "a side has at most 2 R"),
        ("3k5/9/9/9/9/3R5/9/9/9/4K4 w", "the side that is not to move is in check"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b", "the kings face each other"),
    ],
)
def test_a_position_that_no_game_has_is_refused(fen: str, reason: str) -> None:
    """The sentence says what is wrong with it."""
    with pytest.raises(IllegalPosition, match=reason):
        Board.parse(fen)


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "it is not the men"),
        ("3k5/9/9/9/9/9/9/9/9/4K4", "it is not the men"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 x", "it is not the men"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w KQkq - 0 1", "it is not the men"),
        ("8/8/8/8/8/k7/1q6/K7 w - - 0 1", "8 ranks and not 10"),
        ("3k5/9/9/9/9/9/9/9/9/4K3 w", "rank 1 does not have 9 squares"),
        ("3k5/9/9/9/9/9/9/9/9/4K5 w", "rank 1 does not have 9 squares"),
        ("3k5/9/.8/9/9/9/9/9/9/4K4 w", "rank 8 does not have 9 squares"),
        ("3k5/9/9/9/9/9/9/9/4Q4/4K4 w", "'Q' is no man of xiangqi"),
    ],
)
def test_a_text_that_is_no_fen_is_refused(fen: str, reason: str) -> None:
    """The sentence quotes it and shows a right one, which is right."""
    with pytest.raises(BadFen, match=reason) as caught:
        Board.parse(fen)
    assert repr(fen) in str(caught.value)
    Board.parse(str(caught.value).split("'")[-2])


def test_both_alphabets_and_names_of_sides_are_read() -> None:
    """H and E are N and B, r is w, counters are not asked for; engines' letters are written."""
    engines = "2bk5/9/9/9/2n6/9/9/9/9/R3K1BN1 w - - 0 1"
    ours = "2ek5/9/9/9/2h6/9/9/9/9/R3K1EH1 r"
    assert Board.parse(engines) == Board.parse(ours) == Board.parse(ours + " - - 12 40")
    assert Board.parse(ours).fen() == engines
    assert Board.parse(ours).letters(WHITE) == "REH"
    assert Board.parse(ours).letters(BLACK) == "HE"


@pytest.mark.parametrize("text", ["h3", "a0a1", "a11a1", "j1a1", "h3e33", "C2.5"])
def test_coordinates_go_from_a1_to_i10(text: str) -> None:
    """Other squares are refused, those of UCCI with their rank 0 as well."""
    with pytest.raises(BadMove, match="a1 to i10"):
        Move.parse(text)


def test_coordinates_are_read_as_they_are_written() -> None:
    """The text of every move there can be is read as that move."""
    for origin in range(SQUARES):
        for target in range(SQUARES):
            assert Move.parse(str(Move(origin, target))) == Move(origin, target)


def random_games(rng: random.Random) -> Iterator[Board]:
    """Positions from games of random moves, without end."""
    while True:
        board = Board.parse(START_FEN)
        for _ in range(rng.randrange(1, 300)):
            moves = board.legal_moves()
            yield board
            if not moves:
                break
            board = board.push(rng.choice(moves))


def random_endgames(rng: random.Random) -> Iterator[Board]:
    """Legal positions of two kings and up to ten men where they can stand, without end."""
    men = [letter for name, most in MOST.items() for letter in most * (name + name.lower())]
    while True:
        cells = [NO_MAN] * SQUARES
        for letter in ("K", "k", *rng.sample(men, rng.randrange(1, 11))):
            cells[rng.choice([s for s in reference.squares_of(letter) if cells[s] == NO_MAN])] = (
                letter
            )
        board = Board("".join(cells), Side(rng.randrange(2)))
        if board.is_legal():
            yield board


def random_boards(count: int, seed: int) -> Iterator[Board]:
    """So many positions, half from games and half endgames."""
    rng = random.Random(seed)
    games, endgames = random_games(rng), random_endgames(rng)
    for _ in range(count // 2):
        yield next(games)
        yield next(endgames)


def assert_moves_of_pyffish(count: int, seed: int) -> None:
    moves = 0
    for board in random_boards(count, seed):
        fen = board.fen()
        ours = [str(move) for move in board.legal_moves()]
        assert sorted(ours) == sorted(pyffish.legal_moves("xiangqi", fen, [])), fen
        moves += len(ours)
    print(f"{count:,} positions, {moves:,} moves, no difference")


def test_legal_moves_are_those_of_pyffish() -> None:
    """Fairy-Stockfish finds the same moves in 2,000 positions."""
    assert_moves_of_pyffish(2_000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_legal_moves_are_those_of_pyffish_in_100_000_positions(seed: int) -> None:
    """Fairy-Stockfish finds the same moves in ten times 10,000 positions."""
    assert_moves_of_pyffish(10_000, seed)


def test_checks_fens_and_pushes_are_those_of_pyffish() -> None:
    """What it says of check, and the FEN it has after a move, are ours."""
    rng = random.Random(3)
    for board in random_boards(200, seed=4):
        fen = board.fen()
        assert Board.parse(fen) == board
        assert board.is_check() == pyffish.gives_check("xiangqi", fen, [])
        moves = board.legal_moves()
        assert board.is_lost() == (not moves)
        if moves:
            move = rng.choice(moves)
            theirs = pyffish.get_fen("xiangqi", fen, [str(move)]).split()
            assert board.push(move).fen().split()[:2] == theirs[:2]
            assert board.is_capture(move) == pyffish.is_capture("xiangqi", fen, [], str(move))


def test_legal_moves_are_those_of_the_reference() -> None:
    """The plain twin, which shares no code, finds the same successors and the same legality."""
    rng = random.Random(5)
    for board in random_boards(400, seed=6):
        for side in (board.side, 1 - board.side):
            board = Board(board.men, Side(side))
            men = tuple(sorted((m, s) for s, m in enumerate(board.men) if m != NO_MAN))
            position = side == 0, men
            assert reference.is_legal(position) == board.is_legal()
            if board.is_legal() and rng.random() < 0.5:
                successors = [board.push(move) for move in board.legal_moves()]
                ours = {(b.side == 0, frozenset(enumerate(b.men))) for b in successors}
                theirs = {
                    (white, frozenset(enumerate(_cells(men))))
                    for white, men in reference.moves(position)
                }
                assert ours == theirs


def _cells(men: reference.Men) -> str:
    cells = [NO_MAN] * SQUARES
    for letter, square in men:
        cells[square] = letter
    return "".join(cells)
