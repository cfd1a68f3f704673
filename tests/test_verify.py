"""The proof: clean tables pass, one wrong cell does not, and its moves are those of chess."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import chess
import numpy as np
import pytest

from unmove.games.chess import PIECES
from unmove.kernels.forward import (
    Men,
    Position,
    cell_behind,
    is_legal,
    list_moves,
    look_behind,
    place_men,
    position,
)
from unmove.kernels.forward import behind as room_behind
from unmove.material import Material, all_of
from unmove.planes.layout import CELLS, Layout
from unmove.planes.position import board_at, locate, material_of
from unmove.solver.crew import Crew
from unmove.solver.loop import solve
from unmove.store.table import Table
from unmove.values import BROKEN, DRAW, Metric, outcome_of, plies_of, win_code
from unmove.verify.fixpoint import Verdict, _beyond, _proof, verify

SMALL = [material.name for men in (2, 3) for material in all_of(men, pawns=False)]
FOUR_MEN = ["KQvKR", "KRvKR", "KBBvK"]


@cache
def solved(material: Material, metric: Metric) -> Table:
    """The table of an endgame, solved in memory with all it depends on."""
    crew = Crew(1)
    return solve(material, metric, lambda smaller: solved(smaller, metric), crew).table(crew)


def table_of(name: str, metric: Metric = Metric.DTM) -> Table:
    return solved(Material.parse(name), metric)


def verdict_on(table: Table, threads: int = 1) -> Verdict:
    return verify(table, lambda smaller: solved(smaller, table.metric), threads)


def codes_of(table: Table, side: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The code of every cell, one after the other."""
    return table.palette[table.cells[side]].ravel()


def with_code(table: Table, side: int, index: int, code: int) -> Table:
    """The same table with another code in one cell."""
    palette = table.palette if code in table.palette else np.append(table.palette, code)
    cells = [each.copy() for each in table.cells]
    cells[side].ravel()[index] = int(np.flatnonzero(palette == code)[0])
    return replace(table, palette=palette, cells=(cells[0], cells[1]))


def without_values(material: Material) -> Table:
    """A table of the right material with nothing in it."""
    empty = np.zeros((0, CELLS), np.uint8)
    return Table(material, Metric.DTM, np.array([BROKEN, DRAW]), (empty, empty))


def random_boards(letters: str, count: int, seed: int) -> Iterator[chess.Board]:
    """The men of these letters on random squares, either side to move, legal or not."""
    rng = random.Random(seed)
    for _ in range(count):
        board = chess.Board(None)
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        yield board


def set_up(board: chess.Board) -> tuple[Men, Position]:
    """The board as the kernel sees it: the kings, White's first, then the others."""
    kings = [board.king(chess.WHITE), board.king(chess.BLACK)]
    squares = [s for s in kings if s is not None] + [s for s in board.piece_map() if s not in kings]
    men = [board.piece_map()[square] for square in squares]
    p = position(len(men))
    p.squares[:] = squares
    p.board[squares] = np.arange(len(men))
    kinds = [(PIECES + "K").index(man.symbol().upper()) for man in men]
    sides = [int(man.color == chess.BLACK) for man in men]
    return Men(np.array(kinds), np.array(sides), np.zeros(len(men), np.int64)), p


@pytest.mark.parametrize("metric", Metric)
@pytest.mark.parametrize("name", SMALL + FOUR_MEN)
def test_a_solved_table_is_a_fixpoint(name: str, metric: Metric) -> None:
    """No cell of a solved table differs from what its moves give."""
    table = table_of(name, metric)
    verdict = verdict_on(table)
    legal = sum(int((codes_of(table, side) != BROKEN).sum()) for side in (0, 1))
    assert verdict == Verdict(table.material, metric, legal, 0, None)
    assert verdict.clean


