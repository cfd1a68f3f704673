"""The facts of a plane that follow from its position alone: legal cells, checks, and the men."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, bit
from unmove.kernels.jit import kernel
from unmove.kernels.legality import attacked, mark_legal
from unmove.kernels.scratch import Scratch
from unmove.planes.geometry import Geometry
from unmove.planes.layout import Frame


class PlaneFacts(NamedTuple):
    """The facts of some planes, with one side to move."""

    legal: NDArray[np.uint64]  # [plane, word]: the legal cells
    checked: NDArray[np.uint64]  # [plane, word]: the legal cells with a check to the side to move
    men: NDArray[np.uint8]  # [plane, man, MAN_SQUARE, ATTACKERS or DEFENDERS]

    @classmethod
    def between(
        cls, mine: NDArray[np.uint64], theirs: NDArray[np.uint64], men: NDArray[np.uint8]
    ) -> PlaneFacts:
        """The facts with me to move, given the legal cells with either side to move.

        A cell that is legal with me to move, but not with the opponent, is one where I am in check.
        """
        return cls(mine, mine & ~theirs, men)

    def of(self, planes: slice | NDArray[np.int64]) -> PlaneFacts:
        """The facts of some of the planes."""
        return PlaneFacts(self.legal[planes], self.checked[planes], self.men[planes])


def joined(facts: Sequence[PlaneFacts]) -> PlaneFacts:
    """The facts of all planes of several lots, one lot after the other."""
    legal, checked, men = (np.concatenate(each) for each in zip(*facts, strict=True))
    return PlaneFacts(legal, checked, men)


MAN_SQUARE, ATTACKERS, DEFENDERS = range(3)  # of a man; the latter two are numbers of men


@kernel
def mark_facts(
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
    white: NDArray[np.uint64],
    black: NDArray[np.uint64],
    men: NDArray[np.uint8],
) -> None:
    """white and black = the legal cells of a frame's planes with that side to move; men = its men.

    The men's attacks are those on a board without the kings.
    """
    planes, count = frame.planes.shape[0], frame.kinds.shape[0]
    mark_legal(0, planes, frame, board, scratch, white, black)
    for plane in range(planes):
        for man in range(count):
            scratch.squares[man] = np.int64(frame.squares[plane, man])
            men[plane, man, MAN_SQUARE] = frame.squares[plane, man]
            men[plane, man, ATTACKERS] = men[plane, man, DEFENDERS] = 0
        for man in range(count):
            reached = attacked(man, count, frame, board, scratch)
            for other in range(count):
                if reached & bit(scratch.squares[other]) != NONE:
                    of_ours = frame.sides[other] == frame.sides[man]
                    men[plane, other, DEFENDERS if of_ours else ATTACKERS] += 1
