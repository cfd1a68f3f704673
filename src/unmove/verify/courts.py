"""The proof of a table whose planes are court by court."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unmove.kernels.arrays import CellNumbers
from unmove.kernels.courts.fixpoint import check_court_planes
from unmove.store.source import MapFunction, Source, TableLookup
from unmove.successors.court_forward import CourtForwardMoves
from unmove.successors.forward import PlaneRange
from unmove.values import Side
from unmove.verify.tally import Tally, bands, cells_of


class CourtProof:
    """See `Proof`."""

    def __init__(self, source: Source, side: Side, tables: TableLookup) -> None:
        self.side = side
        self.moves = CourtForwardMoves(source, side, tables)

    def check(self, ranges: Sequence[PlaneRange], run: MapFunction) -> Iterator[Tally]:
        """See `Proof`."""
        source, moves = self.moves.source, self.moves
        codes = source.palette
        _ = moves.state()  # what threads share is made before they start

        def check_range(work: tuple[PlaneRange, CellNumbers]) -> Tally:
            planes, cells = work
            tally = np.zeros(4, np.int64)
            check_court_planes(*planes, self.side, cells, codes, moves.state(), tally)
            return Tally.of(self.side, tally)

        for band in bands(ranges):
            yield from run(check_range, zip(band, cells_of(source, self.side, band), strict=True))
