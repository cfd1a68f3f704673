"""A whole endgame by Syzygy files: every legal position with its value, once of all its images.

The positions are those of `unmove.Tablebase.batches`, in another order. Colours are never
exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.games.boards import exchanged
from unmove.interop.syzygy.answers import SyzygyValues
from unmove.interop.syzygy.descriptors import Descriptor, files_of
from unmove.interop.syzygy.materials import file_material
from unmove.kernels.syzygy.images import place_each
from unmove.kernels.syzygy.tables import typed
from unmove.material import Material
from unmove.probe.batches import Positions, joined
from unmove.values import SIDES

PLACEMENTS_A_BATCH: Final = 1 << 18


@dataclass(frozen=True)
class SyzygyBatch(Positions):
    """Positions and their values by Syzygy files. None has a right to take en passant."""

    values: SyzygyValues

    @classmethod
    def joined(cls, parts: Sequence[SyzygyBatch]) -> SyzygyBatch:
        """The positions of all batches in one."""
        numbers = np.concatenate([part.values.numbers for part in parts])
        return cls(*joined(parts), SyzygyValues(numbers, parts[0].values.value))


Probe = Callable[[NDArray[np.uint8], NDArray[np.uint8]], SyzygyValues]
"""The values of positions of an endgame, given squares and turns."""


def batches(material: Material, probe: Probe) -> Iterator[SyzygyBatch]:
    """The positions of an endgame as it is written, White to move first in each part."""
    stored = file_material(material)
    for squares in _placements(stored):
        written = squares if material == stored else exchanged(squares, stored)
        for side in SIDES:
            turns = np.full(len(written), side, np.uint8)
            values = probe(written, turns)
            legal = values.legal
            known = SyzygyValues(values.numbers[legal], values.value)
            yield SyzygyBatch(material, written[legal], turns[legal], known)


def _placements(material: Material) -> Iterator[NDArray[np.uint8]]:
    """The placements of a material, some at a time, in the order of its name."""
    for file in files_of(material):
        descriptor = Descriptor.usual(material, file)
        for first in range(0, descriptor.size, PLACEMENTS_A_BATCH):
            count = min(PLACEMENTS_A_BATCH, descriptor.size - first)
            listed = np.empty((count, material.men), np.int64)
            chosen = np.empty(count, np.bool_)
            room = np.empty(material.men, np.int64)
            place_each(descriptor.numbering, typed(first), listed, room, chosen)
            named = np.empty((int(chosen.sum()), material.men), np.uint8)
            named[:, descriptor.men] = listed[chosen]
            yield named
