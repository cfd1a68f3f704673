"""The proof of a table whose planes are king by king."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.proof.fixpoint import ProofValues, check_planes
from unmove.kernels.proof.successors import Rule
from unmove.store.source import MapFunction, Source, TableLookup
from unmove.successors.forward import ForwardMoves, PlaneRange
from unmove.values import Side
from unmove.verify.tally import Tally, bands, cells_of


class KingsProof:
    """See `Proof`. Of all tables, only the planes that a band's moves lead to are in memory."""

    def __init__(self, source: Source, side: Side, tables: TableLookup) -> None:
        self.side = side
        self.moves = ForwardMoves(source, side, tables)

    def check(self, ranges: Sequence[PlaneRange], run: MapFunction) -> Iterator[Tally]:
        """See `Proof`."""
        for band in bands(ranges):
            check_range = partial(self._check_range, *self.moves.loaded(band, run))
            cells = cells_of(self.moves.source, self.side, band)
            yield from run(check_range, zip(band, cells, strict=True))

    def _check_range(
        self, rule: Rule, values: ProofValues, work: tuple[PlaneRange, CellNumbers]
    ) -> Tally:
        planes, cells = work
        tally = np.zeros(4, np.int64)
        state = self.moves.state(rule)
        check_planes(*planes, self.side, values._replace(here=cells), state, tally)
        return Tally.of(self.side, tally)
