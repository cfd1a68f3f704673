"""Layouts: every placement has its plane, and counting modulo symmetry is right."""

from __future__ import annotations

from itertools import combinations

import chess
import numpy as np
import pytest

from tests.reference.board import canonical, is_legal
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout, orbits, rank, subsets
from unmove.planes.position import board_at, locate
from unmove.planes.symmetry import IMAGE, SYMMETRIES


@pytest.mark.parametrize("size", [1, 2, 3])
def test_ranks_number_the_sets_of_squares(size: int) -> None:
    """The rank of the i-th set is i, and every set occurs."""
    sets = subsets(size)
    assert [rank(tuple(s)) for s in sets.tolist()] == list(range(len(sets)))
    assert {tuple(s) for s in sets.tolist()} == set(combinations(range(64), size))


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 10), (2, 278), (3, 5278)])
def test_orbits_are_as_many_as_burnside_counts(size: int, count: int) -> None:
    """Each set maps onto its representative, and there are as many as the lemma says."""
    found = orbits(size)
    assert len(found.first) == count
    sets = subsets(size)
    for i in range(0, len(sets), 97):
        mapped = [int(IMAGE[found.symmetry[i], square]) for square in sets[i]]
        assert rank(mapped) == found.first[found.orbit[i]]


def test_symmetries_are_eight_different_permutations() -> None:
    """The eight maps are permutations, all different, and close under composition."""
    maps = {tuple(IMAGE[t].tolist()) for t in range(SYMMETRIES)}
    assert len(maps) == SYMMETRIES
    for a in maps:
        assert sorted(a) == list(range(64))
        for b in maps:
            assert tuple(a[s] for s in b) in maps


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KBBvK", "KQvKR", "KNNNvK", "KBBvKN", "KQQvKQ"])
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
@pytest.mark.parametrize("side", [0, 1])
def test_a_board_and_its_cell_are_inverse(name: str, side: int) -> None:
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
            found = board_at(layout, address.side, address.cell)
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


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KNvK"])
def test_shares_count_positions_modulo_symmetry(name: str) -> None:
    """Summed over cells, shares and mirrors give the number of classes of legal positions."""
    layout = Layout(Material.parse(name))
    frame = layout.frame
    letters = "".join("NBRQ"[man.kind] for man in layout.men)
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


def test_padding_only_spreads_planes() -> None:
    """A padded layout has the same planes in the same order."""
    plain, padded = (Layout(Material.parse("KQRvKR"), pad) for pad in (0, 1))
    assert np.all(np.diff(padded.order) > 0)
    assert np.array_equal(plain.frame.squares, padded.frame.squares[padded.order])
