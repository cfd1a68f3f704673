"""The reference is itself checked: against python-chess, published figures and its own rules.

Nothing here tests unmove. It is the ground the other tests stand on.
"""

import random
from collections import Counter
from collections.abc import Iterator

import chess
import pytest

from tests.reference.board import (
    ALL_SYMMETRIES,
    FILE_SYMMETRIES,
    PLAIN,
    Men,
    Position,
    can_be_taken,
    canonical,
    has_pawns,
    in_check,
    is_legal,
    moves,
    transformed,
)
from tests.reference.families import same, slice_graph
from tests.reference.planes import cell_of, cells_of
from tests.reference.solver import (
    Value,
    graph_of,
    material_of,
    settle,
    solve,
    value_before,
)
from unmove.planes.layout import CELLS, Layout

PIECES = "QRBNqrbn"
PIECES_AND_PAWNS = PIECES + "PPPPpppp"


def random_positions(letters: str, count: int, seed: int) -> Iterator[Position]:
    """Two kings and up to six more men on random squares, legal or not."""
    rng = random.Random(seed)
    for _ in range(count):
        names = ["K", "k", *rng.choices(letters, k=rng.randrange(7))]
        squares = rng.sample(range(64), len(names))
        yield rng.random() < 0.5, tuple(sorted(zip(names, squares, strict=True)))


def double_steps(count: int, seed: int) -> Iterator[Position]:
    """A pawn on its home rank, an enemy pawn that may take it en passant, up to two more men.

    Legal or not, the side of the first pawn to move.
    """
    rng = random.Random(seed)
    for _ in range(count):
        white, file = rng.random() < 0.5, rng.randrange(7)
        files = rng.sample([file, file + 1], 2)
        home, fourth = (1, 3) if white else (6, 4)
        letters = ["P" if white else "p", "p" if white else "P", "K", "k"]
        letters += rng.choices("QRBNPqrbnp", k=rng.randrange(3))
        squares = [8 * home + files[0], 8 * fourth + files[1]]
        others = [square for square in range(64) if square not in squares]
        squares += rng.sample(others, len(letters) - 2)
        yield white, tuple(sorted(zip(letters, squares, strict=True)))


def board_of(position: Position) -> chess.Board:
    """The same position as a python-chess board, without castling."""
    white_to_move, men = position
    board = chess.Board(None)
    for letter, square in men:
        board.set_piece_at(square, chess.Piece.from_symbol(PLAIN.get(letter, letter)))
    board.turn = white_to_move
    stepped = can_be_taken(men)
    if stepped is not None:
        board.ep_square = stepped + (8 if white_to_move else -8)
    return board


def men_of(board: chess.Board) -> Men:
    """The men of a python-chess board; a pawn that another may take en passant is E or e."""
    men = {square: man.symbol() for square, man in board.piece_map().items()}
    if board.ep_square is not None and board.has_pseudo_legal_en_passant():
        stepped = board.ep_square + (-8 if board.turn else 8)
        men[stepped] = {"P": "E", "p": "e"}[men[stepped]]
    return tuple(sorted((letter, square) for square, letter in men.items()))


def men_after(board: chess.Board, move: chess.Move) -> Men:
    """The men after the move; the board itself stays as it is."""
    board.push(move)
    men = men_of(board)
    board.pop()
    return men


def status_of(board: chess.Board) -> chess.Status:
    """What python-chess finds wrong, except checks that no game could have led to."""
    return board.status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)


def plies_of(table: dict[Position, Value], white_to_move: bool) -> list[int]:
    """The values of the decided positions with the given side to move."""
    return [v for position, v in table.items() if position[0] == white_to_move and v is not None]


@pytest.mark.parametrize("letters", [PIECES, PIECES_AND_PAWNS])
def test_legality_is_that_of_python_chess(letters: str) -> None:
    """A random placement is legal exactly when python-chess finds nothing wrong with it."""
    verdicts = set()
    for position in random_positions(letters, 2000, seed=1):
        legal = is_legal(position)
        verdicts.add(legal)
        assert legal == (status_of(board_of(position)) == chess.STATUS_VALID), position
    assert verdicts == {True, False}


def test_two_men_on_one_square_are_not_legal() -> None:
    """A placement with two men on one square is not legal."""
    assert not is_legal((True, (("K", 0), ("R", 30), ("k", 30))))


