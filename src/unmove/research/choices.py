"""What the moves of a position keep: by the move generator of the proof, in bulk.

A move keeps what is the best the side to move can get: win, draw or loss, without the 50-move rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.crew.crew import Crew
from unmove.kernels.behind import behind as behind_of
from unmove.kernels.choices import count_choices
from unmove.kernels.courts.choices import count_choices as count_choices_of_courts
from unmove.kernels.courts.fixpoint import room
from unmove.kernels.courts.forward import MOVES, post
from unmove.kernels.forward import position
from unmove.planes.court_layout import CourtLayout
from unmove.store.table import Table
from unmove.verify.courts import CourtProof
from unmove.verify.kings import KingsProof
from unmove.verify.tally import Smaller

PLANES_A_RANGE = 16


@dataclass(frozen=True)
class Choices:
    """counts[i]: legal moves, those that keep the outcome, those of them that underpromote."""

    counts: NDArray[np.uint8]

    @property
    def only(self) -> NDArray[np.bool_]:
        """Whether just one of several moves keeps the outcome."""
        only: NDArray[np.bool_] = (self.counts[:, 1] == 1) & (self.counts[:, 0] > 1)
        return only

    @property
    def underpromotion(self) -> NDArray[np.bool_]:
        """Whether nothing keeps the outcome but a promotion to less than a queen."""
        needed: NDArray[np.bool_] = (self.counts[:, 2] > 0) & (
            self.counts[:, 1] == self.counts[:, 2]
        )
        return needed


class Counter(Protocol):
    """Counts the choices of positions of one table with one side to move."""

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """[i, cell, ...]: see `Choices`; of the positions asked of planes[i] (ascending)."""


class KingsCounter:
    """See `Counter`."""

    def __init__(self, table: Table, side: int, smaller: Smaller, crew: Crew) -> None:
        self._proof = KingsProof(table, side, smaller)
        self._crew = crew

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """See `Counter`."""
        proof, men = self._proof, len(self._proof.men.kinds)
        ends = [(int(plane), int(plane) + 1) for plane in planes]
        rule, values = proof.known(ends, self._crew.map)
        out = np.zeros((*asked.shape, 3), np.uint8)

        def task(_: int, a: int, b: int) -> None:
            own = position(men), behind_of(men)
            some = planes[a:b], asked[a:b]
            count_choices(*some, proof.side, proof.men, rule, values, *own, out[a:b])

        self._crew.each(len(planes), task, PLANES_A_RANGE)
        return out


class CourtsCounter:
    """See `Counter`."""

    def __init__(self, table: Table, side: int, smaller: Smaller, crew: Crew) -> None:
        self._proof = CourtProof(table, side, smaller)
        self._crew = crew

    def count(self, planes: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """See `Counter`."""
        proof, men = self._proof, self._proof.men
        placing, finder, behind = proof.placing, proof.finder, proof.behind
        out = np.zeros((*asked.shape, 3), np.uint8)

        def task(_: int, a: int, b: int) -> None:
            count_choices_of_courts(
                planes[a:b],
                asked[a:b],
                proof.side,
                men,
                MOVES,
                placing,
                finder,
                behind,
                post(len(proof.all_men)),
                room(),
                out[a:b],
            )

        self._crew.each(len(planes), task, PLANES_A_RANGE)
        return out


def counter_of(table: Table, side: int, smaller: Smaller, crew: Crew) -> Counter:
    """The counter of a table."""
    kind = CourtsCounter if isinstance(table.layout, CourtLayout) else KingsCounter
    return kind(table, side, smaller, crew)
