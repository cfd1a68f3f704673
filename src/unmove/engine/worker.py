"""The thread that thinks: it does one job after the other, while commands are read by another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

_Job = Callable[[], object]


class Worker:
    """Jobs in the order in which they were given. What one raises is handed to `failed`."""

    def __init__(self, failed: Callable[[Exception], object]) -> None:
        self._failed = failed
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread has not ended yet."""
        return self._thread.is_alive()

    def do(self, job: _Job) -> None:
        """The job will be done."""
        self._jobs.put(job)

    def end(self, seconds: float | None = None) -> None:
        """All jobs are done and the thread has ended, unless that takes longer than this."""
        self._jobs.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception as error:  # the GUI is owed an answer whatever happens
                self._failed(error)


class Once:
    """Something that is done once, by whoever comes first; or after some seconds by a timer."""

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self.done = False

    def __call__(self) -> None:
        with self._lock:
            if not self.done:
                self.done = True
                if self._timer is not None:
                    self._timer.cancel()
                self._action()

    def unless_done(self, action: Callable[[], object]) -> None:
        """The action is run, if it comes before: never in between."""
        with self._lock:
            if not self.done:
                action()

    def after(self, seconds: float) -> None:
        """It will be done when this time is over."""
        with self._lock:
            if not self.done:
                self._timer = threading.Timer(seconds, self)
                self._timer.daemon = True
                self._timer.start()
