"""Which planes of a solved table later ones read: they stay in memory until the last has read them.

Reading them back from a file takes as long as solving: planes are decoded, and the side to move
that is not stored is searched for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unmove.material import Material
from unmove.successors.promoted import Promotion, planes_after, promotions_of
from unmove.values import Metric, Side

KEPT_SHARE = 3  # one of so many parts of the memory that a build may take is for planes that stay

TableName = tuple[Material, Metric]


class Named(Protocol):
    """A table to build."""

    @property
    def material(self) -> Material: ...
    @property
    def metric(self) -> Metric: ...


class Keeping:
    """What is kept of the tables of a plan."""

    def __init__(self, tables: Iterable[Named]) -> None:
        self._into: defaultdict[TableName, list[Promotion]] = defaultdict(list)
        self._readers: defaultdict[TableName, set[TableName]] = defaultdict(set)
        for table in tables:
            for promotion in promotions_of(table.material):
                name = promotion.table, table.metric
                self._into[name].append(promotion)
                self._readers[name].add((table.material, table.metric))

    def into(self, table: Named) -> list[Promotion]:
        """The promotions of other tables into this one."""
        return self._into.get((table.material, table.metric), [])

    def planes(self, table: Named) -> dict[Side, NDArray[np.int64]]:
        """The planes of a table that later ones read, by side to move."""
        return planes_after(self.into(table))

    def read_by(self, table: Named) -> list[TableName]:
        """This table is solved; returns those that it read and no other one will read."""
        reader, last = (table.material, table.metric), []
        for name, readers in self._readers.items():
            if reader in readers:
                readers.remove(reader)
                if not readers:
                    last.append(name)
        return last
