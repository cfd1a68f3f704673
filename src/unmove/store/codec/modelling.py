"""Planes as the leaves and symbols of a model: what is counted to learn it, and what is coded.

To find them is most of the work of coding. A model is learnt from so many planes that it pays to
keep those of all but the largest tables until they are coded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.codec.contexts import LANES
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.rans import ModelledPlanes, model_planes, model_scratch
from unmove.kernels.codec.scratch import coder_scratch
from unmove.kernels.codec.tree import Tree
from unmove.store.codec.order import Order


def modelled(ranks: Ranks, facts: PlaneFacts, order: Order, tree: Tree) -> ModelledPlanes:
    """The leaves and symbols of these planes."""
    cells = int(np.bitwise_count(facts.legal).sum())
    leaves, symbols = np.empty((2, cells), np.uint16)
    found = ModelledPlanes(
        leaves, symbols, np.empty(LANES * order.strips * len(ranks) + 1, np.int64)
    )
    scratch = model_scratch(coder_scratch())
    model_planes(ranks, facts, order.for_kernels, tree, scratch, found)
    return found


def each_of(planes: ModelledPlanes, strips: int) -> list[ModelledPlanes]:
    """The planes one by one, each of so many strips."""
    leaves, symbols, bounds = planes
    found, lanes = [], LANES * strips
    for i in range(0, len(bounds) - 1, lanes):
        first, stop = bounds[i], bounds[i + lanes]
        cells = slice(first, stop)
        own = bounds[i : i + lanes + 1] - first
        found.append(ModelledPlanes(leaves[cells], symbols[cells], own))
    return found


def joined(planes: Sequence[ModelledPlanes]) -> ModelledPlanes:
    """All planes, one after the other."""
    leaves, symbols, bounds = zip(*planes, strict=True)
    sizes = np.concatenate([np.diff(each) for each in bounds])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return ModelledPlanes(np.concatenate(leaves), np.concatenate(symbols), ends)


class KnownPlanes:
    """Modelled planes by their places, each kept until it is taken. Threads may share it."""

    def __init__(self, strips: int = 1) -> None:
        self._strips = strips
        self._planes: dict[int, ModelledPlanes] = {}

    def keep(self, places: NDArray[np.int64], planes: ModelledPlanes) -> None:
        """The planes are kept."""
        self._planes.update(zip(places.tolist(), each_of(planes, self._strips), strict=True))

    def take(self, place: int) -> ModelledPlanes | None:
        """The plane, which is kept no longer; None if it was not."""
        return self._planes.pop(place, None)
