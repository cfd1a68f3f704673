"""The keeper of a table that is cut: gives out pieces of work, and has log and solved pieces.

The log is that of the table in one piece, so a run that was stopped goes on in either way. Only one
that was begun in one piece, or with another number of parts, is begun again.
"""

from __future__ import annotations

from functools import partial
from threading import Condition, Lock

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.material import Material
from unmove.planes.layouts import layout_of
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend
from unmove.solver.cutting import Cut, Range, cut_of, has_slices, slices_of
from unmove.solver.disk_log import NO_PART
from unmove.solver.disk_table import TableOnDisk
from unmove.solver.exchange import Exchange, Meeting, Opening, PartsEnded, Stretch
from unmove.solver.loop import PAD, backend_of
from unmove.solver.ply_log import PlyName, Settled
from unmove.store.log_file import LogFile
from unmove.values import DRAW, Code, Metric, Side


class Keeper:
    """See above. Any number of threads may call it, each for one part."""

    def __init__(
        self,
        file: LogFile,
        material: Material,
        metric: Metric,
        pool: WorkerPool,
        parts: int,
        orbits: int,
    ) -> None:
        layout = layout_of(material, PAD)
        self._file = file
        self._cut: Cut | None = None
        self._rounds = [[part] for part in layout.parts]
        if has_slices(material, layout):
            self._rounds = slices_of(layout, parts, orbits)
        else:
            self._cut = cut_of(layout, parts)
        self._prepare()

        def backend(part: Range) -> SolverBackend:
            return backend_of(layout_of(material, PAD, part), pool)

        self.table = TableOnDisk(material, metric, file, backend, orbits)
        self._meetings: dict[int, Meeting] = {}
        self._legal: dict[int, dict[int, list[int]]] = {}
        """By piece of work, and by who has done its share of it."""
        self._lock, self._changed = Lock(), Condition()
        self._error: BaseException | None = None

    @property
    def parts(self) -> int:
        """How many parts have something to do."""
        if self._cut is not None:
            return len(self._cut.planes)
        return max(map(len, self._rounds))

    @property
    def _sharing(self) -> int:
        """How many parts work at the same piece."""
        return 1 if self._cut is None else self.parts

    def _prepare(self) -> None:
        """The log has the same pieces of work, and the same bands, or nothing."""
        pieces = [list(piece) for pieces in self._rounds for piece in pieces]
        heads: list[dict[str, object]] = [{"part": NO_PART, "parts": pieces}]
        if self._cut is not None:
            bands = [list(band) for bands in self._cut.bands for band in bands]
            heads.append({"part": 0, "bands": bands, "cut": [list(p) for p in self._cut.planes]})
        records = self._file.records
        alike = [
            {key: record.get(key) for key in head} == head
            for record, head in zip(records, heads, strict=False)
        ]
        if records and not (len(alike) == len(heads) and all(alike)):
            self._file.cut(records[0])
        if not self._file.records:
            for head in heads:
                self._file.append(head)

    def next(self, part: int) -> Opening | None:
        """See `Exchange`."""
        while True:
            with self._changed:
                if self._error is not None:
                    raise PartsEnded from self._error
                done = self.table.finished
                number = next((n for n in self._of(part) if n >= done), None)
                if number is None:
                    return None
                first = self._first_of_round(done)
                place = part if self._cut is not None else 0
                is_done = place in self._legal.get(number, {})
                if is_done or number >= first + len(self._round(done)):
                    self._changed.wait_for(partial(self._has_passed, done))
                    continue
            return self._opening(part, number)

    def _has_passed(self, done: int) -> bool:
        """More pieces of work are done than so many, or nobody goes on."""
        return self._error is not None or self.table.finished != done

    def _opening(self, part: int, number: int) -> Opening:
        with self._lock:
            log = self.table.log_of(number)
            if number not in self._meetings:
                self._meetings[number] = Meeting(
                    self._sharing, lambda brought: self._logged(number, brought)
                )
            if self._error is not None:
                raise PartsEnded from self._error
        known, codes = log.known, tuple(self.table.codes)
        if self._cut is None:
            return Opening(number, self.table.parts, 0, [log.ranges], None, known, codes)
        cut = self._cut.planes[part] if self.parts > 1 else None
        return Opening(number, self.table.parts, part, self._cut.bands, cut, known, codes)

    def _of(self, part: int) -> list[int]:
        """The pieces of work of a part, by number."""
        if self._cut is not None:
            return [0]
        numbers, first = [], 0
        for pieces in self._rounds:
            if part < len(pieces):
                numbers.append(first + part)
            first += len(pieces)
        return numbers

    def _round(self, number: int) -> list[Range]:
        """The pieces that are solved at the same time as one of them."""
        first = 0
        for pieces in self._rounds:
            if number < first + len(pieces):
                return pieces
            first += len(pieces)
        return []

    def _first_of_round(self, number: int) -> int:
        first = 0
        for pieces in self._rounds:
            if number < first + len(pieces):
                break
            first += len(pieces)
        return first

    def gather(self, number: int, place: int, stretch: Stretch) -> list[Stretch]:
        """See `Exchange`."""
        return self._meetings[number].gather(place, stretch)

    def _logged(self, number: int, brought: list[Stretch]) -> None:
        """The ply is logged, if it is one."""
        ply = brought[0].ply
        if ply is None:
            return
        positions, planes = (sum(each.numbers[i] for each in brought) for i in range(2))
        pieces = [each.piece(i) for each in brought for i in range(len(each.pieces))]
        with self._lock:
            self.table.log_of(number).append(ply, Settled(positions, planes), pieces)

    def recall(self, number: int, ply: PlyName) -> list[bytes]:
        """See `Exchange`."""
        return self.table.log_of(number).pieces(ply)

    def finish(self, number: int, place: int, legal: list[int]) -> None:
        """See `Exchange`. Pieces of work are finished in order, a round at a time."""
        with self._changed:
            self._legal.setdefault(number, {})[place] = legal
            done = self.table.finished
            first = self._first_of_round(done)
            together = range(done, first + len(self._round(done)))
            if all(len(self._legal.get(each, {})) == self._sharing for each in together):
                for each in together:
                    self._count(each)
                self._changed.notify_all()

    def _count(self, number: int) -> None:
        """What is logged of a piece of work is counted, and the piece is solved."""
        for record in self.table.log_of(number).plies:
            code = Code(record["code"])
            if record["planes"] and code != DRAW:
                self.table.add(Side(record["mover"]), code, record["positions"])
        self.table.finish(self._legal.pop(number)[0])

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Exchange`."""
        return self.table.read(side, wanted, out)

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `Exchange`."""
        return self.table.converted(side, wanted)

    def end(self, error: BaseException) -> None:
        """Whoever waits is told that it cannot go on."""
        with self._changed, self._lock:
            self._error = self._error or error
            self._changed.notify_all()
            meetings = list(self._meetings.values())
        for meeting in meetings:  # each has a lock, which is taken before those above
            meeting.end(error)


class ThreadExchange(Exchange):
    """The exchange of a part with a keeper in the same process."""

    def __init__(self, keeper: Keeper, part: int) -> None:
        self._keeper, self._part = keeper, part
        self._number = self._place = 0

    def next(self) -> Opening | None:
        """See `Exchange`."""
        opening = self._keeper.next(self._part)
        if opening is not None:
            self._number, self._place = opening.number, opening.place
        return opening

    def gather(self, stretch: Stretch) -> list[Stretch]:
        """See `Exchange`."""
        return self._keeper.gather(self._number, self._place, stretch)

    def fetched(self, stretch: Stretch) -> Stretch:
        """See `Exchange`."""
        return stretch

    def recall(self, ply: PlyName) -> list[bytes]:
        """See `Exchange`."""
        return self._keeper.recall(self._number, ply)

    def finish(self, legal: list[int]) -> None:
        """See `Exchange`."""
        self._keeper.finish(self._number, self._place, legal)

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Exchange`."""
        return self._keeper.read(side, wanted, out)

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `Exchange`."""
        return self._keeper.converted(side, wanted)
