"""From the squares of men to the cell of a table of xiangqi: what the kernels need for it.

The men of a table are numbered: its attackers group by group as in `court_layout.py`, then White's
king, advisors and elephants, then Black's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.xiangqi import ADVISOR, ELEPHANT, KING, SQUARES, STANDS
from unmove.planes.court_geometry import court_geometry, row_of
from unmove.planes.court_layout import CourtLayout
from unmove.planes.courts import Court
from unmove.planes.layout import Man
from unmove.values import SIDES

ATTACKER_SLOTS = 8  # columns of the arrays below: no table has more attackers
ADVISORS, ELEPHANTS = 1 << 5, 1 << 7  # sets of the squares such men stand on
CONFIGURATIONS = 9 * ADVISORS * ELEPHANTS


class CourtIndex(NamedTuple):
    """The index rules of some tables, by number; see `kernels/courts/find.py`."""

    attackers: NDArray[np.int64]  # [table]: how many
    groups: NDArray[np.int64]  # [table]: how many
    first: NDArray[np.int64]  # [table, group]: its first man; one more entry closes the last group
    row: NDArray[np.int64]  # [table, group]: of the court_geometry
    stride: NDArray[np.int64]  # [table, group]
    base: NDArray[np.int64]  # [table]: where its part of the two that follow begins
    orbit: NDArray[np.int64]  # [base + rank of the lead's set]
    mirrored: NDArray[np.int64]  # [base + rank of the lead's set]
    advisors: NDArray[np.int64]  # [table, side]: how many
    elephants: NDArray[np.int64]  # [table, side]
    number: NDArray[np.int16]  # [table, side, configuration as `find` numbers it]; -1: none
    row_side: NDArray[np.int64]  # [table]: the side whose court is on the rows
    words: NDArray[np.int64]  # [table]: of a row
    spot: NDArray[np.int64]  # [row, square]
    court_spot: NDArray[np.int64]  # [side, kind of a court's man: king 0, square]; -1: not there
    mirror: NDArray[np.int64]  # [square]
    choose: NDArray[np.int64]  # [n, k]


def men_of(layout: CourtLayout) -> list[Man]:
    """All men of a table, by number."""
    courts = [Man(kind, court.side) for court in layout.courts for kind in court.kinds]
    return [*layout.men, *courts]


def court_index_of(layouts: Sequence[CourtLayout]) -> CourtIndex:
    """The index rules of some tables."""
    tables = len(layouts)
    first = np.zeros((tables, ATTACKER_SLOTS + 1), np.int64)
    row = np.zeros((tables, ATTACKER_SLOTS), np.int64)
    stride = np.zeros((tables, ATTACKER_SLOTS), np.int64)
    for t, layout in enumerate(layouts):
        groups = len(layout.groups)
        first[t, : groups + 1] = layout.starts
        row[t, :groups] = [row_of(*man) for man, _ in layout.groups]
        stride[t, :groups] = layout.strides[:groups]
    ranks = [len(layout.lead.orbit) for layout in layouts]
    courts = [layout.courts for layout in layouts]
    board = court_geometry()
    return CourtIndex(
        attackers=np.array([len(layout.men) for layout in layouts], np.int64),
        groups=np.array([len(layout.groups) for layout in layouts], np.int64),
        first=first,
        row=row,
        stride=stride,
        base=np.array([0, *np.cumsum(ranks)[:-1]], np.int64),
        orbit=np.concatenate([layout.lead.orbit for layout in layouts]),
        mirrored=np.concatenate([layout.lead.mirrored for layout in layouts]),
        advisors=np.array([[c.advisors for c in pair] for pair in courts], np.int64),
        elephants=np.array([[c.elephants for c in pair] for pair in courts], np.int64),
        number=np.array([[_numbers(c) for c in pair] for pair in courts], np.int16),
        row_side=np.array([layout.row_side for layout in layouts], np.int64),
        words=np.array([layout.row_words for layout in layouts], np.int64),
        spot=board.spot,
        court_spot=_court_spots(),
        mirror=board.mirror,
        choose=board.choose,
    )


def _court_spots() -> NDArray[np.int64]:
    """The number of each square among those where a king, an advisor, an elephant can stand."""
    court_spots = np.full((2, 3, SQUARES), -1, np.int64)
    for side in SIDES:
        for i, kind in enumerate((KING, ADVISOR, ELEPHANT)):
            squares = np.flatnonzero(STANDS[side, kind])
            court_spots[side, i, squares] = np.arange(len(squares))
    return court_spots


def _numbers(court: Court) -> NDArray[np.int16]:
    """The number of each configuration: by the king's square and the sets of the others'."""
    court_spots = _court_spots()[court.side]
    numbers = np.full(CONFIGURATIONS, -1, np.int16)
    for number, squares in enumerate(court.configurations):
        index = int(court_spots[0, squares[0]]) * ADVISORS * ELEPHANTS
        for kind, square in zip(court.kinds[1:], squares[1:], strict=True):
            if kind == ADVISOR:
                index += (1 << int(court_spots[1, square])) * ELEPHANTS
            else:
                index += 1 << int(court_spots[2, square])
        numbers[index] = number
    return numbers
