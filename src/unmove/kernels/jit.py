"""How kernels are compiled: once for all materials, and once for all processes.

Numba keys its on-disk cache by the file a kernel is defined in, and misses edits in the files it
draws from. So the cache folder is named by a digest of all sources in this room.

`_nrt=False` keeps reference counting out: with it, every array handed to a helper costs two
atomic operations in the inner loop (1.4 against 0.4 microseconds a plane). The price: a kernel
allocates nothing, so scratch space is handed in.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_F = TypeVar("_F", bound=Callable[..., Any])


def _sources_digest() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """A writable folder for compiled kernels, private to this version of the sources."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(root) / "unmove" / f"kernels-{_sources_digest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="unmove-kernels-"))


if not os.environ.get("NUMBA_CACHE_DIR"):
    setattr(numba.config, "CACHE_DIR", str(_cache_folder()))  # noqa: B010, set at run time


def is_compiled() -> bool:
    """Whether kernels of these sources have been compiled on this machine before."""
    return any(Path(getattr(numba.config, "CACHE_DIR")).rglob("*.nbc"))  # noqa: B009


_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "boundscheck": False, "_nrt": False}


def kernel(function: _F) -> _F:
    """Compile on first use, cache on disk, release the interpreter lock while running."""
    return cast(_F, numba.njit(function, **_OPTIONS))


def inlined(function: _F) -> _F:
    """A kernel's helper, always inlined, so that its arrays cost nothing to hand over."""
    return cast(_F, numba.njit(function, forceinline=True, **_OPTIONS))
