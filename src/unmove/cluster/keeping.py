"""The keeper of a table that is cut, as an actor; and the exchange of a part with it.

Large stretches do not pass the keeper on their way to other parts: a part puts its pieces into the
object store of its node, and whoever needs them gets them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.material import Material
from unmove.pool.machine import peak_memory
from unmove.pool.workers import WorkerPool
from unmove.solver.build import Built, table_encoder_of
from unmove.solver.disk_log import LogNotes
from unmove.solver.exchange import Opening, PartsEnded, Stretch
from unmove.solver.keeper import Keeper
from unmove.solver.plan import Job
from unmove.solver.ply_log import PlyName
from unmove.store.log_file import LogFile
from unmove.values import Metric, Side


@dataclass(frozen=True)
class KeeperOrder:
    """What a keeper keeps."""

    material: Material
    metric: Metric
    path: Path
    """Where the table will be."""
    log_path: Path
    parts: int
    orbits: int
    threads: int


class KeeperActor:
    """A `Keeper` in a process of its own. Its methods are called by many at a time."""

    def __init__(self, order: KeeperOrder) -> None:
        import ray

        self._ray = ray
        self._order = order
        self._start = perf_counter()
        self._pool = WorkerPool(order.threads)

    def opened(self) -> int:
        """The log is open, before anything else is asked; returns how many parts there are."""
        order = self._order
        self._log = LogFile(order.log_path, order.material, order.metric)
        self._keeper = Keeper(
            self._log, order.material, order.metric, self._pool, order.parts, order.orbits
        )
        return self._keeper.parts

    def next(self, part: int) -> Opening | None:
        """See `Exchange`."""
        return self._keeper.next(part)

    def gather(self, number: int, place: int, stretch: Stretch) -> list[Stretch]:
        """See `Exchange`. The pieces are in the object store before and afterwards."""
        if stretch.place is not None:
            (pieces,) = stretch.place
            stretch = stretch._replace(pieces=self._ray.get(pieces))
        brought = self._keeper.gather(number, place, stretch)
        return [each._replace(pieces=()) for each in brought]

    def recall(self, number: int, ply: PlyName) -> list[bytes]:
        """See `Exchange`."""
        return self._keeper.recall(number, ply)

    def finish(self, number: int, place: int, legal: list[int]) -> None:
        """See `Exchange`."""
        self._keeper.finish(number, place, legal)

    def read(self, side: Side, wanted: NDArray[np.int64], shape: tuple[int, int], kind: str) -> Any:
        """See `Exchange`."""
        return self._keeper.read(side, wanted, CellNumbers(np.empty(shape, kind)))

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `Exchange`."""
        return self._keeper.converted(side, wanted)

    def end(self, reason: str) -> None:
        """Whoever waits is told that it cannot go on."""
        self._keeper.end(PartsEnded(reason))

    def written(self) -> tuple[Built, int]:
        """The solved table is published, and its log removed; and the most memory this took."""
        order, start = self._order, perf_counter()
        self._pool.arena.clear()
        encoder = table_encoder_of(self._keeper.table, self._pool, LogNotes(self._log))
        encoder.write(order.path)
        self._log.discard()
        times = start - self._start, perf_counter() - start
        job = Job(order.material, order.metric)
        return Built(job, encoder.summary, order.path.stat().st_size, *times), peak_memory()

    def close(self) -> None:
        """The log is closed, as it is; another keeper may open it."""
        if hasattr(self, "_log"):
            self._log.__exit__()
        self._pool.end()


class RayExchange:
    """See `Exchange`: that of a part, by calls of the keeper's actor."""

    def __init__(self, ray: ModuleType, keeper: Any, part: int) -> None:
        self._ray, self._keeper, self._part = ray, keeper, part
        self._number = self._place = 0
        self.received = 0

    def next(self) -> Opening | None:
        """See `Exchange`."""
        opening: Opening | None = self._got(self._keeper.next.remote(self._part))
        if opening is not None:
            self._number, self._place = opening.number, opening.place
        return opening

    def gather(self, stretch: Stretch) -> list[Stretch]:
        """See `Exchange`. What is nobody else's concern is not fetched before it is asked for."""
        sent = stretch
        if stretch.pieces:
            sent = stretch._replace(pieces=(), place=[self._ray.put(stretch.pieces)])
        brought: list[Stretch] = self._got(
            self._keeper.gather.remote(self._number, self._place, sent)
        )
        return brought

    def fetched(self, stretch: Stretch) -> Stretch:
        """See `Exchange`."""
        if stretch.place is None:
            return stretch
        (pieces,) = stretch.place
        found: tuple[bytes, ...] = self._got(pieces)
        self.received += sum(map(len, found))
        return stretch._replace(pieces=found)

    def recall(self, ply: PlyName) -> Sequence[bytes]:
        """See `Exchange`."""
        pieces: list[bytes] = self._got(self._keeper.recall.remote(self._number, ply))
        return pieces

    def finish(self, legal: list[int]) -> None:
        """See `Exchange`."""
        self._got(self._keeper.finish.remote(self._number, self._place, legal))

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Exchange`."""
        found = self._got(self._keeper.read.remote(side, wanted, out.shape, out.dtype.str))
        out[:] = found
        return out

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `Exchange`."""
        found: PositionSet = self._got(self._keeper.converted.remote(side, wanted))
        return found

    def _got(self, reference: Any) -> Any:
        """What a call returns; an error of ours as it was raised.

        PartsEnded if the keeper, or another part, is lost.
        """
        from ray.exceptions import RayError, RayTaskError

        try:
            return self._ray.get(reference)
        except RayTaskError as error:
            raise getattr(error, "cause", error) from error
        except RayError as error:
            raise PartsEnded(str(error)) from error
