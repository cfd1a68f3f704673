"""Layouts: every placement has its plane, and counting modulo symmetry is right."""

from __future__ import annotations

from itertools import combinations

import chess
import numpy as np
import pytest

from tests.reference.board import canonical, is_legal
from tests.reference.position import locate
from unmove.games.chess import LETTERS
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.planes.lead import pawn_lead, piece_lead, rank, rank_of_groups, subsets
from unmove.planes.position import board_at
from unmove.planes.symmetry import IMAGE, MIRROR_FILES, SYMMETRIES
from unmove.values import SIDES, Side


@pytest.mark.parametrize("size", [1, 2, 3])
def test_ranks_number_the_sets_of_squares(size: int) -> None:
    """The rank of the i-th set is i, and every set occurs."""
    sets = subsets(size)
    assert [rank(tuple(s)) for s in sets.tolist()] == list(range(len(sets)))
    assert {tuple(s) for s in sets.tolist()} == set(combinations(range(64), size))


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 10), (2, 278), (3, 5278)])
def test_orbits_are_as_many_as_burnside_counts(size: int, count: int) -> None:
    """Each set maps onto its representative, and there are as many as the lemma says."""
    found = piece_lead(size)
    assert len(found.squares) == count
    sets = subsets(size)
    for i in range(0, len(sets), 97):
        mapped = sorted(int(IMAGE[found.symmetry[i], square]) for square in sets[i])
        assert mapped == found.squares[found.orbit[i]].tolist()


