"""Recursive pairing (Larsson and Moffat, 1999): frequent pairs of symbols become symbols.

A sequence holds symbols. Its adjacent pairs are counted once; after that the counts are kept up to
date as pairs are replaced. Of a run of one symbol only every other pair can be replaced, so the
pairs of equal symbols are counted apart, by runs.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import kernel

COUNT_ROW: Final = 1 << 12
"""The counts of pairs are rows of so many: symbols are numbers of 12 bits."""
NO_PAIR: Final = -1


class PairCounts(NamedTuple):
    """How often pairs stand in a sequence."""

    adjacent: NDArray[np.int32]  # [COUNT_ROW * symbol + symbol after it]
    equal: NDArray[np.int32]  # [symbol]: pairs of it with itself that do not overlap


class Replacements(NamedTuple):
    """Pairs that become symbols; no pair begins with a symbol that another one ends with."""

    head: NDArray[np.int16]  # [symbol]: the first of the pairs that begin with it, or NO_PAIR
    following: NDArray[np.int16]  # [pair]: the next one that begins with the same symbol
    second: NDArray[np.int16]  # [pair]: its second symbol
    symbol: NDArray[np.int16]  # [pair]: what it becomes


@kernel
def count_pairs(sequence: NDArray[Any], counts: PairCounts) -> None:
    """The pairs of the sequence are added to the counts."""
    run = 0
    for i in range(1, sequence.shape[0]):
        before, symbol = np.int64(sequence[i - 1]), np.int64(sequence[i])
        counts.adjacent[before * COUNT_ROW + symbol] += 1
        run = run + 1 if before == symbol else 0
        counts.equal[symbol] += run & 1


@kernel
def replace_pairs(
    sequence: NDArray[Any], size: int, replacements: Replacements, counts: PairCounts
) -> int:
    """The pairs among sequence[:size] are replaced, in place; returns how many symbols are left.

    Pairs are taken from left to right. counts.equal is zero before, as it is counted afresh.
    """
    read, wrote, run = 0, 0, 0
    old, new, changed = np.int64(NO_PAIR), np.int64(NO_PAIR), False  # what was read and written
    while read < size:
        first = np.int64(sequence[read])
        last, symbol = first, first
        pair = np.int64(replacements.head[first])
        if pair >= 0 and read + 1 < size:
            second = np.int64(sequence[read + 1])
            while pair >= 0 and replacements.second[pair] != second:
                pair = np.int64(replacements.following[pair])
            if pair >= 0:
                symbol, last = np.int64(replacements.symbol[pair]), second
                counts.adjacent[first * COUNT_ROW + second] -= 1
                read += 1
        replaced = symbol != first
        if wrote > 0 and (replaced or changed):
            counts.adjacent[old * COUNT_ROW + first] -= 1
            counts.adjacent[new * COUNT_ROW + symbol] += 1
        run = run + 1 if symbol == new else 0
        counts.equal[symbol] += run & 1
        sequence[wrote] = symbol
        old, new, changed = last, symbol, replaced
        read += 1
        wrote += 1
    return wrote


@kernel
def count_symbols(sequence: NDArray[Any], counts: NDArray[np.int64]) -> None:
    """counts[symbol] is raised by the number of times it stands in the sequence."""
    for i in range(sequence.shape[0]):
        counts[np.int64(sequence[i])] += 1
