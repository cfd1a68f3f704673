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
    """The jobs of a plan, dependencies first. Any thread may take a small one."""

    def __init__(self, jobs: Sequence[Job], is_large: Callable[[Job], bool]) -> None:
        self._waiting = list(jobs)
        self._running: list[Job] = []
        self._is_large = is_large
        self._changed = Condition()

    def small(self) -> Job | None:
        """The first small job that can be done now.

        It waits for those at work if all others depend on them. None if only a large job can be
        done now, or the last one, or none at all.
        """
        with self._changed:
            while len(self._waiting) + len(self._running) > 1:
                found = self._ready(lambda job: not self._is_large(job))
                if found is not None or not self._running:
                    return found
                self._changed.wait()
            return None

    def alone(self) -> Job | None:
        """The first job that can be done when nobody is at work; None if none is left."""
        with self._changed:
            return self._ready(lambda _: True)

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

    def _ready(self, is_wanted: Callable[[Job], bool]) -> Job | None:
        """The first wanted job all of whose dependencies are published, taken."""
        missing = {(job.material, job.metric) for job in (*self._waiting, *self._running)}
        for job in self._waiting:
            if is_wanted(job) and not _needs(job) & missing:
                self._waiting.remove(job)
                self._running.append(job)
                return job
        return None


def _needs(job: Job) -> set[tuple[Material, Metric]]:
    """The tables that must be there before."""
    return {(material, job.metric) for material in job.material.conversions()}
