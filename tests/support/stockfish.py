"""Stockfish as a player that trusts Syzygy files, against perfect defence by our tables."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import numpy as np
import pytest
from chess.engine import Limit, SimpleEngine

from unmove import Outcome, Outcome50, Tablebase
from unmove.games.boards import board_of
from unmove.values import FIFTY, Side

SECONDS = 120  # that an answer may take
NODES = 2000
"""What it searches for a move: little, as the files choose among the moves."""
SPARE = 2
"""Plies that the clock leaves: a distance in a file may be one ply short, and Stockfish takes a win
that needs the last one for a draw."""
PROGRAM = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")  # of Debian

needs_stockfish = pytest.mark.skipif(
    PROGRAM is None, reason="Stockfish is not installed: `apt install stockfish` does it"
)


@contextmanager
def stockfish(folder: Path) -> Iterator[SimpleEngine]:
    """The engine with a folder of Syzygy files, under the 50-move rule."""
    assert PROGRAM is not None
    with SimpleEngine.popen_uci(PROGRAM, timeout=SECONDS) as engine:
        engine.configure({"SyzygyPath": str(folder), "Syzygy50MoveRule": True})
        yield engine


def hard_wins(tables: Tablebase, name: str, number: int) -> list[chess.Board]:
    """The longest wins of an endgame by DTZ, with a clock that leaves few plies to spare."""
    batch = tables.to_numpy(name, "dtz")
    plies = np.where(batch.values.outcome50 == Outcome50.WIN, batch.values.plies, 0)
    longest = plies[plies <= FIFTY - SPARE].max()
    (which,) = np.nonzero((plies > max(0, longest - 6)) & (plies <= FIFTY - SPARE))
    chosen = random.Random(name).sample(which.tolist(), min(number, len(which)))
    boards = []
    for place in chosen:
        squares, side = batch.squares[place].tolist(), Side(int(batch.turns[place]))
        board = board_of(batch.material, squares, side)
        assert isinstance(board, chess.Board)
        board.halfmove_clock = FIFTY - SPARE - int(plies[place])
        boards.append(board)
    return boards


def throws(tables: Tablebase, board: chess.Board) -> bool:
    """Whether some move wins, and comes too late for the 50-move rule."""
    late = Outcome.WIN, Outcome50.CURSED_WIN
    return any((move.outcome, move.outcome50) == late for move in tables.moves(board, "dtz"))


def win_against_best_play(engine: SimpleEngine, tables: Tablebase, board: chess.Board) -> int:
    """The engine mates, and at no move lets the win slip; returns its number of moves."""
    moves, start = 0, board.fen()
    while not board.is_game_over():
        played = engine.play(board, Limit(nodes=NODES)).move
        assert played is not None
        board.push(played)
        moves += 1
        assert tables.probe_wdl50(board) == Outcome50.LOSS, (start, board.fen(), played)
        if not board.is_game_over():
            board.push(tables.moves(board, "dtz")[0].move)
    assert board.is_checkmate(), (start, board.fen())
    return moves
