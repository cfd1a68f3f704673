"""What is known of a plane before its values are: the cells that are legal, checks, and the men."""

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
    """Of some planes and a side to move."""

    legal: NDArray[np.uint64]  # [plane, word]: the legal cells
    checked: NDArray[np.uint64]  # [plane, word]: those in which the side to move is in check
    men: NDArray[np.uint8]  # [plane, man]: SQUARE, and by how many it is attacked and defended

    @classmethod
    def between(
        cls, mine: NDArray[np.uint64], theirs: NDArray[np.uint64], men: NDArray[np.uint8]
    ) -> PlaneFacts:
        """Where I am to move, given the legal cells with either side to move.

        What is legal only if I am is a check to me.
        """
        return cls(mine, mine & ~theirs, men)

    def of(self, planes: slice | NDArray[np.int64]) -> PlaneFacts:
        """That of some of its planes."""
        return PlaneFacts(self.legal[planes], self.checked[planes], self.men[planes])


def joined(settings: Sequence[PlaneFacts]) -> PlaneFacts:
    """That of the planes of all of them."""
    legal, checked, men = (np.concatenate(each) for each in zip(*settings, strict=True))
    return PlaneFacts(legal, checked, men)


SQUARE, ATTACKERS, DEFENDERS = range(3)


@kernel
def mark_facts(
    frame: Frame,
    board: Geometry,
    scratch: Scratch,
    white: NDArray[np.uint64],
    black: NDArray[np.uint64],
    men: NDArray[np.uint8],
) -> None:
    """white and black = the legal cells of a frame's planes with that side to move, and the men.

    Men attack past other men and not past the kings.
    """
    planes, count = frame.planes.shape[0], frame.kinds.shape[0]
    mark_legal(0, planes, frame, board, scratch, white, black)
    for p in range(planes):
        for man in range(count):
            scratch.squares[man] = np.int64(frame.squares[p, man])
            men[p, man, SQUARE] = frame.squares[p, man]
            men[p, man, ATTACKERS] = men[p, man, DEFENDERS] = 0
        for man in range(count):
            reached = attacked(man, count, frame, board, scratch)
            for other in range(count):
                if reached & bit(scratch.squares[other]) != NONE:
                    of_ours = frame.sides[other] == frame.sides[man]
                    men[p, other, DEFENDERS if of_ours else ATTACKERS] += 1
