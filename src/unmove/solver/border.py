"""What smaller endgames bring, and when.

The metric is decided here and nowhere else. A capture leads into a solved endgame; the value
behind it *arrives* in the loop at a certain ply:

    DTM   a value of m plies arrives at ply m + 1: the capture is one more ply to the same mate
    DTC   every win and loss arrives at ply 1: the capture is the goal
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import PIECES
from unmove.kernels.captures import Beyond, Cells, enter
from unmove.kernels.cells import survey
from unmove.kernels.scratch import Scratch
from unmove.material import Material
from unmove.planes.geometry import geometry
from unmove.planes.layout import CELLS, Layout, Man
from unmove.store.table import CellArray, Table
from unmove.values import BROKEN, DRAW, Metric, loss_code, plies_of, win_code

Smaller = Callable[[Material], Table]
"""How the loop gets at a solved smaller endgame."""


@dataclass(frozen=True)
class Neighbour:
    """A smaller endgame in this endgame's terms: sides as here, men in the order of a key."""

    layout: Layout
    palette: NDArray[np.int64]
    cells: tuple[Cells, Cells]  # by side to move
    orders: NDArray[np.int64]

    def deepest(self, side: int, won: bool) -> int:
        """The largest ply of a win (or loss) with `side` to move; -1 when there is none."""
        settled = (self.palette > DRAW) & ((self.palette % 2 == 1) == won)
        present = self.cells[side].present.any(axis=0) & settled
        return max((plies_of(int(code)) for code in self.palette[present]), default=-1)


def neighbour(layout: Layout, group: int, smaller: Smaller) -> Neighbour:
    """The endgame that a capture of one man of `group` leads into."""
    left = list(layout.men)
    left.remove(layout.groups[group][0])
    material = _material(left)
    table = smaller(material.canonical())
    turned = table.material != material
    sides = [_turned(side) for side in reversed(table.cells)] if turned else list(table.cells)
    men = [Man(man.kind, man.side ^ turned) for man in table.layout.men]
    orders = [
        order
        for order in permutations(range(len(men)))
        if all(men[i] == man for i, man in zip(order, left, strict=True))
    ]
    return Neighbour(
        layout=table.layout,
        palette=table.palette,
        cells=(_surveyed(sides[0], table.palette), _surveyed(sides[1], table.palette)),
        orders=np.array(orders, np.int64).reshape(len(orders), len(men)),
    )


class Border:
    """Conversions for one winner, ply by ply.

    `won` and `lost` are the positions that count now: with the winner to move (the loser may
    capture into them, his misfortune) and with the loser to move (the winner may). `saving` are
    those with the winner to move that are not won yet: a capture into them saves the loser.
    """

    def __init__(
        self, layout: Layout, metric: Metric, winner: int, near: list[Neighbour], scratch: Scratch
    ) -> None:
        self._metric = metric
        self._winner = winner
        self._near = near
        self._scratch = scratch
        self._groups = [
            [g for g, (man, _) in enumerate(layout.groups) if man.side == side] for side in (0, 1)
        ]
        keys = 64 ** max(len(layout.men) - 1, 0)
        shape = len(layout.groups), keys
        self.won, self.lost, self.saving = (
            Beyond(np.zeros((*shape, 64), np.uint64), np.zeros(shape, np.uint8)) for _ in range(3)
        )
        for group in self._groups[winner]:
            self._enter(self.saving, group, winner, near[group].palette != BROKEN)
        self.last = self._last()

    def lost_at(self, ply: int) -> bool:
        """`lost` holds what a capture by the winner brings at this ply; False if nothing."""
        loser = 1 - self._winner
        return self._arrive(self.lost, self._groups[loser], loser, False, ply)

    def won_at(self, ply: int) -> bool:
        """`won` holds what a capture by the loser brings at this ply; it saves him no longer."""
        groups = self._groups[self._winner]
        arrived = self._arrive(self.won, groups, self._winner, True, ply)
        if arrived:
            for group in groups:
                live = np.flatnonzero(self.won.live[group])
                self.saving.planes[group, live] &= ~self.won.planes[group, live]
        return arrived

    def _arrive(self, beyond: Beyond, groups: list[int], side: int, won: bool, ply: int) -> bool:
        beyond.live[groups] = 0
        if ply > self.last:
            return False
        entered = 0
        for group in groups:
            palette = self._near[group].palette
            if self._metric is Metric.DTM:
                chosen = palette == (win_code if won else loss_code)(ply - 1)
            else:  # at ply 1, which is then the last
                chosen = (palette > DRAW) & ((palette % 2 == 1) == won)
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
            self._scratch,
            beyond.planes[group],
            beyond.live[group],
        )

    def _last(self) -> int:
        """The last ply at which anything can arrive."""
        deepest = [
            self._near[group].deepest(side, won)
            for side, won in ((self._winner, True), (1 - self._winner, False))
            for group in self._groups[side]
        ]
        last = 1 + max(deepest, default=-1)
        return last if self._metric is Metric.DTM else min(last, 1)


def _material(men: list[Man]) -> Material:
    sides = ["".join(PIECES[man.kind] for man in men if man.side == side) for side in (0, 1)]
    return Material.of(*sides)


def _turned(values: CellArray) -> CellArray:
    """The planes with the kings' parts exchanged, as the other side sees them."""
    planes = values.reshape(-1, 64, 64)
    return np.ascontiguousarray(planes.transpose(0, 2, 1)).reshape(-1, CELLS)


def _surveyed(values: CellArray, palette: NDArray[np.int64]) -> Cells:
    present = np.zeros((len(values), len(palette)), np.uint8)
    survey(values, present)
    return Cells(values, present)
