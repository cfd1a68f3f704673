"""A table that is being solved, whose parts are a log on the disk.

No cell is in memory but those of a few bands, which are assembled from the log when they are read.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.kernels.scratch import own_scratch
from unmove.kernels.stretch import replay
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.solver.assembly import PartPlaces
from unmove.solver.backend import SolverBackend
from unmove.solver.disk_log import NO_PART, DiskLog
from unmove.solver.partial_table import PartialTable
from unmove.store.kept_planes import KeptPlanes
from unmove.store.log_file import LogFile
from unmove.store.source import cell_type
from unmove.values import Code, Metric, Side

HELD = 6  # bands in memory: a thread reads one, and assembles another while it would wait

BackendOf = Callable[[tuple[int, int]], SolverBackend]
"""Makes the backend of a part, a range of the lead's orbits."""


class Band(NamedTuple):
    """Some planes of a table, one side to move."""

    cells: CellNumbers
    converted: PositionSet


class _KeptBands(NamedTuple):
    """Planes of one side to move that are kept when their band is assembled.

    A band takes as long to assemble for one of its planes as for all of them.
    """

    cells: KeptPlanes[CellNumbers]
    converted: KeptPlanes[PositionSet]


class _LoggedPart:
    """A part of the table, and where its bands are."""

    def __init__(self, log: DiskLog, backend: SolverBackend, first: int) -> None:
        self.log = log
        self.places = PartPlaces(backend)
        self.first = first
        """The part's first plane in the table."""
        starts = [int(self.places.place[backend.planes[first]]) for first, _ in log.ranges]
        self.bounds = np.array([0, *starts[1:], len(self.places.order)])
        """Band i has the planes bounds[i] .. bounds[i + 1] - 1 of the part, without padding."""

    def assembled(self, side: Side, band: int, table: PartialTable) -> Band:
        """A band, `side` to move."""
        start, until = self.bounds[band : band + 2].tolist()
        layout, shape = table.layout, until - start
        cells = CellNumbers(np.empty((shape, layout.cells), cell_type(len(table.codes))))
        converted = PositionSet(np.empty((shape, layout.words), np.uint64))
        here = cells, converted
        before = self.places.lay_out(side, start, until, own_scratch(), *here, base=start)
        place = self.places.place - start
        for record in self.log.plies:
            if record["mover"] == side and record["planes"]:
                words = self.log.entries(record, band)
                number = np.array([table.number(Code(record["code"]))])
                lines = words, np.array([len(words)]), number, np.array([0])
                replay(before, self.places.masks, place, *lines, *here)
        return Band(cells, converted)


