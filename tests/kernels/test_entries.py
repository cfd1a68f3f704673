"""Entries of a frontier: as bytes for the log, and without those that repeat others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.planes import entries
from unmove.kernels.pieces import BYTES_AT_ONCE, lengthen, shorten
from unmove.kernels.sets import Frontier, leave_out_repeated, list_planes
from unmove.kernels.stretch import CONVERTED

REPEATS = 1 << CONVERTED


def some_entries(words: int) -> Iterator[list[int]]:
    """Random entries, sparse and dense, with and without others that repeat them."""
    rng = np.random.default_rng(words)
    for plane in range(0, 5000, 37):
        row = rng.integers(0, 1 << 63, words, np.uint64)
        for _ in range(plane % 5):
            row &= rng.integers(0, 1 << 63, words, np.uint64)
        row[rng.random(words) < rng.random()] = 0
        row[0] |= np.uint64(1) << np.uint64(63)
        found = np.flatnonzero(row)
        masks = [
            sum(1 << int(i) - first for i in found if first <= i < first + 64)
            for first in range(0, words, 64)
        ]
        for header in (plane, plane | REPEATS)[: 1 + plane % 2]:
            yield [header, *masks, *row[found].tolist()]


def plain_piece(masks: int, log: list[list[int]]) -> tuple[list[int], list[int]]:
    """What `shorten` makes of entries, word by word and byte by byte."""
    planes = [entry[0] % REPEATS for entry in log]
    headers = [
        2 * (plane - before) + entry[0] // REPEATS
        for plane, before, entry in zip(planes, [0, *planes], log, strict=False)
    ]
    follow = [word for entry in log for word in entry[1 : 1 + masks]]
    rows = [word for entry in log for word in entry[1 + masks :]]
    words = [word.to_bytes(8, "little") for word in headers + follow + rows]
    kept = [sum(1 << i for i, byte in enumerate(word) if byte) for word in words]
    return kept, [byte for word in words for byte in word if byte]


@pytest.mark.parametrize("words", [64, 7, 130])
def test_the_planes_of_entries_are_listed_in_order(words: int) -> None:
    """Those of entries that repeat others, too."""
    log, before = list(some_entries(words)), 3
    stretch = np.array([0] * before + [word for entry in log for word in entry], np.uint64)
    planes = np.full(len(log) + 1, -1)
    number = list_planes(before, len(stretch), -(-words // 64), stretch, planes)
    assert number == len(log)
    assert planes.tolist() == [entry[0] % REPEATS for entry in log] + [-1]


@pytest.mark.parametrize("words", [64, 7, 130])
def test_a_piece_has_the_bytes_that_are_not_zero(words: int) -> None:
    """Word by word, headers first, then masks, then rows; and all of it comes back."""
    masks, log = -(-words // 64), list(some_entries(words))
    stretch = np.array([word for entry in log for word in entry], np.uint64)
    kept, octets = np.empty(len(stretch), np.uint8), np.full(8 * len(stretch) + 8, 7, np.uint8)
    number, size = shorten(masks, stretch, kept, octets)
    assert (kept.tolist(), octets[:size].tolist()) == plain_piece(masks, log)
    assert number == len(log)
    back = np.empty_like(stretch)
    lengthen(masks, number, kept, octets[: size + BYTES_AT_ONCE], back)
    assert np.array_equal(back, stretch)


@pytest.mark.parametrize("words", [64, 7, 130])
def test_repeated_entries_are_left_out(words: int) -> None:
    """The others follow one another from where the first began, and each plane finds its own."""
    masks, log = -(-words // 64), list(some_entries(words))
    before, plain = [9] * 5, [entry for entry in log if entry[0] < REPEATS]
    stretch = np.array([*before, *(word for entry in log for word in entry)], np.uint64)
    flags: NDArray[np.uint64] = np.zeros((0, 0), np.uint64)
    front = Frontier(stretch, np.zeros(5000, np.uint32), flags)
    end = leave_out_repeated(len(before), len(stretch), masks, front)
    kept = np.array([*before, *(word for entry in plain for word in entry)], np.uint64)
    assert np.array_equal(stretch[:end], kept)
    found = list(entries(stretch[len(before) : end], words))
    assert [plane for plane, _ in found] == [entry[0] for entry in plain]
    for entry in plain:
        at = int(front.at[entry[0]])
        assert stretch[at - 1 : at - 1 + len(entry)].tolist() == entry
    assert np.count_nonzero(front.at) == len(plain)
