"""The digest of a table's values: the same whatever the coder, and whichever side is stored.

For each side to move, White first, and each thousand of the kept planes, SHA-256 of the codes of
their cells, two bytes each; and of these digests one after the other SHA-256 again.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from unmove.planes.fold import Fold
from unmove.store.table import MapFunction, Source, planes_of

PLANES_A_DIGEST = 1000


def values_digest(source: Source, fold: Fold, run: MapFunction = map) -> str:
    """The digest of everything a source holds."""
    codes = source.palette.astype("<u2")

    def digest(request: tuple[int, NDArray[np.int64]]) -> bytes:
        side, planes = request
        return hashlib.sha256(codes[planes_of(source, side, planes)].tobytes()).digest()

    requests = [
        (side, fold.kept[first : first + PLANES_A_DIGEST])
        for side in (0, 1)
        for first in range(0, len(fold.kept), PLANES_A_DIGEST)
    ]
    total = hashlib.sha256()
    for found in run(digest, requests):
        total.update(found)
    return total.hexdigest()
