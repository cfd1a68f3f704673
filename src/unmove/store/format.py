"""The file, versions 1 and 2: what is where. docs/format.md has it in full.

    header      32 bytes: MAGIC, version, sections, size of the file, two checksums
    table       of the sections: tag, checksum, offset, size
    meta        JSON: what the table is, how it is coded, its statistics
    modl        the model of the coder, see `codec/model.py`; in version 2 one for each side
    dire        the directory: size and checksum of each block
    blks        the blocks, one after the other
    digest      SHA-256 of everything before it

Everything is little-endian; every section begins at a multiple of eight bytes. Version 2 is that of
a file of chess with both sides to move. This file has the constants, the header and the meta
section; no input or output.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from unmove.material import Material
from unmove.planes.kinds import PLANE_KINDS
from unmove.planes.layouts import layout_of
from unmove.store.summary import SIDE_KEYS, Summary
from unmove.values import BLACK, DRAW, WHITE, Code, Metric, Side
from unmove.variants import GAMES, XIANGQI

MAGIC: Final = b"\x89unmove\n"
ONE_ORDER, EACH_ITS_OWN = VERSIONS = (1, 2)
"""Version 2: both sides are stored, each with an order of values, a model and blocks of its own.
All other files have version 1, so that earlier programs read them."""
HEADER: Final = struct.Struct("<8sIIQII")
SECTION: Final = struct.Struct("<4sIQQ")
MODEL_SIZE: Final = struct.Struct("<Q")
TAGS: Final = (b"meta", b"modl", b"dire", b"blks")
PREAMBLE: Final = HEADER.size + len(TAGS) * SECTION.size
DIGEST: Final = 32  # bytes of a SHA-256
ALIGNMENT: Final = 8
CELLS_A_BLOCK: Final = 1 << 16
SUFFIX: Final = ".unmove"
LARGEST_META: Final = 1 << 20  # bytes
LARGEST_CODE: Final = 1 << 13
MOST_CODES: Final = 3600  # of a side; with more, the values of `contexts.py` would not fit 16 bits
LONGEST_NAME: Final = 40  # letters of a material
TREE, ZSTD = "tree", "zstd"
BOTH: Final = "both"
STRIPS: Final = (1, 2, 4)
"""How many strips a plane of version 2 may be coded in: a probe decodes a part of one."""
RULES: Final = {XIANGQI.name: "repetition draws"}
"""By game: the rules that its files are made by; see docs/decisions/0009-repetition.md."""


@dataclass(frozen=True)
class Section:
    """Where a section is, and the CRC-32 of its bytes (0 for the blocks, which have their own)."""

    checksum: int
    offset: int
    size: int


@dataclass(frozen=True)
class Meta:
    """The meta section: what a file says of its table."""

    material: Material
    metric: Metric
    sides: tuple[Side, ...]
    """The sides to move that are stored: one or both."""
    second: Side | None
    """In version 2 the side whose wins and losses by a move of the king are only marked."""
    strips: int
    """How many strips a plane is coded in: 1 in version 1."""
    coder: str
    planes: int
    """How many planes are stored."""
    summary: Summary
    values: str
    """The digest of both sides' values, whatever the coder: see `store.digest`."""
    made_by: str

    @cached_property
    def version(self) -> int:
        """The version of its file."""
        return version_of(self.material, self.sides)

    @cached_property
    def runs(self) -> int:
        """How many runs of blocks there are: a block has planes of one run alone."""
        return len(self.sides) if self.version == EACH_ITS_OWN else 1

    @cached_property
    def blocks(self) -> int:
        """How many blocks there are."""
        return self.runs * self.blocks_a_run

    @cached_property
    def blocks_a_run(self) -> int:
        """How many blocks a run has."""
        return -(-self.planes_a_run // self.planes_a_block)

    @cached_property
    def planes_a_run(self) -> int:
        """How many planes a run has."""
        return self.planes // self.runs

    def planes_in(self, block: int) -> int:
        """How many planes a block has."""
        before = block % self.blocks_a_run * self.planes_a_block
        return min(self.planes_a_block, self.planes_a_run - before)

    @cached_property
    def first_numbers(self) -> dict[Side, int]:
        """The number of the first plane of each stored side, the last blocks of runs filled up.

        A plane of this number divided by `planes_a_block` is in the block of the quotient.
        """
        planes = self.planes // len(self.sides)
        if self.version == EACH_ITS_OWN:
            planes = self.blocks_a_run * self.planes_a_block
        return {side: at * planes for at, side in enumerate(self.sides)}

    def ordered_with(self, side: Side) -> tuple[Side, ...]:
        """The stored sides whose values share an order with those of this one."""
        return (side,) if self.version == EACH_ITS_OWN else self.sides

    @cached_property
    def planes_a_block(self) -> int:
        """How many planes each block has, but for the last one."""
        return planes_a_block(layout_of(self.material).cells)

    @property
    def stored(self) -> str:
        """`white`, `black` or `both`."""
        return BOTH if len(self.sides) > 1 else SIDE_KEYS[self.sides[0]]

    def to_bytes(self) -> bytes:
        game = self.material.game.name
        facts = {
            "game": game,
            "material": self.material.name,
            "metric": self.metric.value,
            "kept": self.stored,
            "layout": PLANE_KINDS[game].name,
            "coder": self.coder,
            "planes": self.planes,
            "legal": list(self.summary.legal),
            "histogram": [sorted(counts.items()) for counts in self.summary.histogram],
            "longest": self.summary.longest,
            "values": self.values,
            "made_by": self.made_by,
        }
        if self.second is not None:
            facts["second"] = SIDE_KEYS[self.second]
            facts["strips"] = self.strips
        if game in RULES:
            facts["rules"] = RULES[game]
        return json.dumps(facts, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, text: bytes) -> Meta:
        """The meta section of these bytes; ValueError if `to_bytes` does not write such."""
        try:
            return cls._from_facts(json.loads(text))
        except (LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error

    @classmethod
    def _from_facts(cls, facts: dict[str, Any]) -> Meta:
        game = facts["game"]
        if game not in PLANE_KINDS or facts["layout"] != PLANE_KINDS[game].name:
            raise ValueError("it is of another game")
        if facts.get("rules") != RULES.get(game):
            raise ValueError("it is of a game by other rules")
        if facts["kept"] != BOTH and not PLANE_KINDS[game].has_contexts:
            raise ValueError("it stores other sides than tables of its game do")
        if facts["coder"] not in (TREE, ZSTD):
            raise ValueError("it is coded in a way unknown here")
        least = 2 if facts["kept"] == BOTH else 1
        if len(facts["material"]) > LONGEST_NAME or int(facts["planes"]) < least:
            raise ValueError("it is of no endgame")
        material = Material.parse(str(facts["material"]), game=GAMES[game])
        if material.name != facts["material"]:
            raise ValueError("it is not called by the name of its endgame")
        white, black = (_counts(rows) for rows in facts["histogram"])
        legal_white, legal_black = (int(legal) for legal in facts["legal"])
        longest = {str(which): str(fen) for which, fen in facts["longest"].items()}
        kept = facts["kept"]
        second, strips = None, 1
        if kept == BOTH and PLANE_KINDS[game].has_contexts:
            second, strips = Side(SIDE_KEYS.index(facts["second"])), facts["strips"]
            if strips not in STRIPS or type(strips) is not int:
                raise ValueError("its planes are cut in a way unknown here")
        return cls(
            material=material,
            metric=Metric(facts["metric"]),
            sides=(WHITE, BLACK) if kept == BOTH else (Side(SIDE_KEYS.index(kept)),),
            second=second,
            strips=strips,
            coder=facts["coder"],
            planes=int(facts["planes"]),
            summary=Summary((legal_white, legal_black), (white, black), longest),
            values=str(facts["values"]),
            made_by=str(facts["made_by"]),
        )


def _counts(rows: Iterable[tuple[Code, int]]) -> dict[Code, int]:
    """Positions by code."""
    counts = dict(rows)
    if len(counts) > MOST_CODES:
        raise ValueError("it has more different values than a table can have")
    if not {*map(type, counts), *map(type, counts.values())} <= {int}:
        raise ValueError("its statistics are no numbers")
    if counts and not (
        min(counts) > DRAW and max(counts) < LARGEST_CODE and min(counts.values()) >= 0
    ):
        raise ValueError("its statistics are impossible")
    return counts


def planes_a_block(cells: int) -> int:
    """How many planes of so many cells make a block."""
    return max(1, CELLS_A_BLOCK // cells)


def aligned(at: int) -> int:
    """The first offset from there on where a section may begin."""
    return -(-at // ALIGNMENT) * ALIGNMENT


def version_of(material: Material, sides: Sequence[Side]) -> int:
    """The version of a file that stores these sides to move."""
    return EACH_ITS_OWN if len(sides) > 1 and stores_one_side(material) else ONE_ORDER


def stores_one_side(material: Material) -> bool:
    """Whether a file of this endgame may store one side to move alone."""
    return PLANE_KINDS[material.game.name].has_contexts


def joined_models(models: Sequence[bytes]) -> bytes:
    """The section of the models. The size of the first one comes before two of them."""
    if len(models) < 2:
        return b"".join(models)
    first, second = models
    return MODEL_SIZE.pack(len(first)) + first + second


def separate_models(section: bytes) -> list[bytes]:
    """The two models of a section; ValueError if it is not one of two."""
    if len(section) < MODEL_SIZE.size:
        raise ValueError("its models are truncated")
    (size,) = MODEL_SIZE.unpack_from(section)
    if size > len(section) - MODEL_SIZE.size:
        raise ValueError("its models are truncated")
    middle = MODEL_SIZE.size + size
    return [section[MODEL_SIZE.size : middle], section[middle:]]


def preamble(sections: list[Section], size: int, version: int) -> bytes:
    """The header and the table of sections of a file of so many bytes."""
    table = b"".join(
        SECTION.pack(tag, section.checksum, section.offset, section.size)
        for tag, section in zip(TAGS, sections, strict=True)
    )
    head = HEADER.pack(MAGIC, version, len(TAGS), size, zlib.crc32(table), 0)
    return head[:-4] + struct.pack("<I", zlib.crc32(head[:-4])) + table


def table_name(material: Material, metric: Metric) -> str:
    """`KQvKR.dtm.unmove`."""
    return f"{material.stem}.{metric.value}{SUFFIX}"
