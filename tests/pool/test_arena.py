"""Memory that is used again and again."""

from __future__ import annotations

import numpy as np
import pytest

from unmove.pool import arena
from unmove.pool.arena import Arena
from unmove.pool.machine import resident_memory

MEGABYTE = 1 << 20


def test_what_is_released_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scattered array can be written again after it was released, and is the same one."""
    monkeypatch.setattr(arena, "LEAST_SCATTERED", MEGABYTE)
    lent = Arena()
    array = lent.scattered("frontier", 64 * MEGABYTE, np.uint8)
    array[:] = 1
    before = resident_memory()
    lent.release(array)
    assert resident_memory() < before - 32 * MEGABYTE
    array[5] = 7
    again = lent.scattered("frontier", 10 * MEGABYTE, np.uint8)
    assert again[5] == 7


def test_what_comes_before_the_released_elements_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An array may be released from any element on, its end included."""
    monkeypatch.setattr(arena, "LEAST_SCATTERED", MEGABYTE)
    lent, kept = Arena(), 2 * MEGABYTE + 1
    array = lent.scattered("frontier", 8 * MEGABYTE, np.uint64)
    array[:] = 1
    before = resident_memory()
    lent.release(array, kept)
    assert resident_memory() < before - 32 * MEGABYTE
    assert (array[:kept] == 1).all()
    lent.release(array, len(array))
    assert (array[:kept] == 1).all()


def test_small_arrays_are_not_released() -> None:
    """They stay as they are: to touch their pages anew would cost more."""
    lent = Arena()
    array = lent.scattered("frontier", 100, np.uint8)
    array[:] = 3
    lent.release(array)
    assert (array == 3).all()
