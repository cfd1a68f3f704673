"""What parts of a table tell one another, and where they meet.

All parts of a table call `Exchange.gather` in the same order. Each gives a stretch and gets those
of all. `Meeting` does it for threads of one process; a cluster has its own way.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Condition
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.errors import WorkError
from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.solver.ply_log import PlyName, Settled
from unmove.values import Code, Side


class PartsEnded(Exception):
    """Another part has failed, so that this one cannot go on."""


class DamagedStretch(WorkError):
    """A stretch of another part is not what was sent."""

    def __init__(self) -> None:
        super().__init__("What another part of the table has sent did not arrive as it was sent")


class Stretch(NamedTuple):
    """What a part has for the others, or for the log."""

    ply: PlyName | None = None
    """The ply that it is of, which is to be logged."""
    numbers: tuple[int, ...] = ()
    """Counts, or for a ply what it has settled."""
    pieces: tuple[bytes, ...] = ()
    """A packed piece for each band, see `disk_log.py`."""
    checksums: tuple[int, ...] = ()
    place: Any = None
    """Where the pieces are, if they are not here."""

    @classmethod
    def of(cls, ply: PlyName, settled: Settled, pieces: Sequence[bytes]) -> Stretch:
        """The stretch of a ply."""
        return cls(ply, tuple(settled), tuple(pieces), tuple(map(zlib.crc32, pieces)))

    def piece(self, band: int) -> bytes:
        """A piece; DamagedStretch if it is not what was sent."""
        if zlib.crc32(self.pieces[band]) != self.checksums[band]:
            raise DamagedStretch
        return self.pieces[band]


@dataclass(frozen=True)
class Opening:
    """What a part begins with."""

    number: int
    """Of the piece of work in the log."""
    ranges: Sequence[tuple[int, int]]
    """The lead's orbits of all pieces of work."""
    place: int = 0
    """Which of those that work at the same piece it is."""
    bands: Sequence[Sequence[tuple[int, int]]] = ()
    """Of each of them, as ranges of all planes."""
    cut: tuple[int, int] | None = None
    """Its planes, if it has not all of the piece."""
    known: dict[PlyName, Settled] = field(default_factory=dict)
    """The plies that are logged."""
    codes: Sequence[Code] = ()
    """The palette of what was solved before."""


class Exchange(Protocol):
    """What a part does with others, and with the log. Each call may wait for others."""

    def gather(self, stretch: Stretch) -> Sequence[Stretch]:
        """The stretches of all parts of this piece of work, in their order.

        A ply is logged before anybody has them.
        """

    def fetched(self, stretch: Stretch) -> Stretch:
        """A stretch that was gathered, with its pieces."""

    def next(self) -> Opening | None:
        """The next piece of work, once it can be begun; None after the last."""

    def recall(self, ply: PlyName) -> Sequence[bytes]:
        """Of a logged ply the unpacked piece of each band; none if it has settled nothing."""

    def finish(self, legal: list[int]) -> None:
        """This part's share of the work is done. In all parts there are so many legal positions."""

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`, of what was solved before."""

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `PartialTable`, of what was solved before."""


class Meeting:
    """A place where so many meet again and again. `done` is told what they bring, each time."""

    def __init__(self, parts: int, done: Callable[[list[Stretch]], None]) -> None:
        self._parts, self._done = parts, done
        self._brought: dict[int, Stretch] = {}
        self._result: list[Stretch] = []
        self._turn = 0
        self._error: BaseException | None = None
        self._changed = Condition()

    def gather(self, place: int, stretch: Stretch) -> list[Stretch]:
        """What all have brought, once all have; PartsEnded if one of them has failed."""
        with self._changed:
            turn = self._turn
            self._brought[place] = stretch
            if len(self._brought) == self._parts and self._error is None:
                self._close()
            self._changed.wait_for(lambda: self._error is not None or self._turn != turn)
            if self._error is not None:
                raise PartsEnded from self._error
            return self._result

    def _close(self) -> None:
        result = [self._brought[place] for place in range(self._parts)]
        try:
            self._done(result)
        except BaseException as error:
            self._error = error
            self._changed.notify_all()
            raise
        self._result, self._brought, self._turn = result, {}, self._turn + 1
        self._changed.notify_all()

    def end(self, error: BaseException) -> None:
        """Whoever waits, or will come, gets PartsEnded."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()
