"""Memory that is used again and again.

A page touched for the first time costs the operating system a second or more a gigabyte, and a
table with pawns needs the same arrays for each of its parts. So they are taken from here, by name.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_SCATTERED = 1 << 28  # bytes; a smaller array is not worth the page faults


class Arena:
    """Arrays by name. What was taken under a name before is overwritten by what is taken next."""

    def __init__(self) -> None:
        self._memory: dict[str, NDArray[np.uint8]] = {}
        self._scattered: dict[str, mmap.mmap] = {}

    def empty(self, name: str, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """An array with anything in it."""
        size = prod(shape) * np.dtype(kind).itemsize
        held = self._memory.get(name)
        if held is None or len(held) < size:
            self._memory.pop(name, None)
            held = self._memory[name] = np.empty(size, np.uint8)
        array: NDArray[Any] = held[:size].view(kind).reshape(shape)
        return array

    def large(self, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """A new array with anything in it, which is on the disk where memory is short."""
        return np.empty(shape, kind)

    def scattered(self, name: str, length: int, kind: type[Any]) -> NDArray[Any]:
        """An array with anything in it, of which little is written each time. See `release`."""
        size = length * np.dtype(kind).itemsize
        if size < LEAST_SCATTERED or not hasattr(mmap, "MADV_DONTNEED"):
            return self.empty(name, (length,), kind)
        held = self._scattered.get(name)
        if held is None or len(held) < size:
            held = self._scattered[name] = _anonymous(size)
        return np.frombuffer(held, kind, length)

    def release(self, array: NDArray[Any], first: int = 0) -> None:
        """An array of `scattered` takes no memory from an element on; what was there is lost.

        Up to a page of it stays.
        """
        view: object = array.base
        if isinstance(view, memoryview) and isinstance(view.obj, mmap.mmap):
            start = -(-first * array.itemsize // mmap.PAGESIZE) * mmap.PAGESIZE
            if start < array.nbytes:
                view.obj.madvise(mmap.MADV_DONTNEED, start)

    def relieve(self) -> None:
        """What is on the disk need not be in memory. Any thread may say so, at any time."""

    def clear(self) -> None:
        """Nothing is held. Arrays that somebody still has stay as they are."""
        self._memory.clear()
        self._scattered.clear()

    def zeros(self, name: str, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """An array of zeros."""
        array = self.empty(name, shape, kind)
        array.fill(0)
        return array


def _anonymous(size: int) -> mmap.mmap:
    """So many bytes of memory of its own, in large pages where the system has them."""
    try:
        held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:  # as for any other memory that there is not
        raise MemoryError(f"{size} bytes") from error
    with suppress(AttributeError, OSError):
        held.madvise(mmap.MADV_HUGEPAGE)
    return held


class Fresh(Arena):
    """Memory that nobody has used before, so that any number of threads may ask."""

    def empty(self, name: str, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """An array with anything in it."""
        return np.empty(shape, kind)
