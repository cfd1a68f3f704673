"""A written file beside the tokens it was made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import kernel
from unmove.kernels.syzygy.raw import short_at


@kernel
def count_forbidden(tokens: NDArray[Any], values: NDArray[Any], allowed: NDArray[np.bool_]) -> int:
    """How many values their tokens do not allow; allowed[token, value]."""
    forbidden = 0
    for i in range(tokens.shape[0]):
        forbidden += int(not allowed[tokens[i], values[i]])
    return forbidden


@kernel
def read_shorts(address: int, out: NDArray[np.int64]) -> None:
    """out = the numbers of 16 bits from an address on."""
    for i in range(out.shape[0]):
        out[i] = short_at(address + 2 * i)
