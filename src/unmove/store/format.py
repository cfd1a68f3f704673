"""The file, version 0: what stands where. Constants and the header, no input or output.

    offset  size  what
    0       8     MAGIC
    8       4     format version, little-endian like everything here
    12      8     offset of the footer
    20      8     size of the footer
    28      4     CRC-32 of the footer
    32            blocks, one after the other, zstandard frames
    footer        JSON, UTF-8: see `Footer`

A block holds PLANES_A_BLOCK planes of one side to move, 4,096 cells each, one index into the
palette a cell; first all blocks with White to move, then all with Black to move. The last block of
a side may be shorter. The directory gives each block's offset, size, and the CRC-32 of its cells.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import Any, Final

MAGIC: Final = b"unmove\r\n"
VERSION: Final = 0
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
    blocks: list[tuple[int, int, int]]
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
        offsets = [(int(a), int(b), int(c)) for a, b, c in facts["blocks"]]
        legal = facts["legal"]
        return cls(
            material=str(facts["material"]),
            metric=str(facts["metric"]),
            planes=int(facts["planes"]),
            palette=[int(code) for code in facts["palette"]],
            blocks=offsets,
            legal=(int(legal[0]), int(legal[1])),
            histogram=(white, black),
            longest={str(k): str(v) for k, v in facts["longest"].items()},
        )

    @property
    def blocks_a_side(self) -> int:
        return -(-self.planes // PLANES_A_BLOCK)

    def planes_of(self, block: int) -> int:
        """How many planes a block holds."""
        first = block % self.blocks_a_side * PLANES_A_BLOCK
        return min(PLANES_A_BLOCK, self.planes - first)
