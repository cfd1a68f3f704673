"""A written file beside the tokens it was made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import kernel
from unmove.kernels.syzygy.raw import short_at


@kernel
def count_together(tokens: NDArray[Any], leaves: NDArray[Any], counts: NDArray[np.int64]) -> None:
    """counts[token, leaf] is raised by the number of entries that have both."""
    for i in range(tokens.shape[0]):
        counts[tokens[i], leaves[i]] += 1


@kernel
def read_shorts(address: int, out: NDArray[np.int64]) -> None:
    """out = the numbers of 16 bits from an address on."""
    for i in range(out.shape[0]):
        out[i] = short_at(address + 2 * i)
