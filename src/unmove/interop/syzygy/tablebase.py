"""Probing Syzygy files, with the names, signs and errors of `chess.syzygy.Tablebase`.

`probe_x` raises what is wrong (see `errors`): what python-chess raises a KeyError for is one here.
`get_x` returns a default for a position that is not in the files. Outcomes and distances are those
of a position whose half-move clock is 0. En-passant rights count; castling rights are refused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from unmove.errors import NOT_IN_TABLES, DamagedFile, MissingSyzygyFile
from unmove.games.boards import AnyBoard, parse_fen
from unmove.games.chess_rules import CHESS_RULES
from unmove.interop.syzygy.answers import (
    SyzygyAnswer,
    SyzygyPath,
    SyzygyValue,
    SyzygyValues,
)
from unmove.interop.syzygy.batches import SyzygyBatch, batches
from unmove.interop.syzygy.folders import SyzygyFolders
from unmove.interop.syzygy.masks import MASKS, put_masks, refuse
from unmove.interop.syzygy.materials import codes_of, file_material
from unmove.interop.syzygy.opened import material_of_key
from unmove.kernels.syzygy import boards as positions
from unmove.kernels.syzygy import search, tables
from unmove.kernels.syzygy.probe import ILLEGAL_VALUE, probe_masks, probe_squares
from unmove.kernels.syzygy.tables import SyzygyTables
from unmove.material import Material
from unmove.probe.bulk import listed, squares_and_sides
from unmove.probe.tablebase import whole_number
from unmove.store.folder import Folder, FolderPaths
from unmove.values import FIFTY

_Default = TypeVar("_Default")

POSITIONS_AT_ONCE: Final = 1 << 16
"""Positions that are answered before it is asked what to unpack."""
UNPACKED_BYTES: Final = 256 << 20

_Probe = Callable[[int, int, SyzygyTables, search.Stack], int]
"""Answers positions from one number up to another; returns where it failed."""


class _Room(threading.local):
    """The memory of a thread that probes."""

    def __init__(self) -> None:
        self.stack = search.Stack(
            np.zeros((positions.DEPTH, positions.POSITION), np.int64),
            np.zeros(positions.MOST_BOARD_MEN, np.int64),
            np.zeros(search.REPORT, np.int64),
        )
        self.masks = np.zeros((1, 10), np.uint64)
        self.buffer = self.masks.data.cast("B")
        self.values = np.zeros(1, np.int16)


class SyzygyTablebase:
    """The Syzygy files of some folders. Safe to share between threads.

    `cache_bytes` limits the memory of unpacked values. With `verify` the checksum of each file is
    computed when it is opened, as far as it is known: of files of up to 64 MiB.
    """

    def __init__(
        self, *folders: Path | str, cache_bytes: int = UNPACKED_BYTES, verify: bool = False
    ) -> None:
        self._files = SyzygyFolders(whole_number("cache_bytes", cache_bytes), verify=verify)
        self._room = _Room()
        for folder in folders:
            self.add_directory(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        """The pickle holds the folders; unpickling looks into them again."""
        files = self._files
        anew = partial(SyzygyTablebase, cache_bytes=files.limit, verify=files.verify)
        return anew, tuple(files.folders)

    def __enter__(self) -> SyzygyTablebase:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """All files are closed; a later probe opens those it needs again."""
        self._files.close()

    def add_directory(
        self, directory: Path | str, *, load_wdl: bool = True, load_dtz: bool = True
    ) -> int:
        """The files of a folder are used too; returns how many it has."""
        kinds = [tables.OUTCOMES] * load_wdl + [tables.DISTANCES] * load_dtz
        return self._files.add(Folder.of(directory).path, kinds)

    def names(self, value: SyzygyValue | str = SyzygyValue.WDL) -> list[str]:
        """The endgames that there are files of, such as KQvKR."""
        return self._files.names(SyzygyValue.of(value).kind)

    def files(self) -> list[SyzygyPath]:
        """All files that are known, open or not."""
        kinds = tuple(SyzygyValue)
        return [SyzygyPath(name, kinds[kind], path) for name, kind, path in self._files.files()]

    @property
    def folder(self) -> Folder:
        """The folders of the files."""
        return Folder.of(self._files.folders)

    def look_again(self) -> None:
        """Files that were added are known, those that were removed are not; none is open."""
        self._files.look_again()

    @property
    def unpacked_bytes(self) -> int:
        """The memory of unpacked values."""
        return sum(values.nbytes for values in self._files.opened.unpacked.values())

    def probe_wdl(self, board: chess.Board) -> int:
        """2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss, for the side to move."""
        return self._probe(board, tables.OUTCOMES)

    def probe_dtz(self, board: chess.Board) -> int:
        """Plies to zeroing: +n wins, -n loses, 0 draws; more than 100 where the rule draws.

        Checkmate is -1. A file may count in pairs of plies: then +-n may be n + 1 plies.
        """
        return self._probe(board, tables.DISTANCES)

    def get_wdl(self, board: chess.Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_wdl`, or the default for a position that is not in the files."""
        return _or_default(self.probe_wdl, board, default)

    def get_dtz(self, board: chess.Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_dtz`, or the default for a position that is not in the files."""
        return _or_default(self.probe_dtz, board, default)

    def probe_many(
        self,
        material: Material | str,
        squares: ArrayLike,
        turns: ArrayLike,
        value: SyzygyValue | str = SyzygyValue.WDL,
    ) -> SyzygyValues:
        """The values of many positions of one endgame, given as to `unmove.Tablebase.probe_many`.

        No position has a right to take en passant.
        """
        written, wanted = Material.as_written(material), SyzygyValue.of(value)
        file_material(written)
        rows, sides = squares_and_sides(written, squares, turns)
        codes = np.array(codes_of(written), np.int64)
        numbers = np.empty(len(rows), np.int16)

        def probe(first: int, stop: int, held: SyzygyTables, stack: search.Stack) -> int:
            asked = codes, rows, sides, wanted.kind
            return probe_squares(first, stop, *asked, held, stack, numbers)

        self._answer(len(rows), probe)
        return SyzygyValues(numbers, wanted)

    def probe_boards(
        self, boards: Iterable[AnyBoard], value: SyzygyValue | str = SyzygyValue.WDL
    ) -> SyzygyValues:
        """The values of many boards. What cannot be answered raises what `probe_x` raises."""
        asked, wanted = listed("boards", boards), SyzygyValue.of(value)
        masks = np.empty((len(asked), 10), np.uint64)
        buffer = masks.data.cast("B") if len(asked) else memoryview(b"")
        for number, board in enumerate(asked):
            put_masks(board, buffer, MASKS.size * number)
        numbers = self._values_of_masks(masks, wanted.kind)
        for number in np.flatnonzero(numbers == ILLEGAL_VALUE)[:1].tolist():
            refuse(cast(chess.Board, asked[number]))
        return SyzygyValues(numbers, wanted)

    def probe_fens(
        self, fens: Iterable[str], value: SyzygyValue | str = SyzygyValue.WDL
    ) -> SyzygyValues:
        """The values of many FENs. What cannot be answered raises what `probe_x` raises."""
        wanted = SyzygyValue.of(value)
        return self.probe_boards([parse_fen(fen) for fen in listed("fens", fens)], wanted)

    def batches(
        self, material: Material | str, value: SyzygyValue | str = SyzygyValue.WDL
    ) -> Iterator[SyzygyBatch]:
        """All legal positions of an endgame with their values, one of all images of each."""
        written, wanted = Material.as_written(material), SyzygyValue.of(value)
        for kind in range(wanted.kind + 1):  # distances need outcomes, too
            self._files.path(file_material(written), kind)
        return batches(written, lambda rows, turns: self.probe_many(written, rows, turns, wanted))

    def to_numpy(
        self, material: Material | str, value: SyzygyValue | str = SyzygyValue.WDL
    ) -> SyzygyBatch:
        """All positions of an endgame with their values, in one batch."""
        return SyzygyBatch.joined(list(self.batches(material, value)))

    def answer(self, board: chess.Board) -> SyzygyAnswer | None:
        """What the files tell of a board, which may be the outcome alone; None if nothing."""
        distance = self.get_dtz(board)
        if distance is None:
            outcome = self.get_wdl(board)
            return None if outcome is None else SyzygyAnswer(outcome)
        rounded = distance != 0 and (abs(distance) > FIFTY or self._is_short(board, distance > 0))
        sign = (distance > 0) - (distance < 0)
        return SyzygyAnswer(sign * (1 if abs(distance) > FIFTY else 2), distance, rounded)

    def _is_short(self, board: chess.Board, wins: bool) -> bool:
        """Whether the distance of a board may be one ply short."""
        placement = CHESS_RULES.placement(board)
        if placement is None or placement.material.men < 3:
            return False
        try:
            short = self.short_distances(placement.material)
        except MissingSyzygyFile:  # a capture told the distance
            return False
        return bool(short[placement.side, int(wins)])

    def short_distances(self, material: Material | str) -> NDArray[np.bool_]:
        """[side to move, is it a win?]: whether distances of an endgame may be one ply short."""
        return self._files.opened_file(file_material(material), tables.DISTANCES).short

    def _probe(self, board: chess.Board, kind: int) -> int:
        """The value of a board."""
        room, values = self._room, self._room.values
        put_masks(board, room.buffer, 0)
        held = self._files.opened
        if not probe_masks(0, 1, room.masks, kind, held.tables, room.stack, values):
            values = self._values_of_masks(room.masks, kind)
        value = int(values[0])
        if value == ILLEGAL_VALUE:
            refuse(board)
        return value

    def _values_of_masks(self, masks: NDArray[np.uint64], kind: int) -> NDArray[np.int16]:
        """The values of positions given as sets of squares."""
        numbers = np.empty(len(masks), np.int16)

        def probe(first: int, stop: int, held: SyzygyTables, stack: search.Stack) -> int:
            return probe_masks(first, stop, masks, kind, held, stack, numbers)

        self._answer(len(masks), probe)
        return numbers

    def _answer(self, count: int, probe: _Probe) -> None:
        """All positions have values. What is asked for often is unpacked on the way."""
        for first in range(0, count, POSITIONS_AT_ONCE):
            self._answer_some(first, min(first + POSITIONS_AT_ONCE, count), probe)
            if count > 1:
                self._files.unpack()

    def _answer_some(self, done: int, stop: int, probe: _Probe) -> None:
        """The positions from `done` to `stop` have values: files are opened as they are needed."""
        stack, attempts = self._room.stack, 0
        while True:
            held = self._files.opened
            reached = probe(done, stop, held.tables, stack)
            if reached == stop:
                return
            attempts = attempts + 1 if reached == done else 1
            done = reached
            status, which = stack.report[: search.WHICH + 1].tolist()
            if status == search.BAD_FILE:
                raise DamagedFile(held.owner(which), "is damaged: a value cannot be decoded")
            kind = tables.DISTANCES if status == search.NO_DISTANCES else tables.OUTCOMES
            self._files.open(material_of_key(which), kind, drop=attempts == 1)


def open_syzygy(
    directory: FolderPaths,
    cache_bytes: int = UNPACKED_BYTES,
    *,
    verify: bool = False,
) -> SyzygyTablebase:
    """The Syzygy files of a folder, or of several: a file is taken from the first that has it.

    Each endgame needs the files of those that captures lead to; distances need outcomes, and the
    files that promotions lead to.
    """
    folders = Folder.of(directory)
    return SyzygyTablebase(folders.path, *folders.others, cache_bytes=cache_bytes, verify=verify)


def _or_default(
    probe: Callable[[chess.Board], int], board: chess.Board, default: _Default | None
) -> int | _Default | None:
    try:
        return probe(board)
    except NOT_IN_TABLES:
        return default
