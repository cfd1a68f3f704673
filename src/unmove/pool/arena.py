"""Memory that is used again and again.

A page touched for the first time costs the operating system a second or more a gigabyte, and a
table with pawns needs the same arrays for each of its parts. So they are taken from here, by name.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Arena:
    """Arrays by name. What was taken under a name before is overwritten by what is taken next."""

    def __init__(self) -> None:
        self._memory: dict[str, NDArray[np.uint8]] = {}

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

    def relieve(self) -> None:
        """What is on the disk need not be in memory. Any thread may say so, at any time."""

    def clear(self) -> None:
        """Nothing is held. Arrays that somebody still has stay as they are."""
        self._memory.clear()

    def zeros(self, name: str, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """An array of zeros."""
        array = self.empty(name, shape, kind)
        array.fill(0)
        return array


class Fresh(Arena):
    """Memory that nobody has used before, so that any number of threads may ask."""

    def empty(self, name: str, shape: tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
        """An array with anything in it."""
        return np.empty(shape, kind)