class TableOnDisk(PartialTable):
    """See `PartialTable`. Any number of threads may read; each assembles what it reads.

    A part has at most `orbits` of the lead's orbits, or as many as an earlier run has chosen.
    """

    def __init__(
        self,
        material: Material,
        metric: Metric,
        file: LogFile,
        backend_of: BackendOf,
        orbits: int,
    ) -> None:
        super().__init__(material, metric)
        self._file = file
        if not file.records:
            file.append({"part": NO_PART, "parts": _cut(self.layout.parts, orbits)})
        self._parts_chosen = [(int(a), int(b)) for a, b in file.records[0]["parts"]]
        self._backend_of = backend_of
        self._parts: dict[int, _LoggedPart] = {}
        self._bands: OrderedDict[tuple[Side, int, int], Band] = OrderedDict()
        self._locks: defaultdict[tuple[Side, int, int], Lock] = defaultdict(Lock)
        self._kept: dict[Side, _KeptBands] = {}
        self._lock = Lock()
        for record in file.records:
            if "legal" in record:
                self.finished = record["part"] + 1
                self.legal = list(record["legal"])
                self.codes = [Code(code) for code in record["codes"]]
                white, black = (
                    {Code(int(code)): positions for code, positions in counts.items()}
                    for counts in record["counts"]
                )
                self.counts = white, black

    @property
    def parts(self) -> Sequence[tuple[int, int]]:
        """See `PartialTable`."""
        return self._parts_chosen

    def log_of(self, number: int) -> DiskLog:
        """The log of a part."""
        return self._opened(number).log

    def open_log(self, backend: SolverBackend, pool: WorkerPool) -> DiskLog:
        """See `PartialTable`."""
        return self._opened(self.finished, backend).log

    def finish(self, legal: list[int]) -> None:
        """See `PartialTable`."""
        self.legal = [before + more for before, more in zip(self.legal, legal, strict=True)]
        state = {"legal": self.legal, "codes": self.codes, "counts": self.counts}
        self._file.append({"part": self.finished, **state})
        self.finished += 1

    def keep(self, side: Side, wanted: NDArray[np.int64]) -> None:
        """See `PartialTable`."""
        count, layout, kind = len(wanted), self.layout, cell_type(len(self.codes))
        self._kept[side] = _KeptBands(
            KeptPlanes(wanted, CellNumbers(np.empty((count, layout.cells), kind))),
            KeptPlanes(wanted, PositionSet(np.empty((count, layout.words), np.uint64))),
        )

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        if side in self._kept and self._kept[side].cells.has(wanted):
            return self._kept[side].cells.read(wanted, out)
        for some, band, planes in self._bands_of(side, wanted):
            out[some] = band.cells[planes]
        return out

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `PartialTable`."""
        out = PositionSet(np.empty((len(wanted), self.layout.words), np.uint64))
        if side in self._kept and self._kept[side].converted.has(wanted):
            return self._kept[side].converted.read(wanted, out)
        for some, band, planes in self._bands_of(side, wanted):
            out[some] = band.converted[planes]
        return out

    def first_cell(self, side: Side, code: Code) -> int:
        """See `PartialTable`."""
        for number in range(self.finished):
            part = self._opened(number)
            plies = [r for r in part.log.plies if (r["mover"], r["code"]) == (side, code)]
            for record in plies:
                for band in range(len(record["sizes"])):
                    words = part.log.entries(record, band)
                    if len(words):
                        plane = part.first + int(part.places.place[int(words[0])])
                        return plane * self.layout.cells + _first_bit(words, self.layout.words)
        raise LookupError("a code that was counted has no cell")

    def _bands_of(
        self, side: Side, wanted: NDArray[np.int64]
    ) -> Iterator[tuple[slice, Band, NDArray[np.int64]]]:
        """The wanted planes (ascending) by band: which of them, the band, its planes."""
        at = 0
        while at < len(wanted):
            part = self._opened(self._part_with(int(wanted[at])))
            local = wanted[at:] - part.first
            band = int(np.searchsorted(part.bounds, local[0], "right")) - 1
            some = slice(at, at + int(np.searchsorted(local, part.bounds[band + 1])))
            yield some, self._band(side, part, band), wanted[some] - part.first - part.bounds[band]
            at = some.stop

    def _part_with(self, plane: int) -> int:
        """The part that has a plane."""
        orbit = plane // self.layout.strides[0]
        return next(i for i, (_, stop) in enumerate(self.parts) if orbit < stop)

    def _opened(self, number: int, backend: SolverBackend | None = None) -> _LoggedPart:
        """A part, whose backend is made if it is not given."""
        with self._lock:
            if number not in self._parts:
                orbits = self.parts[number]
                backend = backend or self._backend_of(orbits)
                log = DiskLog(self._file, backend, number)
                first = self.planes_of(orbits).start
                self._parts[number] = _LoggedPart(log, backend, first)
            return self._parts[number]

    def _band(self, side: Side, part: _LoggedPart, band: int) -> Band:
        """A band, from memory if it is there; else one thread assembles it.

        Another thread that needs it assembles one of the next bands meanwhile, and then waits.
        """
        for each in range(band, min(band + HELD // 2, len(part.bounds) - 1)):
            lock = self._lock_of(side, part, each)
            if lock.acquire(blocking=False):
                try:
                    found = self._assembled(side, part, each)
                finally:
                    lock.release()
                if each == band:
                    return found
                break
        with self._lock_of(side, part, band):
            return self._assembled(side, part, band)

    def _lock_of(self, side: Side, part: _LoggedPart, band: int) -> Lock:
        """The lock of a band, which the thread that assembles it has."""
        with self._lock:
            return self._locks[side, part.log.part, band]

    def _assembled(self, side: Side, part: _LoggedPart, band: int) -> Band:
        """A band, which is in memory now, as one of the last few."""
        key = side, part.log.part, band
        found = self._bands.get(key)
        if found is None:
            found = part.assembled(side, band, self)
            if side in self._kept:
                first = part.first + int(part.bounds[band])
                self._kept[side].cells.take(first, found.cells)
                self._kept[side].converted.take(first, found.converted)
        with self._lock:
            self._bands[key] = found
            self._bands.move_to_end(key)
            while len(self._bands) > HELD:
                self._bands.popitem(last=False)
        return found


def _cut(parts: Iterable[tuple[int, int]], orbits: int) -> list[tuple[int, int]]:
    """The ranges in pieces of at most so many orbits."""
    return [
        (start, min(start + orbits, stop))
        for first, stop in parts
        for start in range(first, stop, orbits)
    ]


def _first_bit(words: NDArray[np.uint64], plane_words: int) -> int:
    """The first cell of the first of some entries."""
    masks = -(-plane_words // 64)
    mask = next(i for i in range(masks) if words[1 + i])
    row = 64 * mask + _lowest(int(words[1 + mask]))
    return 64 * row + _lowest(int(words[1 + masks]))


def _lowest(word: int) -> int:
    return (word & -word).bit_length() - 1
