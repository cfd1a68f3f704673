"""Where the workers of a ply put its entries.

A range of planes needs room for the longest possible entries, and mostly fills a tenth of it. If
every range had its own place in a frontier, each would touch pages of its own. So a worker puts its
ranges one after the other, into a stretch that has room for a few of the longest, and takes another
stretch when it has no room for the next range. Memory that nobody touches costs nothing.
"""

from __future__ import annotations

from threading import Lock

from unmove.solver.backend import Ranges

RANGES_A_STRETCH = 8


def spare_planes(workers: int, ranges: Ranges) -> int:
    """For how many planes more than there are a frontier must have room.

    Of each worker's last stretch, and of one more, anything may be left over.
    """
    return (workers + 1) * RANGES_A_STRETCH * _largest(ranges)


def _largest(ranges: Ranges) -> int:
    return max((stop - first for first, stop in ranges), default=0) if ranges else 0


class EntryRoom:
    """Hands out places in the entries of a frontier, by number of word.

    Without given ranges, each range has its own place.
    """

    def __init__(self, longest: int, workers: int, ranges: Ranges) -> None:
        self._longest = longest
        self._stretch = RANGES_A_STRETCH * _largest(ranges) * longest
        self._ends = [(0, 0)] * workers  # of each: where it goes on, and where its stretch ends
        self.end = 0
        """From here on no place is handed out."""
        self._lock = Lock()

    @property
    def is_shared(self) -> bool:
        """Whether ranges follow one another, whatever room they might have needed."""
        return self._stretch > 0

    def begin(self, worker: int, first: int, stop: int) -> int:
        """Where a worker may write the entries of a range."""
        if not self._stretch:
            return first * self._longest
        return self.begin_words(worker, (stop - first) * self._longest)

    def begin_words(self, worker: int, words: int) -> int:
        """Where a worker may write so many words, if ranges follow one another."""
        at, end = self._ends[worker]
        if at + words > end:
            size = max(words, self._stretch)
            with self._lock:
                at, self.end = self.end, self.end + size
            self._ends[worker] = at, at + size
        return at

    def filled(self, worker: int, until: int) -> None:
        """The worker has written so far."""
        if self._stretch:
            self._ends[worker] = until, self._ends[worker][1]
