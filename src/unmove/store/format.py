"""The file, version 1: what stands where. docs/format.md says the same in full.

    header      32 bytes: MAGIC, version, sections, size of the file, two checksums
    table       of the sections: tag, checksum, offset, size
    meta        JSON: what the table is, how it is coded, its statistics
    modl        the model of the coder, see `model.py`
    dire        the directory: size and checksum of each block
    blks        the blocks, one after the other
    digest      SHA-256 of everything before it

Everything is little-endian, every section begins at a multiple of eight bytes. Constants, the
header and the meta section; no input or output.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Final

from unmove.material import Material
from unmove.store.summary import SIDES, Summary
from unmove.values import DRAW, Metric

MAGIC: Final = b"\x89unmove\n"
VERSION: Final = 1
HEADER: Final = struct.Struct("<8sIIQII")
SECTION: Final = struct.Struct("<4sIQQ")
TAGS: Final = (b"meta", b"modl", b"dire", b"blks")
PREAMBLE: Final = HEADER.size + len(TAGS) * SECTION.size
DIGEST: Final = 32  # bytes of a SHA-256
ALIGNMENT: Final = 8
PLANES_A_BLOCK: Final = 16
SUFFIX: Final = ".unmove"
LARGEST_META: Final = 1 << 20  # bytes
LARGEST_CODE: Final = 1 << 13
LONGEST_NAME: Final = 40  # letters of a material
TREE, ZSTD = "tree", "zstd"


@dataclass(frozen=True)
class Section:
    """Where a section is, and the CRC-32 of its bytes (0 for the blocks, which have their own)."""

    checksum: int
    offset: int
    size: int


@dataclass(frozen=True)
class Meta:
    """What a file says of its table."""

    material: str
    metric: Metric
    kept: int
    """The side to move that is stored."""
    coder: str
    planes: int
    """How many planes are stored."""
    summary: Summary
    values: str
    """The digest of both sides' values, whatever the coder: see `store.digest`."""
    made_by: str

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.planes // PLANES_A_BLOCK)

    def to_bytes(self) -> bytes:
        facts = {
            "game": "chess",
            "material": self.material,
            "metric": self.metric.value,
            "kept": SIDES[self.kept],
            "layout": "kings",
            "coder": self.coder,
            "planes": self.planes,
            "legal": list(self.summary.legal),
            "histogram": [sorted(counts.items()) for counts in self.summary.histogram],
            "longest": self.summary.longest,
            "values": self.values,
            "made_by": self.made_by,
        }
        return json.dumps(facts, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Meta:
        """What stands in the text; ValueError if it is not what `to_bytes` writes."""
        try:
            return cls._from_facts(json.loads(text))
        except (LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error

    @classmethod
    def _from_facts(cls, facts: dict[str, Any]) -> Meta:
        if facts["game"] != "chess" or facts["layout"] != "kings":
            raise ValueError("it is of another game")
        if facts["coder"] not in (TREE, ZSTD):
            raise ValueError("it is coded in a way unknown here")
        if len(facts["material"]) > LONGEST_NAME or int(facts["planes"]) < 1:
            raise ValueError("it is of no endgame")
        white, black = (_counts(rows) for rows in facts["histogram"])
        legal_white, legal_black = (int(legal) for legal in facts["legal"])
        longest = {str(which): str(fen) for which, fen in facts["longest"].items()}
        return cls(
            material=str(facts["material"]),
            metric=Metric(facts["metric"]),
            kept=SIDES.index(facts["kept"]),
            coder=facts["coder"],
            planes=int(facts["planes"]),
            summary=Summary((legal_white, legal_black), (white, black), longest),
            values=str(facts["values"]),
            made_by=str(facts["made_by"]),
        )


def _counts(rows: list[list[int]]) -> dict[int, int]:
    """Positions by code."""
    counts = {int(code): int(positions) for code, positions in rows}
    if any(not DRAW < code < LARGEST_CODE or positions < 0 for code, positions in counts.items()):
        raise ValueError("its statistics are impossible")
    return counts


def aligned(at: int) -> int:
    """The first place from there on where a section may begin."""
    return -(-at // ALIGNMENT) * ALIGNMENT


def preamble(sections: list[Section], size: int) -> bytes:
    """The header and the table of sections of a file of so many bytes."""
    table = b"".join(
        SECTION.pack(tag, section.checksum, section.offset, section.size)
        for tag, section in zip(TAGS, sections, strict=True)
    )
    head = HEADER.pack(MAGIC, VERSION, len(TAGS), size, zlib.crc32(table), 0)
    return head[:-4] + struct.pack("<I", zlib.crc32(head[:-4])) + table


def table_name(material: Material, metric: Metric) -> str:
    """`KQvKR.dtm.unmove`."""
    return f"{material.stem}.{metric.value}{SUFFIX}"
