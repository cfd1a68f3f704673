"""The border of a pawnless endgame: smaller endgames as sets of positions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from unmove.crew.crew import Crew
from unmove.kernels.captures import Beyond, Cells, arrive, block, enter
from unmove.kernels.cells import survey
from unmove.kernels.settle import Frontier
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Layout, Man, material_of
from unmove.planes.layouts import of_kings
from unmove.solver.border import Field
from unmove.store.table import CellArray, Library, planes_of
from unmove.values import BROKEN, DRAW, Metric, code_before, level_of, loss_code, win_code


@dataclass(frozen=True)
class Neighbour:
    """A smaller endgame in this endgame's terms: sides as here, men in the order of a key."""

    layout: Layout
    palette: NDArray[np.int64]
    brings: NDArray[np.int64]  # [number in a cell]: the code of a capture that leads there
    cells: tuple[Cells, Cells]  # by side to move
    orders: NDArray[np.int64]


def neighbours(layout: Layout, metric: Metric, library: Library) -> list[Neighbour]:
    """The endgames that a capture of a man of each group leads into."""
    return [_neighbour(layout, metric, group, library) for group in range(len(layout.groups))]


def _neighbour(layout: Layout, metric: Metric, group: int, library: Library) -> Neighbour:
    left = list(layout.men)
    left.remove(layout.groups[group][0])
    material = material_of(left)
    source = library(material.canonical())
    everything = np.arange(source.layout.count)
    sides = [planes_of(source, side, everything) for side in (0, 1)]
    turned = source.layout.material != material
    if turned:
        sides = [_turned(side) for side in reversed(sides)]
    men = [Man(man.kind, man.side ^ turned) for man in source.layout.men]
    orders = [
        order
        for order in permutations(range(len(men)))
        if all(men[i] == man for i, man in zip(order, left, strict=True))
    ]
    brings = [code_before(c, metric, zeroes=True, converts=True) for c in source.palette.tolist()]
    return Neighbour(
        layout=of_kings(source.layout),
        palette=source.palette,
        brings=np.array(brings, np.int64),
        cells=(_surveyed(sides[0], source.palette), _surveyed(sides[1], source.palette)),
        orders=np.array(orders, np.int64).reshape(len(orders), len(men)),
    )


class CaptureBorder:
    """A `Border`. Behind a capture are sets of the smaller endgames' positions, one per ply.

    `_won` and `_lost` are the positions that count now: with the winner to move (the loser may
    capture into them, his misfortune) and with the loser to move (the winner may). `_saving` are
    those with the winner to move that are not won yet: a capture into them saves the loser.
    """

    def __init__(
        self, layout: Layout, winner: int, near: list[Neighbour], field: Field, crew: Crew
    ) -> None:
        self._frame = layout.frame
        self._winner = winner
        self._near = near
        self._field = field
        self._crew = crew
        self._groups = [
            [g for g, (man, _) in enumerate(layout.groups) if man.side == side] for side in (0, 1)
        ]
        keys = 64 ** max(len(layout.men) - 1, 0)
        shape = len(layout.groups), keys
        self._won, self._lost, self._saving = (
            Beyond(np.zeros((*shape, 64), np.uint64), np.zeros(shape, np.uint8)) for _ in range(3)
        )
        for group in self._groups[winner]:
            self._enter(self._saving, group, winner, near[group].palette != BROKEN)
        self.last = max((level_of(int(near.brings.max())) for near in near), default=0)

    def block(self) -> None:
        """See `Border`."""
        self._block(np.ones_like(self._field.arrivals.live))

    def lost_at(self, level: int) -> Frontier | None:
        """See `Border`."""
        loser = 1 - self._winner
        if not self._arrive(self._lost, self._groups[loser], loser, win_code(level)):
            return None
        return self._capture(self._winner, self._lost)

    def converted(self) -> Frontier:
        """See `Border`."""
        return self._field.arrivals

    def won_at(self, level: int) -> Frontier | None:
        """See `Border`."""
        groups = self._groups[self._winner]
        if not self._arrive(self._won, groups, self._winner, loss_code(level)):
            return None
        for group in groups:
            live = np.flatnonzero(self._won.live[group])
            self._saving.planes[group, live] &= ~self._won.planes[group, live]
        arrivals = self._capture(1 - self._winner, self._won)
        self._block(arrivals.live)
        return arrivals

    def _arrive(self, beyond: Beyond, groups: list[int], side: int, code: int) -> bool:
        """`beyond` holds the positions behind captures that are worth `code`; False if none."""
        beyond.live[groups] = 0
        entered = 0
        for group in groups:
            near = self._near[group]
            chosen = (near.brings == code) & (near.palette > DRAW)
            if chosen.any():
                entered += self._enter(beyond, group, side, chosen)
        return entered > 0

    def _enter(self, beyond: Beyond, group: int, side: int, chosen: NDArray[np.bool_]) -> int:
        near = self._near[group]
        return enter(
            near.layout.frame,
            geometry(),
            near.cells[side],
            chosen.astype(np.uint8),
            near.orders,
            self._crew.scratch[0],
            beyond.planes[group],
            beyond.live[group],
        )

    def _capture(self, mover: int, beyond: Beyond) -> Frontier:
        """The mover's positions with a capture into `beyond`."""
        arrivals, crew = self._field.arrivals, self._crew

        def task(worker: int, first: int, stop: int) -> None:
            scratch = crew.scratch[worker]
            arrive(first, stop, mover, self._frame, geometry(), beyond, scratch, arrivals)

        crew.each(len(self._frame.planes), task)
        return arrivals

    def _block(self, changed: NDArray[np.uint8]) -> None:
        """On the changed planes `blocked` holds the loser's positions with a saving capture."""
        loser, blocked, crew = 1 - self._winner, self._field.blocked, self._crew

        def task(worker: int, first: int, stop: int) -> None:
            scratch = crew.scratch[worker]
            saving = self._saving
            frame = self._frame
            block(first, stop, loser, frame, geometry(), saving, scratch, changed, blocked)

        crew.each(len(self._frame.planes), task)


def _turned(values: CellArray) -> CellArray:
    """The planes with the kings' parts exchanged, as the other side sees them."""
    planes = values.reshape(-1, 64, 64)
    return np.ascontiguousarray(planes.transpose(0, 2, 1)).reshape(-1, CELLS)


def _surveyed(values: CellArray, palette: NDArray[np.int64]) -> Cells:
    present = np.zeros((len(values), len(palette)), np.uint8)
    survey(values, present)
    return Cells(values, present)
