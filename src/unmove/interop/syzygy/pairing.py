"""The symbols of a sub-table, learned from its values by recursive pairing.

It begins with a symbol for each value. Then the most frequent pairs of adjacent symbols become
symbols, again and again, until no pair is frequent enough or there is no room for more symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.syzygy.pairing import (
    COUNT_ROW,
    NO_PAIR,
    PairCounts,
    Replacements,
    count_pairs,
    replace_pairs,
)

MOST_SYMBOLS: Final = 4095
MOST_SYMBOL_VALUES: Final = 256
"""The values that a symbol stands for, at most."""
MOST_DEPTH: Final = 16
"""Symbols are nested no deeper, as some readers look into them by recursion."""
SHARE: Final = 0.6
"""A pass over the sequence replaces the pairs that are at least so frequent, beside the first."""
MOST_PAIRS_AT_ONCE: Final = 256
VALUE: Final = -1
"""In place of the right half of a symbol: it stands for the single value on the left."""


def pair_counts() -> PairCounts:
    """No pairs yet. The system gives memory only for the rows that are written."""
    return PairCounts(np.zeros(COUNT_ROW * COUNT_ROW, np.int32), np.zeros(COUNT_ROW, np.int32))


@dataclass
class Grammar:
    """The symbols: each is a value, or a pair of symbols before it."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    values: NDArray[np.int64]
    """How many values it stands for."""
    depth: NDArray[np.int64]
    symbols: int = 0

    @classmethod
    def of_values(cls, values: Sequence[int]) -> Grammar:
        """A symbol for each of these values."""
        left, right, lengths, depth = np.zeros((4, MOST_SYMBOLS), np.int64)
        grammar = cls(left, right, lengths, depth, len(values))
        grammar.left[: len(values)] = values
        grammar.right[: len(values)] = VALUE
        grammar.values[: len(values)] = 1
        return grammar

    def add(self, pairs: NDArray[np.int64]) -> None:
        """The pairs, as places among the counts, become the next symbols."""
        new = slice(self.symbols, self.symbols + len(pairs))
        left, right = np.divmod(pairs, COUNT_ROW)
        self.left[new], self.right[new] = left, right
        self.values[new] = self.values[left] + self.values[right]
        self.depth[new] = 1 + np.maximum(self.depth[left], self.depth[right])
        self.symbols += len(pairs)

    def allows(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the pairs may become symbols."""
        left, right = np.divmod(pairs, COUNT_ROW)
        shallow = np.maximum(self.depth[left], self.depth[right]) < MOST_DEPTH
        allowed: NDArray[np.bool_] = shallow & (
            self.values[left] + self.values[right] <= MOST_SYMBOL_VALUES
        )
        return allowed


@dataclass
class Pairer:
    """Learns the symbols of one sequence, which it replaces as it goes, once."""

    sequence: NDArray[np.uint16]
    grammar: Grammar
    counts: PairCounts = field(default_factory=pair_counts)

    def learn(self, fewest: int, most_symbols: int = MOST_SYMBOLS) -> NDArray[np.uint16]:
        """The sequence in the symbols of the grammar, which has all pairs that pay."""
        count_pairs(self.sequence, self.counts)
        size, candidates = len(self.sequence), self._pairs_from(0, fewest)
        while self.grammar.symbols < most_symbols:
            frequency = self._frequency(candidates)
            frequent = frequency >= fewest
            candidates, frequency = candidates[frequent], frequency[frequent]
            if not len(candidates):
                break
            room = min(MOST_PAIRS_AT_ONCE, most_symbols - self.grammar.symbols)
            chosen = _apart(candidates, frequency, room)
            first = self.grammar.symbols
            self.grammar.add(chosen)
            self.counts.equal.fill(0)
            size = replace_pairs(self.sequence, size, _replacements(chosen, first), self.counts)
            candidates = np.concatenate([candidates, self._pairs_from(first, fewest)])
        return self.sequence[:size]

    def _frequency(self, pairs: NDArray[np.int64]) -> NDArray[np.int32]:
        left, right = np.divmod(pairs, COUNT_ROW)
        frequency: NDArray[np.int32] = np.where(
            left == right, self.counts.equal[left], self.counts.adjacent[pairs]
        )
        return frequency

    def _pairs_from(self, first: int, fewest: int) -> NDArray[np.int64]:
        """The frequent pairs that may become symbols and have a symbol from `first` on."""
        stop = self.grammar.symbols
        table = self.counts.adjacent.reshape(COUNT_ROW, COUNT_ROW)
        rows = np.flatnonzero(table[first:stop, :stop] >= fewest)
        columns = np.flatnonzero(table[:first, first:stop] >= fewest)
        row, column = np.divmod(rows, stop)
        pairs = (first + row) * COUNT_ROW + column
        if first:
            row, column = np.divmod(columns, stop - first)
            pairs = np.concatenate([pairs, row * COUNT_ROW + first + column])
        return pairs[self.grammar.allows(pairs)]


def _apart(
    candidates: NDArray[np.int64], frequency: NDArray[np.int32], room: int
) -> NDArray[np.int64]:
    """The most frequent pairs, none of which begins with a symbol that another one ends with."""
    enough = frequency >= SHARE * int(frequency.max())
    candidates, frequency = candidates[enough], frequency[enough]
    order = np.lexsort((candidates, -frequency))
    begin: set[int] = set()
    end: set[int] = set()
    chosen: list[int] = []
    for pair in candidates[order].tolist():
        left, right = divmod(pair, COUNT_ROW)
        if left in end or right in begin:
            continue
        begin.add(left)
        end.add(right)
        chosen.append(pair)
        if len(chosen) == room:
            break
    return np.array(chosen, np.int64)


def _replacements(pairs: NDArray[np.int64], first: int) -> Replacements:
    """The pairs become the symbols from `first` on."""
    left, right = np.divmod(pairs, COUNT_ROW)
    head, following = np.full(COUNT_ROW, NO_PAIR, np.int16), np.full(len(pairs), NO_PAIR, np.int16)
    for pair, symbol in enumerate(left.tolist()):
        following[pair], head[symbol] = head[symbol], pair
    symbols = np.arange(first, first + len(pairs))
    return Replacements(head, following, right.astype(np.int16), symbols.astype(np.int16))
