"""All moves of a board, made on squares: the same as move by move, named as python-chess does."""

from __future__ import annotations

import random

import chess
import pytest

from unmove import Metric, Tablebase

MEN = [
    "KQkr",
    "KRkn",
    "KBBk",
    "KQQk",
    "KNNk",
    "Kkqr",
    "KQkq",
    "KPkp",
    "KPPk",
    "Kkpp",
    "KRkp",
    "KQPk",
]


def boards(men: str, number: int) -> list[chess.Board]:
    """Random legal boards, men of a kind often on a line or far apart."""
    rng = random.Random(men)
    found: list[chess.Board] = []
    while len(found) < number:
        board = chess.Board(None)
        for letter, square in zip(men, rng.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.choice(chess.COLORS)
        board.halfmove_clock = rng.randrange(80)
        if board.is_valid():
            found.append(board)
    return found


@pytest.mark.parametrize("men", MEN)
def test_moves_are_those_of_boards(tablebase: Tablebase, men: str) -> None:
    """Each legal move is there once, with its SAN and the values of the board it leads to."""
    for board in boards(men, 60):
        found = tablebase.moves(board, Metric.DTZ)
        slow = {move.move: move for move in tablebase._slow_moves(board)}
        assert {move.move: move for move in found} == slow
        assert [move.san for move in found] == [board.san(move.move) for move in found]


def test_the_quick_way_is_taken(tablebase: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain board is not searched move by move; one with a right to take en passant is."""
    monkeypatch.setattr(Tablebase, "_slow_moves", lambda self, board: [])
    assert len(tablebase.moves(chess.Board("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"))) > 10
    assert tablebase.moves(chess.Board("8/8/8/3k4/3pP3/8/8/K7 b - e3 0 1")) == []
