"""Stockfish plays from the Syzygy files that our writer makes. A skip says how to install it."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import pytest
from chess.engine import INFO_ALL, Limit

from tests.engine.dialogue import Dialogue
from tests.support.commands import run
from tests.support.stockfish import (
    PROGRAM,
    hard_wins,
    needs_stockfish,
    stockfish,
    throws,
    win_against_best_play,
)
from unmove import Tablebase, open_syzygy
from unmove.store.folder import Folder
from unmove.values import Metric

GAMES = 200
DRAWN = ("KBvK", "KNvK", "KNNvK", "KBvKB", "KBvKN", "KNvKN")
"""Nothing can be won there but by a mistake."""


def found(folder: Path) -> str:
    """What Stockfish says when it is told the folder."""
    assert PROGRAM is not None
    talk = Dialogue(folder, PROGRAM)
    talk.send("uci")
    talk.until("uciok")
    said = talk.told(f"setoption name SyzygyPath value {folder}")
    talk.send("quit")
    talk.rest()
    assert talk.end()[0] == 0
    return " ".join(said)


@needs_stockfish
def test_files_of_three_men_are_played_from(small_tables: Folder, tmp_path: Path) -> None:
    """It finds all of them, asks them, and mates in positions that leave no time to lose."""
    ours = ("--dir", str(small_tables.path), "--output", str(tmp_path))
    code, _, err = run("export", "--men", "3", "--format", "syzygy", *ours)
    assert code == 0, err
    assert "Found 5 tablebases" in found(tmp_path)
    with Tablebase(small_tables) as tables, stockfish(tmp_path) as engine:
        board = chess.Board("8/8/8/8/3k4/8/8/KQ6 w - - 0 1")
        told = engine.analyse(board, Limit(depth=4), info=INFO_ALL)
        assert told["tbhits"] > 0
        for name in ("KQvK", "KRvK", "KPvK"):
            boards = hard_wins(tables, name, 2)
            for board in boards:
                assert win_against_best_play(engine, tables, board) > 5


@needs_stockfish
@pytest.mark.slow
def test_hard_wins_of_four_and_five_men_are_won(tmp_path: Path) -> None:
    """200 of them, with the clock near its end; in most of them a move that wins comes too late.

    The files are those of $UNMOVE_PROVE_SYZYGY; without it, files of up to four men are written.
    """
    place = Folder(Path(os.environ["UNMOVE_PROVE_DIR"]))
    folder = Path(os.environ.get("UNMOVE_PROVE_SYZYGY", tmp_path))
    if folder == tmp_path:
        ours = ("--dir", str(place.path), "--output", str(folder))
        code, _, err = run("export", "--men", "4", "--format", "syzygy", *ours)
        assert code == 0, err
    with open_syzygy(folder) as files:
        names = set(files.names("dtz")) & set(files.names("wdl"))
    assert f"Found {len(names)} tablebases" in found(folder)
    materials = [m for m, metric in place.tables() if metric == Metric.DTZ and m.name in names]
    won = [m.name for m in materials if m.men in (4, 5) and m.name not in DRAWN]
    with Tablebase(place) as tables, stockfish(folder) as engine:
        boards = [
            board for name in won for board in hard_wins(tables, name, -(-GAMES // len(won)))
        ][:GAMES]
        late = sum(throws(tables, board) for board in boards)
        moves = sum(win_against_best_play(engine, tables, board) for board in boards)
    print(f"{len(boards)} wins of {len(won)} endgames, {moves:,} moves; {late} with a late win.")
    assert len(boards) == GAMES and late > GAMES // 4
