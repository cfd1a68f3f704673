"""A table as one of its parts sees it: its own planes, and what others tell it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, PositionSet
from unmove.material import Material
from unmove.planes.layout import within
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.pool.workers import WorkerPool
from unmove.solver.backend import SolverBackend, mask_words
from unmove.solver.cutting import lead_side
from unmove.solver.disk_log import entries_of, piece_of
from unmove.solver.exchange import Exchange, Opening, Stretch
from unmove.solver.loop import ReportProgress, solve_part
from unmove.solver.neighbours import Neighbours, NoNeighbours
from unmove.solver.partial_table import PartialTable
from unmove.solver.ply_log import Entries, Gathered, PlyName, Settled
from unmove.solver.subtable_values import SubtableValues
from unmove.store.log_file import LogFile
from unmove.store.source import TableLookup
from unmove.values import Code, Metric, Side, opponent_of

MARKED_AT_ONCE = 1 << 12  # planes


def work(
    exchange: Exchange,
    material: Material,
    metric: Metric,
    tables: TableLookup,
    pool: WorkerPool,
    report: ReportProgress,
) -> None:
    """What this part has of the table is solved, piece of work after piece of work."""
    while (opening := exchange.next()) is not None:
        told = report if opening.place == 0 else _say_nothing
        solve_part(PartTable(material, metric, opening, exchange), tables, pool, told)


def _say_nothing(progress: object) -> None:
    """Another part has told it."""


class PartTable(PartialTable):
    """See `PartialTable`. What was solved before is read where it is kept."""

    def __init__(
        self, material: Material, metric: Metric, opening: Opening, exchange: Exchange
    ) -> None:
        super().__init__(material, metric, finished=opening.number)
        if opening.codes:
            self.codes = list(opening.codes)
        self._opening, self._exchange = opening, exchange

    @property
    def parts(self) -> list[tuple[int, int]]:
        """See `PartialTable`."""
        return list(self._opening.ranges)

    def working_layout(self, pad: int) -> AnyLayout:
        """See `PartialTable`."""
        layout = layout_of(self.material, pad, self.part)
        return replace(layout, cut=self._opening.cut)

    @property
    def neighbours(self) -> Neighbours:
        """See `PartialTable`."""
        if self._opening.cut is None:
            return NoNeighbours()
        return OtherParts(self._opening, self._exchange)

    def open_log(self, backend: SolverBackend, pool: WorkerPool) -> PartLog:
        """See `PartialTable`."""
        return PartLog(self._opening, self._exchange, backend)

    def add(self, side: Side, code: Code, positions: int) -> None:
        """See `PartialTable`. The keeper counts; the palette is that of what was solved before."""

    def finish(self, legal: list[int]) -> None:
        """See `PartialTable`."""
        self._exchange.finish(legal)
        self.finished += 1

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        """See `Source`."""
        return self._exchange.read(side, wanted, out)

    def converted(self, side: Side, wanted: NDArray[np.int64]) -> PositionSet:
        """See `PartialTable`."""
        return self._exchange.converted(side, wanted)

    def first_cell(self, side: Side, code: Code) -> int:
        """See `PartialTable`; a part alone does not know it."""
        raise LookupError("only the whole table has a first cell")


class PartLog:
    """A `PlyLog` whose plies go to the keeper."""

    def __init__(self, opening: Opening, exchange: Exchange, backend: SolverBackend) -> None:
        self.opening, self.exchange = opening, exchange
        self.masks = mask_words(backend.layout)
        own = opening.bands[opening.place]
        first = own[0][0]
        self.ranges = [(start - first, stop - first) for start, stop in own]
        self.shared_side = opponent_of(lead_side(backend.layout))
        """Whose positions the others need, with this side to move."""

    def open(self, ply: PlyName) -> PartPly:
        """See `PlyLog`."""
        return PartPly(self, ply)


class PartPly:
    """See `OpenPly`."""

    def __init__(self, log: PartLog, ply: PlyName) -> None:
        self._log, self._ply = log, ply
        self.known = log.opening.known.get(ply)
        self._pieces: dict[int, bytes] = {}
        self._recalled = log.exchange.recall(ply) if self.known and self.known.planes else ()

    def entries(self, first: int) -> NDArray[np.uint64]:
        """See `OpenPly`."""
        if not self._recalled:
            return np.zeros(0, np.uint64)
        log = self._log
        before = sum(map(len, log.opening.bands[: log.opening.place]))
        band = next(i for i, (start, _) in enumerate(log.ranges) if start == first)
        return entries_of(log.masks, self._recalled[before + band])

    def keep(self, worker: int, first: int, entries: NDArray[np.uint64]) -> None:
        """See `OpenPly`."""
        self._pieces[first] = LogFile.packed(piece_of(self._log.masks, entries))

    def close(self, settled: Settled) -> Gathered:
        """See `OpenPly`."""
        log, opening = self._log, self._log.opening
        is_shared = opening.cut is not None and self._ply.mover == log.shared_side
        if self.known is not None:
            return Gathered(settled, self._recalled_of_others() if is_shared else None)
        pieces = [self._pieces[first] for first, _ in log.ranges]
        brought = log.exchange.gather(Stretch.of(self._ply, settled, pieces))
        total = Settled(*(sum(each.numbers[i] for each in brought) for i in range(2)))
        if not is_shared:
            return Gathered(total)
        others: list[Entries] = [
            partial(self._unpacked, stretch, band)
            for stretch in self._needed(brought)
            for band in range(len(stretch.pieces))
        ]
        return Gathered(total, others)

    def _needed(self, brought: Sequence[Stretch]) -> list[Stretch]:
        """What other parts have settled."""
        log = self._log
        return [
            log.exchange.fetched(stretch)
            for place, stretch in enumerate(brought)
            if place != log.opening.place and stretch.numbers[1]
        ]

    def _unpacked(self, stretch: Stretch, band: int) -> NDArray[np.uint64]:
        return entries_of(self._log.masks, LogFile.unpacked(stretch.piece(band)))

    def _recalled_of_others(self) -> list[Callable[[], NDArray[np.uint64]]]:
        opening = self._log.opening
        before = sum(map(len, opening.bands[: opening.place]))
        own = range(before, before + len(self._log.ranges))
        return [
            partial(entries_of, self._log.masks, piece)
            for band, piece in enumerate(self._recalled)
            if band not in own
        ]


class OtherParts:
    """The `Neighbours` of a part."""

    def __init__(self, opening: Opening, exchange: Exchange) -> None:
        self._exchange = exchange
        sizes = [bands[-1][1] - bands[0][0] for bands in opening.bands]
        self.planes = sum(sizes) - sizes[opening.place]

    def total(self, positions: int) -> int:
        """See `Neighbours`."""
        brought = self._exchange.gather(Stretch(numbers=(positions,)))
        return sum(each.numbers[0] for each in brought)

    def mark_legal(
        self, backend: SolverBackend, pool: WorkerPool, winner: Side, unwon: PositionSet
    ) -> None:
        """See `Neighbours`. Only moves of the lead's side lead there, so it must be the loser."""
        layout = backend.layout
        if winner == lead_side(layout) or layout.cut is None:
            return
        before, after = (0, layout.cut[0]), (layout.cut[1], layout.count)
        others = np.concatenate([within(layout.apart, each) for each in (before, after)])

        def task(worker: int, first: int, stop: int) -> None:
            for start in range(first, stop, MARKED_AT_ONCE):
                planes = others[start : min(start + MARKED_AT_ONCE, stop)]
                unwon[planes] = backend.legal_on(planes, pool.scratch[worker])[winner]

        pool.for_ranges(len(others), task)

    def agree(self, values: SubtableValues) -> None:
        """See `Neighbours`."""
        codes = sorted((int(side), int(code)) for side, code in values.arrivals)
        brought = self._exchange.gather(Stretch(numbers=tuple(n for pair in codes for n in pair)))
        values.arrivals = frozenset(
            (Side(each.numbers[i]), Code(each.numbers[i + 1]))
            for each in brought
            for i in range(0, len(each.numbers), 2)
        )
