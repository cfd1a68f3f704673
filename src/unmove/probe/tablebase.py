"""The tablebase: a folder of tables that answers for boards.

`probe_x` raises what is wrong (see `errors`). `get_x` is for a search: it returns a default for a
position that is not in the tables (its table is not built, it has too many men, castling rights, or
is one of a chess variant), and raises only what must not be overlooked: a board that is illegal or
none, a file that is damaged. The default is UNKNOWN unless another one is given, so that it is not
taken for a draw, which is None as a distance.

Values are seen by the side to move; their signs are explained in `values`. En-passant rights count.
The half-move clock of a board counts for outcomes under the 50-move rule; distances are those of
the position, whatever its clock. Metrics are given as `Metric` or by name, such as "dtz".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import chess
from numpy.typing import ArrayLike

from unmove.errors import (
    NOT_IN_TABLES,
    BadMaterial,
    BadOption,
    DamagedFile,
    MissingTable,
    UnmoveError,
)
from unmove.games import xiangqi_board
from unmove.games.boards import Board, Move, rules_of
from unmove.kernels.locate import NOT_FOUND
from unmove.material import Material
from unmove.pool.machine import usable_cores
from unmove.probe.batches import Batch, batches
from unmove.probe.bulk import Values, codes_of_squares, listed, values_of_boards, values_of_fens
from unmove.probe.plane_cache import CacheStatistics
from unmove.probe.table_cache import OpenTable, TableCache
from unmove.store.folder import Folder, Places, default_folder
from unmove.values import (
    BROKEN,
    DRAW,
    UNKNOWN,
    Metric,
    Outcome,
    Outcome50,
    Unknown,
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

    `codes` has the metrics that are built; `clock` is the half-move clock before the move.
    """

    move: _Move
    san: str
    """The move as people write it: SAN, or WXF in xiangqi."""
    codes: dict[Metric, int]
    clock: int = 0

    @property
    def outcome(self) -> Outcome:
        """The outcome without the 50-move rule."""
        return outcome_of(next(iter(self.codes.values())))

    @property
    def outcome50(self) -> Outcome50 | None:
        """The outcome under the 50-move rule and with the clock; None when DTZ is not built."""
        code = self.codes.get(Metric.DTZ)
        return None if code is None else outcome50_of(code, self.clock)

    def value(self, metric: Metric | str) -> int | None:
        """Signed plies; None for a draw, or when the metric is not built."""
        code = self.codes.get(Metric.of(metric))
        return None if code is None else value_of(code, Metric.of(metric))

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
    """The tables of a folder, or of several. Safe to share between threads.

    `cache_bytes` limits the memory of decoded planes, `threads` (default: all cores) is how many
    work on many positions at once.
    """

    def __init__(
        self,
        folder: Places | None = None,
        cache_bytes: int = CACHE_BYTES,
        threads: int | None = None,
    ) -> None:
        self.folder = Folder.of(folder) if folder is not None else default_folder()
        self._options = _whole("cache_bytes", cache_bytes), _whole("threads", threads or 0)
        workers = self._options[1] or usable_cores()
        self._tables = TableCache(self.folder, cache_bytes, workers)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled are the folder and the options; who unpickles it opens the folder again."""
        return Tablebase, (self.folder, *self._options)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """All files are closed and all threads ended; when asked again it opens them again.

        A probe that is under way in another thread is answered, and its file closed after it.
        """
        self._tables.close()

    @property
    def cache(self) -> CacheStatistics:
        """What the cache holds and has done."""
        return self._tables.cache.statistics

    def add_directory(self, path: Path | str) -> int:
        """Tables that are in no folder yet are looked for there too; returns how many it has."""
        added = Folder.of(path)
        self.folder = self._tables.folder = self.folder.plus(added)
        return len(list(added.tables()))

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
        metric: Metric | str = Metric.DTM,
    ) -> Values:
        """The values of many positions of one endgame.

        squares[i]: the squares of the men in the order of the endgame's name as it is written here,
        White's king first (`columns_of`). turns[i]: 0, "w" or chess.WHITE if White is to move; 1,
        "b" or chess.BLACK if Black is. No position has a right to take en passant.
        """
        written, wanted = _written(material), Metric.of(metric)
        table = self._table(written, wanted)
        return Values(codes_of_squares(table, written, squares, turns), wanted)

    def probe_fens(self, fens: Iterable[str], metric: Metric | str = Metric.DTM) -> Values:
        """The values of many FENs. What cannot be answered raises what `probe_x` raises."""
        return _all_of(*self.answer_fens(fens, metric))

    def answer_fens(
        self, fens: Iterable[str], metric: Metric | str = Metric.DTM
    ) -> tuple[Values, dict[int, UnmoveError]]:
        """The values of many FENs, and what is wrong with those that have none, by number."""
        asked, wanted = listed("fens", fens), Metric.of(metric)
        return values_of_fens(asked, wanted, self._tables, self._code)

    def probe_boards(self, boards: Iterable[Board], metric: Metric | str = Metric.DTM) -> Values:
        """The values of many boards. What cannot be answered raises what `probe_x` raises."""
        asked, wanted = listed("boards", boards), Metric.of(metric)
        return _all_of(*values_of_boards(asked, wanted, self._tables, self._code))

    def batches(
        self, material: Material | str, metric: Metric | str = Metric.DTM
    ) -> Iterator[Batch]:
        """All legal positions of a table with their values, counted as `Batch` says."""
        written = _written(material)
        return batches(self._table(written, Metric.of(metric)), written)

    def for_each(
        self,
        material: Material | str,
        function: Callable[[Batch], object],
        metric: Metric | str = Metric.DTM,
    ) -> None:
        """The function is called with all positions of a table, a batch at a time."""
        for batch in self.batches(material, metric):
            function(batch)

    def to_numpy(self, material: Material | str, metric: Metric | str = Metric.DTM) -> Batch:
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
        missing: list[MissingTable] = []
        for metric in rules_of(board).game.metrics:
            try:
                return outcome_of(self._code(board, metric))
            except MissingTable as error:
                missing.append(error)
        raise missing[0]

    def probe_wdl50(self, board: Board) -> Outcome50:
        """The outcome for the side to move under the 50-move rule, with the board's clock."""
        return outcome50_of(self._code(board, Metric.DTZ), rules_of(board).clock(board))

    def get_dtm(
        self, board: Board, default: _Default | Unknown = UNKNOWN
    ) -> int | _Default | Unknown | None:
        """`probe_dtm`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_dtm, board, default)

    def get_dtc(
        self, board: Board, default: _Default | Unknown = UNKNOWN
    ) -> int | _Default | Unknown | None:
        """`probe_dtc`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_dtc, board, default)

    def get_dtz(
        self, board: Board, default: _Default | Unknown = UNKNOWN
    ) -> int | _Default | Unknown | None:
        """`probe_dtz`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_dtz, board, default)

    def get_wdl(
        self, board: Board, default: _Default | Unknown = UNKNOWN
    ) -> Outcome | _Default | Unknown:
        """`probe_wdl`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_wdl, board, default)

    def get_wdl50(
        self, board: Board, default: _Default | Unknown = UNKNOWN
    ) -> Outcome50 | _Default | Unknown:
        """`probe_wdl50`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_wdl50, board, default)

    @overload
    def moves(
        self, board: chess.Board, metric: Metric | str = ...
    ) -> list[RankedMove[chess.Move]]: ...

    @overload
    def moves(
        self, board: xiangqi_board.Board, metric: Metric | str = ...
    ) -> list[RankedMove[xiangqi_board.Move]]: ...

    def moves(self, board: Board, metric: Metric | str = Metric.DTM) -> list[RankedMove[Any]]:
        """All legal moves, best first: quick wins, slow wins, draws, slow losses, quick losses.

        The order is that of the metric, or of the others if it is not built. DTM and DTC know
        nothing of the 50-move rule: a move that comes first may win too late for it, which its
        `outcome50` tells.
        """
        rules, wanted = rules_of(board), Metric.of(metric)
        rules.check(board)
        ranked = [self._ranked(board, move) for move in rules.moves(board)]
        built = [other for other in Metric if all(other in move.codes for move in ranked)]
        built.sort(key=lambda other: other != wanted)
        return sorted(ranked, key=lambda move: _rank(move, built))

    @overload
    def line(self, board: chess.Board, metric: Metric | str = ...) -> list[chess.Move]: ...

    @overload
    def line(
        self, board: xiangqi_board.Board, metric: Metric | str = ...
    ) -> list[xiangqi_board.Move]: ...

    def line(self, board: Board, metric: Metric | str = Metric.DTM) -> list[Any]:
        """Best play of both sides to the end; empty for a draw without the 50-move rule.

        Counted by DTC or DTZ, the line goes on after each conversion or zeroing, by the distance of
        the position reached.
        """
        line: list[Any] = []
        wanted = Metric.of(metric)
        if self._code(board, wanted) == DRAW:
            return line
        while ranked := self.moves(board, wanted):
            line.append(ranked[0].move)
            board = rules_of(board).after(board, line[-1]).board
        return line

    def _table(self, written: Material, metric: Metric) -> OpenTable:
        """The table of a material, whichever of its sides is named first."""
        return self._tables.table(written.canonical(), metric)

    def _ranked(self, board: Board, move: Move) -> RankedMove[Any]:
        codes = {}
        missing: MissingTable | None = None
        for metric in rules_of(board).game.metrics:
            try:
                codes[metric] = self._code_of_move(board, move, metric)
            except MissingTable as error:
                missing = missing or error
        if missing is not None and not codes:
            raise missing
        rules = rules_of(board)
        return RankedMove(move, rules.name(board, move), codes, rules.clock(board))

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
        code = BROKEN if place == NOT_FOUND else table.code(side, place, cell)
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
    folder: Places | None = None, cache_bytes: int = CACHE_BYTES, threads: int | None = None
) -> Tablebase:
    """The tables of a folder (default: $UNMOVE_DIR or a folder of the user's own).

    Of several folders the first that has a table counts.
    """
    return Tablebase(folder, cache_bytes, threads)


def _all_of(values: Values, errors: dict[int, UnmoveError]) -> Values:
    """The values, if there are no errors; the first of them raised otherwise."""
    for number in sorted(errors):
        raise errors[number]
    return values


def _or_default(
    probe: Callable[[Board], _Answer], board: Board, default: _Default | Unknown
) -> _Answer | _Default | Unknown:
    try:
        return probe(board)
    except NOT_IN_TABLES:
        return default


def _written(material: Material | str) -> Material:
    """The endgame with its sides as the asker has them."""
    if isinstance(material, Material):
        return material
    if not isinstance(material, str):
        raise BadMaterial(repr(material), f"it is a {type(material).__name__} and not a name")
    return Material.as_written(material)


def _whole(option: str, number: int) -> int:
    """The number, if it is a whole one and not negative."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise BadOption(option, repr(number), "it is a whole number of 0 or more")
    return number


def _rank(ranked: RankedMove[Any], metrics: Sequence[Metric]) -> tuple[int, list[int], str]:
    """A sort key, smallest for the best move: outcome, distances by these metrics, name."""
    distances = [-preference(ranked.codes[metric]) for metric in metrics]
    return -ranked.outcome, distances, ranked.san
