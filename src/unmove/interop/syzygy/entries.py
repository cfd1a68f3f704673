"""What the entries of a sub-table are, in short: which values beside which tokens, and a digest.

So a file can be compared with its table after the tokens are gone. Which token belongs to which
entry is found by the walk that the writer takes, and for a sample by a probe of each position.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.descriptors import Descriptor
from unmove.interop.syzygy.walks import TokenField
from unmove.kernels.locate import locate
from unmove.kernels.syzygy.comparing import count_together
from unmove.kernels.syzygy.numbering import squares_of

RANGES: Final = 64
PROBED: Final = 1 << 10
"""In so many ranges of so many numbers, positions are looked up by the squares of their men."""
ENTRIES_AT_ONCE: Final = 1 << 20
"""So many entries are looked up in an array at a time: NumPy makes numbers of eight bytes first."""


@dataclass(frozen=True)
class Entries:
    """The entries of a sub-table, as they were packed."""

    together: NDArray[np.int64]
    """[token, leaf]: how many entries have both."""
    values: NDArray[np.int64]
    """[leaf]: its value."""
    digest: bytes = b""
    """Of all values in order; empty for a single one."""

    @classmethod
    def of(
        cls,
        field: TokenField,
        descriptor: Descriptor,
        tokens: NDArray[Any],
        leaves: NDArray[Any],
        values: NDArray[Any],
    ) -> Entries:
        """Of tokens in the order of a descriptor, and the leaves that were chosen for them.

        A wrong order of the tokens shows in the sample, as pairs of a token and a leaf that do not
        go together.
        """
        together = np.zeros((field.kinds, len(values)), np.int64)
        count_together(tokens, leaves, together)
        for first in np.linspace(0, max(0, descriptor.size - PROBED), RANGES).astype(int).tolist():
            stop = min(first + PROBED, descriptor.size)
            probed = probed_tokens(field, descriptor, first, stop)
            count_together(probed, leaves[first:stop], together)
        digest = blake2b()
        for first in range(0, len(leaves), ENTRIES_AT_ONCE):
            digest.update(values[leaves[first : first + ENTRIES_AT_ONCE]].data)
        return cls(together, values.astype(np.int64), digest.digest())

    @classmethod
    def single(cls, counts: NDArray[np.int64], value: int) -> Entries:
        """All of one value; counts[token]: how often it occurs."""
        return cls(counts[:, None], np.array([value]))

    def forbidden(self, allowed: NDArray[np.bool_]) -> int:
        """How many entries have a value that their tokens do not allow; allowed[token, value]."""
        return int(self.together[~allowed[: len(self.together), self.values]].sum())


def value_type(*, distances: bool) -> type[np.uint8] | type[np.uint16]:
    """The type of a value that was decoded."""
    return np.uint16 if distances else np.uint8


def digest_of(values: NDArray[Any]) -> bytes:
    """A digest of values in order; of an array of the same type it is the same only for these."""
    return blake2b(values.data).digest()


def probed_tokens(field: TokenField, descriptor: Descriptor, first: int, stop: int) -> NDArray[Any]:
    """The tokens of a range of numbers, found by the squares of their men."""
    count = stop - first
    squares = np.empty((count, len(descriptor.pieces)), np.int64)
    squares_of(descriptor.numbering, first, squares)
    rows, cells = np.empty(count, np.int32), np.empty(count, np.int32)
    named = np.empty(squares.shape, np.uint8)
    named[:, descriptor.men] = squares
    locate(named, field.chart, rows, cells)
    found: NDArray[Any] = field.values[rows, cells]
    return found