@pytest.mark.parametrize(
    ("white", "black", "slices"),
    [(1, 0, 24), (2, 0, 576), (1, 1, 1128), (2, 1, 25944), (3, 0, 8648)],
)
def test_slices_are_half_of_all_pawn_placements(white: int, black: int, slices: int) -> None:
    """A placement and its mirror image lead to the same slice, by the symmetry that is noted."""
    lead = pawn_lead(white, black)
    assert len(lead.squares) == slices
    for squares in lead.squares[:: max(1, slices // 500)].tolist():
        for symmetry in (0, MIRROR_FILES):
            images = [int(IMAGE[symmetry, square]) for square in squares]
            number = rank_of_groups([g for g in (images[:white], images[white:]) if g])
            kept = lead.squares[lead.orbit[number]].tolist()
            back = [int(IMAGE[lead.symmetry[number], square]) for square in images]
            assert sorted(back[:white]) + sorted(back[white:]) == kept
            assert kept in (squares, sorted(images[:white]) + sorted(images[white:]))


@pytest.mark.parametrize(("white", "black"), [(1, 0), (2, 1), (3, 0)])
def test_pawn_moves_lead_to_earlier_parts(white: int, black: int) -> None:
    """Every step of a pawn inside the table ends in a slice of a part that is solved before."""
    lead = pawn_lead(white, black)
    part_of = np.concatenate([np.full(b - a, i) for i, (a, b) in enumerate(lead.parts)])
    assert len(part_of) == len(lead.squares)
    for slice_, squares in list(enumerate(lead.squares.tolist()))[:: len(lead.squares) // 300 + 1]:
        for i, square in enumerate(squares):
            for steps in (1, 2):
                to = square + (8 if i < white else -8) * steps
                if not 8 <= to < 56 or to in squares:
                    continue
                moved = [*squares[:i], to, *squares[i + 1 :]]
                number = rank_of_groups([g for g in (moved[:white], moved[white:]) if g])
                assert part_of[lead.orbit[number]] == part_of[slice_] - steps


def test_symmetries_are_eight_different_permutations() -> None:
    """The eight maps are permutations, all different, and close under composition."""
    maps = {tuple(IMAGE[t].tolist()) for t in range(SYMMETRIES)}
    assert len(maps) == SYMMETRIES
    for a in maps:
        assert sorted(a) == list(range(64))
        for b in maps:
            assert tuple(a[s] for s in b) in maps


@pytest.mark.parametrize(
    "name",
    [
        "KvK",
        "KQvK",
        "KBBvK",
        "KQvKR",
        "KNNNvK",
        "KBBvKN",
        "KQQvKQ",
        "KPvK",
        "KRPvKN",
        "KPPvKP",
        "KBvKPP",
    ],
)
@pytest.mark.parametrize("pad", [0, 1])
def test_a_plane_and_its_placement_are_inverse(name: str, pad: int) -> None:
    """Every plane's placement leads back to the plane; squares in the frame agree."""
    layout = Layout(Material.parse(name), pad)
    frame = layout.frame
    planes = layout.order.tolist()
    for plane in planes[:: max(1, len(planes) // 3000)]:
        placement = layout.placement(plane)
        assert layout.cell(placement, (3, 60)) // CELLS == plane
        assert [s for group in placement for s in group] == frame.squares[plane].tolist()


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KBNvK", "KBBvKN", "KNNNvK"])
@pytest.mark.parametrize("side", SIDES)
def test_a_board_and_its_cell_are_inverse(name: str, side: Side) -> None:
    """A cell's board is located at a cell with an image of that board, colours exchanged or not."""
    layout = Layout(Material.parse(name))
    rng = np.random.default_rng(side)
    for plane in rng.choice(layout.frame.planes, 40).tolist():
        taken = layout.frame.squares[plane].tolist()
        white, black = rng.choice([s for s in range(64) if s not in taken], 2, False).tolist()
        board = board_at(layout, side, plane * CELLS + 64 * white + black)
        images = [board.transform(flip) for flip in (chess.flip_vertical, chess.flip_diagonal)]
        for asked in (board, board.mirror(), *images):
            address = locate(asked, layout)
            found = board_at(layout, Side(address.side), address.cell)
            if asked.turn == board.turn or name != "KvK":
                assert address.side == side
            assert _shape(found) == _shape(asked if asked.turn == found.turn else asked.mirror())


def _shape(board: chess.Board) -> frozenset[str]:
    """The eight images of a board's men."""
    flips = (chess.flip_horizontal, chess.flip_vertical, chess.flip_diagonal)
    images = {board.board_fen()}
    for _ in flips:
        images |= {
            chess.Board(f"{fen} w - - 0 1").transform(flip).board_fen()
            for fen in images
            for flip in flips
        }
    return frozenset(images)


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KNvK", "KPvK"])
def test_shares_count_positions_modulo_symmetry(name: str) -> None:
    """Summed over cells, shares and mirrors give the number of classes of legal positions."""
    layout = Layout(Material.parse(name))
    frame = layout.frame
    letters = "".join(LETTERS[man.kind] for man in layout.men)
    classes = set()
    eighths = 0
    for plane in frame.planes.tolist():
        for cell in range(CELLS):
            white, black = divmod(cell, 64)
            men = [("K", white), ("k", black)]
            men += list(zip(letters, frame.squares[plane].tolist(), strict=True))
            position = True, tuple(sorted(men))
            if is_legal(position):
                classes.add(canonical(position))
                mirrors = frame.mirrors[plane].tolist()
                fixed = sum(1 for m in mirrors if m >> white & 1 and m >> black & 1)
                eighths += int(frame.share[plane]) * (1 + fixed)
    assert eighths == 8 * len(classes)


def test_a_part_has_the_planes_of_its_slices() -> None:
    """The layouts of all parts, one after the other, are the whole layout."""
    whole = Layout(Material.parse("KRvKP"))
    squares = [Layout(whole.material, 1, part) for part in whole.parts]
    found = np.concatenate([part.frame.squares[part.order] for part in squares])
    assert np.array_equal(found, whole.frame.squares)


def test_padding_only_spreads_planes() -> None:
    """A padded layout has the same planes in the same order."""
    plain, padded = (Layout(Material.parse("KQRvKR"), pad) for pad in (0, 1))
    assert np.all(np.diff(padded.order) > 0)
    assert np.array_equal(plain.frame.squares, padded.frame.squares[padded.order])
