"""Decoded blocks, the least recently used dropped first."""

from __future__ import annotations

import threading
from collections import OrderedDict

from unmove.store.reader import TableFile
from unmove.store.table import CellArray


class BlockCache:
    """Blocks by file and number, at most `limit` bytes of them. Safe from any thread."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes = 0
        self._blocks: OrderedDict[tuple[TableFile, int], CellArray] = OrderedDict()
        self._lock = threading.Lock()

    def block(self, file: TableFile, number: int) -> CellArray:
        """The block, from memory or decoded now."""
        key = file, number
        with self._lock:
            if key in self._blocks:
                self._blocks.move_to_end(key)
                return self._blocks[key]
        block = file.block(number)
        with self._lock:
            if key not in self._blocks:
                self._blocks[key] = block
                self.bytes += block.nbytes
            while self.bytes > self.limit and len(self._blocks) > 1:
                self.bytes -= self._blocks.popitem(last=False)[1].nbytes
        return block
