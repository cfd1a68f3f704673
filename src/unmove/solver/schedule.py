"""Which table is built next, and by whom: small ones side by side, large ones alone.

A thread for each of several tables wastes less than several threads for one table: some steps of a
table cannot be shared. A table that takes long gets all threads, and the memory that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Condition

from unmove.material import Material
from unmove.solver.plan import Job
from unmove.values import Metric


class Schedule:
    """The jobs of a plan, dependencies first. Any thread may take one."""

    def __init__(self, jobs: Sequence[Job], is_large: Callable[[Job], bool]) -> None:
        self._waiting = list(jobs)
        self._running: list[Job] = []
        self._is_large = is_large
        self._changed = Condition()

    def take(self) -> tuple[Job, bool] | None:
        """The first job that can be done now, and whether it is alone; None if none is left.

        Waits for a table that is built if all others depend on it.
        """
        with self._changed:
            while self._waiting:
                found = self._next()
                if found is not None:
                    self._waiting.remove(found)
                    self._running.append(found)
                    return found, self._is_large(found) or not self._waiting
                self._changed.wait()
            return None

    def done(self, job: Job) -> None:
        """A job that was taken is published."""
        with self._changed:
            self._running.remove(job)
            self._changed.notify_all()

    def stop(self) -> None:
        """No more jobs are handed out."""
        with self._changed:
            self._waiting = []
            self._changed.notify_all()

    def _next(self) -> Job | None:
        missing = {(job.material, job.metric) for job in (*self._waiting, *self._running)}
        for job in self._waiting:
            if self._can_run(job) and not _needs(job) & missing:
                return job
        return None

    def _can_run(self, job: Job) -> bool:
        """A large table, or the last one, has all threads: nothing else runs beside it."""
        if any(map(self._is_large, self._running)):
            return False
        alone = self._is_large(job) or len(self._waiting) == 1
        return not (alone and self._running)


def _needs(job: Job) -> set[tuple[Material, Metric]]:
    """The tables that must be there before."""
    return {(material, job.metric) for material in job.material.conversions()}
