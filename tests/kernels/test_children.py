"""The moves of positions as squares of men, against python-chess."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

from unmove.games.chess import LETTERS
from unmove.kernels.children import (
    ALL_KINDS,
    CONVERSIONS,
    CONVERTING_KINDS,
    HAS_MOVES,
    IN_MATE,
    IN_STALEMATE,
    MARKED_KINDS,
    MAY_BE_PASSED,
    QUIET_KIND,
    STEP_KIND,
    Children,
    list_children,
    room_for,
)
from unmove.kernels.proof.forward import CHOICES, ProofMen, empty_position
from unmove.values import BLACK, SIDES, WHITE, Side

LISTED = {"KQvKR": "KkQr", "KRPvKR": "KkRPr", "KPPvKP": "KkPPp", "KBNvKNP": "KkBNnp"}


def _boards(letters: str, side: Side, number: int) -> list[chess.Board]:
    """Random legal boards, a quarter of them with men crowded together."""
    rng = random.Random(letters)
    boards: list[chess.Board] = []
    while len(boards) < number:
        board = chess.Board(None)
        squares = rng.sample(range(64 if len(boards) % 4 else 24), len(letters))
        for letter, square in zip(letters, squares, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chess.COLORS[side]
        if board.is_valid():
            boards.append(board)
    return boards


def _squares(board: chess.Board, letters: str) -> list[int]:
    """Where the men stand."""
    left = dict(board.piece_map())
    found = []
    for letter in letters:
        square = min(s for s, piece in left.items() if piece.symbol() == letter)
        del left[square]
        found.append(square)
    return found


def _listed(letters: str, side: Side, squares: list[list[int]], listed: int) -> Children:
    """The moves that the kernel lists."""
    kinds = [(*LETTERS, "K").index(letter.upper()) for letter in letters]
    sides = [WHITE if letter.isupper() else BLACK for letter in letters]
    men = ProofMen(np.array(kinds), np.array(sides), np.full(len(letters), -1))
    room = 27 * len(letters) * len(squares)
    out = room_for(room, len(squares), len(letters), checks=True)
    rows, position = np.array(squares, np.uint8), empty_position(len(letters))
    end = list_children(side, listed, rows, men, position, out)
    assert (position.board == -1).all()
    return out.upto(end)


def _plain(board: chess.Board, letters: str, squares: list[int]) -> set[tuple[int, ...]]:
    """For each legal move kind, man, arrival, whether it gives check, and the squares after it."""
    found = set()
    for move in board.legal_moves:
        man = squares.index(move.from_square)
        after = [move.to_square if i == man else square for i, square in enumerate(squares)]
        choice = 0
        if move.promotion:
            choice = 1 + LETTERS.index(chess.piece_symbol(move.promotion).upper())
        kind = STEP_KIND if letters[man] in "Pp" else QUIET_KIND
        if board.is_capture(move) or choice:
            victim = 1 + squares.index(move.to_square) if board.is_capture(move) else 0
            pawn = man if choice else 0
            kind = CONVERSIONS + (pawn * CHOICES + choice) * (1 + len(letters)) + victim
        found.add((kind, man, 64 * choice + move.to_square, board.gives_check(move), *after))
    return found


def _status(board: chess.Board) -> int:
    """What the moves of a board are."""
    if not any(board.legal_moves):
        return IN_MATE if board.is_check() else IN_STALEMATE
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        if after.ep_square is not None:
            beside = [after.ep_square + (8 if board.turn else -8) + step for step in (-1, 1)]
            pawn = chess.Piece(chess.PAWN, after.turn)
            near = [s for s in beside if chess.square_rank(s) == chess.square_rank(move.to_square)]
            if any(after.piece_at(square) == pawn for square in near):
                return MAY_BE_PASSED
    return HAS_MOVES


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("side", SIDES)
def test_all_legal_moves_are_listed(name: str, side: Side) -> None:
    """Every legal move is listed once, with its kind and the squares after it."""
    letters = LISTED[name]
    boards = _boards(letters, side, 120)
    squares = [_squares(board, letters) for board in boards]
    found = _listed(letters, side, squares, ALL_KINDS)
    for number, board in enumerate(boards):
        rows = np.flatnonzero(found.parent == number)
        moves = [
            (
                int(found.kind[i]),
                int(found.man[i]),
                int(found.arrival[i]),
                bool(found.checks[i]),
                *found.squares[i].tolist(),
            )
            for i in rows
        ]
        assert len(moves) == len(set(moves))
        assert set(moves) == _plain(board, letters, squares[number])
        assert found.status[number] == _status(board)


@pytest.mark.parametrize("name", LISTED)
def test_conversions_alone_are_listed(name: str) -> None:
    """Captures and promotions are listed and nothing else; or quiet moves of the king with them."""
    letters = LISTED[name]
    for side in SIDES:
        boards = _boards(letters, side, 60)
        squares = [_squares(board, letters) for board in boards]
        every, marked, some = (
            _listed(letters, side, squares, kinds)
            for kinds in (ALL_KINDS, MARKED_KINDS, CONVERTING_KINDS)
        )
        converting = every.kind >= CONVERSIONS
        of_king = (every.kind == QUIET_KIND) & (every.man == side)
        assert of_king.any()
        for found, chosen in ((some, converting), (marked, converting | of_king)):
            assert np.array_equal(found.squares, every.squares[chosen])
            assert np.array_equal(found.parent, every.parent[chosen])


def test_a_double_step_past_a_pawn_is_told() -> None:
    """The status says that a pawn might be taken en passant."""
    squares = [[0, 63, 12, 27], [0, 63, 12, 30]]
    assert _listed("KkPp", WHITE, squares, ALL_KINDS).status.tolist() == [MAY_BE_PASSED, HAS_MOVES]
