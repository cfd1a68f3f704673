"""The conversions of a pawnless endgame: captures into smaller endgames, kept as sets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Palette
from unmove.kernels.scores import survey
from unmove.kernels.sets import Frontier
from unmove.kernels.solve.captures import (
    SubtableSets,
    TableCells,
    enter_positions,
    mark_arrivals,
    mark_blocked,
)
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Layout, material_of
from unmove.planes.layouts import of_kings
from unmove.pool.workers import WorkerPool
from unmove.solver.subtable_values import ArrivalBuffers
from unmove.store.source import TableLookup, planes_of
from unmove.values import (
    BROKEN,
    DRAW,
    SIDES,
    Code,
    Level,
    Metric,
    Side,
    code_before,
    level_of,
    loss_code,
    opponent_of,
    win_code,
)


@dataclass(frozen=True)
class CaptureSubtable:
    """A smaller endgame in this endgame's terms: sides as here, men in the order of a key."""

    layout: Layout
    palette: Palette
    backed_up: NDArray[np.int64]  # [number in a cell]: the code of a capture that leads there
    cells: tuple[TableCells, TableCells]  # by side to move
    orders: NDArray[np.int64]


def capture_subtables(layout: Layout, metric: Metric, tables: TableLookup) -> list[CaptureSubtable]:
    """The endgames that a capture of a man of each group leads into."""
    return [_capture_subtable(layout, metric, group, tables) for group in range(len(layout.groups))]


def _capture_subtable(
    layout: Layout, metric: Metric, group: int, tables: TableLookup
) -> CaptureSubtable:
    left = list(layout.men)
    left.remove(layout.groups[group][0])
    material = material_of(left)
    source = tables(material.canonical())
    everything = np.arange(source.layout.count)
    sides = [planes_of(source, side, everything) for side in SIDES]
    colours_swapped = source.layout.material != material
    if colours_swapped:
        sides = [_colours_swapped(side) for side in reversed(sides)]
    men = [man.swapped_if(colours_swapped) for man in source.layout.men]
    orders = [
        order
        for order in permutations(range(len(men)))
        if all(men[i] == man for i, man in zip(order, left, strict=True))
    ]
    backed_up = [
        code_before(code, metric, zeroes=True, converts=True) for code in source.palette.tolist()
    ]
    return CaptureSubtable(
        layout=of_kings(source.layout),
        palette=source.palette,
        backed_up=np.array(backed_up, np.int64),
        cells=(_surveyed(sides[0], source.palette), _surveyed(sides[1], source.palette)),
        orders=np.array(orders, np.int64).reshape(len(orders), len(men)),
    )


class CaptureValues:
    """A `SubtableValues` that keeps the smaller endgames as sets of positions, one per ply.

    `_won` and `_lost` are the positions whose captures arrive at the present level. In `_won` the
    winner is to move, and the loser may capture into them; in `_lost` it is the other way round.
    `_saving` are those with the winner to move that are not won yet: a capture into them saves the
    loser.
    """

    def __init__(
        self,
        layout: Layout,
        winner: Side,
        subtables: list[CaptureSubtable],
        buffers: ArrivalBuffers,
        pool: WorkerPool,
    ) -> None:
        self._frame = layout.frame
        self._winner = winner
        self._subtables = subtables
        self._buffers = buffers
        self._pool = pool
        self._groups = [
            [group for group, (man, _) in enumerate(layout.groups) if man.side == side]
            for side in SIDES
        ]
        keys = 64 ** max(len(layout.men) - 1, 0)
        shape = len(layout.groups), keys
        self._won, self._lost, self._saving = (
            SubtableSets(np.zeros((*shape, 64), np.uint64), np.zeros(shape, np.uint8))
            for _ in range(3)
        )
        for group in self._groups[winner]:
            self._enter(self._saving, group, winner, subtables[group].palette != BROKEN)
        self.last = max(
            (level_of(Code(int(each.backed_up.max()))) for each in subtables), default=Level(0)
        )

    def block(self) -> None:
        """See `SubtableValues`."""
        self._block(np.ones_like(self._buffers.arrivals.live))

    def lost_at(self, level: Level) -> Frontier | None:
        """See `SubtableValues`."""
        loser = opponent_of(self._winner)
        if not self._arrive(self._lost, self._groups[loser], loser, win_code(level)):
            return None
        return self._capture(self._winner, self._lost)

    def converted(self) -> Frontier:
        """See `SubtableValues`."""
        return self._buffers.arrivals

    def won_at(self, level: Level) -> Frontier | None:
        """See `SubtableValues`."""
        groups = self._groups[self._winner]
        if not self._arrive(self._won, groups, self._winner, loss_code(level)):
            return None
        for group in groups:
            live = np.flatnonzero(self._won.live[group])
            self._saving.planes[group, live] &= ~self._won.planes[group, live]
        arrivals = self._capture(opponent_of(self._winner), self._won)
        self._block(arrivals.live)
        return arrivals

    def _arrive(self, targets: SubtableSets, groups: list[int], side: Side, code: Code) -> bool:
        """`targets` holds the positions after captures whose code is `code`; False if none."""
        targets.live[groups] = 0
        entered = 0
        for group in groups:
            subtable = self._subtables[group]
            chosen = (subtable.backed_up == code) & (subtable.palette > DRAW)
            if chosen.any():
                entered += self._enter(targets, group, side, chosen)
        return entered > 0

    def _enter(
        self, targets: SubtableSets, group: int, side: Side, chosen: NDArray[np.bool_]
    ) -> int:
        subtable = self._subtables[group]
        return enter_positions(
            subtable.layout.frame,
            geometry(),
            subtable.cells[side],
            chosen.astype(np.uint8),
            subtable.orders,
            self._pool.scratch[0],
            targets.planes[group],
            targets.live[group],
        )

    def _capture(self, mover: Side, targets: SubtableSets) -> Frontier:
        """The mover's positions with a capture into `targets`."""
        arrivals, pool = self._buffers.arrivals, self._pool

        def task(worker: int, first: int, stop: int) -> None:
            scratch = pool.scratch[worker]
            mark_arrivals(first, stop, mover, self._frame, geometry(), targets, scratch, arrivals)

        pool.for_ranges(len(self._frame.planes), task)
        return arrivals

    def _block(self, changed: NDArray[np.uint8]) -> None:
        """On the changed planes `blocked` holds the loser's positions with a saving capture."""
        loser, blocked, pool = opponent_of(self._winner), self._buffers.blocked, self._pool

        def task(worker: int, first: int, stop: int) -> None:
            scratch = pool.scratch[worker]
            saving = self._saving
            frame = self._frame
            mark_blocked(first, stop, loser, frame, geometry(), saving, scratch, changed, blocked)

        pool.for_ranges(len(self._frame.planes), task)


def _colours_swapped(values: CellNumbers) -> CellNumbers:
    """The planes with the kings exchanged, as the other side sees them."""
    planes = values.reshape(-1, 64, 64)
    exchanged = np.ascontiguousarray(planes.transpose(0, 2, 1))
    return CellNumbers(exchanged.reshape(-1, CELLS))


def _surveyed(values: CellNumbers, palette: Palette) -> TableCells:
    present = np.zeros((len(values), len(palette)), np.uint8)
    survey(values, present)
    return TableCells(values, present)
