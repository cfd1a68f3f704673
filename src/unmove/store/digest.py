"""The digest of a table's values: the same whatever the coder, and whichever side is stored.

For each side to move, White first, and each thousand of the stored planes, it takes the SHA-256 of
the codes of their cells, two bytes each. The digest is the SHA-256 of these, one after the other.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.scores import translate
from unmove.planes.fold import Fold
from unmove.store.source import MapFunction, Source, planes_of
from unmove.values import BLACK, WHITE, Side

PLANES_A_DIGEST = 1000


def values_digest(source: Source, fold: Fold, run: MapFunction = map) -> str:
    """The digest of all values of a source, which is read some planes at a time.

    `run` reads. So it must not use the threads that a source has itself.
    """
    codes = CellNumbers(source.palette.astype(np.uint16))

    def digest(request: tuple[Side, NDArray[np.int64]]) -> bytes:
        planes = planes_of(source, *request)
        found = CellNumbers(np.empty(planes.shape, np.uint16))
        translate(planes, codes, found)
        return hashlib.sha256(found.astype("<u2", copy=False).data).digest()

    requests = [
        (side, fold.stored[first : first + PLANES_A_DIGEST])
        for side in (WHITE, BLACK)
        for first in range(0, len(fold.stored), PLANES_A_DIGEST)
    ]
    total = hashlib.sha256()
    for part in run(digest, requests):
        total.update(part)
    return total.hexdigest()
