"""Sub-tables of a Syzygy file, from tokens to symbols in blocks.

The order of men and groups is chosen by trial: for all candidates the changes of values in a sample
are counted, and with those that have the fewest the sample is packed.
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
from unmove.interop.syzygy.huffman import code_lengths
from unmove.interop.syzygy.packing import PackedValues, SingleValue, packed
from unmove.interop.syzygy.pairing import Grammar, Pairer, pair_counts
from unmove.interop.syzygy.tokens import ALLOWED, EXACT, OUTCOME_KINDS
from unmove.interop.syzygy.walks import TokenField
from unmove.kernels.syzygy.freedom import count_changes, fill_between, fill_runs
from unmove.kernels.syzygy.pairing import COUNT_ROW, count_pairs, count_symbols
from unmove.values import Code

OUTCOME_BLOCKS: Final = (6, 5)
"""The sizes of blocks that are tried, as exponents of two: small ones, as a search asks often."""
DISTANCE_BLOCKS: Final = (10, 9, 8, 7, 6, 5)
FEWEST: Final = 5
"""A pair that occurs less often does not become a symbol."""
COUNTED_SAMPLE: Final = 1 << 16
"""Entries of the sample in which changes are counted."""
PACKED_SAMPLE: Final = 1 << 20
"""Entries of the sample that is packed."""
PACKED_ORDERS: Final = 6
TOKENS_AT_ONCE: Final = 1 << 22
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
    flags: int = 0
    map: bytes = b""

    @property
    def nbytes(self) -> int:
        """The bytes that it takes in a file, those to align it left out."""
        return self.content.nbytes + len(self.map)


def outcome_table(field: TokenField, file: int) -> EncodedSubtable:
    """The outcomes of one side to move, on one file of the first leading pawn."""
    counts = token_counts(field.values, len(ALLOWED))
    allowed = int(np.bitwise_and.reduce(ALLOWED[np.flatnonzero(counts)], initial=ALLOWED[0]))
    material = field.layout.material
    if allowed:
        single = SingleValue(allowed.bit_length() - 1)
        return EncodedSubtable(Descriptor.usual(material, file), single)
    choice = _choices(counts)

    def filled(step: int) -> Fill:
        """Free entries take the value of the run before them (1), or after them (-1)."""

        def fill(tokens: NDArray[Any]) -> Leaves:
            leaves = np.empty(len(tokens), np.uint16)
            fill_runs(tokens[::step], ALLOWED, choice, leaves[::step])
            return leaves

        return fill

    fills = [filled(1), filled(-1)]
    order = _best_order(field, file, OUTCOME_KINDS, range(OUTCOME_KINDS), fills)
    return EncodedSubtable(
        order.descriptor, _pack(field, order, range(OUTCOME_KINDS), OUTCOME_BLOCKS)
    )


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
        counts = token_counts(field.values, len(codes))
        self._map = DistanceMap.of(codes, counts, exact(side))
        if not self.is_single:
            fills = [self._fill]
            self._order = _best_order(field, file, len(codes), self._map.leaves, fills)

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
        return EncodedSubtable(
            Descriptor.usual(self._field.layout.material, self._file), SingleValue(0), self.side
        )

    def table(self) -> EncodedSubtable:
        """The distances, packed."""
        content = _pack(self._field, self._order, self._map.leaves, DISTANCE_BLOCKS)
        return EncodedSubtable(
            self._order.descriptor, content, self.side | self._map.flags, self._map.bytes
        )

    def _fill(self, tokens: NDArray[Any]) -> Leaves:
        free = len(self._map.leaves)
        leaf = np.where(self._map.leaf < 0, free, self._map.leaf).astype(np.uint16)
        leaves: Leaves = leaf[tokens]
        counts = pair_counts()
        count_pairs(leaves, counts)
        fill_between(leaves, free, counts.adjacent, COUNT_ROW)
        return leaves


def token_counts(values: NDArray[Any], tokens: int) -> NDArray[np.int64]:
    """[token]: how often it occurs."""
    flat, counts = values.reshape(-1), np.zeros(tokens, np.int64)
    for first in range(0, len(flat), TOKENS_AT_ONCE):
        counts += np.bincount(flat[first : first + TOKENS_AT_ONCE], minlength=tokens)
    return counts


@dataclass(frozen=True)
class _Order:
    """The order of a sub-table that takes the fewest bytes in a sample."""

    cost: int
    descriptor: Descriptor
    fill: Fill


def _best_order(
    field: TokenField, file: int, exact: int, values: Sequence[int], fills: Sequence[Fill]
) -> _Order:
    """The best of all orders, and for it the best way to fill.

    Tokens up to `exact` leave no choice.
    """
    changes = [
        (count_changes(field.sample(each, COUNTED_SAMPLE), exact), number, each)
        for number, each in enumerate(candidates(field.layout.material, file))
    ]
    finalists = [descriptor for _, _, descriptor in sorted(changes)[:PACKED_ORDERS]]

    def order(descriptor: Descriptor, fill: Fill) -> _Order:
        leaves = fill(field.sample(descriptor, PACKED_SAMPLE))
        return _Order(_cost(leaves, values), descriptor, fill)

    best = min((order(each, fills[0]) for each in finalists), key=lambda order: order.cost)
    others = [order(best.descriptor, fill) for fill in fills[1:]]
    return min([best, *others], key=lambda order: order.cost)


def _cost(leaves: Leaves, values: Sequence[int]) -> int:
    """The bytes of codes and symbols."""
    grammar = Grammar.of_values(values)
    sequence = Pairer(leaves, grammar).learn(FEWEST)
    counts = np.zeros(grammar.symbols, np.int64)
    count_symbols(sequence, counts)
    return int(counts @ code_lengths(counts)) // 8 + SYMBOL_BYTES * grammar.symbols


def _pack(
    field: TokenField, order: _Order, values: Sequence[int], blocks: Sequence[int]
) -> PackedValues:
    """All values of a sub-table, packed."""
    grammar = Grammar.of_values(values)
    sequence = Pairer(order.fill(field.ordered(order.descriptor)), grammar).learn(FEWEST)
    return packed(sequence, grammar, order.descriptor.size, blocks)
