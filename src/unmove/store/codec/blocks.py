"""A block: some planes of ranks, coded. Each of them can be decoded alone, but for zstandard's.

The tree's blocks begin with the number of 16-bit words of each plane's two lanes, in bytes; the
words of the lanes follow. A zstandard block is a frame of the planes' ranks as they are.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.kernels.codec.contexts import LANES
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.rans import LANE, MORE, decode, encode
from unmove.kernels.codec.scratch import coder_scratch
from unmove.planes.layout import CELLS
from unmove.store.codec.model import Model
from unmove.store.codec.order import Order
from unmove.store.table import CellArray

MOST_WORDS = 2 * LANE + 2  # a lane has: two symbols a cell, each of 15 bits or less
ZSTD_LEVEL = 12


class Coder(Protocol):
    """How the planes of a block become bytes."""

    def encoded(self, ranks: CellArray, known: PlaneFacts) -> bytes:
        """The block of these planes."""
        ...

    def decode(
        self,
        data: bytes,
        planes: int,
        wanted: NDArray[np.int64],
        known: PlaneFacts,
        out: CellArray,
    ) -> None:
        """out = the ranks of the wanted ones of a block's planes, given what is known of them.

        ValueError if they cannot be what was written.
        """
        ...


class TreeCoder:
    """Contexts from a learnt tree, and range coding."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._ranks = model.order.ranks
        self._illegal = model.order.illegal

    def encoded(self, ranks: CellArray, known: PlaneFacts) -> bytes:
        """See `Coder`."""
        planes = len(ranks)
        out = np.zeros(planes * LANES * MOST_WORDS, np.uint16)
        sizes = np.zeros((planes, LANES), np.int64)
        end = encode(
            ranks,
            known,
            self._ranks,
            self._model.encoder,
            coder_scratch(),
            np.zeros(CELLS, np.int32),
            np.zeros(CELLS, np.int32),
            np.zeros(MOST_WORDS, np.uint16),
            out,
            sizes,
        )
        told = b"".join(bytes([MORE] * (n // MORE) + [n % MORE]) for n in sizes.ravel().tolist())
        return told + bytes(len(told) % 2) + out[:end].astype("<u2").tobytes()

    def decode(
        self,
        data: bytes,
        planes: int,
        wanted: NDArray[np.int64],
        known: PlaneFacts,
        out: CellArray,
    ) -> None:
        """See `Coder`."""
        if len(data) % 2:
            raise ValueError("it is too short")
        bad = decode(
            np.frombuffer(data, np.uint8),
            np.frombuffer(data, "<u2").astype(np.uint16, copy=False),
            wanted,
            known,
            self._ranks,
            self._model.decoder,
            coder_scratch(),
            np.empty(LANES * planes + 1, np.int64),
            self._illegal,
            out,
        )
        if bad == planes:
            raise ValueError("its planes do not fit")
        if bad >= 0:
            raise ValueError(f"plane {bad} of it is not what was written")


class ZstdCoder:
    """Ranks as they are, compressed with zstandard: for anything the model does not fit."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def encoded(self, ranks: CellArray, known: PlaneFacts) -> bytes:
        """See `Coder`."""
        data = ranks.astype(np.dtype(ranks.dtype).newbyteorder("<")).tobytes()
        return zstandard.ZstdCompressor(ZSTD_LEVEL).compress(data)

    def decode(
        self,
        data: bytes,
        planes: int,
        wanted: NDArray[np.int64],
        known: PlaneFacts,
        out: CellArray,
    ) -> None:
        """See `Coder`."""
        kind = np.dtype(self._order.kind)
        cells = 64 * known.legal.shape[1]
        size = planes * cells * kind.itemsize
        try:
            if zstandard.get_frame_parameters(data).content_size != size:
                raise ValueError("it has the wrong size")
            text = zstandard.ZstdDecompressor().decompress(data)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
        ranks = np.frombuffer(text, kind.newbyteorder("<")).reshape(planes, cells)
        if ranks.max() > self._order.illegal:
            raise ValueError("it has a rank that its table does not have")
        found = ranks.astype(kind)[wanted]
        rows = (
            np.ascontiguousarray(known.legal).astype("<u8").view(np.uint8).reshape(-1, cells // 8)
        )
        if ((found == self._order.illegal) == np.unpackbits(rows, axis=1, bitorder="little")).any():
            raise ValueError("its planes do not fit")
        out[:] = found
