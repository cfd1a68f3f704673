"""Kernels against their slow twins, and what they must not contain."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import chess
import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.planes import entries, has_move_into, legal_cells, packed
from unmove import Tablebase
from unmove.kernels.arrays import PositionSet, Score
from unmove.kernels.intrinsics import undo_exchange, undo_mirror_files, undo_mirror_ranks
from unmove.kernels.jit import kernel
from unmove.kernels.sets import MOVING, STANDING, Ply
from unmove.kernels.solve.sources import rank_moved, turned
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.planes.lead import rank
from unmove.planes.position import board_at
from unmove.planes.symmetry import EXCHANGE, IMAGE, MIRROR_FILES, MIRROR_RANKS
from unmove.pool.workers import WorkerPool
from unmove.solver.conversion_values import conversions
from unmove.solver.kings import KingsBackend
from unmove.solver.ply import settle
from unmove.solver.ply_log import NoLog
from unmove.solver.subtable_values import NO_CONVERSIONS
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BROKEN, DRAW, SIDES, Metric, Side, opponent_of, preference

Planes = NDArray[np.uint64]


@kernel
def _undo(which: int, frames: Planes) -> None:
    """frames[1] is turned into frames[0]."""
    if which == 1:
        undo_mirror_files(frames, 0, 1)
    elif which == 2:
        undo_mirror_ranks(frames, 0, 1)
    else:
        undo_exchange(frames, 0, 1)


def _bits(plane: Planes) -> NDArray[np.uint8]:
    """The plane as 64 x 64 zeros and ones."""
    return np.unpackbits(plane.view(np.uint8), bitorder="little").reshape(64, 64)


@pytest.mark.parametrize("symmetry", [MIRROR_FILES, MIRROR_RANKS, EXCHANGE])
def test_turning_a_plane_moves_both_kings(symmetry: int) -> None:
    """A turned plane has at (w, b) what the plane had at the images of w and b."""
    frames = np.zeros((2, 64), np.uint64)
    frames[1] = np.random.default_rng(symmetry).integers(0, 1 << 63, 64, np.uint64)
    _undo(symmetry, frames)
    to = IMAGE[symmetry]
    assert np.array_equal(_bits(frames[0]), _bits(frames[1])[to][:, to])


@pytest.mark.parametrize("symmetry", range(8))
def test_turning_a_set_moves_every_square(symmetry: int) -> None:
    """A turned set has the images of the squares of the set."""
    for word in np.random.default_rng(symmetry).integers(0, 1 << 63, 20, np.uint64):
        squares = np.flatnonzero(np.unpackbits(np.array([word]).view(np.uint8), bitorder="little"))
        image = sum(1 << int(IMAGE[symmetry, square]) for square in squares)
        assert int(turned(word, symmetry)) == image


@pytest.mark.parametrize("name", ["KQvK", "KQQvK", "KQQQvK", "KQQQQvK"])
def test_any_number_of_like_men_is_ranked_as_the_layout_ranks_it(name: str) -> None:
    """As they stand, and once one of them has moved anywhere."""
    layout, rng = Layout(Material.parse(name)), np.random.default_rng(4)
    ((_, size),) = layout.groups
    for plane in rng.integers(layout.count, size=50).tolist():
        (stand,) = layout.placement(plane)
        squares = np.array(stand, np.int64)
        assert rank_moved(squares, 0, size, -1, -1) == rank(stand)
        for man, to in product(range(size), set(range(64)) - set(stand)):
            moved = [*stand[:man], to, *stand[man + 1 :]]
            assert rank_moved(squares, 0, size, man, to) == rank(moved)


def _cells(planes: Planes, plane: int) -> set[int]:
    return {plane * CELLS + int(cell) for cell in np.flatnonzero(_bits(planes[plane]))}


@pytest.mark.parametrize("name", ["KQvK", "KRvKN", "KBBvK", "KQvKB", "KPvK", "KPPvK", "KRvKP"])
def test_legality_is_the_reference_rule(name: str) -> None:
    """On sampled planes the legal cells are those the plain move generator calls legal."""
    layout = Layout(Material.parse(name))
    legal = _legal(KingsBackend(layout, WorkerPool(1)))
    planes = layout.frame.planes
    for plane in planes[:: max(1, len(planes) // 4)].tolist():
        cells = range(plane * CELLS, (plane + 1) * CELLS)
        for side in SIDES:
            assert _cells(legal[side], plane) == legal_cells(layout, side, cells)


@pytest.mark.parametrize("name", ["KQvK", "KRvKN", "KBBvK", "KNvKQ", "KQvKR", "KRvKP"])
@pytest.mark.parametrize("side", SIDES)
def test_ex_is_having_a_move_into_the_set(name: str, side: Side) -> None:
    """settle() finds exactly the positions with a quiet move into a random frontier.

    The frontier is random but symmetric: a set of positions holds all images of its members.
    """
    layout = Layout(Material.parse(name))
    backend = KingsBackend(layout, WorkerPool(1))
    legal = _legal(backend)
    front, targets = _random_set(layout, legal[opponent_of(side)])
    found = _settled(backend, side, front, legal[side])
    rng = np.random.default_rng(2)
    for plane in rng.choice(layout.frame.planes, 2, replace=False).tolist():
        for cell in rng.choice(sorted(_cells(legal[side], plane)), 300).tolist():
            assert (cell in _cells(found, plane)) == has_move_into(layout, side, cell, targets)


class Kept(NoLog):
    """A log of one ply."""

    def __init__(self) -> None:
        self.stretches: list[Planes] = []

    def keep(self, worker: int, first: int, entries: Planes) -> None:
        self.stretches.append(entries.copy())


def _settled(
    backend: KingsBackend, side: Side, front: PositionSet, legal: PositionSet
) -> PositionSet:
    """What a ply settles: the positions of `side` with a quiet move into a set.

    The flags of the frontier are those that a ply raises which settles just this set.
    """
    unsettled, nothing = PositionSet(legal.copy()), backend.nothing()
    ply = Ply(
        mover=opponent_of(side),
        universal=False,
        whose=STANDING,
        front=nothing,
        conversions=NO_CONVERSIONS,
        late=nothing,
        late_arrive=False,
        unwon=front,
        unsettled=PositionSet(front.copy()),
    )
    with WorkerPool(1) as pool:
        given, new = (backend.frontier(name) for name in ("given", "new"))
        settle(backend, pool, ply, given, NoLog())
        assert np.array_equal(packed(front, given.flags).at > 0, given.at > 0)
        ply = ply._replace(mover=side, whose=MOVING, front=given, unsettled=unsettled)
        log = Kept()
        settle(backend, pool, ply, new, log)
    found = PositionSet(np.zeros_like(legal))
    for plane, words in entries(np.concatenate(log.stretches), 64):
        found[plane] = words
    assert np.array_equal(found, legal & ~unsettled)
    return found


def _legal(backend: KingsBackend) -> list[PositionSet]:
    """The legal positions, by side to move."""
    legal = [PositionSet(np.zeros((backend.layout.count, 64), np.uint64)) for _ in SIDES]
    backend.mark_legal(*legal)
    return legal


def _random_set(layout: Layout, legal: Planes) -> tuple[PositionSet, set[int]]:
    """A tenth of the legal positions, chosen by a hash that all images of a position share."""
    front = PositionSet(np.zeros_like(legal))
    frame = layout.frame
    targets: set[int] = set()
    board = np.arange(64)
    ring = np.minimum(np.minimum(board % 8, 7 - board % 8), np.minimum(board // 8, 7 - board // 8))
    for plane in frame.planes.tolist():
        men = int(ring[frame.squares[plane]].sum())
        if men % 3 == 0:  # so that some planes have nothing, and their flags are not raised
            continue
        chosen = (ring[:, None] * 5 + ring[None, :] * 3 + men * 7) % 4 == 0
        words = np.packbits(chosen, axis=1, bitorder="little").view(np.uint64).ravel()
        front[plane] = words & legal[plane]
        targets |= _cells(front, plane)
    return front, targets


@pytest.mark.parametrize("name", ["KPvK", "KRvKP", "KPvKP", "KBPvK", "KPPvK"])
@pytest.mark.parametrize("metric", list(Metric))
def test_conversions_are_the_best_captures_and_pawn_moves(
    subtables: SubtableCache, tablebase: Tablebase, name: str, metric: Metric
) -> None:
    """On sampled cells of every part, the worth is that of the best such move of python-chess."""
    rng = np.random.default_rng(3)
    with WorkerPool(1) as pool:
        tables = subtables.of(metric)
        whole = tables(Material.parse(name))
        for part in whole.layout.parts:
            layout = Layout(whole.layout.material, 1, part)
            legal = _legal(KingsBackend(layout, pool))
            found = conversions(layout, metric, whole, tables, pool)
            codes = {score: code for code, score in found.score_table.score.items()}
            codes[found.score_table.stalemate] = DRAW
            for plane in rng.choice(layout.frame.planes, 3).tolist():
                for side in SIDES:
                    for cell in rng.choice(sorted(_cells(legal[side], plane)), 12).tolist():
                        score = Score(int(found.score[side][plane, cell % CELLS]))
                        board = board_at(layout, side, cell)
                        assert codes[score] == _best_zeroing(tablebase, board, metric), board.fen()


def _best_zeroing(tables: Tablebase, board: chess.Board, metric: Metric) -> int:
    """The code of the best capture or pawn move; BROKEN if there is none."""
    codes = [r.codes[metric] for r in tables.moves(board) if board.is_zeroing(r.move)]
    return max(codes, key=preference, default=BROKEN)


def test_kernels_keep_reference_counting_out(small_tables: Folder) -> None:
    """No compiled kernel calls the reference counter, which would double its time."""
    folder = Path(getattr(numba.config, "CACHE_DIR"))  # noqa: B009, set at run time
    kernels = list(folder.rglob("*.nbc"))
    assert any("settle" in path.name for path in kernels)
    for path in kernels:
        if "tests" not in str(path):
            assert b"NRT_incref" not in path.read_bytes(), path.name