@pytest.mark.parametrize("letters", [PIECES, PIECES_AND_PAWNS])
def test_moves_are_those_of_python_chess(letters: str) -> None:
    """Each random legal position has the successors python-chess gives it, each once."""
    positions = [p for p in random_positions(letters, 2500, seed=2) if is_legal(p)]
    assert len(positions) > 1000
    for position in positions:
        board = board_of(position)
        expected = sorted(men_after(board, move) for move in board.legal_moves)
        successors = moves(position)
        assert sorted(men for _, men in successors) == expected, board.fen()
        assert all(white_to_move != position[0] for white_to_move, _ in successors)


def test_en_passant_is_that_of_python_chess() -> None:
    """After a double step the moves are python-chess's, whether the pawn can be taken or not."""
    cases: Counter[str] = Counter()
    for position in double_steps(9000, seed=8):
        if not is_legal(position):
            continue
        for after in moves(position):
            if can_be_taken(after[1]) is None:
                continue
            board = board_of(after)
            legal = list(board.legal_moves)
            expected = sorted(men_after(board, move) for move in legal)
            assert sorted(men for _, men in moves(after)) == expected, board.fen()
            takes = [move for move in legal if board.is_en_passant(move)]
            cases["all"] += 1
            cases["taken"] += bool(takes)
            cases["taken in check"] += bool(takes) and board.is_check()
            cases["not taken, though not in check"] += not takes and not board.is_check()
    assert cases["all"] > 3000
    assert all(cases.values()), cases


@pytest.mark.parametrize(
    ("fen", "taken"),
    [
        ("8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1", False),  # both pawns leave the rank: check
        ("8/8/8/8/kn1Pp2R/8/8/4K3 b - d3 0 1", True),  # a knight stays between
        ("8/8/8/4k3/3Pp3/8/8/3K4 b - d3 0 1", True),  # in check by the pawn that is taken
        ("k7/2Q5/8/8/6Pp/7K/8/8 b - g3 0 1", True),  # no other move
    ],
)
def test_en_passant_by_hand(fen: str, taken: bool) -> None:
    """A pawn is taken en passant unless the king is in check when both pawns are gone."""
    board = chess.Board(fen)
    men = men_of(board)
    assert can_be_taken(men) is not None
    behind = [after for _, after in moves((board.turn, men))]
    assert any(len(after) < len(men) for after in behind) is taken
    assert len(behind) == board.legal_moves.count()


def test_the_right_to_take_passes() -> None:
    """One ply after a double step nobody can be taken en passant."""
    after = [s for p in double_steps(300, seed=9) if is_legal(p) for s in moves(p)]
    stepped = [position for position in after if can_be_taken(position[1]) is not None]
    assert stepped
    assert all(can_be_taken(s[1]) is None for position in stepped for s in moves(position))


def test_perft_of_promotions() -> None:
    """Three plies from a position full of promotions give the published number of lines."""
    # The last line of perftsuite.epd, which many engines carry: 24, 496, 9483. All pawns are one
    # step from promotion, so en passant cannot occur.
    board = chess.Board("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1")
    counts = []
    positions: list[Position] = [(board.turn, men_of(board))]
    for _ in range(3):
        positions = [successor for position in positions for successor in moves(position)]
        counts.append(len(positions))
    assert counts == [24, 496, 9483]


def test_perft_of_en_passant() -> None:
    """Four plies from a position full of en passant and pins give the published number of lines."""
    # Position 3 of "Perft Results", Chess Programming Wiki: 14, 191, 2812, 43238.
    board = chess.Board("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")
    counts = []
    positions: list[Position] = [(board.turn, men_of(board))]
    for _ in range(4):
        positions = [successor for position in positions for successor in moves(position)]
        counts.append(len(positions))
    assert counts == [14, 191, 2812, 43238]


@pytest.mark.parametrize("letters", [PIECES, PIECES_AND_PAWNS])
def test_canonical_keeps_the_position_what_it_is(letters: str) -> None:
    """Canonical is idempotent and keeps the side to move, the legality and the moves."""
    for position in random_positions(letters, 1000, seed=3):
        image = canonical(position)
        assert canonical(image) == image
        assert image[0] == position[0]
        assert is_legal(image) == is_legal(position)
        if is_legal(position):
            assert set(map(canonical, moves(image))) == set(map(canonical, moves(position)))