def test_a_win_two_plies_too_long_is_found() -> None:
    """A win stored two plies too long is reported, there or where it is first missed."""
    table = table_of("KQvKR")
    index = int(np.flatnonzero(codes_of(table, 0) == win_code(5))[100])
    verdict = verdict_on(with_code(table, 0, index, win_code(7)))
    assert not verdict.clean
    assert verdict.mismatches >= 1
    assert " plies; right: " in (verdict.example or "")


@pytest.mark.parametrize("metric", Metric)
@pytest.mark.parametrize(("name", "side"), [("KRvK", 1), ("KBBvK", 0)])
def test_a_draw_turned_into_a_win_is_found(name: str, side: int, metric: Metric) -> None:
    """A win stored for a drawn position is reported, whatever its length."""
    table = table_of(name, metric)
    index = int(np.flatnonzero(codes_of(table, side) == DRAW)[100])
    for plies in (1, 9):
        assert verdict_on(with_code(table, side, index, win_code(plies))).mismatches >= 1


def test_a_broken_cell_made_a_draw_is_found() -> None:
    """A value for an illegal position is one mismatch, since no move leads there."""
    table = table_of("KQvK")
    for side in (0, 1):
        for index in np.flatnonzero(codes_of(table, side) == BROKEN)[::2500]:
            verdict = verdict_on(with_code(table, side, int(index), DRAW))
            assert verdict.mismatches == 1
            assert verdict.positions == verdict_on(table).positions
            assert verdict.example is not None
            assert verdict.example.endswith(" 0 1 (stored: draw; right: broken)")


