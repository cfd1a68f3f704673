"""Planes of courts: where positions live, and kernels against the board people use."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.planes import entries, packed
from tests.support.solved import solved
from unmove.games.xiangqi import MIRROR
from unmove.games.xiangqi_board import Board
from unmove.kernels.arrays import PositionSet, Scores
from unmove.kernels.scratch import private
from unmove.kernels.sets import END, MOVING, TALLIES, UNITS, Ply, PlyOutput
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.courts import court
from unmove.planes.layouts import of_courts
from unmove.pool.workers import WorkerPool
from unmove.solver.courts import CourtsBackend, captures
from unmove.solver.loop import solve
from unmove.solver.subtable_values import NO_CONVERSIONS
from unmove.successors.courts import CourtSubtable, assess_courts, backed_up
from unmove.successors.scores import ScoreTable
from unmove.values import (
    BLACK,
    BROKEN,
    CHECKMATED,
    SIDES,
    WHITE,
    Code,
    Metric,
    Side,
    code_before,
    opponent_of,
    preference,
)
from unmove.variants import XIANGQI

Planes = NDArray[np.uint64]
LARGEST = "KCAEvKPAE"
MATERIALS = ["KvK", "KAvKE", "KRvKH", "KCPvKAAEE", LARGEST, "KHHvKP", "KPPvKC", "KRRvKAA"]


def material(name: str) -> Material:
    return Material.parse(name, game=XIANGQI)


@cache
def layout_of(name: str) -> CourtLayout:
    return CourtLayout(material(name))


def mirrored(board: Board) -> Board:
    return Board("".join(board.men[square] for square in MIRROR), board.side)


def has(planes: Planes, layout: CourtLayout, index: int) -> bool:
    plane, cell = divmod(index, layout.cells)
    return bool(planes[plane, cell // 64] >> np.uint64(cell % 64) & np.uint64(1))


def some_boards(layout: CourtLayout, legal: Planes, side: Side, number: int) -> list[Board]:
    """Random legal positions."""
    random = Random(number)
    found: list[Board] = []
    while len(found) < number:
        index = random.randrange(layout.count * layout.cells)
        if has(legal, layout, index):
            board = layout.board_at(side, index)
            assert board is not None
            found.append(board)
    return found


@pytest.mark.parametrize(
    ("advisors", "elephants", "size"),
    [(0, 0, 9), (1, 0, 40), (2, 0, 70), (0, 1, 62), (0, 2, 183), (1, 1, 275), (2, 2, 1410)],
)
def test_a_court_has_all_configurations_in_mirror_pairs(
    advisors: int, elephants: int, size: int
) -> None:
    """As many as in 1996, images side by side, and every move can be taken back."""
    for side in SIDES:
        one = court(side, advisors, elephants)
        assert len(one.number) == len(one.configurations) == size
        for number, squares in enumerate(one.configurations):
            image = number ^ 1 if number < one.paired else number
            assert one.configurations[image] == one.mirrored(squares)
            for after, gate, _ in one.moves(squares):
                assert (squares, gate) in [(back, g) for back, g, _ in one.moves(after)]


@pytest.mark.parametrize("name", MATERIALS)
def test_a_board_comes_back_from_its_cell(name: str) -> None:
    """Every cell, or many, gives its board again; so do mirror images, up to the mirror."""
    layout = layout_of(name)
    size = layout.count * layout.cells
    random = Random(name)
    for index in range(size) if size < 20_000 else [random.randrange(size) for _ in range(3000)]:
        board = layout.board_at(WHITE, index)
        if board is None:
            continue
        assert layout.cell_of(board) == index
        image = layout.board_at(WHITE, layout.cell_of(mirrored(board)))
        assert image in (board, mirrored(board))


@pytest.mark.parametrize("name", MATERIALS)
def test_legality_is_that_of_the_board(name: str) -> None:
    """A cell is legal if and only if its board is, for either side to move."""
    layout, legal = layout_of(name), legal_sets(name)
    random = Random(name)
    for _ in range(3000):
        index = random.randrange(layout.count * layout.cells)
        for side in SIDES:
            board = layout.board_at(side, index)
            assert has(legal[side], layout, index) == (board is not None and board.is_legal())


def quiet(board: Board) -> list[Board]:
    """What comes after the moves that take nobody."""
    return [board.push(move) for move in board.legal_moves() if not board.is_capture(move)]


SMALL = [name for name in MATERIALS if name != LARGEST]


@pytest.mark.parametrize("name", [*SMALL, pytest.param(LARGEST, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("universal", [False, True])
def test_a_ply_is_what_moves_say(name: str, mover: int, universal: bool) -> None:
    """A win: some quiet move into a random frontier. A loss: moreover none into the escapes.

    All that is settled, and nothing else, is in the log.
    """
    layout, legal = layout_of(name), legal_sets(name)
    backend = CourtsBackend(layout, WorkerPool(1))
    random, new = np.random.default_rng(mover), backend.frontier("new")

    def some() -> Planes:
        return random.integers(0, 1 << 63, legal[0].shape, np.uint64) << np.uint64(1)

    front, blocked = legal[1 - mover] & some(), PositionSet(some() & some())
    unwon = PositionSet(legal[1 - mover] & ~front & some() & some())
    unsettled = PositionSet(legal[mover].copy())
    tally = private(np.int64, len(TALLIES))
    ply = Ply(
        mover=Side(mover),
        universal=universal,
        whose=MOVING,
        front=packed(front, np.zeros((0, 0), np.uint64)),
        conversions=NO_CONVERSIONS._replace(blocked=blocked),
        late=backend.nothing(),
        late_arrive=False,
        unwon=unwon,
        unsettled=unsettled,
    )
    backend.settle(0, 0, len(backend.planes), ply, PlyOutput(new, tally))
    assert tally[UNITS] == backend.count(PositionSet(legal[mover] & ~unsettled))
    logged = np.zeros_like(unsettled)
    for plane, words in entries(new.words[: tally[END]], layout.words):
        logged[plane] = words
    assert np.array_equal(logged, legal[mover] & ~unsettled)
    assert np.array_equal(new.at > 0, logged.any(axis=1))
    for board in some_boards(layout, legal[mover], Side(mover), 300):
        index = layout.cell_of(board)
        behind = [layout.cell_of(after) for after in quiet(board)]
        settled = any(has(front, layout, there) for there in behind)
        if universal:
            settled &= not has(blocked, layout, index)
            settled &= not any(has(unwon, layout, there) for there in behind)
        assert has(unsettled, layout, index) != settled


@cache
def legal_sets(name: str) -> list[PositionSet]:
    """The legal positions, by side to move."""
    layout = layout_of(name)
    legal = [PositionSet(np.zeros((layout.count, layout.words), np.uint64)) for _ in SIDES]
    CourtsBackend(layout, WorkerPool(1)).mark_legal(*legal)
    return legal


def code_at(board: Board, metric: Metric) -> int:
    """The code of a board in the solved table of its material."""
    white, black = board.letters(WHITE), board.letters(BLACK)
    given = Material.of(white, black, game=XIANGQI)
    table = solved(given.canonical(), metric)
    layout = of_courts(table.layout)
    if given != table.material:
        turned = [board.men[9 * rank : 9 * rank + 9].swapcase() for rank in range(9, -1, -1)]
        board = Board("".join(turned), opponent_of(board.side))
    plane, cell = divmod(layout.cell_of(board), layout.cells)
    return int(table.palette[table.cells[board.side][plane, cell]])


@pytest.mark.parametrize("name", ["KRvKH", "KAPvKEP", "KHvKAE", "KCAvKP", "KPPvKA"])
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_captures_are_worth_what_is_behind_them(name: str, metric: Metric) -> None:
    """The worth of a cell is that of the best legal capture of its board."""
    layout, legal = layout_of(name), legal_sets(name)
    known = captures(layout, metric, lambda less: solved(less, metric), WorkerPool(1))
    some = 0
    for mover in (0, 1):
        for board in some_boards(layout, legal[mover], Side(mover), 800):
            codes = [
                code_before(
                    Code(code_at(board.push(move), metric)), metric, zeroes=True, converts=True
                )
                for move in board.legal_moves()
                if board.is_capture(move)
            ]
            best = max(codes, key=preference, default=BROKEN)
            plane, cell = divmod(layout.cell_of(board), layout.cells)
            assert known.score_table.codes[int(known.score[mover][plane, cell])] == best
            some += best != BROKEN
    assert some > 20


@pytest.mark.parametrize("name", ["KRvKH", "KAPvKEP", "KHvKAE", "KCAvKAA", "KPPvKA", "KHvKP"])
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_every_value_is_what_its_moves_give(name: str, metric: Metric) -> None:
    """All cells: the best of all moves, captures or not, gives the code the loop has found."""
    table = solved(material(name), metric)
    layout, pool = of_courts(table.layout), WorkerPool(1)
    known = captures(layout, metric, lambda less: solved(less, metric), pool)
    codes = backed_up(table.palette, metric, capture=False)
    both = ScoreTable([*known.score_table.codes, *codes])
    for mover in (0, 1):
        lookup = np.array([both.score[code] for code in known.score_table.codes], both.kind)
        best = lookup[known.score[mover]]
        quiet = [both.score[code] for code in codes]
        own = CourtSubtable(layout, None, layout)
        assess_courts(own, Side(mover), table.cells[1 - mover], quiet, both, pool, Scores(best))
        found = np.array(both.codes)[best]
        stored = table.palette[table.cells[mover]]
        found[(found == BROKEN) & (stored != BROKEN)] = CHECKMATED  # no move at all
        assert np.array_equal(found[stored != BROKEN], stored[stored != BROKEN])


def test_two_threads_find_the_same() -> None:
    """The table does not depend on the number of threads."""
    name = material("KCAvKA")
    one = solved(name, Metric.DTM)
    with WorkerPool(2) as pool:
        two = solve(name, Metric.DTM, lambda less: solved(less, Metric.DTM), pool).table()
    assert np.array_equal(one.palette, two.palette)
    assert all(np.array_equal(a, b) for a, b in zip(one.cells, two.cells, strict=True))
