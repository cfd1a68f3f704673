"""The file, version 1: what stands where. Constants and the header, no input or output.

    offset  size  what
    0       8     MAGIC
    8       4     format version, little-endian like everything here
    12      8     offset of the footer
    20      8     size of the footer
    28      4     CRC-32 of the footer
    32            blocks, one after the other, zstandard frames with a checksum
    footer        JSON, UTF-8: see `Footer`

A block holds PLANES_A_BLOCK planes of one side to move, 4,096 cells each, one index into the
palette a cell: a byte, or two in a block with an index above 255. The parts of the table (see
`planes.lead`) follow one another, in each first all blocks with White to move, then all with Black
to move; the last block of a part and side may be shorter. The directory has each block's size.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MAGIC: Final = b"unmove\r\n"
VERSION: Final = 1
HEAD: Final = struct.Struct("<8sIQQI")
PLANES_A_BLOCK: Final = 8
SUFFIX: Final = ".unmove"


@dataclass(frozen=True)
class Footer:
    """What a file says of itself. `histogram[side]` maps codes to positions modulo symmetry."""

    material: str
    metric: str
    planes: int
    palette: list[int]
    blocks: list[int]
    legal: tuple[int, int]
    histogram: tuple[dict[int, int], dict[int, int]]
    longest: dict[str, str]

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Footer:
        """The footer behind the text; ValueError, KeyError or TypeError if it is none."""
        facts: dict[str, Any] = json.loads(text)
        white, black = ({int(k): int(v) for k, v in h.items()} for h in facts["histogram"])
        legal = facts["legal"]
        return cls(
            material=str(facts["material"]),
            metric=str(facts["metric"]),
            planes=int(facts["planes"]),
            palette=[int(code) for code in facts["palette"]],
            blocks=[int(size) for size in facts["blocks"]],
            legal=(int(legal[0]), int(legal[1])),
            histogram=(white, black),
            longest={str(k): str(v) for k, v in facts["longest"].items()},
        )


class Blocks:
    """Which block holds which planes, given the end of each part, in planes."""

    def __init__(self, ends: Sequence[int]) -> None:
        self._ends = np.array(ends, np.int64)
        self._starts = np.array([0, *ends[:-1]], np.int64)
        self._a_side = -(-(self._ends - self._starts) // PLANES_A_BLOCK)
        self._first = np.concatenate([[0], np.cumsum(2 * self._a_side)])

    @property
    def count(self) -> int:
        return int(self._first[-1])

    @property
    def planes(self) -> int:
        return int(self._ends[-1])

    def place(
        self, side: int, planes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The blocks of some planes, with `side` to move, and the planes' places in them."""
        part = np.searchsorted(self._ends, planes, side="right")
        block, index = np.divmod(planes - self._starts[part], PLANES_A_BLOCK)
        return self._first[part] + side * self._a_side[part] + block, index

    def of_part(self, part: int) -> list[tuple[int, int, int]]:
        """The blocks of a part in order: (side to move, first plane of the part, one past)."""
        planes = int(self._ends[part] - self._starts[part])
        firsts = range(0, planes, PLANES_A_BLOCK)
        return [
            (side, first, min(first + PLANES_A_BLOCK, planes))
            for side in (0, 1)
            for first in firsts
        ]

    def size(self, block: int) -> int:
        """How many planes a block holds."""
        part = int(np.searchsorted(self._first, block, side="right")) - 1
        first = (block - self._first[part]) % self._a_side[part] * PLANES_A_BLOCK
        return min(PLANES_A_BLOCK, int(self._ends[part] - self._starts[part] - first))
