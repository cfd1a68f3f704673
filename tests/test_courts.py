"""Planes of courts: where positions live, and kernels against the board people use."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.courts_loop import (
    captures,
    empty_frontier,
    legal_courts,
    solve_courts,
    solved,
)
from tests.reference import xiangqi as reference
from tests.wu_beal import exact_counts, material_of, rows
from unmove.answers.crossings import Crossing, brings, cross
from unmove.answers.moves import Scale
from unmove.crew.crew import Crew
from unmove.game import XIANGQI
from unmove.games.xiangqi import MIRROR
from unmove.games.xiangqi_board import EMPTY, Board
from unmove.kernels.courts.scratch import court_scratch
from unmove.kernels.courts.settle import settle_courts
from unmove.kernels.scratch import private
from unmove.kernels.settle import Escapes, Ply
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.courts import court
from unmove.planes.terrain import terrain
from unmove.values import (
    BROKEN,
    Metric,
    code_before,
    code_of,
    loss_code,
    moves_of,
    preference,
    value_of,
)

Planes = NDArray[np.uint64]
EXACT = exact_counts()
QUICK = 400_000  # placements
MOST = 50_000_000  # as the index of 1996 counts; all that is solved is kept in memory
MATERIALS = ["KvK", "KAvKE", "KRvKH", "KCPvKAAEE", "KCAEvKPAE", "KHHvKP", "KPPvKC", "KRRvKAA"]


def material(name: str) -> Material:
    return Material.parse(name, game=XIANGQI)


def mirrored(board: Board) -> Board:
    return Board("".join(board.men[square] for square in MIRROR), board.side)


def has(planes: Planes, layout: CourtLayout, index: int) -> bool:
    plane, cell = divmod(index, layout.cells)
    return bool(planes[plane, cell // 64] >> np.uint64(cell % 64) & np.uint64(1))


def some_boards(layout: CourtLayout, legal: Planes, side: int, number: int) -> list[Board]:
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
    for side in (0, 1):
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
    layout = CourtLayout(material(name))
    size = layout.count * layout.cells
    random = Random(name)
    for index in range(size) if size < 20_000 else [random.randrange(size) for _ in range(3000)]:
        board = layout.board_at(0, index)
        if board is None:
            continue
        assert layout.cell_of(board) == index
        image = layout.board_at(0, layout.cell_of(mirrored(board)))
        assert image in (board, mirrored(board))


@pytest.mark.parametrize("name", MATERIALS)
def test_legality_is_that_of_the_board(name: str) -> None:
    """A cell is legal if and only if its board is, for either side to move."""
    layout = CourtLayout(material(name))
    legal = legal_courts(layout, Crew(1))
    random = Random(name)
    for _ in range(3000):
        index = random.randrange(layout.count * layout.cells)
        for side in (0, 1):
            board = layout.board_at(side, index)
            assert has(legal[side], layout, index) == (board is not None and board.is_legal())


def quiet(board: Board) -> list[Board]:
    """What comes after the moves that take nobody."""
    return [board.push(move) for move in board.legal_moves() if not board.is_capture(move)]


@pytest.mark.parametrize("name", MATERIALS)
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("universal", [0, 1])
def test_a_ply_is_what_moves_say(name: str, mover: int, universal: int) -> None:
    """A win: some quiet move into a random frontier. A loss: moreover none into the escapes."""
    layout = CourtLayout(material(name))
    legal = legal_courts(layout, Crew(1))
    random = np.random.default_rng(mover)
    front, new, nothing = (empty_frontier(layout) for _ in range(3))
    shape = front.planes.shape

    def some() -> Planes:
        return random.integers(0, 1 << 63, shape, np.uint64) << np.uint64(1)

    front.planes[:] = legal[1 - mover] & some()
    front.live[:] = front.planes.any(axis=1)
    escapes = Escapes(legal[1 - mover] & ~front.planes & some() & some(), some() & some())
    unsettled = legal[mover].copy()
    tally = private(np.int64, 3)
    log = np.zeros(layout.count * (2 * layout.words + 2), np.uint64)
    settle_courts(
        0,
        len(layout.frame.planes),
        Ply(mover, universal, 1 - mover),
        layout.frame,
        terrain(),
        front,
        nothing,
        escapes,
        court_scratch(layout.words),
        unsettled,
        log,
        new,
        tally,
    )
    assert tally[0] == np.bitwise_count(legal[mover] & ~unsettled).sum(axis=1) @ layout.frame.weight
    for board in some_boards(layout, legal[mover], mover, 600):
        index = layout.cell_of(board)
        behind = [layout.cell_of(after) for after in quiet(board)]
        settled = any(has(front.planes, layout, there) for there in behind)
        if universal:
            settled &= not has(escapes.blocked, layout, index)
            settled &= not any(has(escapes.planes, layout, there) for there in behind)
        assert has(unsettled, layout, index) != settled
        assert has(new.planes, layout, index) == settled or not new.live[index // layout.cells]


def code_at(board: Board, metric: Metric) -> int:
    """The code of a board in the solved table of its material."""
    white, black = board.letters(0), board.letters(1)
    given = Material.of(white, black, game=XIANGQI)
    table = solved(given.canonical(), metric)
    if given != table.layout.material:
        turned = [board.men[9 * rank : 9 * rank + 9].swapcase() for rank in range(9, -1, -1)]
        board = Board("".join(turned), 1 - board.side)
    plane, cell = divmod(table.layout.cell_of(board), table.layout.cells)
    return table.codes[int(table.cells[board.side][plane, cell])]


@pytest.mark.parametrize("name", ["KRvKH", "KAPvKEP", "KHvKAE", "KCAvKP", "KPPvKA"])
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_captures_are_worth_what_is_behind_them(name: str, metric: Metric) -> None:
    """The worth of a cell is that of the best legal capture of its board."""
    layout = CourtLayout(material(name))
    legal = legal_courts(layout, Crew(1))
    scale, worth = captures(layout, metric, lambda less: solved(less, metric), Crew(1))
    some = 0
    for mover in (0, 1):
        for board in some_boards(layout, legal[mover], mover, 1500):
            codes = [
                code_before(code_at(board.push(move), metric), metric, zeroes=True, converts=True)
                for move in board.legal_moves()
                if board.is_capture(move)
            ]
            best = max(codes, key=preference, default=BROKEN)
            plane, cell = divmod(layout.cell_of(board), layout.cells)
            assert scale.codes[int(worth[mover][plane, cell])] == best
            some += best != BROKEN
    assert some > 20


@pytest.mark.parametrize("name", ["KRvKH", "KAPvKEP", "KHvKAE", "KCAvKAA", "KPPvKA", "KHvKP"])
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_every_value_is_what_its_moves_give(name: str, metric: Metric) -> None:
    """All cells: the best of all moves, captures or not, gives the code the loop has found."""
    table = solved(material(name), metric)
    layout, crew = table.layout, Crew(1)
    scale, worth = captures(layout, metric, lambda less: solved(less, metric), crew)
    codes = brings(table.palette, metric, capture=False)
    both = Scale([*scale.codes, *codes])
    for mover in (0, 1):
        meaning = np.array([both.worth[code] for code in scale.codes], both.kind)
        best = meaning[worth[mover]]
        quiet = [both.worth[code] for code in codes]
        own = Crossing(layout, None, layout)
        cross(own, mover, table.cells[1 - mover], quiet, both, crew, best)
        found = np.array(both.codes)[best]
        stored = table.palette[table.cells[mover]]
        found[(found == BROKEN) & (stored != BROKEN)] = loss_code(0)  # no move at all
        assert np.array_equal(found[stored != BROKEN], stored[stored != BROKEN])


@pytest.mark.parametrize("name", ["KRvK", "KHvK", pytest.param("KHvKA", marks=pytest.mark.slow)])
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_values_are_those_of_the_reference(name: str, metric: Metric) -> None:
    """Every legal position has the value that the plain solver finds."""
    table = solved(material(name), metric)
    values = reference.solve(name, metric.value)
    for (white, men), value in values.items():
        cells = [EMPTY] * 90
        for letter, square in men:
            cells[square] = letter
        code = code_at(Board("".join(cells), int(not white)), metric)
        assert code == code_of(value)
    for side in (0, 1):
        assert sum(white == (side == 0) for white, _ in values) == table.legal[side]


def counts_of(name: Material, metric: Metric) -> dict[str, list[int] | int]:
    """As in tests/data/xiangqi_exact_counts.json."""
    table = solved(name.canonical(), metric)
    answer: dict[str, list[int] | int] = {}
    for side, found in enumerate(table.counts):
        turn = "wtm" if (side == 0) == (name == name.canonical()) else "btm"
        win: dict[int, int] = {}
        lose: dict[int, int] = {}
        for code, number in found.items():
            value = value_of(code, metric)
            assert value is not None
            distances = win if value > 0 else lose
            distances[moves_of(value)] = distances.get(moves_of(value), 0) + number
        for outcome, distances in (("win", win), ("lose", lose)):
            most = max(distances, default=-1)
            answer[f"{turn}_{outcome}"] = [distances.get(n, 0) for n in range(most + 1)]
        answer[f"{turn}_draw"] = table.legal[side] - sum(found.values())
    return answer


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(key, marks=[] if facts["index_size"] <= QUICK else pytest.mark.slow)
        for key, facts in EXACT.items()
    ],
)
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_counts_are_exact(key: str, metric: Metric) -> None:
    """Wins, losses and draws by side to move and distance equal the known counts."""
    assert counts_of(material_of(key), metric) == EXACT[key][metric.value]


@pytest.mark.parametrize(
    ("name", "longest"),
    [
        pytest.param(
            material_of(key),
            numbers["max_dtc"],
            marks=[] if numbers["database"] <= QUICK else pytest.mark.slow,
            id=key,
        )
        for key, numbers in rows()
        if numbers["database"] <= MOST
    ],
)
def test_the_longest_wins_are_those_of_1996(name: Material, longest: int) -> None:
    """The largest DTC of a win, in moves, is that of Wu and Beal."""
    codes = [code for found in solved(name.canonical(), Metric.DTC).counts for code in found]
    wins = [value for code in codes if (value := value_of(code, Metric.DTC) or 0) > 0]
    assert max(map(moves_of, wins), default=0) == longest


def test_two_threads_find_the_same() -> None:
    """The table does not depend on the number of threads."""
    name = material("KCAvKA")
    one = solved(name, Metric.DTM)
    with Crew(2) as crew:
        two = solve_courts(name, Metric.DTM, lambda less: solved(less, Metric.DTM), crew)
    assert (one.codes, one.counts) == (two.codes, two.counts)
    assert all(np.array_equal(a, b) for a, b in zip(one.cells, two.cells, strict=True))
