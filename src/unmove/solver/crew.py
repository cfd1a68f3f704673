"""Threads over ranges of planes.

Each worker owns the range it is given and a scratch space of its own, so the result does not
depend on how many there are or who is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from unmove.kernels.scratch import Scratch, scratch

CHUNKS_A_WORKER = 16  # enough to even out ranges of unequal work
SMALLEST_SHARED = 2000  # planes; below this, starting threads costs more than they save

Task = Callable[[int, int, int], object]
"""task(worker, first, stop) does the work of a range."""


class Crew:
    """A fixed number of workers, usable as a context."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.scratch: list[Scratch] = [scratch() for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def each(self, total: int, task: Task) -> None:
        """The task was done for every index below `total`."""
        if self._pool is None or total < SMALLEST_SHARED:
            task(0, 0, total)
            return
        ranges = _ranges(total, self.workers * CHUNKS_A_WORKER)

        def work(worker: int) -> None:
            for first, stop in ranges:
                task(worker, first, stop)

        for future in [self._pool.submit(work, worker) for worker in range(self.workers)]:
            future.result()


class _ranges(Iterator[tuple[int, int]]):  # noqa: N801
    """The ranges of a total cut into equal parts, each handed out once, to whoever asks."""

    def __init__(self, total: int, parts: int) -> None:
        self._total = total
        self._parts = parts
        self._next = count()

    def __next__(self) -> tuple[int, int]:
        i = next(self._next)  # one step of the interpreter, so no two threads get the same
        if i >= self._parts:
            raise StopIteration
        return self._total * i // self._parts, self._total * (i + 1) // self._parts
