"""Threads over ranges of planes, and the memory they work in.

Each worker owns the range it is given and a scratch space of its own, so the result does not
depend on how many there are or who is faster. Threads do not come along into a forked process: it
starts its own when it needs them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Barrier, Event, RLock, current_thread, main_thread
from types import FrameType
from typing import Any
from weakref import WeakSet

from unmove.kernels.scratch import Scratch, scratch
from unmove.pool.arena import Arena

SMALLEST_SHARE = 24  # the last ranges are this part of a worker's fair share; a call costs 55 us
SMALLEST_SHARED = 2000  # planes; below this, starting threads costs more than they save

Task = Callable[[int, int, int], object]
"""task(worker, first, stop) does the work of a range."""


class Threads:
    """A fixed number of threads; they start with the first work, and again after `end`."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.start_afresh()
        _LIVE.add(self)

    def start_afresh(self) -> None:
        """None runs, and nobody has the lock: so begin new ones, and those of a forked process."""
        self._pool: ThreadPoolExecutor | None = None
        self._lock = RLock()

    def submit(self, tasks: Iterable[Callable[[], Any]]) -> list[Future[Any]]:
        """The tasks will be done."""
        with self._lock:
            pool = self._pool = self._pool or self._started()
            return [pool.submit(task) for task in tasks]

    def end(self, *, cancel: bool = False) -> None:
        """The threads have ended; what they were to do is done, unless it is cancelled."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=cancel)

    def _started(self) -> ThreadPoolExecutor:
        with _uninterrupted():
            pool = ThreadPoolExecutor(self._number)
            everybody = Barrier(self._number)
            for _ in range(self._number):
                pool.submit(everybody.wait)
        return pool


class WorkerPool:
    """A fixed number of workers, usable as a context, and the memory they work in."""

    def __init__(
        self,
        workers: int,
        arena: Arena | None = None,
        threads: Threads | None = None,
        stop: Event | None = None,
    ) -> None:
        self.workers = workers
        self.stop = stop or Event()
        """Once it is set, work that is begun raises KeyboardInterrupt."""
        self.arena = arena or Arena()
        self.scratch: list[Scratch] = [scratch() for _ in range(workers)]
        self._threads = threads or Threads(workers)
        self._borrows = threads is not None

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._borrows:
            self._threads.end(cancel=True)

    def with_arena(self, arena: Arena) -> WorkerPool:
        """A pool with other memory and the threads of this one, with which they end."""
        return WorkerPool(self.workers, arena, self._threads, self.stop)

    def end(self) -> None:
        """No thread is left when its work is done; new work starts new ones."""
        self._threads.end()

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The function's results, in order of the items."""
        if self.workers == 1:
            return map(partial(self._unless_stopped, function), items)
        tasks = (partial(self._unless_stopped, function, item) for item in items)
        return _results(self._threads.submit(tasks))

    def _unless_stopped(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self.stop.is_set():
            raise KeyboardInterrupt
        return function(*arguments)

    def for_ranges(
        self,
        total: int,
        task: Task,
        smallest: int | None = None,
        cuts: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        """The task was done for every index below `total`; shared from `smallest` on.

        The ranges are the cuts, if they are given.
        """
        if self.workers == 1 or total < (smallest or SMALLEST_SHARED):
            for first, stop in cuts or [(0, total)]:
                self._unless_stopped(task, 0, first, stop)
            return
        ranges = iter(cuts or _ranges(total, self.workers))  # each handed out once, to whoever asks

        def work(worker: int) -> None:
            for first, stop in ranges:
                self._unless_stopped(task, worker, first, stop)

        for _ in _results(self._threads.submit(partial(work, i) for i in range(self.workers))):
            pass


def _results(futures: list[Future[Any]]) -> Iterator[Any]:
    """The results in order; with the first that is an error, what has not begun is cancelled."""
    futures.reverse()
    try:
        while futures:
            yield futures.pop().result()
    finally:
        for future in futures:
            future.cancel()


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


_LIVE: WeakSet[Threads] = WeakSet()


def _after_fork() -> None:
    for threads in list(_LIVE):
        threads.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
