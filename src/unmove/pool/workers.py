"""Threads over ranges of planes, and the memory they work in.

Each worker owns the range it is given and a scratch space of its own, so the result does not
depend on how many there are or who is faster. Threads do not come along into a forked process: it
starts its own when it needs them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, current_thread, main_thread
from types import FrameType
from typing import Any

from unmove.kernels.scratch import Scratch, scratch
from unmove.pool.arena import Arena

SMALLEST_SHARE = 24  # the last ranges are this part of a worker's fair share; a call costs 55 us
SMALLEST_SHARED = 2000  # planes; below this, starting threads costs more than they save

Task = Callable[[int, int, int], object]
"""task(worker, first, stop) does the work of a range."""


class WorkerPool:
    """A fixed number of workers, usable as a context. Their threads start with the first work."""

    def __init__(self, workers: int, arena: Arena | None = None) -> None:
        self.workers = workers
        self.arena = arena or Arena()
        self.scratch: list[Scratch] = [scratch() for _ in range(workers)]
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # whose threads these are

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(cancel_futures=True)

    def release(self) -> None:
        """The threads end as soon as nobody has work for them; new work starts new ones."""
        self._pool = None

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The function's results, in order of the items."""
        return map(function, items) if self.workers == 1 else self._threads().map(function, items)

    def _threads(self) -> ThreadPoolExecutor:
        """The threads of this process."""
        pool = self._pool
        if pool is None or self._process != os.getpid():
            with _uninterrupted():
                pool, self._process = ThreadPoolExecutor(self.workers), os.getpid()
                everybody = Barrier(self.workers)
                for _ in range(self.workers):
                    pool.submit(everybody.wait)
            self._pool = pool
        return pool

    def for_ranges(self, total: int, task: Task, smallest: int | None = None) -> None:
        """The task was done for every index below `total`; shared from `smallest` on."""
        if self.workers == 1 or total < (smallest or SMALLEST_SHARED):
            task(0, 0, total)
            return
        pool = self._threads()
        ranges = iter(_ranges(total, self.workers))  # each is handed out once, to whoever asks

        def work(worker: int) -> None:
            for first, stop in ranges:
                task(worker, first, stop)

        for future in [pool.submit(work, worker) for worker in range(self.workers)]:
            future.result()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until this is done.

    One that falls into the start of a thread would leave a thread that no pool knows of; nobody
    tells it to end, and the process waits for it forever.
    """
    if current_thread() is not main_thread():  # only there is Ctrl-C seen to
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if caught and callable(before):
            before(*caught[0])


def _ranges(total: int, workers: int) -> list[tuple[int, int]]:
    """Ascending ranges that cover the total, large ones first, small ones to even out the end."""
    ranges = []
    first = 0
    while first < total:
        size = max((total - first) // (2 * workers), total // (SMALLEST_SHARE * workers), 1)
        ranges.append((first, min(first + size, total)))
        first += size
    return ranges
