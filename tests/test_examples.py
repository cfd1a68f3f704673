"""The programs of examples/ do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import chess
import polars

from unmove import Outcome, Tablebase
from unmove.store.folder import Folder

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(folder: Folder, name: str, *arguments: str) -> str:
    """What an example prints."""
    call = [sys.executable, str(EXAMPLES / name), *arguments, "--dir", str(folder.path)]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


def test_a_search_with_probes_finds_the_tables_outcome_with_fewer_positions(
    small_tables: Folder,
) -> None:
    """Both searches agree with the table; the one with probes visits a hundredth."""
    printed = run(small_tables, "search_with_probes.py")
    alone, probing, table = (line.partition(":")[2].strip() for line in printed.splitlines())
    assert [text.split()[0] for text in (alone, probing, table)] == ["win"] * 3
    nodes = [int(text.split()[-2].replace(",", "")) for text in (alone, probing)]
    assert 0 < 100 * nodes[1] < nodes[0]


def test_a_search_with_probes_tells_who_wins(small_tables: Folder) -> None:
    """Losses are found like wins, for either side."""
    for fen, outcome in (
        ("3K4/8/8/8/1k6/8/3Q4/4r3 b - - 0 1", "loss"),
        ("8/8/5r2/8/8/1k6/8/Q1K5 b - - 0 1", "win"),
    ):
        printed = run(small_tables, "search_with_probes.py", fen, "--deepest", "4").splitlines()
        found = {line.partition(":")[0]: line.partition(":")[2].split()[0] for line in printed}
        assert found["with probes"] == found["the table"] == outcome, printed


def test_a_training_set_is_read_back_whole(small_tables: Folder, tmp_path: Path) -> None:
    """All positions arrive in polars with their columns, and a model learns from them."""
    output = tmp_path / "kpk.parquet"
    printed = run(small_tables, "training_set.py", "KPvK", str(output), "--rows", "5000")
    table = polars.read_parquet(output)
    assert table.columns == ["wK", "wP", "bK", "turn", "outcome", "outcome50", "dtm", "dtz"]
    assert len(table) == 5000
    common, model = (float(text) for text in re.findall(r"right ([\d.]+)%", printed))
    assert common + 10 < model


def test_studies_are_won_by_only_moves_and_zugzwangs_lost_by_whoever_moves(
    small_tables: Folder, tablebase: Tablebase
) -> None:
    """Each move shown for the winner is the only one that wins; three zugzwangs follow."""
    printed = run(small_tables, "study_finder.py", "KPvKP", "--sample", "4", "--best", "3")
    shown, _, zugzwangs = printed.partition("30 full-point zugzwangs\n")
    studies = re.findall(r"^(.*)  (\d+) only moves: (.*)$", shown, re.MULTILINE)
    assert len(studies) == len(zugzwangs.splitlines()) == 3
    for fen, only_moves, line in studies:
        board = chess.Board(fen)
        moves = [word for word in line.split() if not word[0].isdigit()]
        assert 1 <= int(only_moves) == (len(moves) + 1) // 2
        for san in moves:
            if board.turn == chess.WHITE:
                wins = [m.san for m in tablebase.moves(board) if m.outcome == Outcome.WIN]
                assert wins == [san]
            board.push_san(san)
    for fen in zugzwangs.splitlines():
        board = chess.Board(fen)
        other = board.copy()
        other.turn = not board.turn
        assert tablebase.probe_wdl(board) == tablebase.probe_wdl(other) == Outcome.LOSS
