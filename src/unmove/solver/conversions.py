"""The border of slices with pawns: the best conversion of every cell, see `answers/moves.py`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmove.answers.moves import Assessment, Scale, zeroing_ways
from unmove.crew.crew import Crew
from unmove.kernels.cells import survey
from unmove.kernels.settle import Frontier
from unmove.kernels.worths import pick_alike, pick_any, pick_equal, unblock
from unmove.planes.layout import Layout
from unmove.solver.border import Field
from unmove.store.table import CellArray, Library, Source
from unmove.values import Metric, loss_code, win_code

_NO_PLANES = np.zeros(0, np.int64)


@dataclass
class Conversions:
    """The worth of the best conversion or pawn move of every cell of a layout, by mover."""

    scale: Scale
    worth: list[CellArray] = field(default_factory=list)
    listed: list[dict[int, NDArray[np.int64]]] = field(default_factory=list)
    """By mover and worth: the planes with such a cell."""
    leaving: list[NDArray[np.uint64]] = field(default_factory=list)
    """By mover: the cells where no pawn move is better than every conversion; none: all cells."""

    @classmethod
    def of(cls, scale: Scale, worth: list[CellArray], crew: Crew) -> Conversions:
        """Those of a layout where every worth is that of a conversion."""
        return cls(scale, worth, [_listed(each, len(scale.codes), crew) for each in worth])


def conversions(
    layout: Layout, metric: Metric, draft: Source, library: Library, crew: Crew
) -> Conversions:
    """What the moves of both sides bring into the slices of a layout; `draft` is its own table."""
    assessment = Assessment(layout, layout.frame, metric, draft, library, crew)
    near = [assessment.neighbours(zeroing_ways(layout, mover)) for mover in (0, 1)]
    scale = assessment.scale([*near[0], *near[1]])
    result = Conversions(scale)
    for mover in (0, 1):
        worth = crew.arena.zeros(f"worth {mover}", (layout.count, layout.cells), scale.kind)
        assessment.assess(mover, [table for table in near[mover] if not table.stays], scale, worth)
        conversions = crew.arena.empty("worth of conversions", worth.shape, scale.kind)
        np.copyto(conversions, worth)
        assessment.assess(mover, [table for table in near[mover] if table.stays], scale, worth)
        result.worth.append(worth)
        result.leaving.append(_alike(layout, worth, conversions, f"leaving {mover}", crew))
        result.listed.append(_listed(worth, len(scale.codes), crew))
    return result


def _alike(
    layout: Layout, worth: CellArray, other: CellArray, name: str, crew: Crew
) -> NDArray[np.uint64]:
    """The cells whose worths are the same."""
    planes = layout.frame.planes
    alike: NDArray[np.uint64] = crew.arena.empty(name, (layout.count, layout.words), np.uint64)
    crew.each(
        len(planes),
        lambda _, first, stop: pick_alike(first, stop, planes, worth, other, alike),
    )
    return alike


def _listed(worth: CellArray, numbers: int, crew: Crew) -> dict[int, NDArray[np.int64]]:
    """The planes that have a cell of each worth, none left out."""
    present = crew.arena.zeros("present", (len(worth), numbers), np.uint8)
    crew.each(len(worth), lambda _, first, stop: survey(worth[first:stop], present[first:stop]))
    found = ((number, np.flatnonzero(present[:, number])) for number in range(1, numbers))
    return {number: planes for number, planes in found if len(planes)}


class ConversionBorder:
    """A `Border` for one winner."""

    def __init__(
        self,
        planes: NDArray[np.int64],
        winner: int,
        known: Conversions,
        field: Field,
        crew: Crew,
    ) -> None:
        self._all = planes
        self._winner = winner
        self._known = known
        self._field = field
        self._crew = crew
        self.last = known.scale.last

    def block(self) -> None:
        """See `Border`."""
        worth, blocked = self._known.worth[1 - self._winner], self._field.blocked
        self._crew.each(
            len(self._all),
            lambda _, first, stop: pick_any(first, stop, self._all, worth, blocked),
        )

    def lost_at(self, level: int) -> Frontier | None:
        """See `Border`."""
        return self._arrive(self._winner, win_code(level))

    def converted(self) -> Frontier:
        """See `Border`."""
        arrivals, leaving = self._field.arrivals, self._known.leaving
        if leaving:
            np.bitwise_and(arrivals.planes, leaving[self._winner], out=arrivals.planes)
        return arrivals

    def won_at(self, level: int) -> Frontier | None:
        """See `Border`."""
        loser, blocked = 1 - self._winner, self._field.blocked
        arrivals = self._arrive(loser, loss_code(level))
        if arrivals is not None:
            planes = self._planes(loser, loss_code(level))
            self._crew.each(
                len(planes),
                lambda _, first, stop: unblock(first, stop, planes, arrivals, blocked),
            )
        return arrivals

    def _arrive(self, mover: int, code: int) -> Frontier | None:
        """The mover's positions whose best conversion is worth `code`."""
        planes = self._planes(mover, code)
        if not len(planes):
            return None
        number = self._known.scale.worth[code]
        arrivals, worth = self._field.arrivals, self._known.worth[mover]
        arrivals.live[:] = 0
        self._crew.each(
            len(planes),
            lambda _, first, stop: pick_equal(first, stop, planes, worth, number, arrivals),
        )
        return arrivals

    def _planes(self, mover: int, code: int) -> NDArray[np.int64]:
        """The planes with such positions."""
        number = self._known.scale.worth.get(code, 0)
        return self._known.listed[mover].get(number, _NO_PLANES)
