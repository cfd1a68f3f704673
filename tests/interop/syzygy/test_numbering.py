"""Placements have the numbers that python-chess gives them, each placement one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations

import chess
import chess.syzygy
import numpy as np
import pytest
from numpy.typing import NDArray

from unmove.errors import BadMaterial, TooManyMen
from unmove.interop.syzygy.descriptors import NO_ORDER, Descriptor, files_of
from unmove.interop.syzygy.materials import OF_BLACK, PAWN_NUMBER, file_material, file_materials
from unmove.kernels.syzygy import numbering as columns
from unmove.kernels.syzygy.numbering import numbers_of, squares_of
from unmove.material import Material

SMALL = [material for men in (3, 4) for material in file_materials(men)]
LARGE = [material for men in (5, 6, 7) for material in file_materials(men)]


def test_files_are_called_as_python_chess_looks_for_them() -> None:
    """The name of every endgame up to seven men is the one that its reader knows."""
    names = {material.name for material in SMALL + LARGE}
    assert names == set(chess.syzygy.tablenames(piece_count=7)) - {"KvK"}


def test_what_no_file_can_be_of_is_refused() -> None:
    """Eight men, bare kings and other games have no file."""
    with pytest.raises(TooManyMen):
        file_material("KQRBvKQRB")
    for name in ("KvK", "xiangqi:KRvK"):
        with pytest.raises(BadMaterial):
            file_material(name)


def descriptors(material: Material, rng: random.Random) -> list[Descriptor]:
    """For each file the usual descriptor, and one with men and groups in another legal order."""
    found = []
    for file in files_of(material):
        usual = Descriptor.usual(material, file)
        pawns = [code for code in usual.pieces if code % OF_BLACK == PAWN_NUMBER]
        rest = list(dict.fromkeys(usual.pieces[len(pawns) :]))
        rng.shuffle(rest)
        if not pawns:
            rest.sort(key=lambda code: usual.pieces.count(code))
        pieces = (*pawns, *(code for code in rest for _ in range(usual.pieces.count(code))))
        orders = [*permutations(range(len(usual.groups)), 2), (0, 1)]
        order, second = rng.choice(
            [pair for pair in orders if max(pair) < len(usual.groups)] or [(0, 1)]
        )
        other = Descriptor(material, pieces, order, second if usual.others else NO_ORDER, file)
        found += [usual, other]
    return found


def legal_squares(descriptor: Descriptor, rng: random.Random) -> list[int]:
    """Random squares for the men of a list, the first pawn on the file or its mirror image.

    No leading pawn is another's mirror image: which one comes first then differs among readers.
    """
    while True:
        squares = rng.sample(range(64), len(descriptor.pieces))
        pawns = [
            s for s, code in zip(squares, descriptor.pieces, strict=True) if code % 8 == PAWN_NUMBER
        ]
        if any(not 8 <= square < 56 for square in pawns):
            continue
        leading = squares[: descriptor.leaders] if pawns else []
        files = [min(square % 8, 7 - square % 8) for square in leading]
        if any(square ^ 7 in leading for square in leading):
            continue
        if not leading or min(files) == descriptor.file:
            kings = [s for s, code in zip(squares, descriptor.pieces, strict=True) if code % 8 == 6]
            if chess.square_distance(*kings) > 1:
                return squares


def number_by_python_chess(descriptor: Descriptor, squares: list[int]) -> tuple[int, int]:
    """The number of a placement and how many there are, by the functions of python-chess."""
    table = chess.syzygy.WdlTable(f"/{descriptor.material.name}.rtbw", variant=chess.Board)
    pieces, men = list(descriptor.pieces), len(descriptor.pieces)
    norm, factor, places = [0] * men, [0] * 7, list(squares)
    if descriptor.material.has_pawns:
        table.set_norm_pawn(norm, pieces)
        orders = descriptor.order, descriptor.second_order
        size = table.calc_factors_pawn(factor, *orders, norm, descriptor.file)
        assert table.pawn_file(places) == descriptor.file
        return table.encode_pawn(norm, places, factor), size
    table.set_norm_piece(norm, pieces)
    size = table.calc_factors_piece(factor, descriptor.order, norm)
    return table.encode_piece(norm, places, factor), size


@pytest.mark.parametrize("men", [3, 4, 5, 6, 7])
def test_numbers_are_those_of_python_chess(men: int) -> None:
    """Random placements of every endgame have the same number there and here."""
    rng = random.Random(men)
    materials = list(file_materials(men))
    for material in rng.sample(materials, min(len(materials), 150)):
        for descriptor in descriptors(material, rng):
            chosen = [legal_squares(descriptor, rng) for _ in range(5)]
            numbers = np.empty(len(chosen), np.int64)
            numbers_of(descriptor.numbering, np.array(chosen), numbers)
            expected = [number_by_python_chess(descriptor, squares) for squares in chosen]
            assert [(number, descriptor.size) for number in numbers.tolist()] == expected


def small_numberings() -> Iterator[tuple[str, Descriptor]]:
    """A descriptor for each numbering up to four men, and a name: many endgames share one."""
    known = set()
    for material in SMALL:
        for place, descriptor in enumerate(descriptors(material, random.Random(material.name))):
            numbering = descriptor.numbering.tobytes()
            if numbering not in known:
                known.add(numbering)
                yield f"{material}-{place}", descriptor


NUMBERINGS = dict(small_numberings())


@pytest.mark.parametrize("descriptor", NUMBERINGS.values(), ids=NUMBERINGS)
def test_every_number_has_one_placement(descriptor: Descriptor) -> None:
    """Up to four men: the placement of each number is one of distinct squares and has it.

    Only placements that equal their mirror image on the men that decide have another number, which
    is that of the image.
    """
    men = descriptor.material.men
    for first in range(0, descriptor.size, 1 << 17):
        count = min(1 << 17, descriptor.size - first)
        squares = np.empty((count, men), np.int64)
        squares_of(descriptor.numbering, first, squares)
        assert (squares >= 0).all() and (squares < 64).all()
        assert (np.bitwise_count(squares_taken(squares)) == men).all()
        numbers = np.empty(count, np.int64)
        numbers_of(descriptor.numbering, squares, numbers)
        assert (numbers == np.arange(first, first + count)).all()


def squares_taken(squares: NDArray[np.int64]) -> NDArray[np.uint64]:
    """[placement]: the squares with men on them, a bit each."""
    taken = np.zeros(len(squares), np.uint64)
    for man in squares.T:
        taken |= np.uint64(1) << man.astype(np.uint64)
    return taken


@pytest.mark.parametrize("men", [5, 6, 7])
def test_large_numbers_have_their_placements(men: int) -> None:
    """Of five to seven men, random numbers lead to placements that lead back to them."""
    rng = random.Random(-men)
    for material in rng.sample(list(file_materials(men)), 100):
        for descriptor in descriptors(material, rng):
            for _ in range(5):
                number = rng.randrange(descriptor.size)
                squares, found = np.empty((1, men), np.int64), np.empty(1, np.int64)
                squares_of(descriptor.numbering, number, squares)
                assert len(set(squares[0].tolist())) == men
                numbers_of(descriptor.numbering, squares, found)
                assert found[0] == number


@pytest.mark.parametrize("name", ["KRvK", "KRRvKB", "KPPvKP", "KPvKRR", "KPvKP"])
def test_a_descriptor_comes_back_from_its_bytes(name: str) -> None:
    """Both sides' descriptors share their bytes, and either is read from them."""
    material = file_material(name)
    mine, other = descriptors(material, random.Random(name))[-2:]
    data = mine.to_bytes(other)
    assert Descriptor.from_bytes(data, material, 0, mine.file) == mine
    assert Descriptor.from_bytes(data, material, 1, mine.file) == other
    assert [material.men for _ in mine.men] == [material.men] * len(mine.pieces)


