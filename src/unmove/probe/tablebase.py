"""The tablebase: a folder of tables that answers for boards.

`probe_x` raises what is wrong (see `errors`); `get_x` returns a default when the answer is not
here, and still raises when the question is wrong. Values are seen by the side to move; their
signs are explained in `values`. The half-move clock of a board is not looked at: DTZ and the
outcome under the 50-move rule are those of a clock of 0. En-passant rights count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import chess
import numpy as np
from numpy.typing import ArrayLike

from unmove.errors import DamagedFile, MissingTable, UnanswerableError, UnmoveError
from unmove.games import xiangqi_board
from unmove.games.boards import Board, Move, rules_of
from unmove.kernels.locate import NOWHERE
from unmove.material import Material
from unmove.probe.batches import Batch, batches
from unmove.probe.bulk import Values, codes_of_boards, codes_of_fens, codes_of_squares
from unmove.probe.cache import CacheStatistics
from unmove.probe.library import OpenTable, OpenTables
from unmove.store.folder import Folder, default_folder
from unmove.values import (
    BROKEN,
    DRAW,
    Metric,
    Outcome,
    Outcome50,
    code_before,
    outcome50_of,
    outcome_of,
    preference,
    value_of,
)

CACHE_BYTES = 256 << 20

_Answer = TypeVar("_Answer")
_Default = TypeVar("_Default")


_Move = TypeVar("_Move", chess.Move, xiangqi_board.Move, covariant=True)


@dataclass(frozen=True)
class RankedMove(Generic[_Move]):
    """A move and what it is worth to the side that makes it, this move included.

    `codes` has the metrics that are built.
    """

    move: _Move
    san: str
    """The move as people write it: SAN, or WXF in xiangqi."""
    codes: dict[Metric, int]

    @property
    def outcome(self) -> Outcome:
        """The outcome without the 50-move rule."""
        return outcome_of(next(iter(self.codes.values())))

    @property
    def outcome50(self) -> Outcome50 | None:
        """The outcome under the 50-move rule; None when DTZ is not built."""
        code = self.codes.get(Metric.DTZ)
        return None if code is None else outcome50_of(code)

    def value(self, metric: Metric) -> int | None:
        """Signed plies; None for a draw, or when the metric is not built."""
        code = self.codes.get(metric)
        return None if code is None else value_of(code, metric)

    @property
    def dtm(self) -> int | None:
        return self.value(Metric.DTM)

    @property
    def dtc(self) -> int | None:
        return self.value(Metric.DTC)

    @property
    def dtz(self) -> int | None:
        return self.value(Metric.DTZ)


class Tablebase:
    """The tables of one folder. Safe to share between threads.

    `cache_bytes` limits the memory of decoded planes, `threads` (default: all cores) is how many
    work on many positions at once.
    """

    def __init__(
        self,
        folder: Path | str | None = None,
        cache_bytes: int = CACHE_BYTES,
        threads: int | None = None,
    ) -> None:
        self.folder = Folder(Path(folder) if folder is not None else default_folder())
        workers = threads or len(os.sched_getaffinity(0))
        self._tables = OpenTables(self.folder, cache_bytes, workers)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """All files are closed; the tablebase opens them again when asked again."""
        self._tables.close()

    @property
    def cache(self) -> CacheStatistics:
        """What the cache holds and has done."""
        return self._tables.cache.statistics

    def tables(self) -> list[tuple[Material, Metric]]:
        """The tables of the folder, by name."""
        return list(self.folder.tables())

    def open_all(self) -> list[OpenTable]:
        """Every table of the folder, open: its header is read and checked."""
        return [self._tables.table(material, metric) for material, metric in self.folder.tables()]

    def probe_many(
        self,
        material: Material | str,
        squares: ArrayLike,
        turns: ArrayLike,
        metric: Metric = Metric.DTM,
    ) -> Values:
        """The values of many positions of one endgame.

        squares[i]: the squares of the men in the order of the endgame's canonical name, White's
        king first (`columns_of`); turns[i]: 0 if White is to move, 1 if Black. No position has a
        right to take en passant.
        """
        table = self._table(material, metric)
        return Values(codes_of_squares(table, np.asarray(squares), np.asarray(turns)), metric)

    def probe_fens(self, fens: Sequence[str], metric: Metric = Metric.DTM) -> Values:
        """The values of many FENs. What cannot be answered raises what `probe_x` raises."""
        return _all_of(*self.answer_fens(fens, metric))

    def answer_fens(
        self, fens: Sequence[str], metric: Metric = Metric.DTM
    ) -> tuple[Values, dict[int, UnmoveError]]:
        """The values of many FENs, and what is wrong with those that have none, by number."""
        codes, errors = codes_of_fens(fens, metric, self._tables, self._code)
        return Values(codes, metric), errors

    def probe_boards(self, boards: Sequence[Board], metric: Metric = Metric.DTM) -> Values:
        """The values of many boards. What cannot be answered raises what `probe_x` raises."""
        codes, errors = codes_of_boards(boards, metric, self._tables, self._code)
        return _all_of(Values(codes, metric), errors)

    def batches(self, material: Material | str, metric: Metric = Metric.DTM) -> Iterator[Batch]:
        """All legal positions of a table with their values, each once modulo symmetry."""
        return batches(self._table(material, metric))

    def for_each(
        self,
        material: Material | str,
        function: Callable[[Batch], object],
        metric: Metric = Metric.DTM,
    ) -> None:
        """The function is called with all positions of a table, a batch at a time."""
        for batch in self.batches(material, metric):
            function(batch)

    def to_numpy(self, material: Material | str, metric: Metric = Metric.DTM) -> Batch:
        """All positions of a table with their values, in one batch."""
        return Batch.joined(list(self.batches(material, metric)))

    def probe_dtm(self, board: Board) -> int | None:
        """Plies to mate: +n wins, -n loses, 0 is checkmate, None a draw."""
        return value_of(self._code(board, Metric.DTM), Metric.DTM)

    def probe_dtc(self, board: Board) -> int | None:
        """Plies to conversion or mate: +n wins, -n loses, 0 is checkmate, None a draw."""
        return value_of(self._code(board, Metric.DTC), Metric.DTC)

    def probe_dtz(self, board: Board) -> int | None:
        """Plies to zeroing or mate: +n wins, -n loses, 0 is checkmate, None a draw.

        Whether a win is cursed (and a loss blessed) is told by `probe_wdl50`, not by the number.
        """
        return value_of(self._code(board, Metric.DTZ), Metric.DTZ)

    def probe_wdl(self, board: Board) -> Outcome:
        """Win, draw or loss for the side to move, without the 50-move rule."""
        missing: MissingTable | None = None
        for metric in Metric:
            try:
                return outcome_of(self._code(board, metric))
            except MissingTable as error:
                missing = missing or error
        assert missing is not None
        raise missing

    def probe_wdl50(self, board: Board) -> Outcome50:
        """The outcome for the side to move under the 50-move rule, with a half-move clock of 0."""
        return outcome50_of(self._code(board, Metric.DTZ))

    def get_dtm(self, board: Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_dtm`, or the default when the table is not here."""
        return _or_default(self.probe_dtm, board, default)

    def get_dtc(self, board: Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_dtc`, or the default when the table is not here."""
        return _or_default(self.probe_dtc, board, default)

    def get_dtz(self, board: Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_dtz`, or the default when the table is not here."""
        return _or_default(self.probe_dtz, board, default)

    def get_wdl(self, board: Board, default: _Default | None = None) -> Outcome | _Default | None:
        """`probe_wdl`, or the default when the table is not here."""
        return _or_default(self.probe_wdl, board, default)

    def get_wdl50(
        self, board: Board, default: _Default | None = None
    ) -> Outcome50 | _Default | None:
        """`probe_wdl50`, or the default when the table is not here."""
        return _or_default(self.probe_wdl50, board, default)

    @overload
    def moves(self, board: chess.Board, metric: Metric = ...) -> list[RankedMove[chess.Move]]: ...

    @overload
    def moves(
        self, board: xiangqi_board.Board, metric: Metric = ...
    ) -> list[RankedMove[xiangqi_board.Move]]: ...

    def moves(self, board: Board, metric: Metric = Metric.DTM) -> list[RankedMove[Any]]:
        """All legal moves, best first: quick wins, slow wins, draws, slow losses, quick losses."""
        rules = rules_of(board)
        rules.check(board)
        ranked = [self._ranked(board, move) for move in rules.moves(board)]
        return sorted(ranked, key=lambda move: _rank(move, metric))

    @overload
    def line(self, board: chess.Board, metric: Metric = ...) -> list[chess.Move]: ...

    @overload
    def line(
        self, board: xiangqi_board.Board, metric: Metric = ...
    ) -> list[xiangqi_board.Move]: ...

    def line(self, board: Board, metric: Metric = Metric.DTM) -> list[Any]:
        """Best play of both sides to the end; empty for a draw.

        Counted by DTC or DTZ, the line goes on after each conversion or zeroing, by the distance of
        the position reached.
        """
        line: list[Any] = []
        if self._code(board, metric) == DRAW:
            return line
        while ranked := self.moves(board, metric):
            line.append(ranked[0].move)
            board = rules_of(board).after(board, line[-1]).board
        return line

    def _table(self, material: Material | str, metric: Metric) -> OpenTable:
        name = Material.parse(material) if isinstance(material, str) else material
        return self._tables.table(name.canonical(), metric)

    def _ranked(self, board: Board, move: Move) -> RankedMove[Any]:
        codes = {}
        missing: MissingTable | None = None
        for metric in Metric:
            try:
                codes[metric] = self._code_of_move(board, move, metric)
            except MissingTable as error:
                missing = missing or error
        if missing is not None and not codes:
            raise missing
        return RankedMove(move, rules_of(board).name(board, move), codes)

    def _code_of_move(self, board: Board, move: Move, metric: Metric) -> int:
        """What a legal move is worth to the side that makes it."""
        step = rules_of(board).after(board, move)
        code = self._code(step.board, metric)
        return code_before(code, metric, zeroes=step.zeroes, converts=step.converts)

    def _code(self, board: Board, metric: Metric) -> int:
        """The code of the board, its en-passant right included; never a made-up one."""
        rules = rules_of(board)
        if rules.is_plain(board):
            return self._stored(board, metric)
        rules.check(board)
        unstored = rules.unstored(board)
        codes = [self._code_of_move(board, move, metric) for move in unstored]
        if not unstored or len(unstored) < len(rules.moves(board)):
            codes.append(self._stored(board, metric))
        return max(codes, key=preference)

    def _stored(self, board: Board, metric: Metric) -> int:
        """The code a table has for the board, as if nothing could be taken en passant.

        A position without one is broken, and is looked at closely to say why.
        """
        rules = rules_of(board)
        placement = rules.placement(board)
        if placement is None:
            rules.check(board)
            raise AssertionError("a board that passed without a king on each side")
        table = self._tables.table(placement.material, metric)
        side = placement.side
        place, cell = table.find(placement.squares)
        code = BROKEN if place == NOWHERE else table.code(side, place, cell)
        if code is None:
            code = self._searched(board, metric, converts=side in table.file.sides)
            table.remember(side, place, cell, code)
        if code == BROKEN:
            rules.check(board)
            raise DamagedFile(table.file.path, f"has no value for {board.fen()}")
        return code

    def _searched(self, board: Board, metric: Metric, *, converts: bool) -> int:
        """The code of the best move, or of the best conversion: a search of one ply."""
        rules = rules_of(board)
        rules.check(board)
        bare = rules.bare(board)
        codes = [
            self._code_of_move(bare, move, metric)
            for move in rules.moves(bare)
            if not converts or rules.after(bare, move).converts
        ]
        return max(codes, key=preference) if codes else rules.stuck(bare)


def open_tables(
    folder: Path | str | None = None, cache_bytes: int = CACHE_BYTES, threads: int | None = None
) -> Tablebase:
    """The tables of a folder (default: $UNMOVE_DIR or a folder of the user's own)."""
    return Tablebase(folder, cache_bytes, threads)


def _all_of(values: Values, errors: dict[int, UnmoveError]) -> Values:
    """The values, if there are no errors; the first of them raised otherwise."""
    for number in sorted(errors):
        raise errors[number]
    return values


def _or_default(
    probe: Callable[[Board], _Answer], board: Board, default: _Default | None
) -> _Answer | _Default | None:
    try:
        return probe(board)
    except UnanswerableError:
        return default


def _rank(ranked: RankedMove[Any], metric: Metric) -> tuple[list[int], str]:
    """A sort key, smallest for the best move: the wanted distance, the other distances, name."""
    order = sorted(Metric, key=lambda other: other != metric)
    return [-preference(ranked.codes[m]) for m in order if m in ranked.codes], ranked.san
