"""Positions to numbers and back, for every published scheme."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain

import chess
import pytest

from unmove.errors import BadOption, IllegalPosition
from unmove.games.chess import LETTERS
from unmove.indexes.classic import Edwards, Heinz, Naive, Thompson, Wendroff
from unmove.indexes.index import Index, symmetries
from unmove.indexes.legal import legal_entries
from unmove.indexes.nalimov import Nalimov
from unmove.indexes.view import BoardView
from unmove.indexes.zellner import Zellner
from unmove.material import Material, all_of
from unmove.values import SIDES, WHITE, Side

SCHEMES = (Naive, Edwards, Wendroff, Thompson, Heinz, Nalimov)
MANY_IMAGES = ("naive", "Edwards", "Wendroff", "Thompson")
"""Schemes that give images of one position numbers of their own, with a king on a diagonal."""
FIVE_MEN = [material for men in (2, 3, 4, 5) for material in all_of(men)]
SIX_MEN = [Material.parse(name) for name in ("KRBKNN", "KBPPKP", "KPPKPP", "KRNKPP")]


def _images(view: BoardView, material: Material) -> Iterator[BoardView]:
    return (view.through(symmetry) for symmetry in symmetries(material))


def _random_position(material: Material, side: Side, rng: random.Random) -> chess.Board:
    """A legal position; if it can be, with a pawn that has just made a double step."""
    letters = [f"K{material.white}", f"k{material.black.lower()}"]
    while True:
        board = chess.Board(None)
        men = "".join(letters)
        for letter, square in zip(men, rng.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chess.COLORS[side]
        if "P" in material.white and "P" in material.black and rng.random() < 0.9:
            board.ep_square = rng.choice(range(40, 48) if side == 0 else range(16, 24))
        wrong = chess.STATUS_OPPOSITE_CHECK | chess.STATUS_PAWNS_ON_BACKRANK
        if not board.status() & (wrong | chess.STATUS_INVALID_EP_SQUARE):
            return board


def _same(found: chess.Board | None, asked: chess.Board, material: Material) -> bool:
    """Whether two boards are images of one another, rights to take that mean something included."""
    if found is None or found.turn != asked.turn:
        return False
    view = BoardView.of(found)
    return any(
        (view.kings, view.men, view.stepped) == (image.kings, image.men, image.stepped)
        for image in _images(BoardView.of(asked), material)
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_position_comes_back_from_its_number(scheme: type[Index]) -> None:
    """Random positions of all endgames: position to number to position, up to symmetry."""
    rng = random.Random(scheme.name)
    for material in chain(rng.sample(FIVE_MEN, 40), SIX_MEN):
        side = rng.randrange(2)
        index = scheme(material, Side(side))
        for _ in range(3):
            board = _random_position(material, Side(side), rng)
            number = index.index_of(board)
            assert _same(index.position_at(number), board, material), (number, board.fen())


def _check_every(index: Index, numbers: range) -> int:
    """Every entry's position has its number, or that of its mirror image; how many there are."""
    found = 0
    for number in numbers:
        view = index.entry(number)
        if view is None:
            continue
        found += 1
        ranks = [rank for v in _images(view, index.material) if (rank := index.rank(v)) is not None]
        assert number in ranks
        assert len(set(ranks)) <= 1 + _on_diagonal(view) or index.name in MANY_IMAGES
    return found


