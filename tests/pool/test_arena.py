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


def test_small_arrays_are_not_released() -> None:
    """They stay as they are: to touch their pages anew would cost more."""
    lent = Arena()
    array = lent.scattered("frontier", 100, np.uint8)
    array[:] = 3
    lent.release(array)
    assert (array == 3).all()
