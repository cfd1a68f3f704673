"""A block: some planes of ranks, coded.

A block of the tree coder begins with the number of 16-bit words of each plane's two lanes, in
bytes; the words of the lanes follow. Each plane can be decoded alone. A zstandard block is one
frame with the ranks of all its planes, and is decoded as a whole.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.codec.contexts import BOARDS, LANES
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.rans import (
    LANE_CELLS,
    MORE,
    Block,
    Blocks,
    ModelledPlanes,
    decode,
    decode_boards,
    encode,
)
from unmove.kernels.codec.scratch import coder_scratch
from unmove.store.codec.model import Model
from unmove.store.codec.modelling import KnownPlanes, each_of, joined, modelled
from unmove.store.codec.order import Order

LEAST_WORDS = 2  # of a lane: its last state
MOST_WORDS = 2 * LANE_CELLS + LEAST_WORDS  # at most two symbols a cell, each of at most 15 bits
ZSTD_LEVEL = 12


class Coder(Protocol):
    """How the planes of a block become bytes."""

    def encoded(
        self, ranks: Ranks, facts: PlaneFacts, places: NDArray[np.int64] | None = None
    ) -> bytes:
        """The block of these planes; `places` are their numbers among the stored ones."""
        ...

    def decode(
        self,
        data: bytes,
        planes: int,
        wanted: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> None:
        """out = the ranks of the wanted planes of a block, given the facts of the wanted planes.

        The block has `planes` planes. ValueError if its bytes cannot be what was written.
        """
        ...

    def decode_boards(
        self,
        data: NDArray[np.uint8],
        spans: NDArray[np.int64],
        boards: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> int:
        """out = the ranks of at least boards[i, lane] boards of each lane of some planes.

        Their blocks are in `data`, and `spans` says where, see `rans.Blocks`. After its cells a row
        has how many boards are decoded. Returns the number of the first plane that cannot be what
        was written, -1 without one.
        """
        ...


class TreeCoder:
    """Contexts from a learnt tree, and entropy coding.

    `known` has planes whose contexts were found when the model was learnt.
    """

    def __init__(self, model: Model, known: KnownPlanes | None = None) -> None:
        self._model = model
        self._known = known or KnownPlanes()

    def encoded(
        self, ranks: Ranks, facts: PlaneFacts, places: NDArray[np.int64] | None = None
    ) -> bytes:
        """See `Coder`."""
        strips = len(ranks) * self._model.order.strips
        out = np.empty(len(ranks) * LANES * MOST_WORDS + strips * LANES * LEAST_WORDS, np.uint16)
        sizes = np.zeros((strips, LANES), np.int64)
        buffer = np.empty(MOST_WORDS, np.uint16)
        cells = self._modelled(ranks, facts, places)
        end = encode(cells, self._model.encoder, buffer, out, sizes)
        told = b"".join(bytes([MORE] * (n // MORE) + [n % MORE]) for n in sizes.ravel().tolist())
        return told + bytes(len(told) % 2) + out[:end].astype("<u2").tobytes()

    def _modelled(
        self, ranks: Ranks, facts: PlaneFacts, places: NDArray[np.int64] | None
    ) -> ModelledPlanes:
        """The planes as their leaves and symbols."""
        order, tree = self._model.order, self._model.tree
        found = [self._known.take(place) for place in ([] if places is None else places.tolist())]
        if not any(found):
            return modelled(ranks, facts, order, tree)
        new = np.array([i for i, plane in enumerate(found) if plane is None], np.int64)
        planes = iter(
            each_of(modelled(Ranks(ranks[new]), facts.of(new), order, tree), order.strips)
        )
        return joined([plane or next(planes) for plane in found])

    def decode(
        self,
        data: bytes,
        planes: int,
        wanted: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> None:
        """See `Coder`."""
        if len(data) % 2:
            raise ValueError("it is too short")
        block = Block(
            np.frombuffer(data, np.uint8),
            np.frombuffer(data, "<u2").astype(np.uint16, copy=False),
            np.empty(LANES * self._model.order.strips * planes + 1, np.int64),
        )
        bad = decode(block, wanted, facts, self._model.decoder, coder_scratch(), out)
        if bad == planes:
            raise ValueError("its planes do not fit")
        if bad >= 0:
            raise ValueError(f"plane {bad} of it is not what was written")

    def decode_boards(
        self,
        data: NDArray[np.uint8],
        spans: NDArray[np.int64],
        boards: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> int:
        """See `Coder`."""
        most = 0
        for i, (_, stop, planes, _) in enumerate(spans.tolist()):
            if stop & 1:  # the size of a block that was written is even
                return i
            most = max(most, planes)
        room = np.empty(LANES * self._model.order.strips * most + 1, np.int64)
        words = data[: len(data) & ~1].view("<u2").astype(np.uint16, copy=False)
        given = Blocks(data, words, spans, room)
        return decode_boards(given, boards, facts, self._model.decoder, coder_scratch(), out)


class ZstdCoder:
    """Ranks as they are, compressed with zstandard: for tables that the model does not suit."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def encoded(
        self, ranks: Ranks, facts: PlaneFacts, places: NDArray[np.int64] | None = None
    ) -> bytes:
        """See `Coder`."""
        data = ranks.astype(np.dtype(ranks.dtype).newbyteorder("<")).tobytes()
        return zstandard.ZstdCompressor(ZSTD_LEVEL).compress(data)

    def decode(
        self,
        data: bytes,
        planes: int,
        wanted: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> None:
        """See `Coder`."""
        kind = np.dtype(self._order.kind)
        cells = 64 * facts.legal.shape[1]
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
            np.ascontiguousarray(facts.legal).astype("<u8").view(np.uint8).reshape(-1, cells // 8)
        )
        if ((found == self._order.illegal) == np.unpackbits(rows, axis=1, bitorder="little")).any():
            raise ValueError("its planes do not fit")
        out[:] = found

    def decode_boards(
        self,
        data: NDArray[np.uint8],
        spans: NDArray[np.int64],
        boards: NDArray[np.int64],
        facts: PlaneFacts,
        out: Ranks,
    ) -> int:
        """See `Coder`; every plane is decoded whole."""
        cells = 64 * facts.legal.shape[1]
        out[:, cells:] = BOARDS
        for i, (first, stop, inside, wanted) in enumerate(spans.tolist()):
            one, ranks = slice(i, i + 1), Ranks(out[i : i + 1, :cells])
            try:
                block = data[first:stop].tobytes()
                self.decode(block, inside, np.array([wanted]), facts.of(one), ranks)
            except ValueError:
                return i
        return -1
