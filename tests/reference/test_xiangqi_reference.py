"""The reference solver of xiangqi against exact counts of another slow solver.

Nothing here tests unmove. It is the ground the other tests stand on.
"""

from __future__ import annotations

import pytest

from tests.reference.xiangqi import Position, counts, legal_positions, moves, placements, solve
from tests.support.wu_beal import exact_counts
from unmove.papers.wu_beal import material_of

EXACT = exact_counts()
QUICK = 23_000  # placements, a second or so
SLOW = 160_000
LONG = ["100010-000000", "000001-200000"]  # larger, with wins of 9 moves and with captures late


def keys(first: int, last: int) -> list[str]:
    """The endgames with more than `first` and at most `last` placements."""
    return [key for key, facts in EXACT.items() if first < facts["index_size"] <= last]


def assert_counts(key: str) -> None:
    name = material_of(key).name
    facts = EXACT[key]
    assert sum(1 for _ in placements(name)) == facts["index_size"] - facts["overlap"]
    for turn in ("wtm", "btm"):
        legal = sum(white == (turn == "wtm") for white, _ in legal_positions(name))
        expected = facts["index_size"] - facts["overlap"] - facts["king_capturable"][turn]
        assert legal == expected
    for metric in ("dtm", "dtc"):
        assert counts(name, metric) == facts[metric]


@pytest.mark.parametrize("key", [*keys(0, QUICK), *LONG])
def test_counts_of_small_endgames_are_exact(key: str) -> None:
    """Wins, losses and draws by side to move and distance, DTM and DTC, equal the known counts."""
    assert_counts(key)


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in keys(QUICK, SLOW) if key not in LONG])
def test_counts_of_larger_endgames_are_exact(key: str) -> None:
    """The same for endgames of up to 160,000 placements."""
    assert_counts(key)


def test_no_legal_move_is_a_loss() -> None:
    """The soldier on d8 takes the king's last square without a check, and wins."""
    stalemate: Position = (False, tuple(sorted([("K", 4), ("P", 66), ("k", 84)])))
    assert moves(stalemate) == []
    assert solve("KPvK", "dtm")[stalemate] == 0
