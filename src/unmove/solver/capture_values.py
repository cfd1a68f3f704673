"""The conversions of a pawnless endgame: captures into smaller endgames, kept as sets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers, Palette
from unmove.kernels.scores import survey
from unmove.kernels.sets import Conversions, SubtableSets
from unmove.kernels.solve.captures import TableCells, enter_positions, remove_positions
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Layout, material_of
from unmove.planes.layouts import of_kings
from unmove.pool.arena import Arena
from unmove.pool.workers import WorkerPool
from unmove.solver.subtable_values import NO_CONVERSIONS, NO_SUBTABLES
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
    swapped_if,
    win_code,
)


@dataclass(frozen=True)
class CaptureSubtable:
    """A smaller endgame in this endgame's terms: sides as here, men in the order of a key."""

    layout: Layout
    palette: Palette
    backed_up: NDArray[np.int64]  # [number in a cell]: the code of a capture that leads there
    cells: TableCells  # the side that lost a man to move: it was the other one's move
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
    colours_swapped = source.layout.material != material
    side = swapped_if(colours_swapped, layout.groups[group][0].side)
    cells = planes_of(source, side, np.arange(source.layout.count))
    if colours_swapped:
        cells = _colours_swapped(cells)
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
        cells=_surveyed(cells, source.palette),
        orders=np.array(orders, np.int64).reshape(len(orders), len(men)),
    )


def capture_room(layout: Layout, arena: Arena) -> NDArray[np.uint64]:
    """Room for a set of positions after a capture from each group, for both winners' runs."""
    keys = 64 ** max(len(layout.men) - 1, 0)
    return arena.large((len(layout.groups), keys, 64), np.uint64)


class CaptureValues:
    """A `SubtableValues` that keeps the smaller endgames as sets of positions, one per ply.

    `_won` and `_lost` are the positions whose captures arrive at the present level. In `_won` the
    winner is to move, and the loser may capture into them; in `_lost` it is the other way round.
    `_saving` are those with the winner to move that are not won yet: a capture into them saves the
    loser. `_lost` and `_saving` share `room`, as one has groups of the loser and one of the winner.
    """

    arrivals: frozenset[tuple[Side, Code]] = frozenset()

    def __init__(
        self,
        layout: Layout,
        winner: Side,
        subtables: list[CaptureSubtable],
        room: NDArray[np.uint64],
        pool: WorkerPool,
    ) -> None:
        self._winner = winner
        self._subtables = subtables
        self._pool = pool
        self._groups = [
            [group for group, (man, _) in enumerate(layout.groups) if man.side == side]
            for side in SIDES
        ]
        live = np.zeros((3, *room.shape[:2]), np.uint8)
        won = pool.arena.large(room.shape, np.uint64)
        self._won, self._lost, self._saving = map(SubtableSets, (won, room, room), live)
        for group in self._groups[winner]:
            self._saving.planes[group] = 0
            self._enter(self._saving, group, subtables[group].palette != BROKEN)
        self.last = max(
            (level_of(Code(int(each.backed_up.max()))) for each in subtables), default=Level(0)
        )

    def standing(self) -> Conversions:
        """See `SubtableValues`."""
        return NO_CONVERSIONS._replace(saving=self._saving)

    def lost_at(self, level: Level) -> Conversions:
        """See `SubtableValues`."""
        groups = self._groups[opponent_of(self._winner)]
        arrive = self._arrive(self._lost, groups, win_code(level))
        return self.standing()._replace(arrive=arrive, targets=self._lost)

    def won_at(self, level: Level) -> Conversions:
        """See `SubtableValues`. Past the last level the set of targets takes no memory."""
        if level > self.last:
            self._won = NO_SUBTABLES
            return self.standing()
        groups = self._groups[self._winner]
        arrive = self._arrive(self._won, groups, loss_code(level))
        for group in groups if arrive else ():
            self._remove(group)
        return self.standing()._replace(arrive=arrive, targets=self._won)

    def _remove(self, group: int) -> None:
        """What is won no longer saves the loser."""
        keys = self._won.live.shape[1]
        self._pool.for_ranges(
            keys,
            lambda _, first, stop: remove_positions(first, stop, group, self._won, self._saving),
        )

    def _arrive(self, targets: SubtableSets, groups: list[int], code: Code) -> bool:
        """`targets` holds the positions after captures whose code is `code`; False if none."""
        targets.live[groups] = 0
        entered = 0
        for group in groups:
            subtable = self._subtables[group]
            chosen = (subtable.backed_up == code) & (subtable.palette > DRAW)
            if chosen.any():
                entered += self._enter(targets, group, chosen)
        return entered > 0

    def _enter(self, targets: SubtableSets, group: int, chosen: NDArray[np.bool_]) -> int:
        """The chosen positions of a smaller endgame are entered; returns on how many planes."""
        subtable, entered = self._subtables[group], [0] * self._pool.workers
        frame, wanted = subtable.layout.frame, chosen.astype(np.uint8)

        def task(worker: int, first: int, stop: int) -> None:
            entered[worker] += enter_positions(
                first,
                stop,
                frame,
                geometry(),
                subtable.cells,
                wanted,
                subtable.orders,
                self._pool.scratch[worker],
                targets.planes[group],
                targets.live[group],
            )

        self._pool.for_ranges(len(frame.planes), task)
        return sum(entered)


def _colours_swapped(values: CellNumbers) -> CellNumbers:
    """The planes with the kings exchanged, as the other side sees them."""
    planes = values.reshape(-1, 64, 64)
    exchanged = np.ascontiguousarray(planes.transpose(0, 2, 1))
    return CellNumbers(exchanged.reshape(-1, CELLS))


def _surveyed(values: CellNumbers, palette: Palette) -> TableCells:
    present = np.zeros((len(values), len(palette)), np.uint8)
    survey(values, present)
    return TableCells(values, present)
