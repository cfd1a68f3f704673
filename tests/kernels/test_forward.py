"""The proof's moves are those of chess, and lead where the layout says."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import numpy as np
import pytest

from tests.reference.position import locate
from unmove.games.chess import LETTERS
from unmove.kernels.arrays import CellNumbers, Palette
from unmove.kernels.proof.forward import (
    ProofMen,
    ProofPosition,
    can_take_in_passing,
    empty_position,
    is_legal,
    list_moves,
    stands_beside,
)
from unmove.kernels.proof.successors import (
    PASSING,
    STEP,
    ProofState,
    cell_after,
    find_successors,
    no_successors,
    place_men,
)
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.planes.layouts import of_kings
from unmove.planes.position import board_at
from unmove.store.source import PALETTE
from unmove.store.table import Table
from unmove.successors.forward_tables import (
    SuccessorTables,
    men_of,
    rule_of,
    successor_tables,
)
from unmove.values import BLACK, WHITE, Metric, Side


def random_boards(letters: str, count: int) -> Iterator[chess.Board]:
    """The men of these letters on random squares, either side to move, legal or not."""
    rng = random.Random(letters)
    while count:
        squares = rng.sample(range(64), len(letters))
        board = chess.Board(None)
        for letter, square in zip(letters, squares, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if not board.pawns & chess.BB_BACKRANKS:
            yield board
            count -= 1


def passing_boards(letters: str, count: int) -> Iterator[chess.Board]:
    """The same, with pawns P and p so that the side to move can step past the other's."""
    rng = random.Random(letters)
    for board in random_boards(letters, count):
        file, aside = rng.randrange(1, 7), rng.choice((-1, 1))
        ranks = (1, 3) if board.turn else (4, 6)
        squares = [8 * ranks[0] + file, 8 * ranks[1] + file + aside]
        if not any(board.piece_at(square) for square in squares):
            for square, letter in zip(squares, "Pp", strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            yield board


def set_up(board: chess.Board) -> tuple[ProofMen, ProofPosition]:
    """The board as the kernel sees it: the kings, White's first, then the others."""
    kings = [board.king(chess.WHITE), board.king(chess.BLACK)]
    squares = [s for s in kings if s is not None] + [s for s in board.piece_map() if s not in kings]
    men = [board.piece_map()[square] for square in squares]
    p = empty_position(len(men))
    p.squares[:] = squares
    p.board[squares] = np.arange(len(men))
    kinds = [(LETTERS + "K").index(man.symbol().upper()) for man in men]
    sides = [int(man.color == chess.BLACK) for man in men]
    return ProofMen(np.array(kinds), np.array(sides), np.zeros(len(men), np.int64)), p


def move_of(p: ProofPosition, man: int, arrival: int) -> chess.Move:
    """A move of the kernel as one of python-chess."""
    choice, target = divmod(arrival, 64)
    kinds = [None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]
    return chess.Move(int(p.squares[man]), target, kinds[choice])


def side_of(board: chess.Board) -> Side:
    """The side to move."""
    return WHITE if board.turn == chess.WHITE else BLACK


def moves_of(board: chess.Board, men: ProofMen, p: ProofPosition) -> list[tuple[int, int]]:
    """The kernel's legal moves: man and arrival."""
    count = list_moves(side_of(board), men, p)
    return [(int(p.mover[i]), int(p.arrival[i])) for i in range(count)]


def in_passing(men: ProofMen, p: ProofPosition, man: int, target: int) -> list[int]:
    """The pawns that can take en passant after a move, says the kernel."""
    if abs(target - int(p.squares[man])) != 16 or LETTERS[men.kinds[man]] != "P":
        return []
    return [
        taker
        for taker in range(2, len(men.kinds))
        if stands_beside(taker, man, target, men, p)
        and can_take_in_passing(taker, man, target, men, p)
    ]


@pytest.mark.parametrize(
    "letters",
    ["Kk", "KkQ", "KkRr", "KkBBn", "KkQrNb", "KkQRBNqrbn", "KkP", "KkPp", "KkPPPppp", "KkPPqrpbn"],
)
def test_moves_are_those_of_python_chess(letters: str) -> None:
    """A random position is legal when python-chess says so, and then has the same legal moves."""
    verdicts = set()
    for board in random_boards(letters, 200):
        men, p = set_up(board)
        legal = is_legal(side_of(board), men, p)
        assert legal == (not board.was_into_check()), board.fen()
        verdicts.add(legal)
        if legal:
            moves = {move_of(p, man, arrival) for man, arrival in moves_of(board, men, p)}
            assert moves == set(board.legal_moves), board.fen()
            assert len(moves) == board.legal_moves.count()
    assert verdicts == {True, False}


@pytest.mark.parametrize("letters", ["Kk", "KkP", "Kkp", "KkQq", "KkRBNrbn"])
def test_en_passant_is_that_of_python_chess(letters: str) -> None:
    """After a double step the same pawns can take en passant, pins and checks regarded."""
    found = 0
    for board in passing_boards(letters, 600):
        if board.was_into_check():
            continue
        men, p = set_up(board)
        for man, arrival in moves_of(board, men, p):
            takers = {int(p.squares[t]) for t in in_passing(men, p, man, arrival)}
            after = board.copy(stack=False)
            after.push(move_of(p, man, arrival))
            expected = {m.from_square for m in after.generate_legal_ep()}
            assert takers == expected, (board.fen(), after.fen())
            found += bool(expected)
    assert found > 50


@pytest.mark.parametrize(
    "name",
    [
        "KRvKR", "KQRvKN", "KRBvKQ", "KRRvKB", "KBBBvK", "KBNvKN", "KPvK", "KRvKP", "KPvKP",
        "KPPPvK", "KPPvKP", "KRPvKR", "KQPvKP", "KQvKRP", "KRPvKB", "KQQvKP",
    ],
)  # fmt: skip
def test_moves_lead_to_the_cells_of_the_layout(name: str) -> None:
    """The table and cell that each move leads to are those of the board after it."""
    table = without_values(Material.parse(name))
    white, black = table.material.sides
    letters = "K" + white + "k" + black.lower()
    boards = list(random_boards(letters, 400))
    if "P" in white and "P" in black:
        boards += passing_boards(letters.replace("P", "", 1).replace("p", "", 1), 120)
    layout = of_kings(table.layout)
    men = men_of(layout)
    sides = [successor_tables(table, side, without_values) for side in (WHITE, BLACK)]
    p, successors = empty_position(len(men.kinds)), no_successors(len(men.kinds))
    leaving = 0
    for board in seen(boards, layout):
        side = side_of(board)
        rule = rule_of(sides[side])
        plane, kings = divmod(locate(board, layout).cell, CELLS)
        assert place_men(plane, rule, p)
        state = ProofState(men, rule, p, successors)
        find_successors(side, state)
        p.squares[:2] = divmod(kings, 64)
        p.board[p.squares[:2]] = 0, 1
        for man, arrival in moves_of(board, men, p):
            leaving += successors.move_kind[man, arrival] > STEP
            after = board.copy(stack=False)
            after.push(move_of(p, man, arrival))
            assert leads_to(after, man, arrival, sides[side], state), after.fen()
            for taker in in_passing(men, p, man, arrival):
                taken = after.copy(stack=False)
                taken.push(chess.Move(int(p.squares[taker]), after.ep_square or 0))
                assert leads_to(taken, man, PASSING + taker, sides[side], state), taken.fen()
    assert leaving > 10


def leads_to(
    after: chess.Board,
    man: int,
    arrival: int,
    tables: SuccessorTables,
    state: ProofState,
) -> bool:
    """Whether an arrival leads to the cell of a board, in the table of its material."""
    number = int(state.successors.move_kind[man, arrival])
    table = tables.by_kind[number]
    plane = int(state.successors.slot[man, arrival]) - int(state.rule.base[number])
    address = locate(after, table.source.layout)
    cell = plane * CELLS + cell_after(man, arrival, state)
    return (table.side, cell) == (address.side, address.cell)


def without_values(material: Material) -> Table:
    """A table of the right material with nothing in it."""
    empty = CellNumbers(np.zeros((0, CELLS), np.uint8))
    return Table(material, Metric.DTM, Palette(np.array(PALETTE)), (empty, empty))


def seen(boards: list[chess.Board], layout: Layout) -> Iterator[chess.Board]:
    """The legal ones, seen as the table holds them."""
    for board in boards:
        if not board.was_into_check():
            address = locate(board, layout)
            yield board_at(layout, Side(address.side), address.cell)