def test_the_published_example_has_its_numbers() -> None:
    """Some placements of the description of the format, one for each kind of lead."""
    examples = [
        (Descriptor(file_material("KRvK"), (6, 14, 4)), "a1 c3 h8", 31175),
        (Descriptor(file_material("KRvK"), (6, 14, 4)), "d4 b6 e5", 29298),
        (Descriptor(file_material("KBBvK"), (6, 14, 3, 3)), "e4 e6 c1 f1", 332610),
        (Descriptor(file_material("KPPvK"), (1, 1, 6, 14)), "h3 b5 c1 e8", 876279),
        (Descriptor(file_material("KPvKP"), (1, 9, 6, 14), 0, 1), "h5 a4 e1 e8", 980091),
    ]
    for descriptor, text, number in examples:
        squares = np.array([[chess.parse_square(square) for square in text.split()]])
        found = np.empty(1, np.int64)
        numbers_of(descriptor.numbering, squares, found)
        assert found[0] == number


def test_kings_that_touch_have_no_number() -> None:
    """Where the kings lead, the number is -1: they can be handed over by anybody."""
    descriptor = Descriptor.usual(file_material("KRRvK"))
    assert descriptor.numbering[columns.LEAD] == columns.KING_PAIR
    found = np.empty(1, np.int64)
    numbers_of(descriptor.numbering, np.array([[9, 10, 40, 41]]), found)
    assert found[0] == -1


@pytest.mark.parametrize(
    ("name", "pieces", "orders"),
    [
        ("KRvK", (6, 14, 5), (0, 15)),
        ("KRRvK", (6, 4, 14, 4), (0, 15)),
        ("KRRvK", (4, 4, 6, 14), (0, 15)),
        ("KPvKR", (6, 1, 14, 12), (0, 15)),
        ("KPPvKP", (1, 1, 9, 6, 14), (0, 1)),
        ("KPvKP", (1, 9, 6, 14), (0, 0)),
        ("KRvK", (6, 14, 4), (1, 15)),
    ],
)
def test_a_descriptor_that_no_reader_takes_is_refused(
    name: str, pieces: tuple[int, ...], orders: tuple[int, int]
) -> None:
    """Other men, like men apart, the wrong men in front, groups without an order."""
    with pytest.raises(ValueError, match=r"^it "):
        Descriptor(file_material(name), pieces, *orders)
