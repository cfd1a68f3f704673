"""Open Syzygy files, as the kernels read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.errors import TooManyMen
from unmove.interop.syzygy.codebook import Codebook
from unmove.interop.syzygy.file import SyzygyFile
from unmove.interop.syzygy.materials import (
    CODE_LETTERS,
    KING_NUMBER,
    OF_BLACK,
    PAWN_NUMBER,
    codes_of,
    file_material,
    is_symmetric,
    lead_of_pawns,
)
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.numbering import MOST_FILE_MEN
from unmove.kernels.syzygy.tables import SyzygyTables, place_of_key
from unmove.material import Material
from unmove.values import WHITE


class OpenFiles:
    """Some open files and their tables. It never changes: a probe works with one to its end."""

    def __init__(self) -> None:
        self.files: list[SyzygyFile] = []
        keys, entries = np.zeros((2, 1 << tables.HASH_BITS), np.int64)
        self.tables = SyzygyTables(
            keys,
            entries,
            np.zeros((0, tables.FILE_COLUMNS), np.int64),
            np.zeros((0, tables.ROW_WIDTH), np.int64),
            np.zeros(0, np.int64),
        )
        self.unpacked: dict[int, NDArray[Any]] = {}
        """[row]: all values of a sub-table."""
        self.codebooks: dict[int, Codebook] = {}
        """[row]: the codebook of a sub-table that has several values."""

    def plus(self, file: SyzygyFile) -> OpenFiles:
        """The same files and another one."""
        more = self._copy()
        more._add(file)
        return more

    def with_values(self, unpacked: dict[int, NDArray[Any]]) -> OpenFiles:
        """The same files, with the values of these rows unpacked."""
        other = self._copy()
        other.unpacked = unpacked
        other.tables.rows[:, tables.UNPACKED] = 0
        for row, values in unpacked.items():
            other.tables.rows[row, tables.UNPACKED] = values.ctypes.data
            other.tables.rows[row, tables.WIDE] = values.itemsize > 1
        return other

    def _copy(self) -> OpenFiles:
        copy = OpenFiles()
        copy.files, copy.unpacked = [*self.files], {**self.unpacked}
        copy.codebooks = {**self.codebooks}
        copy.tables = SyzygyTables(*(array.copy() for array in self.tables))
        return copy

    def has(self, material: Material, kind: int) -> bool:
        """Whether the file of this endgame and kind is open."""
        return any((file.material, file.kind) == (material, kind) for file in self.files)

    def owner(self, row: int) -> Path:
        """The file that has a row."""
        return self.files[int(self.tables.rows[row, tables.FILE_NUMBER])].path

    def _add(self, file: SyzygyFile) -> None:
        """The file is open; only while the object is being made."""
        held = self.tables
        number = self._number_of(file.material)
        first, rows = len(held.rows), file.rows.copy()
        rows[:, tables.FILE_NUMBER] = len(self.files)
        self.files.append(file)
        self.codebooks |= {first + row: codebook for row, codebook in file.codebooks.items()}
        uses = np.concatenate([held.uses, np.zeros(len(rows), np.int64)])
        held = self.tables._replace(rows=np.concatenate([held.rows, rows]), uses=uses)
        self.tables = held
        held.files[number, file.kind] = first

    def _number_of(self, material: Material) -> int:
        """The number of the endgame; it is given one if it has none."""
        held = self.tables
        place = _place(held.keys, _key(material))
        if held.keys[place]:
            return int(held.entries[place] >> 1)
        number = len(held.files)
        for exchanged, name in enumerate((material, material.swapped())):
            place = _place(held.keys, _key(name))
            if not held.keys[place]:
                held.keys[place], held.entries[place] = _key(name), 2 * number + exchanged
        files = np.concatenate([held.files, _file_row(material)[None]])
        self.tables = held._replace(files=files)
        return number


def _file_row(material: Material) -> NDArray[np.int64]:
    """The columns of an endgame of which no file is open."""
    row = np.zeros(tables.FILE_COLUMNS, np.int64)
    row[[tables.OUTCOMES, tables.DISTANCES]] = tables.NOT_OPEN
    row[tables.SYMMETRIC] = is_symmetric(material)
    side = lead_of_pawns(material)
    if side is not None:
        leader = PAWN_NUMBER + (0 if side == WHITE else OF_BLACK)
        codes = codes_of(material)
        row[tables.LEADERS], row[tables.FIRST_LEADER] = codes.count(leader), codes.index(leader)
    return row


def _key(material: Material) -> int:
    """The key of a material, as the kernels make it of a position."""
    key = 0
    for code in codes_of(material):
        if code % OF_BLACK != KING_NUMBER:
            side = tables.SIDE_BITS if code > OF_BLACK else 0
            key += 1 << tables.KIND_BITS * (code % OF_BLACK - 1) + side
    return key


def _place(keys: NDArray[np.int64], key: int) -> int:
    """Where a key is, or would be put."""
    place = int(place_of_key(key))
    while keys[place] not in (0, key):
        place = (place + 1) % len(keys)
    return place


def material_of_key(key: int) -> Material:
    """The endgame of a key, as a file has it; TooManyMen if none has it."""
    sides = []
    for shift in (0, tables.SIDE_BITS):
        counts = [
            key >> shift + tables.KIND_BITS * kind & (1 << tables.KIND_BITS) - 1
            for kind in range(5)
        ]
        sides.append(
            "".join(letter * n for letter, n in zip(CODE_LETTERS[:5], counts, strict=True))
        )
    men = 2 + len(sides[0]) + len(sides[1])
    if men > MOST_FILE_MEN:
        raise TooManyMen(men, MOST_FILE_MEN, hint=" Syzygy files have no more")
    return file_material(Material.of(*sides))
