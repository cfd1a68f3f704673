"""How a table is cut into parts that are solved at the same time.

A part is a range of planes, whose bounds are placements of the lead, or of the lead and of further
men of its side. So no move of the other side leads from one part into another. Only the lead's side
needs what others have: the positions with the other side to move.

Slices of pawns need nothing of one another, as long as their pawns have the same number of steps to
go. So a table with pawns is cut into ranges of slices.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.planes.kinds import KING_PLANES
from unmove.planes.layouts import AnyLayout
from unmove.solver.disk_log import BAND_CELLS, LEAST_BANDS
from unmove.values import WHITE, Side

Range = tuple[int, int]


class Cut(NamedTuple):
    """The parts of a table, or of its slices that are solved at the same time."""

    planes: list[Range]
    """The planes of each part, as numbers of the layout."""
    bands: list[list[Range]]
    """The bands of each part, as ranges of the planes on which no men overlap."""


def has_slices(material: Material, layout: AnyLayout) -> bool:
    """Whether parts are slices of pawns."""
    return material.has_pawns and layout.kind == KING_PLANES


def lead_side(layout: AnyLayout) -> Side:
    """The side whose men a table is cut by."""
    return layout.groups[0][0].side if layout.groups else WHITE


def axes_of_lead(layout: AnyLayout) -> int:
    """How many of the layout's axes are of the lead's side, before the first of the other side."""
    if has_slices(layout.material, layout) or not layout.groups:
        return 1
    sides = [man.side for man, _ in layout.groups]
    return next((i for i, side in enumerate(sides) if side != sides[0]), len(sides))


def cut_of(layout: AnyLayout, parts: int) -> Cut:
    """At most so many parts, about as large as one another."""
    apart = layout.apart
    starts = np.zeros(1, np.int64)
    axes = axes_of_lead(layout)
    for size, stride in zip(layout.sizes[:axes], layout.strides[:axes], strict=True):
        starts = (starts[:, None] + np.arange(size) * stride).ravel()
    before = np.searchsorted(apart, starts)
    wanted = len(apart) * np.arange(1, parts) / parts
    nearest = sorted({int(np.abs(before - each).argmin()) for each in wanted})
    inner = list({int(before[i]): i for i in nearest if 0 < before[i] < len(apart)}.values())
    edges = [0, *starts[inner].tolist(), layout.count]
    bounds = [0, *before[inner].tolist(), len(apart)]
    bands = _bands(bounds, layout.cells)
    return Cut(list(itertools.pairwise(edges)), bands)


def _bands(bounds: list[int], cells: int) -> list[list[Range]]:
    """Each part in bands of one size, so that none has larger ones than another."""
    parts = list(itertools.pairwise(bounds))
    least = min(stop - first for first, stop in parts)
    size = max(1, min(BAND_CELLS // cells, least, bounds[-1] // LEAST_BANDS))
    return [
        [(at, min(at + size, stop)) for at in range(first, stop, size)] for first, stop in parts
    ]


def slices_of(layout: AnyLayout, parts: int, most: int) -> list[list[Range]]:
    """The ranges of orbits that are solved at the same time, as often as parts have to wait.

    None has more than `most` orbits.
    """
    rounds = []
    for first, stop in layout.parts:
        for begin in range(first, stop, most * parts):
            end = min(begin + most * parts, stop)
            edges = np.linspace(begin, end, min(parts, end - begin) + 1).astype(np.int64).tolist()
            rounds.append(list(itertools.pairwise(edges)))
    return rounds


def in_range(planes: NDArray[np.int64], cut: Range) -> Range:
    """Which of ascending planes are in a range."""
    first, stop = np.searchsorted(planes, cut).tolist()
    return first, stop
