"""Values that a prober never asks for: where they are free, and what they become.

A *token* is what is known of an entry: that it is free, its value, or that it is at most so much.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Scores
from unmove.kernels.jit import kernel

FREE: Final = 0


@kernel
def put_tokens(
    numbers: CellNumbers,
    scores: Scores,
    worth: NDArray[np.uint8],
    worth_of_score: NDArray[np.uint8],
    tokens: NDArray[Any],
    tokens_if_found: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """out[plane, cell] = the token of its number, and of whether its best move is found.

    That is the case if some move that a prober tries itself is worth as much as the position.
    """
    for plane in range(numbers.shape[0]):
        for cell in range(numbers.shape[1]):
            number = numbers[plane, cell]
            if worth_of_score[scores[plane, cell]] == worth[number]:
                out[plane, cell] = tokens_if_found[number]
            else:
                out[plane, cell] = tokens[number]


@kernel
def fill_runs(
    tokens: NDArray[Any], masks: NDArray[np.int64], choice: NDArray[np.int64], out: NDArray[Any]
) -> None:
    """out has values that the tokens allow, in as few runs of equal values as can be.

    masks[token]: the values that it allows, as bits. choice[mask]: which of several is taken.
    """
    size = tokens.shape[0]
    first, allowed = 0, masks[0]
    for i in range(size):
        mask = masks[tokens[i]]
        if allowed & mask == 0:
            for j in range(first, i):
                out[j] = choice[allowed]
            first, allowed = i, mask
        else:
            allowed &= mask
    for j in range(first, size):
        out[j] = choice[allowed]


@kernel
def fill_between(values: NDArray[Any], free: int, counts: NDArray[np.int32], row: int) -> None:
    """Free values become what makes the most frequent pairs with their neighbours.

    counts[row * value + value after it]: how often pairs of given values stand side by side.
    """
    size = values.shape[0]
    i = 0
    while i < size:
        if values[i] != free:
            i += 1
            continue
        stop = i
        while stop < size and values[stop] == free:
            stop += 1
        before = np.int64(values[i - 1]) if i > 0 else np.int64(-1)
        after = np.int64(values[stop]) if stop < size else np.int64(-1)
        if before < 0:
            before = after if after >= 0 else np.int64(0)
        if after < 0:
            after = before
        both = counts[before * row + before] >= counts[after * row + after]
        filler = before if both else after
        for j in range(i, stop):
            values[j] = filler
        i = stop


@kernel
def count_changes(tokens: NDArray[Any], exact: int) -> int:
    """How often a token differs from the one before it, if those that are not exact are left out.

    PlyCounts are the tokens from 1 to `exact`.
    """
    before, changes = np.int64(0), 0
    for i in range(tokens.shape[0]):
        token = np.int64(tokens[i])
        if 0 < token <= exact and token != before:
            before = token
            changes += 1
    return changes
