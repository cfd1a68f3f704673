"""The kernels that write Syzygy files do what slow, plain versions of them do."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from unmove.interop.syzygy.huffman import MOST_BITS, canonical_code
from unmove.interop.syzygy.packing import packed
from unmove.interop.syzygy.pairing import MOST_SYMBOL_VALUES, VALUE, Grammar, Pairer, pair_counts
from unmove.interop.syzygy.tokens import ALLOWED, AT_MOST, EXACT, OUTCOME_KINDS
from unmove.kernels.syzygy.comparing import count_together, read_shorts
from unmove.kernels.syzygy.freedom import count_changes, fill_between, fill_runs
from unmove.kernels.syzygy.packing import CodeTable, cut_blocks, write_blocks
from unmove.kernels.syzygy.pairing import COUNT_ROW, count_pairs, count_symbols


def sequence_of(seed: int, size: int = 4000, values: int = 5) -> NDArray[np.uint16]:
    """Values in runs, so that pairs are frequent."""
    rng = np.random.default_rng(seed)
    runs = np.repeat(rng.integers(0, values, size), rng.integers(1, 9, size))
    return runs[:size].astype(np.uint16)


def expanded(sequence: NDArray[Any], grammar: Grammar) -> list[int]:
    """The values that symbols stand for."""

    def values(symbol: int) -> list[int]:
        if grammar.right[symbol] == VALUE:
            return [int(grammar.left[symbol])]
        return values(int(grammar.left[symbol])) + values(int(grammar.right[symbol]))

    return [value for symbol in sequence.tolist() for value in values(symbol)]


@pytest.mark.parametrize("seed", range(4))
def test_symbols_stand_for_the_values_they_replace(seed: int) -> None:
    """A paired sequence expands to what it was, and no frequent pair that may be one is left."""
    values = sequence_of(seed)
    grammar = Grammar.of_values(range(5))
    sequence = Pairer(values.copy(), grammar).learn(8)
    assert expanded(sequence, grammar) == values.tolist()
    assert len(sequence) < len(values) // 3
    assert grammar.values[: grammar.symbols].max() <= MOST_SYMBOL_VALUES
    counts = pair_counts()
    count_pairs(sequence, counts)
    pairs = np.flatnonzero(counts.adjacent >= 8)
    left, right = np.divmod(pairs, COUNT_ROW)
    pairs = pairs[(left != right) & grammar.allows(pairs)]
    assert not len(pairs)


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_pairs_stay_true_while_pairs_are_replaced(seed: int) -> None:
    """After all replacements the counts are those of the sequence that is left."""
    grammar = Grammar.of_values(range(5))
    pairer = Pairer(sequence_of(seed), grammar)
    sequence = pairer.learn(20)
    counts = pair_counts()
    count_pairs(sequence, counts)
    assert (counts.adjacent == pairer.counts.adjacent).all()
    assert (counts.equal == pairer.counts.equal).all()
    adjacent = list(zip(sequence.tolist(), sequence[1:].tolist(), strict=False))
    for left, right in set(adjacent):
        assert counts.adjacent[COUNT_ROW * left + right] == adjacent.count((left, right))
    runs = [(symbol, len(list(run))) for symbol, run in groupby(sequence.tolist())]
    for symbol in set(sequence.tolist()):
        assert counts.equal[symbol] == sum(n // 2 for s, n in runs if s == symbol)


def slow_runs(tokens: list[int]) -> int:
    """The fewest runs of equal values that tokens allow, found by trying all ends of each."""
    best = [0]
    for stop in range(1, len(tokens) + 1):
        runs, allowed = [], ALLOWED[0]
        for first in range(stop - 1, -1, -1):
            allowed &= ALLOWED[tokens[first]]
            if allowed:
                runs.append(best[first] + 1)
        best.append(min(runs))
    return best[-1]


@pytest.mark.parametrize("seed", range(8))
def test_free_outcomes_are_filled_in_as_few_runs_as_can_be(seed: int) -> None:
    """Every value is one that its token allows, and no choice has fewer runs."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, len(ALLOWED), 60).astype(np.uint8)
    tokens[tokens == AT_MOST] = EXACT
    tokens[rng.random(60) < 0.5] = 0
    choice = np.array(
        [0, *(mask.bit_length() - 1 for mask in range(1, 1 << OUTCOME_KINDS))], np.int64
    )
    out = np.zeros(60, np.uint16)
    fill_runs(tokens, ALLOWED, choice, out)
    assert all(ALLOWED[t] >> v & 1 for t, v in zip(tokens.tolist(), out.tolist(), strict=True))
    assert len(list(groupby(out.tolist()))) == slow_runs(tokens.tolist())


