"""A game against another engine: it needs `stockfish`, and the tables of `make prove`."""

from __future__ import annotations

import os

import chess
import chess.engine
import pytest
from chess.engine import Limit, Mate, SimpleEngine

from tests.engine.dialogue import PROGRAM, SECONDS
from tests.support.stockfish import PROGRAM as PLAYER
from tests.support.stockfish import needs_stockfish

MATE_IN_78 = "8/7K/8/8/8/2k5/1n6/B4B2 w - - 0 1"  # a longest win of KBBvKN


@needs_stockfish
@pytest.mark.slow
def test_a_won_ending_of_five_men_is_won_against_stockfish() -> None:
    """In no more moves than promised, whatever Stockfish plays."""
    assert PLAYER is not None
    board = chess.Board(MATE_IN_78)
    environment = os.environ | {"UNMOVE_DIR": os.environ["UNMOVE_PROVE_DIR"]}
    with (
        SimpleEngine.popen_uci([*PROGRAM], timeout=SECONDS, env=environment) as ours,
        SimpleEngine.popen_uci(PLAYER, timeout=SECONDS) as theirs,
    ):
        ours.configure({"Syzygy50MoveRule": False})
        assert ours.analyse(board, Limit(depth=1))["score"].white() == Mate(78)
        while not board.is_game_over():
            mover = ours if board.turn == chess.WHITE else theirs
            played = mover.play(board, Limit(time=0.1)).move
            assert played is not None
            board.push(played)
    assert board.is_checkmate() and board.turn == chess.BLACK
    assert board.fullmove_number <= 78