def _on_diagonal(view: BoardView) -> bool:
    """Whether both kings stand on one of the long diagonals."""
    places = [(king % 8, king // 8) for king in view.kings]
    return all(f == r for f, r in places) or all(f + r == 7 for f, r in places)


def test_every_entry_of_nalimov_is_a_position_or_broken() -> None:
    """Exhaustive for KQK: each entry has its own number; as many positions as were counted."""
    material = Material.parse("KQK")
    index = Nalimov(material, WHITE)
    assert _check_every(index, range(index.size)) == legal_entries(material, WHITE)


@pytest.mark.parametrize("side", SIDES)
def test_the_zone_of_en_passant_has_its_positions(side: Side) -> None:
    """Exhaustive for KPKP: 21,893 of the 14 * 1806 entries are positions; python-chess agrees."""
    index = Nalimov(Material.parse("KPKP"), side)
    numbers = range(index.main.size, index.size)
    assert len(numbers) == 14 * 1806
    assert _check_every(index, numbers) == 21_893
    for number in numbers[::97]:
        board = index.position_at(number)
        assert board is None or (board.ep_square and not board.was_into_check())
        assert board is None or not board.status() & chess.STATUS_INVALID_EP_SQUARE


def test_of_two_pawns_that_can_take_one_makes_the_entry() -> None:
    """A position with two takers has one number, whichever way it is mirrored."""
    index = Nalimov(Material.parse("KPPKP"), WHITE)
    board = chess.Board("8/8/8/2PpP3/8/8/8/K1k5 w - d6 0 1")
    number = index.index_of(board)
    assert number >= index.main.size
    assert index.index_of(board.transform(chess.flip_horizontal)) == number
    assert _same(index.position_at(number), board, index.material)


def test_a_right_that_nobody_has_changes_nothing() -> None:
    """Without a pawn beside it, a double step leaves a position of the main zone."""
    index = Nalimov(Material.parse("KPKP"), WHITE)
    board = chess.Board("8/8/8/3p3P/8/8/8/K1k5 w - d6 0 1")
    number = index.index_of(board)
    board.ep_square = None
    assert number == index.index_of(board) < index.main.size


def test_zellner_leaves_nothing_out_and_has_no_hole() -> None:
    """Every 31st entry: each is a legal position, and has the number it came from."""
    index = Zellner()
    numbers = range(0, index.size, 31)
    assert _check_every(index, numbers) == len(numbers)
    rng = random.Random("Zellner")
    for _ in range(200):
        board = _random_position(index.material, WHITE, rng)
        colours = {(square % 8 + square // 8) % 2 for square in board.pieces(chess.BISHOP, True)}
        if len(colours) == 2:
            assert _same(index.position_at(index.index_of(board)), board, index.material)
        else:
            with pytest.raises(BadOption, match="no place for it"):
                index.index_of(board)


def test_wrong_questions_are_refused() -> None:
    """Other men, the other side to move, kings that touch, numbers out of range."""
    index = Nalimov(Material.parse("KQK"), WHITE)
    for fen in ("8/8/8/8/8/1k6/8/KR6 w - - 0 1", "8/8/8/8/8/1k6/8/KQ6 b - - 0 1"):
        with pytest.raises(BadOption, match="with White to move"):
            index.index_of(chess.Board(fen))
    with pytest.raises(BadOption, match="no place for it"):
        index.index_of(chess.Board("8/8/8/8/8/8/1k6/K6Q w - - 0 1"))
    pawns = Nalimov(Material.parse("KPKP"), WHITE)
    board = chess.Board("8/8/8/3pP3/8/8/8/K1k5 w - - 0 1")
    board.ep_square = chess.F6  # beside White's pawn, where no pawn has stepped
    with pytest.raises(BadOption, match="no place for it"):
        pawns.index_of(board)
    with pytest.raises(IllegalPosition, match="king is missing"):
        index.index_of(chess.Board("8/8/8/8/8/8/8/K6Q w - - 0 1"))
    for number in (-1, index.size):
        with pytest.raises(BadOption, match="25629 entries"):
            index.position_at(number)


def test_colours_are_exchanged_for_the_side_to_move() -> None:
    """The same position with the colours exchanged has the same number in the other's index."""
    white, black = (Nalimov(Material.parse("KPKP"), side) for side in SIDES)
    board = chess.Board("8/8/8/3pP3/8/8/8/K1k5 w - d6 0 1")
    assert white.index_of(board) == black.index_of(board.mirror())
    assert white.size == black.size


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"K{letter}vK" for letter in LETTERS])
@pytest.mark.parametrize(
    ("scheme", "side"), [(Nalimov, 1), *((scheme, 0) for scheme in SCHEMES[1:])]
)
def test_every_entry_of_three_men_is_a_position_or_broken(
    name: str, scheme: type[Index], side: Side
) -> None:
    """Exhaustive: all endgames of three men, all schemes; as many positions as were counted."""
    material = Material.parse(name)
    index = scheme(material, side)
    found = _check_every(index, range(index.size))
    if scheme is Nalimov or (scheme in (Heinz, Thompson) and not material.has_pawns):
        assert found == legal_entries(material, side)


@pytest.mark.slow
def test_no_entry_of_zellner_is_broken() -> None:
    """Exhaustive: all 320,680 entries are positions."""
    index = Zellner()
    assert all(index.entry(number) for number in range(index.size))
