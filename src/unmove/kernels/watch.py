"""Who is told when kernels are compiled. Numba is not needed to ask."""

from __future__ import annotations

from collections.abc import Callable

CompileListener = Callable[[str | None], object]
"""Told the name of a kernel that is about to be compiled, and None when it is compiled."""


class _Watch:
    """Helpers that are compiled within a kernel are not told of."""

    listener: CompileListener | None = None
    depth = 0  # changed under Numba's lock only

    def began(self, name: str) -> None:
        self.depth += 1
        if self.depth == 1 and self.listener is not None:
            self.listener(name)

    def ended(self) -> None:
        self.depth -= 1
        if self.depth == 0 and self.listener is not None:
            self.listener(None)


WATCH = _Watch()


def watch(listener: CompileListener | None) -> None:
    """The listener, and no other, is told of every compilation from now on."""
    WATCH.listener = listener
