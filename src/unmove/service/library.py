"""The tables that are asked, a cache of answers, and the threads that work.

A table that is put into the folder is served at the next question, and one that is removed is
missing; so it is with Syzygy files. Equal questions that are asked at the same time are worked out
once. A failure is not cached.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from unmove.api.lichess.knowledge import Sources
from unmove.errors import UnmoveError
from unmove.pool.machine import usable_cores
from unmove.probe.tablebase import CACHE_BYTES, Tablebase
from unmove.service.counting import Numbers
from unmove.service.failing import Refused
from unmove.store.folder import Folder

if TYPE_CHECKING:
    from unmove.interop.syzygy.tablebase import SyzygyTablebase

ANSWER_BYTES: Final = 64 << 20
LOOK_EVERY: Final = 0.5
"""Seconds between two looks at the folder."""
MOST_SECONDS: Final = 20.0
"""How long a question may take."""

_Result = TypeVar("_Result")


class Deadline:
    """A time by which an answer must be there, unless its client has left before."""

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._end = time.monotonic() + seconds
        self._left = threading.Event()
        self._shared = False

    def share(self) -> None:
        """Another client waits for the same answer."""
        self._shared = True

    def leave(self) -> None:
        """The client has left. Unless another one waits, nobody wants the answer any more."""
        if not self._shared:
            self._left.set()

    def check(self, *_: object) -> None:
        """There is still time; Refused otherwise."""
        if self._left.is_set() or time.monotonic() > self._end:
            raise Refused(
                "The question takes too long here; ask for less, or ask the command `unmove`.", 503
            )


class Library:
    """See the module."""

    def __init__(
        self,
        folder: Folder,
        cache_bytes: int = CACHE_BYTES,
        syzygy: SyzygyTablebase | None = None,
    ) -> None:
        self.folder = folder
        self.tables = Tablebase(folder, cache_bytes)
        self.syzygy = syzygy
        """Files that are asked where our DTZ table is missing."""
        self.sources = Sources(self.tables, syzygy)
        self.numbers = Numbers()
        self._workers = ThreadPoolExecutor(usable_cores(), "unmove-question")
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0
        self._underway: dict[Hashable, tuple[asyncio.Task[bytes], Deadline]] = {}
        self._looked, self._changed = 0.0, -1
        self.stamp = ""
        """Changes with the tables that are there."""
        self.look()

    def close(self) -> None:
        """Threads are ended and files closed, when what is under way is done."""
        self._workers.shutdown(wait=True, cancel_futures=True)
        self.tables.close()
        if self.syzygy is not None:
            self.syzygy.close()

    def look(self) -> None:
        """What has changed in the folder is seen, at most every LOOK_EVERY seconds."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        folders = [self.folder] if self.syzygy is None else [self.folder, self.syzygy.folder]
        changed = hash(tuple(folder.changed() for folder in folders))
        if changed == self._changed:
            return
        self._changed = changed
        if self.syzygy is not None:
            self.syzygy.look_again()
        stamp = _stamp(self.folder, self.syzygy)
        if stamp != self.stamp:
            self.stamp = stamp
            self.tables.close()
            self._answers.clear()
            self._bytes = 0

    @property
    def cached_bytes(self) -> int:
        """The size of all answers in the cache."""
        return self._bytes

    async def work(self, task: Callable[[], _Result]) -> _Result:
        """The result of a task, which a thread has worked on."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, task)

    def is_cached(self, question: Hashable) -> bool:
        """Whether the answer to a question is in the cache."""
        return (self.stamp, question) in self._answers

    async def cached(
        self, question: Hashable, task: Callable[[], bytes], deadline: Deadline | None = None
    ) -> bytes:
        """The answer to a question: from the cache, or worked out once for all who ask now.

        `deadline` is what the task checks. It goes on for others if the first client leaves.
        """
        self.look()
        key = self.stamp, question
        answer = self._answers.get(key)
        if answer is not None:
            self.numbers.happened("answer_cached")
            self._answers.move_to_end(key)
            return answer
        if key in self._underway:
            running, first = self._underway[key]
            first.share()
            return await asyncio.shield(running)
        self.numbers.happened("answer_computed")
        running = asyncio.create_task(self.work(task))
        self._underway[key] = running, deadline or Deadline()
        running.add_done_callback(lambda done: self._finished(key, done))
        return await asyncio.shield(running)

    def _finished(self, key: tuple[str, Hashable], done: asyncio.Task[bytes]) -> None:
        del self._underway[key]
        if done.cancelled() or done.exception() is not None or key[0] != self.stamp:
            return
        self._answers[key] = done.result()
        self._bytes += len(done.result())
        while self._bytes > ANSWER_BYTES:
            _, oldest = self._answers.popitem(last=False)
            self._bytes -= len(oldest)


def _stamp(folder: Folder, syzygy: SyzygyTablebase | None) -> str:
    """A digest of the names, sizes and times of all tables."""
    digest = hashlib.sha256()
    for material, metric in folder.tables():
        with suppress(OSError, UnmoveError):  # removed just now
            digest.update(_line(f"{material} {metric}", folder.find(material, metric)))
    for file in syzygy.files() if syzygy is not None else ():
        with suppress(OSError):
            digest.update(_line(file.path.name, file.path))
    return digest.hexdigest()[:16]


def _line(name: str, path: Path) -> bytes:
    """A name with the size and the time of a file."""
    found = path.stat()
    return f"{name} {found.st_size} {found.st_mtime_ns}\n".encode()
