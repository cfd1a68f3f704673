"""The comparison with values read from Syzygy tables finds what differs."""

from __future__ import annotations

import chess
import pytest
from tools.compare_syzygy import compare

from unmove import Tablebase

LOST = "8/8/8/3k4/8/8/8/K1Q5 b - - 0 1"
MATED = "k7/1Q6/K7/8/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize(
    ("away", "wdl", "expected"),
    [(0, -2, "equal"), (1, -2, "one ply short"), (2, -2, "wrong"), (0, 2, "wrong")],
)
def test_only_a_ply_less_may_be_missing(
    tablebase: Tablebase, away: int, wdl: int, expected: str
) -> None:
    """A distance one ply short is that of full moves; two plies or another outcome are wrong."""
    dtz = tablebase.probe_dtz(chess.Board(LOST))
    assert dtz is not None
    row = {"material": "KQvK", "fen": LOST, "wdl": str(wdl), "dtz": str(dtz + away)}
    counts, wrong = compare([row], tablebase)
    assert (wrong == [LOST]) == (expected == "wrong")
    assert counts == ({} if wrong else {expected: 1})


def test_a_mated_side_has_another_number_there(tablebase: Tablebase) -> None:
    """A Syzygy table says -1, which is one ply, and here it is 0."""
    row = {"material": "KQvK", "fen": MATED, "wdl": "-2", "dtz": "-1"}
    assert compare([row], tablebase) == ({"equal": 1}, [])
