"""How kernels are compiled: once for all materials, and once for all processes.

Numba keys its on-disk cache by the file that defines a kernel, and misses edits in the files that
this one imports. So the cache folder is named by a digest of all sources that kernels depend on.

`_nrt=False` switches reference counting off: with it, every array passed to a helper costs two
atomic operations in the inner loop (1.4 instead of 0.4 microseconds a plane). The price is that a
kernel cannot allocate, so its caller passes scratch space in.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy.ma  # noqa: F401, Numba asks for it when it is first handed an array: 20 ms then
from numba.core import caching
from numba.core.registry import cpu_target

from unmove.kernels.cache import cache_folder
from unmove.kernels.watch import WATCH

_F = TypeVar("_F", bound=Callable[..., Any])

if not os.environ.get("NUMBA_CACHE_DIR"):
    setattr(numba.config, "CACHE_DIR", str(cache_folder()))  # noqa: B010, set at run time


class _Files(caching.FunctionCache):
    """Numba's own cache, in our folder or nowhere."""

    class _impl_class(caching.CompileResultCacheImpl):  # noqa: N801, so Numba calls it
        _locator_classes = [caching.UserProvidedCacheLocator]  # noqa: RUF012


class _Cache(caching.NullCache):
    """A kernel's compiled forms on disk, looked for when the kernel is called.

    Numba's own cache looks for its folder when a kernel is defined, and sets up the whole compiler
    before it loads anything. That takes 0.2 s and 30 MB, which a process with nothing to compile
    saves here. A form that cannot be read is compiled again. One that cannot be written is not
    kept.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _files(self) -> Any:
        with suppress(RuntimeError):  # the folder is gone
            return _Files(self._function)  # type: ignore[no-untyped-call]
        return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            found = self._files and self._files._load_overload(sig, target_context)
            if found is not None:
                return found
        WATCH.began(self._function.__name__)
        target_context.refresh()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if self._files is not None:
            with suppress(OSError):
                self._files.save_overload(sig, data)
        WATCH.ended()


def folder() -> Path:
    """Where compiled kernels are kept."""
    return Path(getattr(numba.config, "CACHE_DIR"))  # noqa: B009


def compiler() -> str:
    """A digest of what compiled code depends on beside its sources: versions and the processor."""
    machine = cpu_target.target_context.codegen().magic_tuple()
    about = numba.__version__, sys.version_info[:2], machine
    return hashlib.sha256(repr(about).encode()).hexdigest()[:16]


_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "_nrt": False}


def kernel(function: _F) -> _F:
    """A kernel: compiled on first use, cached on disk, run without the interpreter lock."""
    return _compiled(function)


def inlined(function: _F) -> _F:
    """A helper of kernels, always inlined: passing arrays and tuples to it costs nothing."""
    return _compiled(function, forceinline=True)


def _compiled(function: _F, **options: Any) -> _F:
    dispatcher = numba.njit(function, **_OPTIONS, **options)
    if dispatcher is not function:  # which it is with $NUMBA_DISABLE_JIT
        dispatcher._cache = _Cache(function)
    return cast(_F, dispatcher)
