"""Sub-tables of a Syzygy file, from tokens to symbols in blocks.

The order of men and groups is chosen by trial: for all candidates the changes of values in a sample
are counted, and with those that have the fewest a larger sample is packed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.candidates import candidates
from unmove.interop.syzygy.descriptors import Descriptor
from unmove.interop.syzygy.distances import DistanceMap
from unmove.interop.syzygy.entries import ENTRIES_AT_ONCE, Entries, value_type
from unmove.interop.syzygy.huffman import code_lengths
from unmove.interop.syzygy.packing import PackedValues, SingleValue, packed
from unmove.interop.syzygy.pairing import Grammar, Pairer, pair_counts
from unmove.interop.syzygy.tokens import ALLOWED, EXACT, OUTCOME_KINDS
from unmove.interop.syzygy.walks import SampleShape, TokenField
from unmove.kernels.syzygy.freedom import count_changes, fill_between, fill_runs
from unmove.kernels.syzygy.pairing import COUNT_ROW, count_pairs, count_symbols
from unmove.values import Code

OUTCOME_BLOCKS: Final = (6, 5)
"""The sizes of blocks that are tried, as exponents of two: small ones, as a search asks often."""
DISTANCE_BLOCKS: Final = (10, 9, 8, 7, 6, 5)
FEWEST: Final = 5
"""A pair that occurs less often does not become a symbol."""
COUNTED_SAMPLE: Final = SampleShape(512, 1 << 7)
"""That in which changes are counted: many stretches, as parts of a table differ."""
OUTCOMES_SAMPLE: Final = SampleShape(2048, 1 << 11)
"""That of outcomes that is packed; packing takes them a third of the time of distances."""
DISTANCES_SAMPLE: Final = SampleShape(512, 1 << 11)
"""That of distances."""
PACKED_ORDERS: Final = 8
SYMBOL_BYTES: Final = 3

Leaves = NDArray[np.uint16]
"""[entry]: the place of its value among the values of leaves."""
PlyCounts = Callable[[int], tuple[bool, bool]]
"""For a side to move: whether its wins, and its losses, are counted in single plies."""
Fill = Callable[[NDArray[Any]], Leaves]
"""Finds a leaf for every token, also for those that leave a choice."""


@dataclass(frozen=True)
class EncodedSubtable:
    """A sub-table that is ready for its file."""

    descriptor: Descriptor
    content: PackedValues | SingleValue
    entries: Entries
    """What stands in it, for whoever compares it with the table."""
    flags: int = 0
    map: bytes = b""

    @property
    def nbytes(self) -> int:
        """The bytes that it takes in a file, those to align it left out."""
        return self.content.nbytes + len(self.map)


def outcome_table(field: TokenField, file: int) -> EncodedSubtable:
    """The outcomes of one side to move, on one file of the first leading pawn."""
    counts = token_counts(field)
    allowed = int(np.bitwise_and.reduce(ALLOWED[np.flatnonzero(counts)], initial=ALLOWED[0]))
    material = field.layout.material
    if allowed:
        value = allowed.bit_length() - 1
        entries = Entries.single(counts, value)
        return EncodedSubtable(Descriptor.usual(material, file), SingleValue(value), entries)
    choice = _choices(counts)

    def filled(step: int) -> Fill:
        """Free entries take the value of the run before them (1), or after them (-1)."""

        def fill(tokens: NDArray[Any]) -> Leaves:
            leaves = np.empty(len(tokens), np.uint16)
            fill_runs(tokens[::step], ALLOWED, choice, leaves[::step])
            return leaves

        return fill

    fills = [filled(1), filled(-1)]
    values = np.arange(OUTCOME_KINDS, dtype=value_type(distances=False))
    search = _Search(field, file, OUTCOME_KINDS, values, OUTCOMES_SAMPLE)
    descriptor = search.best(fills[0]).descriptor
    content, entries = _pack(field, descriptor, fills, values, OUTCOME_BLOCKS)
    return EncodedSubtable(descriptor, content, entries)


def _choices(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """[outcomes as bits]: the one of them that occurs most often."""
    frequent = np.argsort(-counts[EXACT : EXACT + OUTCOME_KINDS], kind="stable").tolist()
    sets = range(1, 1 << OUTCOME_KINDS)
    return np.array([0, *(next(n for n in frequent if some >> n & 1) for some in sets)], np.int64)


def distance_table(
    fields: Sequence[TokenField], file: int, codes: Sequence[Code], exact: PlyCounts
) -> EncodedSubtable:
    """The distances of the side to move that takes fewer bytes, of those whose fields are given."""
    plans = [_DistancePlan(side, field, file, codes, exact) for side, field in enumerate(fields)]
    for plan in plans:
        if plan.is_single:
            return plan.single()
    return min(plans, key=lambda plan: (plan.cost, plan.side)).table()


class _DistancePlan:
    """The distances of one side to move, in their best order."""

    def __init__(
        self, side: int, field: TokenField, file: int, codes: Sequence[Code], exact: PlyCounts
    ) -> None:
        self.side = side
        self._field, self._file = field, file
        self._counts = token_counts(field)
        self._map = DistanceMap.of(codes, self._counts, exact(side))
        self._values = np.array(self._map.leaves, value_type(distances=True))
        if not self.is_single:
            search = _Search(field, file, len(codes), self._values, DISTANCES_SAMPLE)
            self._order = search.best(self._fill)

    @property
    def cost(self) -> int:
        """The bytes of a sample."""
        return self._order.cost

    @property
    def is_single(self) -> bool:
        """Whether a reader needs no distance but the shortest."""
        return all(own in ((), (0,)) for own in self._map.lists)

    def single(self) -> EncodedSubtable:
        """All of them are the shortest."""
        usual = Descriptor.usual(self._field.layout.material, self._file)
        return EncodedSubtable(usual, SingleValue(0), Entries.single(self._counts, 0), self.side)

    def table(self) -> EncodedSubtable:
        """The distances, packed."""
        descriptor, flags = self._order.descriptor, self.side | self._map.flags
        content, entries = _pack(
            self._field, descriptor, [self._fill], self._values, DISTANCE_BLOCKS
        )
        return EncodedSubtable(descriptor, content, entries, flags, self._map.bytes)

    def _fill(self, tokens: NDArray[Any]) -> Leaves:
        free = len(self._map.leaves)
        leaf = np.where(self._map.leaf < 0, free, self._map.leaf).astype(np.uint16)
        leaves: Leaves = np.empty(len(tokens), np.uint16)
        for first in range(0, len(tokens), ENTRIES_AT_ONCE):
            leaves[first : first + ENTRIES_AT_ONCE] = leaf[tokens[first : first + ENTRIES_AT_ONCE]]
        counts = pair_counts()
        count_pairs(leaves, counts)
        fill_between(leaves, free, counts.adjacent, COUNT_ROW)
        return leaves


def token_counts(field: TokenField) -> NDArray[np.int64]:
    """[token]: how often it occurs."""
    counts = np.zeros(field.kinds, np.int64)
    count_symbols(field.values.reshape(-1), counts)
    return counts


@dataclass(frozen=True)
class _Order:
    """The order of a sub-table that takes the fewest bytes in a sample."""

    cost: int
    descriptor: Descriptor


@dataclass(frozen=True)
class _Search:
    """A search for the best order of a sub-table. Tokens up to `exact` leave no choice."""

    field: TokenField
    file: int
    exact: int
    values: NDArray[Any]
    """[leaf]: its value."""
    sample: SampleShape

    def best(self, fill: Fill) -> _Order:
        """Of the orders with the fewest changes, the one whose sample takes the fewest bytes."""
        every = enumerate(candidates(self.field.layout.material, self.file))
        changes = [
            (count_changes(self.field.sample(each, COUNTED_SAMPLE), self.exact), number, each)
            for number, each in every
        ]
        finalists = [descriptor for _, _, descriptor in sorted(changes)[:PACKED_ORDERS]]
        orders = (_Order(self._cost(each, fill), each) for each in finalists)
        return min(orders, key=lambda order: order.cost)

    def _cost(self, descriptor: Descriptor, fill: Fill) -> int:
        """The bytes of codes and symbols."""
        grammar = Grammar.of_values(self.values.tolist())
        leaves = fill(self.field.sample(descriptor, self.sample))
        sequence = Pairer(leaves, grammar).learn(FEWEST)
        counts = np.zeros(grammar.symbols, np.int64)
        count_symbols(sequence, counts)
        return int(counts @ code_lengths(counts)) // 8 + SYMBOL_BYTES * grammar.symbols


def _pack(
    field: TokenField,
    descriptor: Descriptor,
    fills: Sequence[Fill],
    values: NDArray[Any],
    blocks: Sequence[int],
) -> tuple[PackedValues, Entries]:
    """All values of a sub-table, packed with the best of the fills; and what they are."""
    tokens = field.ordered(descriptor)

    def encoded(fill: Fill) -> tuple[PackedValues, Entries]:
        leaves = fill(tokens)
        entries = Entries.of(field, descriptor, tokens, leaves, values)
        grammar = Grammar.of_values(values.tolist())
        sequence = Pairer(leaves, grammar).learn(FEWEST)
        return packed(sequence, grammar, descriptor.size, blocks), entries

    return min(map(encoded, fills), key=lambda made: made[0].nbytes)
