"""A word of 64 bits as a set of squares."""

from __future__ import annotations

import numpy as np

from unmove.kernels.jit import inlined

NONE = np.uint64(0)
ONE = np.uint64(1)


@inlined
def bit(square: int) -> np.uint64:
    """The set of just this square."""
    return ONE << np.uint64(square)
