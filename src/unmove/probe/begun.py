"""Stored planes that are decoded as far as they are asked for.

A search asks for single cells all over a table. The cells of a plane can only be decoded in order,
so a plane is decoded up to the farthest cell that is asked for, and kept as it is. At the next
question that goes further it is decoded whole: who asks twice will ask again. Where a plane is
coded in strips, this is so for each strip.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumber
from unmove.kernels.codec.contexts import BOARDS, LANES
from unmove.kernels.locate import NOT_FOUND
from unmove.probe.plane_cache import CacheEntry, Layer, PlaneCache
from unmove.store.codec.arrangement import FiledCell
from unmove.store.reader import TableFile
from unmove.values import BROKEN, Code, Side

NOT_IN_FILE: Final = Code(-1)
"""In place of a code: the file does not have it."""

_VALUES, _AS_STORED, _ = Layer


class BegunPlanes:
    """The codes that a file has, plane by plane. Its planes are cached."""

    def __init__(self, file: TableFile, cache: PlaneCache) -> None:
        self._file = file
        self._cache = cache
        self._code_of_number = [Code(code) for code in file.palette.tolist()]

    @cached_property
    def _codes_of_ranks(self) -> dict[Side, list[Code]]:
        """[stored side][rank]: its code; NOT_IN_FILE for a conversion."""
        palette, conversion = self._file.palette, CellNumber(len(self._file.palette))
        codes, found = [*self._code_of_number, NOT_IN_FILE], {}
        for side in self._file.sides:
            numbers = self._file.order(side).to_numbers(palette, conversion).tolist()
            found[side] = [codes[number] for number in numbers]
        return found

    def code(self, side: Side, place: int, cell: int) -> Code:
        """The code of one cell; NOT_IN_FILE if the file has none."""
        plane = self._cache.get(self._file, _VALUES, side, place)
        if plane is not None:
            number: int = plane.item(cell)
            return self._code_of_number[number]
        if side not in self._file.sides:
            return NOT_IN_FILE
        begun = self._cache.get(self._file, _AS_STORED, side, place)
        filed = self._file.filed[cell]
        if begun is None or not self._has(begun, filed):
            begun = self._decoded(side, {place: [filed]}, {} if begun is None else {place: begun})[
                0
            ]
        rank: int = begun.item(filed.cell)
        return self._codes_of_ranks[side][rank]

    def codes(self, side: Side, places: Sequence[int], cells: Sequence[int]) -> list[Code]:
        """The same of some cells; BROKEN where the place is NOT_FOUND."""
        codes = [BROKEN if place == NOT_FOUND else NOT_IN_FILE for place in places]
        rows: dict[int, list[int]] = {}
        for row, place in enumerate(places):
            if place != NOT_FOUND:
                rows.setdefault(place, []).append(row)
        stored = side in self._file.sides
        code_of_rank = self._codes_of_ranks[side] if stored else []
        filed_cells, missing = self._file.filed, {}
        before: dict[int, CacheEntry] = {}
        for place, some in rows.items():
            plane = self._cache.get(self._file, _VALUES, side, place)
            if plane is not None:
                for row in some:
                    codes[row] = self._code_of_number[plane.item(cells[row])]
            elif stored:
                filed = [filed_cells[cells[row]] for row in some]
                begun = self._cache.get(self._file, _AS_STORED, side, place)
                if begun is not None and all(self._has(begun, each) for each in filed):
                    for row, each in zip(some, filed, strict=True):
                        codes[row] = code_of_rank[begun.item(each.cell)]
                else:
                    missing[place] = filed
                    if begun is not None:
                        before[place] = begun
        if missing:
            decoded = self._decoded(side, missing, before)
            for (place, filed), begun in zip(missing.items(), decoded, strict=True):
                for row, each in zip(rows[place], filed, strict=True):
                    codes[row] = code_of_rank[begun.item(each.cell)]
        return codes

    def _has(self, begun: CacheEntry, filed: FiledCell) -> bool:
        """Whether a cell is decoded."""
        return bool(filed.board < begun.item(filed.lane - self._file.lanes))

    def _decoded(
        self, side: Side, wanted: dict[int, list[FiledCell]], before: dict[int, CacheEntry]
    ) -> Sequence[CacheEntry]:
        """Planes decoded as far as these cells; strips of those that were begun before, whole."""
        lanes = self._file.lanes
        boards = [_boards_of(cells, lanes, place in before) for place, cells in wanted.items()]
        places = np.array(list(wanted), np.int64)
        planes: NDArray[np.generic] = self._file.boards(side, places, np.array(boards, np.int64))
        for place, row, asked in zip(wanted, planes, boards, strict=True):
            if place in before:
                _put_other_strips(before[place], asked, row)
        self._cache.put(self._file, _AS_STORED, side, places, planes)
        return list(planes)


def _boards_of(cells: Sequence[FiledCell], lanes: int, whole: bool) -> list[int]:
    """[lane]: how many boards have these cells; all of their strips if these are wanted whole."""
    boards = [0] * lanes
    for cell in cells:
        if whole:
            first = cell.lane - cell.lane % LANES
            boards[first : first + LANES] = [BOARDS] * LANES
        else:
            boards[cell.lane] = max(boards[cell.lane], cell.board + 1)
    return boards


def _put_other_strips(begun: CacheEntry, asked: Sequence[int], row: CacheEntry) -> None:
    """The row has what was begun of the strips that were not asked for now."""
    lanes = len(asked)
    size = (len(row) - lanes) * LANES // lanes
    for lane in range(0, lanes, LANES):
        if not any(asked[lane : lane + LANES]):
            first, counts = lane // LANES * size, lane - lanes
            row[first : first + size] = begun[first : first + size]
            row[counts] = begun[counts]
            row[counts + 1] = begun[counts + 1]