def test_a_legal_cell_made_broken_is_found() -> None:
    """A legal position without a value is reported, and so is whatever depends on it."""
    table = table_of("KQvK")
    for side in (0, 1):
        legal = np.flatnonzero(codes_of(table, side) != BROKEN)
        for index in legal[:: len(legal) // 5]:
            verdict = verdict_on(with_code(table, side, int(index), BROKEN))
            assert verdict.mismatches > 1
            assert verdict.positions == verdict_on(table).positions


def test_a_cell_outside_the_palette_is_found() -> None:
    """A number that stands for no code is no value, not even for an illegal position."""
    table = table_of("KRvK")
    cells = table.cells[0].copy()
    index = int(np.flatnonzero(codes_of(table, 0) == BROKEN)[7])
    cells.ravel()[index] = len(table.palette)
    verdict = verdict_on(replace(table, cells=(cells, table.cells[1])))
    assert verdict.mismatches == 1
    assert verdict.example is not None
    assert "stored: no value" in verdict.example


def test_wrong_smaller_tables_are_found() -> None:
    """A table does not agree with other values behind its captures."""
    lost = table_of("KRvK")
    palette = np.where(lost.palette % 2 == 0, DRAW * (lost.palette > 0), lost.palette)
    wrong = {lost.material: replace(lost, palette=palette)}
    verdict = verify(
        table_of("KRvKR"), lambda smaller: wrong.get(smaller, solved(smaller, Metric.DTM))
    )
    assert verdict.mismatches > 1000


def test_the_metric_matters() -> None:
    """Distances to mate do not pass as distances to conversion."""
    dtm = table_of("KQvKR", Metric.DTM)
    verdict = verdict_on(replace(dtm, metric=Metric.DTC))
    assert verdict.mismatches > 1000


def test_the_example_tells_the_stored_and_the_right_value() -> None:
    """The example is a position of the table, with what is stored and what its moves give."""
    table = table_of("KRvK")
    index = int(np.flatnonzero(codes_of(table, 0) == win_code(1))[0])
    verdict = verdict_on(changed := with_code(table, 0, index, win_code(31)))
    match = re.fullmatch(
        r"(.+) \(stored: (\w+ in \d+) plies; right: \w+ in \d+ plies\)", verdict.example or ""
    )
    assert match is not None
    address = locate(chess.Board(match[1]), table.layout)
    code = int(codes_of(changed, address.side)[address.cell])
    assert match[2] == f"{outcome_of(code).word} in {plies_of(code)}"
    assert address.cell <= index


def test_the_verdict_does_not_depend_on_threads() -> None:
    """Two threads find the same mismatches and the same example, and report up to the end."""
    table = table_of("KBBvK")
    for index in (300_000, 900_000):
        table = with_code(table, 0, index, win_code(77))
    alone = verdict_on(table)
    parts: list[float] = []
    together = verify(table, lambda m: solved(m, Metric.DTM), threads=2, report=parts.append)
    assert alone.mismatches >= 2
    assert together == alone
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


@pytest.mark.parametrize("letters", ["Kk", "KkQ", "KkRr", "KkBBn", "KkQrNb", "KkQRBNqrbn"])
def test_moves_are_those_of_python_chess(letters: str) -> None:
    """A random position is legal when python-chess says so, and then has the same legal moves."""
    verdicts = set()
    for board in random_boards(letters, 200, seed=len(letters)):
        men, p = set_up(board)
        side = int(board.turn == chess.BLACK)
        legal = is_legal(side, men, p)
        assert legal == (not board.was_into_check()), board.fen()
        verdicts.add(legal)
        if legal:
            count = list_moves(side, men, p)
            moves = sorted((int(p.squares[p.mover[i]]), int(p.target[i])) for i in range(count))
            expected = sorted((move.from_square, move.to_square) for move in board.legal_moves)
            assert moves == expected, board.fen()
    assert verdicts == {True, False}


@pytest.mark.parametrize("name", ["KRvKR", "KQRvKN", "KRBvKQ", "KRRvKB", "KBBBvK", "KBNvKN"])
def test_moves_lead_to_the_cells_of_the_layout(name: str) -> None:
    """The plane and cell behind each move are those the layout gives for the board after it."""
    table = without_values(Material.parse(name))
    beyond = [_beyond(table, man, without_values) for man, _ in table.layout.groups]
    men, rule = (proof := _proof(table, beyond)).men, proof.rule
    layouts = [table.layout, *(near.table.layout for near in beyond)]
    p, b = position(len(men.kinds)), room_behind(len(men.kinds))
    captures = 0
    for board in legal_boards(table, 120):
        plane, kings = divmod(cell_of(board, table.layout), CELLS)
        assert place_men(plane, rule, p)
        look_behind(men, rule, np.zeros(len(layouts), np.int64), p, b)
        p.squares[:2] = divmod(kings, 64)
        p.board[p.squares[:2]] = 0, 1
        for i in range(list_moves(int(not board.turn), men, p)):
            man, target = int(p.mover[i]), int(p.target[i])
            endgame = 1 + int(men.group[p.board[target]]) if p.board[target] >= 0 else 0
            captures += endgame > 0
            after = board.copy(stack=False)
            after.push(chess.Move(int(p.squares[man]), target))
            found = b.plane[man, target] * CELLS + cell_behind(man, target, endgame, rule, p, b)
            assert found == cell_of(after, layouts[endgame]), (board.fen(), after.fen())
    assert captures > 10


def legal_boards(table: Table, count: int) -> Iterator[chess.Board]:
    """Random legal boards of the table's material, seen as the table holds them."""
    white, black = table.material.sides
    for board in random_boards("K" + white + "k" + black.lower(), count, seed=7):
        if not board.was_into_check():
            yield board_at(table.layout, int(not board.turn), cell_of(board, table.layout))


def cell_of(board: chess.Board, layout: Layout) -> int:
    """`Layout.cell` of a board, colours exchanged where the layout has them the other way."""
    turned = material_of(board) != layout.material
    colors = chess.COLORS[::-1] if turned else chess.COLORS
    groups = [
        list(board.pieces(chess.PIECE_SYMBOLS.index(PIECES[man.kind].lower()), colors[man.side]))
        for man, _ in layout.groups
    ]
    return layout.cell(
        groups, [king for color in colors for king in board.pieces(chess.KING, color)]
    )
