"""Where the workers of a ply put its entries."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from unmove.solver.entry_room import EntryRoom, spare_planes


@pytest.mark.parametrize("fill", [0.0, 0.1, 1.0, None])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_no_two_ranges_share_a_word(workers: int, fill: float | None) -> None:
    """Whoever takes which range, and however much it fills: all are apart, and there is room."""
    longest, planes, chance = 132, 1003, random.Random(workers)
    ranges = [(first, min(first + 20, planes)) for first in range(0, planes, 20)]
    room = EntryRoom(longest, workers, ranges)
    taken: list[tuple[int, int]] = []
    for first, stop in ranges:
        worker = chance.randrange(workers)
        begin = room.begin(worker, first, stop)
        share = chance.random() if fill is None else fill
        end = begin + int(share * longest * (stop - first))
        room.filled(worker, end)
        taken.append((begin, end))
    words = longest * (planes + spare_planes(workers, ranges))
    taken.sort()
    assert all(end <= begin for (_, end), (begin, _) in pairwise(taken))
    assert taken[-1][1] <= room.end <= words
    assert room.is_shared


def test_a_part_in_memory_has_a_place_for_each_range() -> None:
    """Where the pool cuts the planes, nothing is known of the ranges beforehand."""
    room = EntryRoom(10, 2, None)
    room.filled(0, 77)
    assert [room.begin(0, first, first + 5) for first in (0, 5, 90)] == [0, 50, 900]
    assert spare_planes(2, None) == 0
    assert not room.is_shared
