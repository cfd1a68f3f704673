"""Decoded planes, the least recently used dropped first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.store.reader import TableFile
from unmove.values import Side

OVERHEAD = 256  # bytes that Python needs for a plane beside its cells


class Layer(IntEnum):
    """What an entry of the cache holds."""

    VALUES = 0
    """A plane with the value of each cell."""
    AS_STORED = 1
    """A plane as the file has it: wins by conversion are only marked."""
    SEARCHED = 2
    """Pairs of a cell and its code, of the cells of a plane that were searched one by one."""


CacheEntry = NDArray[Any]
"""`CellNumbers` of a plane; pairs of a cell and its code in the layer SEARCHED."""

PlaneKey = tuple[TableFile, Layer, Side, int]
"""File, layer, side to move and place."""


@dataclass(frozen=True)
class CacheStatistics:
    """What a cache has done so far, and what it holds.

    Hits and misses count look-ups of an entry; a probe may take several.
    """

    hits: int
    misses: int
    dropped: int
    entries: int
    bytes: int
    limit: int


class PlaneCache:
    """Planes by file, layer, side to move and place; at most `limit` bytes of them.

    Safe from any thread. Planes that are handed out are never changed.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.start_afresh()

    def start_afresh(self) -> None:
        """The cache is empty and unlocked, as at its beginning or in a forked process."""
        self._planes: OrderedDict[PlaneKey, CacheEntry] = OrderedDict()
        self._lock = threading.Lock()
        self._bytes = self._hits = self._misses = self._dropped = 0

    @property
    def statistics(self) -> CacheStatistics:
        with self._lock:
            counts = self._hits, self._misses, self._dropped, len(self._planes)
            return CacheStatistics(*counts, self._bytes, self.limit)

    def get(self, file: TableFile, layer: Layer, side: Side, place: int) -> CacheEntry | None:
        """A plane, if it is here."""
        key = file, layer, side, place
        with self._lock:
            plane = self._planes.get(key)
            if plane is None:
                self._misses += 1
            else:
                self._hits += 1
                self._planes.move_to_end(key)
            return plane

    def has(self, file: TableFile, layer: Layer, side: Side, place: int) -> bool:
        """Whether a plane is here; it is neither counted nor kept longer for that."""
        with self._lock:
            return (file, layer, side, place) in self._planes

    def put(
        self,
        file: TableFile,
        layer: Layer,
        side: Side,
        places: NDArray[np.int64],
        planes: CacheEntry,
    ) -> None:
        """The planes are here, in place of earlier ones, as long as there is room."""
        with self._lock:
            for place, plane in zip(places.tolist(), planes, strict=True):
                key = file, layer, side, place
                if key in self._planes:
                    self._bytes -= self._planes.pop(key).nbytes + OVERHEAD
                self._planes[key] = plane.copy()
                self._bytes += plane.nbytes + OVERHEAD
            while self._bytes > self.limit and self._planes:
                _, old = self._planes.popitem(last=False)
                self._bytes -= old.nbytes + OVERHEAD
                self._dropped += 1

    def drop(self, file: TableFile) -> None:
        """Nothing of a file is here."""
        with self._lock:
            for key in [key for key in self._planes if key[0] is file]:
                self._bytes -= self._planes.pop(key).nbytes + OVERHEAD
