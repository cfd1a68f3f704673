"""Memory in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unmove.errors import OutOfDisk, UnwritableFolder
from unmove.pool import mapped
from unmove.pool.machine import resident_memory
from unmove.pool.mapped import MappedArena

MEGABYTE = 1 << 20


def test_what_is_let_go_comes_back(tmp_path: Path) -> None:
    """An array is the same before and after, and the process has fewer bytes resident."""
    arena = MappedArena(tmp_path, limit=0)
    array = arena.large((64, MEGABYTE), np.uint8)
    array[:] = np.arange(64)[:, None]
    before = resident_memory()
    arena.relieve()
    assert resident_memory() < before - 32 * MEGABYTE
    assert (array == np.arange(64)[:, None]).all()


def test_below_the_limit_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has memory keeps its pages."""
    monkeypatch.setattr(mapped, "resident_memory", lambda: 999)
    arena = MappedArena(tmp_path, limit=1000)
    array = arena.large((64, MEGABYTE), np.uint8)
    array[:] = 1
    before = resident_memory()
    arena.relieve()
    assert resident_memory() > before - 32 * MEGABYTE


def test_files_have_no_names_and_end_with_their_arrays(tmp_path: Path) -> None:
    """A killed process leaves nothing behind, and an array that is gone takes no room."""
    arena = MappedArena(tmp_path, limit=0)
    array = arena.large((3, 5), np.uint64)
    assert not list(tmp_path.iterdir())
    assert len(arena._maps) == 1
    del array
    assert not arena._maps
    assert arena.large((0, 5), np.uint64).shape == (0, 5)


def test_a_disk_without_room_is_told_before_anything_is_written(tmp_path: Path) -> None:
    """A map that cannot grow would kill the process, so the room is taken at once."""
    arena = MappedArena(tmp_path, limit=0)
    with pytest.raises(OutOfDisk):
        arena.large((1 << 60,), np.uint8)


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    """A scratch folder may vanish while a table is built."""
    arena = MappedArena(tmp_path / "gone", limit=0)
    with pytest.raises((OutOfDisk, UnwritableFolder), match="gone"):
        arena.large((10,), np.uint8)
