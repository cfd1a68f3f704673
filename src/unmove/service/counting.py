"""Numbers for monitoring, in the text format that Prometheus reads."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from unmove.version import __version__

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds: the upper bounds of the classes of the histogram."""


class Numbers:
    """Questions by path and status, the seconds they took, and what else happened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._questions: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[float] = Counter()
        self._total = 0.0
        self.events: Counter[str] = Counter()
        """By name: answers from the cache or not, limits hit."""

    def asked(self, route: str, status: int, seconds: float) -> None:
        """A question was answered."""
        with self._lock:
            self._questions[route, status] += 1
            self._total += seconds
            self._seconds[next((b for b in BOUNDS if seconds <= b), float("inf"))] += 1

    def happened(self, event: str) -> None:
        """An event is counted."""
        with self._lock:
            self.events[event] += 1

    def text(self, gauges: Iterable[tuple[str, str, float]]) -> str:
        """Everything, with these gauges: name, what it is, value."""
        with self._lock:
            lines = [*self._lines()]
        for name, meaning, value in gauges:
            lines += [*_head(name, meaning, "gauge"), f"unmove_{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("build_info", "The version of the program", "gauge")
        yield f'unmove_build_info{{version="{__version__}"}} 1'
        yield from _head("questions_total", "Questions by path and status", "counter")
        for (route, status), count in sorted(self._questions.items()):
            yield f'unmove_questions_total{{route="{route}",status="{status}"}} {count}'
        yield from _head("question_seconds", "Seconds a question took", "histogram")
        below = 0
        for bound in BOUNDS:
            below += self._seconds[bound]
            yield f'unmove_question_seconds_bucket{{le="{bound:g}"}} {below}'
        asked = sum(self._seconds.values())
        yield f'unmove_question_seconds_bucket{{le="+Inf"}} {asked}'
        yield f"unmove_question_seconds_sum {self._total:.6f}"
        yield f"unmove_question_seconds_count {asked}"
        yield from _head("events_total", "Answers cached or computed, limits hit", "counter")
        for event, count in sorted(self.events.items()):
            yield f'unmove_events_total{{event="{event}"}} {count}'


def _head(name: str, meaning: str, kind: str) -> tuple[str, str]:
    return f"# HELP unmove_{name} {meaning}.", f"# TYPE unmove_{name} {kind}"