def test_free_distances_take_the_neighbour_that_is_more_often_beside_itself() -> None:
    """Runs of free entries become one of the values around them; all others stay."""
    values = np.array([9, 9, 1, 9, 1, 1, 9, 9, 2, 2, 2, 2, 9, 3, 9], np.uint16)
    counts = pair_counts()
    count_pairs(values, counts)
    fill_between(values, 9, counts.adjacent, COUNT_ROW)
    assert values.tolist() == [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3]
    nothing = np.full(5, 9, np.uint16)
    fill_between(nothing, 9, counts.adjacent, COUNT_ROW)
    assert nothing.tolist() == [0] * 5


def test_changes_are_counted_between_exact_tokens() -> None:
    """Free tokens, and those beyond the exact ones, make no change."""
    assert count_changes(np.array([0, 1, 0, 1, 7, 2, 2, 0, 1], np.uint8), 5) == 3
    assert count_changes(np.zeros(4, np.uint8), 5) == 0


def test_entries_are_counted_by_token_and_leaf() -> None:
    """Each pair of a token and a leaf that stand together counts once, beside what was there."""
    tokens, leaves = np.array([0, 0, 1, 1, 1], np.uint8), np.array([0, 2, 0, 2, 2], np.uint16)
    counts = np.array([[0, 0, 5], [0, 0, 0]], np.int64)
    count_together(tokens, leaves, counts)
    assert counts.tolist() == [[1, 0, 6], [1, 0, 2]]


def test_numbers_are_read_from_an_address() -> None:
    """Numbers of two bytes come out as they stand in memory, aligned or not."""
    data = np.frombuffer(b"\x00\x34\x12\xff\xff", np.uint8)
    out = np.zeros(2, np.int64)
    read_shorts(data.ctypes.data + 1, out)
    assert out.tolist() == [0x1234, 0xFFFF]


@pytest.mark.parametrize(
    "counts",
    [
        [7],
        [3, 1],
        [0, 5, 0, 5, 9, 1, 1],
        [1] * 33,
        [round(1.618**n) for n in range(60)],
    ],
)
def test_codes_are_canonical_and_complete(counts: list[int]) -> None:
    """Codes fill the space of their lengths, the longest come first, frequent ones are short."""
    code = canonical_code(np.array(counts))
    used = [n for n, count in enumerate(counts) if count]
    bits = {int(symbol): int(n) for symbol, n in zip(code.order, code.bits, strict=True)}
    assert all((bits[n] > 0) == (n in used) for n in bits)
    assert max(bits.values()) <= MOST_BITS
    if len(used) > 1:
        assert sum(2.0 ** -bits[n] for n in used) == 1
    by_number = [n for n in code.bits.tolist() if n]
    assert by_number == sorted(by_number, reverse=True)
    words = [f"{c:0{b}b}" for c, b in zip(code.codes.tolist(), by_number, strict=False)]
    assert not any(b.startswith(a) for a in words for b in words if a is not b)
    assert all(bits[a] <= bits[b] for a in used for b in used if counts[a] > counts[b])


def decoded(data: bytes, lengths: list[int], table: dict[str, list[int]]) -> list[int]:
    """The values of blocks of equal size, read bit by bit."""
    size, values = len(data) // len(lengths), []
    for number, length in enumerate(lengths):
        block = data[number * size : (number + 1) * size]
        bits = "".join(f"{byte:08b}" for byte in block)
        found: list[int] = []
        word = ""
        for bit in bits:
            word += bit
            if word in table and len(found) <= length:
                found += table[word]
                word = ""
        values += found[: length + 1]
    return values


@pytest.mark.parametrize("size", [32, 64])
def test_blocks_hold_the_sequence(size: int) -> None:
    """Read bit by bit, blocks give the values back; a shorter code may close one."""
    values = sequence_of(7)
    grammar = Grammar.of_values(range(5))
    sequence = Pairer(values.copy(), grammar).learn(8)
    counts = np.zeros(grammar.symbols, np.int64)
    count_symbols(sequence, counts)
    assert counts.tolist() == np.bincount(sequence, minlength=grammar.symbols).tolist()
    code = canonical_code(counts)
    numbers = np.argsort(code.order)[sequence].astype(np.uint16)
    book = CodeTable(code.codes, code.bits, grammar.values[code.order], np.arange(len(counts)))
    starts, lengths = np.zeros(999, np.int64), np.zeros(999, np.uint16)
    count = cut_blocks(numbers, book, 8 * size, starts, lengths)
    data = np.zeros(count * size, np.uint8)
    write_blocks(0, count, numbers, starts, book, size, data)
    table = {
        f"{code.codes[n]:0{code.bits[n]}b}": expanded(code.order[n : n + 1], grammar)
        for n in np.flatnonzero(code.bits).tolist()
    }
    assert decoded(data.tobytes(), lengths[:count].tolist(), table) == values.tolist()
    content = packed(sequence, grammar, len(values), (size.bit_length() - 1,))
    written = np.frombuffer(content.lengths, "<u2").tolist()
    real = int.from_bytes(content.header[3:7], "little")
    assert len(content.data) <= len(data)
    found = decoded(content.data.tobytes(), written[:real], table)
    assert found == values.tolist()