@pytest.mark.parametrize("letters", [PIECES, PIECES_AND_PAWNS])
def test_all_images_have_one_canonical_position(letters: str) -> None:
    """The 8 images of a position without pawns, and the 2 with pawns, share one canonical image."""
    assert len({tuple(symmetry.values()) for symmetry in ALL_SYMMETRIES}) == 8
    assert len({tuple(symmetry.values()) for symmetry in FILE_SYMMETRIES}) == 2
    for white_to_move, men in random_positions(letters, 500, seed=4):
        symmetries = FILE_SYMMETRIES if has_pawns(men) else ALL_SYMMETRIES
        images = [(white_to_move, transformed(men, symmetry)) for symmetry in symmetries]
        assert canonical((white_to_move, men)) in images
        assert len({canonical(image) for image in images}) == 1


def test_ranks_are_not_mirrored_with_pawns() -> None:
    """A pawn keeps its rank in the canonical position."""
    for position in random_positions(PIECES_AND_PAWNS, 1000, seed=5):
        ranks = sorted((letter, square // 8) for letter, square in position[1])
        image_ranks = sorted((letter, square // 8) for letter, square in canonical(position)[1])
        assert not has_pawns(position[1]) or ranks == image_ranks


@pytest.mark.parametrize("metric", ["dtm", "dtc", "dtz"])
@pytest.mark.parametrize(("material", "longest"), [("KQvK", 19), ("KRvK", 31)])
def test_longest_wins(material: str, longest: int, metric: str) -> None:
    """White to move wins every KQvK within 10 moves and every KRvK within 16, in every metric."""
    table = solve(material, metric)
    assert max(plies_of(table, white_to_move=True)) == longest
    assert min(plies_of(table, white_to_move=False)) == -longest - 1


@pytest.mark.parametrize("material", ["KQvK", "KRvK"])
def test_dtc_is_dtm_where_no_conversion_wins(material: str) -> None:
    """DTC equals DTM, since the only capture of these endgames draws."""
    assert solve(material, "dtc") == solve(material, "dtm")


@pytest.mark.parametrize("metric", ["dtm", "dtc", "dtz"])
@pytest.mark.parametrize("material", ["KvK", "KBvK", "KNvK"])
def test_bare_minor_pieces_draw(material: str, metric: str) -> None:
    """Every position of KvK, KBvK and KNvK is a draw."""
    assert set(solve(material, metric).values()) == {None}


def test_krvk_counts_are_the_published_ones() -> None:
    """KRvK, Black to move, has the published number of positions at each distance from mate."""
    # M. Bain and A. van Hoff, "Chess (King-Rook vs. King)", UCI Machine Learning Repository,
    # 1994: positions by White's moves to mate, from 0 to 16, and draws.
    wins = [
        27,
        78,
        246,
        81,
        198,
        471,
        592,
        683,
        1433,
        1712,
        1985,
        2854,
        3597,
        4194,
        4553,
        2166,
        390,
    ]
    expected: dict[Value, int] = {-2 * move: count for move, count in enumerate(wins)}
    expected[None] = 2796
    table = solve("KRvK", "dtm")
    assert Counter(value for (white, _), value in table.items() if not white) == expected


@pytest.mark.parametrize("material", ["KQvK", "KRvK"])
def test_tables_hold_the_legal_canonical_positions(material: str) -> None:
    """A random placement's canonical image is in the table exactly when it is legal."""
    table = solve(material, "dtm")
    rng = random.Random(6)
    for position in rng.sample(list(table), 3000):
        assert is_legal(position)
        assert canonical(position) == position
        assert material_of(position[1]) == material
    for _ in range(3000):
        squares = [rng.randrange(64) for _ in range(3)]
        men = tuple(sorted(zip(("K", material[1], "k"), squares, strict=True)))
        for position in ((True, men), (False, men)):
            assert (canonical(position) in table) == is_legal(position)


@pytest.mark.parametrize("material", ["KQvK", "KRvK"])
def test_values_are_what_the_moves_give(material: str) -> None:
    """A sampled value is one more than the best successor's: the soonest loss or the latest win."""
    table = solve(material, "dtm")
    for position in random.Random(7).sample(list(table), 2000):
        after = [
            solve(material_of(successor[1]), "dtm")[canonical(successor)]
            for successor in moves(position)
        ]
        losses = [-value for value in after if value is not None and value <= 0]
        expected: Value = None
        if losses:
            expected = 1 + min(losses)
        elif after and None not in after:
            expected = -1 - max(value for value in after if value is not None)
        elif not after and in_check(position):
            expected = 0
        assert table[position] == expected


def test_dtc_stops_at_a_conversion() -> None:
    """In DTC a winning capture is +1, a forced losing one -1, and they give even wins."""
    # 0: captures and wins. 1: every move captures and loses. 2: moves to 1, so wins in 2.
    # 3: moves to 2 or captures and loses, and moving on loses later. 4: captures and draws.
    quiet: list[list[int]] = [[], [], [1], [2], [2]]
    behind: list[list[Value]] = [[-8, 5], [3, 7], [None], [9], [None]]
    for metric, expected in (("dtc", [1, -1, 2, -3, None]), ("dtm", [9, -8, 9, -10, None])):
        arriving = [
            [value_before(value, metric, quiet=False, converts=True) for value in values]
            for values in behind
        ]
        assert settle(quiet, arriving, [False] * 5, metric) == expected


def test_late_values_from_conversions_arrive() -> None:
    """In DTM a conversion to a distant mate counts, though no value lies between it and mate."""
    # 0: converts to a mate in 30 plies. 1: must move to 0. 2: moves to 1 or is stuck with 3,
    # which is stalemate. 4: checkmated. 5: moves to 4 or to 1.
    quiet: list[list[int]] = [[], [0], [1, 3], [], [], [1, 4]]
    arriving: list[list[Value]] = [[31], [], [], [], [], []]
    mated = [False, False, False, False, True, False]
    assert settle(quiet, arriving, mated, "dtm") == [31, -32, 33, None, 0, 1]


def test_the_101st_ply_is_cursed() -> None:
    """In DTZ a win of more than 100 plies is cursed, and so is a capture that leads to one."""
    # A chain of forced moves: 0 is mated, 1 moves to 0, 2 to 1, and so on.
    quiet: list[list[int]] = [[], *([number] for number in range(104))]
    arriving: list[list[Value]] = [[] for _ in quiet]
    values = settle(quiet, arriving, [True, *[False] * 104], "dtz")
    assert values[98:] == [-98, 99, -100, 201, -202, 203, -204]
    for behind, before in ((-100, 1), (-202, 101), (99, -1), (203, -101), (0, 1), (None, None)):
        assert value_before(behind, "dtz", quiet=False, converts=False) == before


def test_dtz_prefers_the_outcome_to_the_distance() -> None:
    """In DTZ a win in 99 is better than a cursed one in 1, and a blessed loss than any other."""
    # 0: zeroes into a cursed win or moves to 1, lost in 98. 2: zeroes into one of two losses.
    quiet: list[list[int]] = [[1], [], []]
    arriving: list[list[Value]] = [[101], [-98], [-100, -101]]
    assert settle(quiet, arriving, [False] * 3, "dtz") == [99, -98, -101]


def test_a_slice_has_the_moves_of_its_positions() -> None:
    """The graph of a slice, made with numbers, is the one made of positions."""
    for pawns in ((("P", 12), ("p", 27)), (("P", 51), ("p", 14))):
        fast = slice_graph("Kk", pawns)
        slow = graph_of(fast.positions, same)
        assert len(fast.positions) > 6000
        assert fast.mated == slow.mated
        assert [set(numbers) for numbers in fast.quiet] == [set(n) for n in slow.quiet]
        assert [set(after) for after in fast.zeroing] == [set(after) for after in slow.zeroing]


def test_many_cells_are_found_as_one() -> None:
    """The cells of many positions are those found one by one."""
    positions = [
        position
        for position in random_positions("QRBPrbp", 4000, seed=10)
        if len(position[1]) < 6
        and is_legal(position)
        and len({letter for letter, _ in position[1]}) == len(position[1])
    ]
    assert len(positions) > 500
    for at in cells_of(positions):
        layout = Layout(at.material)
        for i, (white_to_move, men) in enumerate(at.positions):
            image = white_to_move, men
            if at.material.name != material_of(men):  # colours exchanged, ranks upside down
                turned = ((letter.swapcase(), square ^ 56) for letter, square in men)
                image = not white_to_move, tuple(sorted(turned))
            assert at.sides[i] == (not image[0])
            assert divmod(cell_of(layout, image), CELLS) == (at.planes[i], at.cells[i])


def test_unknown_metric_is_refused() -> None:
    """A metric that is none of the three raises ValueError."""
    with pytest.raises(ValueError, match="dtm, dtc, dtz"):
        solve("KvK", "dtx")
