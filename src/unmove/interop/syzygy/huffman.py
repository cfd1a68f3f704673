"""Canonical codes of bounded length, as Syzygy files number them: the longest first."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_BITS: Final = 32


@dataclass(frozen=True)
class CanonicalCode:
    """The codes of symbols, in a new order: the longest code first, symbols without a code last."""

    order: NDArray[np.int64]
    """[new number]: the symbol's old number."""
    bits: NDArray[np.int64]
    """[new number]: the length of its code, 0 if it has none."""
    codes: NDArray[np.uint32]
    """[new number]: its code."""
    longest: int
    shortest: int
    first: NDArray[np.int64]
    """[length - shortest]: how many symbols have a longer code."""


def canonical_code(counts: NDArray[np.int64]) -> CanonicalCode:
    """The best code for symbols that occur so often; those that do not occur have none."""
    lengths = code_lengths(counts)
    used = lengths[lengths > 0]
    order = np.lexsort((np.arange(len(counts)), -counts, -lengths))
    longest, shortest = int(used.max()), int(used.min())
    of_length = np.bincount(lengths, minlength=longest + 1)
    first = np.array([(used > length).sum() for length in range(shortest, longest + 1)], np.int64)
    base = np.zeros(longest + 2, np.int64)
    for length in range(longest - 1, shortest - 1, -1):
        base[length] = (base[length + 1] + of_length[length + 1]) // 2
    bits = lengths[order]
    coded = int(of_length[1:].sum())
    codes = np.zeros(len(counts), np.uint32)
    codes[:coded] = base[bits[:coded]] + np.arange(coded) - first[bits[:coded] - shortest]
    return CanonicalCode(order, bits, codes, longest, shortest, first)


def code_lengths(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lengths of the codes of Huffman (1952), none longer than MOST_BITS.

    Where one would be longer, counts are halved until none is.
    """
    lengths, weights = np.zeros(len(counts), np.int64), counts.copy()
    used = np.flatnonzero(counts)
    if len(used) == 1:
        lengths[used] = 1
        return lengths
    while True:
        lengths[used] = _huffman(weights[used].tolist())
        if lengths.max() <= MOST_BITS:
            return lengths
        weights = np.where(weights > 0, (weights + 1) // 2, 0)


def _huffman(weights: list[int]) -> list[int]:
    """The lengths of the codes of symbols, of which there are two or more."""
    leaves = len(weights)
    heap = [(weight, number) for number, weight in enumerate(weights)]
    heapify(heap)
    parent = [0] * (2 * leaves - 1)
    for node in range(leaves, 2 * leaves - 1):
        first, second = heappop(heap), heappop(heap)
        parent[first[1]] = parent[second[1]] = node
        heappush(heap, (first[0] + second[0], node))
    lengths = [0] * (2 * leaves - 1)
    for node in range(2 * leaves - 3, -1, -1):
        lengths[node] = lengths[parent[node]] + 1
    return lengths[:leaves]
