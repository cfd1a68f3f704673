"""Some planes of a table that are kept in memory, because they will be read again."""

from __future__ import annotations

from typing import Generic

import numpy as np
from numpy.typing import NDArray

from unmove.store.source import PlaneRows, pick


class KeptPlanes(Generic[PlaneRows]):
    """Rows of an array by plane (ascending), one side to move.

    Unless they are `taken`, there is only room for the rows, and they come as planes pass by.
    """

    def __init__(self, planes: NDArray[np.int64], rows: PlaneRows, *, taken: bool = False) -> None:
        self._planes = planes
        self._rows: PlaneRows = rows
        self._taken = np.full(len(planes), taken)

    @property
    def nbytes(self) -> int:
        return int(self._rows.nbytes)

    def take(self, first: int, rows: PlaneRows) -> None:
        """The planes from `first` on pass by. Those that are to be kept are here now."""
        bounds = np.searchsorted(self._planes, [first, first + len(rows)])
        here = slice(*bounds.tolist())
        self._rows[here] = rows[self._planes[here] - first]
        self._taken[here] = True

    def has(self, wanted: NDArray[np.int64]) -> bool:
        """Whether all of these planes are here."""
        at = self._at(wanted)
        if not len(at) or at[-1] >= len(self._planes):
            return False
        return bool((self._planes[at] == wanted).all() and self._taken[at].all())

    def read(self, wanted: NDArray[np.int64], out: PlaneRows) -> PlaneRows:
        """`out` has the wanted planes, all of which are here."""
        pick(self._rows, self._at(wanted), out)
        return out

    def _at(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self._planes, wanted)
