"""The tablebase: a folder of tables that answers for boards.

`probe_x` raises what is wrong (see `errors`). `get_x` is for a search: it returns a default for a
position that is not in the tables (its table is not built, it has too many men, castling rights, or
is one of a chess variant), and raises only what must not be overlooked: a board that is illegal or
none, a file that is damaged. The default is UNKNOWN unless another one is given, so that it is not
taken for a draw, which is None as a distance. `probe` gives all values of a board at once.

Values are seen by the side to move; their signs are explained in `values`. En-passant rights count.
The half-move clock of a board counts for outcomes under the 50-move rule; distances are those of
the position, whatever its clock. Metrics are given as `Metric` or by name, such as "dtz".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, overload

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from unmove.errors import (
    NOT_IN_TABLES,
    BadOption,
    MissingTable,
    UnmoveError,
)
from unmove.games import xiangqi_board
from unmove.games.boards import AnyBoard, AnyMove, rules_of
from unmove.games.rules import Placement, Step
from unmove.kernels.locate import NOT_FOUND
from unmove.material import Material
from unmove.pool.machine import usable_cores
from unmove.probe.answer import Answer, RankedMove
from unmove.probe.batches import Batch, batches
from unmove.probe.bulk import Values, codes_of_squares, listed, values_of_boards, values_of_fens
from unmove.probe.outcomes import OutcomeSource, outcome50_of_wdl, outcome_of_wdl
from unmove.probe.plane_cache import CacheStatistics
from unmove.probe.quick_moves import quick_moves
from unmove.probe.table_cache import OpenTable, TableCache
from unmove.store.folder import Folder, FolderPaths, default_folder
from unmove.values import (
    BROKEN,
    DRAW,
    SIDES,
    UNKNOWN,
    Code,
    Metric,
    Outcome,
    Outcome50,
    Side,
    Unknown,
    Value,
    code_before,
    outcome50_of,
    outcome_of,
    preference,
    value_of,
)

CACHE_BYTES = 256 << 20

_Value = TypeVar("_Value")
_Default = TypeVar("_Default")


class Tablebase:
    """The tables of a folder, or of several. Safe to share between threads.

    `cache_bytes` limits the memory of decoded planes. `threads` (default: all cores) is how many
    threads probe many positions at once. `outcomes` is asked first for outcomes, by `probe_wdl`,
    `probe_wdl50` and `get_x` of them; the tables answer for what it does not have.
    """

    def __init__(
        self,
        folder: FolderPaths | None = None,
        cache_bytes: int = CACHE_BYTES,
        threads: int | None = None,
        outcomes: OutcomeSource | None = None,
    ) -> None:
        self.folder = Folder.of(folder) if folder is not None else default_folder()
        whole_threads = whole_number("threads", threads or 0)
        self._options = whole_number("cache_bytes", cache_bytes), whole_threads
        workers = self._options[1] or usable_cores()
        self._tables = TableCache(self.folder, cache_bytes, workers)
        self._outcomes = outcomes

    def __reduce__(self) -> tuple[Any, ...]:
        """The pickle holds the folder and the options; unpickling opens the folder again."""
        return Tablebase, (self.folder, *self._options, self._outcomes)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """All files are closed and all threads ended; a later probe opens tables again.

        A probe that another thread has begun is answered; its file is closed afterwards.
        """
        self._tables.close()
        if self._outcomes is not None:
            self._outcomes.close()

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
        written, wanted = Material.as_written(material), Metric.of(metric)
        table = self._table(written, wanted)
        return Values(codes_of_squares(table, written, squares, turns), wanted)

    def probe_fens(self, fens: Iterable[str], metric: Metric | str = Metric.DTM) -> Values:
        """The values of many FENs. What cannot be answered raises what `probe_x` raises."""
        return _all_of(*self.answer_fens(fens, metric))

    def answer_fens(
        self, fens: Iterable[str], metric: Metric | str = Metric.DTM
    ) -> tuple[Values, dict[int, UnmoveError]]:
        """The values of many FENs, and by number what is wrong with those that have none."""
        asked, wanted = listed("fens", fens), Metric.of(metric)
        return values_of_fens(asked, wanted, self._tables, self._code)

    def probe_boards(self, boards: Iterable[AnyBoard], metric: Metric | str = Metric.DTM) -> Values:
        """The values of many boards. What cannot be answered raises what `probe_x` raises."""
        asked, wanted = listed("boards", boards), Metric.of(metric)
        return _all_of(*values_of_boards(asked, wanted, self._tables, self._code))

    def batches(
        self, material: Material | str, metric: Metric | str = Metric.DTM
    ) -> Iterator[Batch]:
        """All legal positions of a table with their values; see `Batch` for which images."""
        written = Material.as_written(material)
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

    def probe(self, board: AnyBoard) -> Answer:
        """All values of a board, by the metrics that are built: one look-up for each of them.

        MissingTable if none is built.
        """
        rules = rules_of(board)
        codes = self._codes(rules.game.metrics, lambda metric: self._code(board, metric))
        return Answer(codes, rules.clock(board))

    def probe_each(self, boards: Iterable[AnyBoard]) -> list[dict[Metric, Code]]:
        """The codes of some boards, such as those that moves lead to, by metric.

        A metric that is not built, or that the board is not in the tables of, is left out. What is
        no board, or an illegal one, raises what `probe_x` raises.
        """
        asked = listed("boards", boards)
        codes: list[dict[Metric, Code]] = [{} for _ in asked]
        groups: dict[Material, list[tuple[int, Placement]]] = {}
        for number, board in enumerate(asked):
            with suppress(*NOT_IN_TABLES):
                rules = rules_of(board)
                placement = rules.placement(board)
                if placement is not None and rules.is_plain(board):
                    groups.setdefault(placement.material, []).append((number, placement))
                else:
                    codes[number] = self.probe(board).codes
        for material, group in groups.items():
            for metric in material.game.metrics:
                with suppress(*NOT_IN_TABLES):
                    table = self._tables.table(material, metric)
                    found = self._codes_of(table, [(asked[i], placed) for i, placed in group])
                    for (number, _), code in zip(group, found, strict=True):
                        codes[number][metric] = code
        return codes

    def _codes_of(
        self, table: OpenTable, asked: Sequence[tuple[AnyBoard, Placement]]
    ) -> list[Code]:
        """The codes that a table has for some plain boards."""
        codes = [BROKEN] * len(asked)
        for side in SIDES:
            numbers = [i for i, (_, placed) in enumerate(asked) if placed.side == side]
            if numbers:
                squares = np.array([asked[i][1].squares for i in numbers], np.uint8)
                boards = [asked[i][0] for i in numbers]
                found = self._codes_to_move(table, side, squares, boards)
                for i, code in zip(numbers, found, strict=True):
                    codes[i] = code
        return codes

    def _codes_to_move(
        self, table: OpenTable, side: Side, squares: NDArray[np.uint8], boards: Sequence[AnyBoard]
    ) -> list[Code]:
        """The codes of boards with one side to move; an illegal one raises what is wrong."""

        def check(number: int) -> None:
            rules_of(boards[number]).check(boards[number])

        codes = table.codes_of(side, squares, check, partial(self._searched, table.metric))
        if BROKEN in codes:
            check(codes.index(BROKEN))
            raise table.no_value(boards[codes.index(BROKEN)])
        return codes

    def probe_dtm(self, board: AnyBoard) -> Value | None:
        """Plies to mate: +n wins, -n loses, 0 is checkmate, None a draw."""
        return value_of(self._code(board, Metric.DTM), Metric.DTM)

    def probe_dtc(self, board: AnyBoard) -> Value | None:
        """Plies to conversion or mate: +n wins, -n loses, 0 is checkmate, None a draw."""
        return value_of(self._code(board, Metric.DTC), Metric.DTC)

    def probe_dtz(self, board: AnyBoard) -> Value | None:
        """Plies to zeroing or mate: +n wins, -n loses, 0 is checkmate, None a draw.

        Whether a win is cursed (and a loss blessed) is told by `probe_wdl50`, not by the number.
        """
        return value_of(self._code(board, Metric.DTZ), Metric.DTZ)

    def probe_wdl(self, board: AnyBoard) -> Outcome:
        """Win, draw or loss for the side to move, without the 50-move rule."""
        wdl = self._wdl(board)
        if wdl is not None:
            return outcome_of_wdl(wdl)
        missing: list[MissingTable] = []
        for metric in rules_of(board).game.metrics:
            try:
                return outcome_of(self._code(board, metric))
            except MissingTable as error:
                missing.append(error)
        raise missing[0]

    def probe_wdl50(self, board: AnyBoard) -> Outcome50:
        """The outcome for the side to move under the 50-move rule, with the board's clock."""
        wdl = self._wdl(board)
        if wdl is not None:
            found = outcome50_of_wdl(wdl, rules_of(board).clock(board))
            if found is not None:
                return found
        return outcome50_of(self._code(board, Metric.DTZ), rules_of(board).clock(board))

    def _wdl(self, board: AnyBoard) -> int | None:
        """The outcome by the source of outcomes, with a clock of 0; None if it does not have it."""
        if self._outcomes is None or not isinstance(board, chess.Board):
            return None
        try:
            return self._outcomes.probe_wdl(board)
        except NOT_IN_TABLES:
            return None

    def get_dtm(
        self, board: AnyBoard, default: _Default | Unknown = UNKNOWN
    ) -> Value | _Default | Unknown | None:
        """`probe_dtm`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_dtm, board, default)

    def get_dtc(
        self, board: AnyBoard, default: _Default | Unknown = UNKNOWN
    ) -> Value | _Default | Unknown | None:
        """`probe_dtc`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_dtc, board, default)

    def get_dtz(
        self, board: AnyBoard, default: _Default | Unknown = UNKNOWN
    ) -> Value | _Default | Unknown | None:
        """`probe_dtz`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_dtz, board, default)

    def get_wdl(
        self, board: AnyBoard, default: _Default | Unknown = UNKNOWN
    ) -> Outcome | _Default | Unknown:
        """`probe_wdl`, or the default for a position that is not in the tables."""
        return _or_default(self.probe_wdl, board, default)

    def get_wdl50(
        self, board: AnyBoard, default: _Default | Unknown = UNKNOWN
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

    def moves(self, board: AnyBoard, metric: Metric | str = Metric.DTM) -> list[RankedMove[Any]]:
        """All legal moves, best first: quick wins, slow wins, draws, slow losses, quick losses.

        The order is that of the metric, or of the others if it is not built. DTM and DTC know
        nothing of the 50-move rule: a move that comes first may win too late for it, which its
        `outcome50` tells.
        """
        rules, wanted = rules_of(board), Metric.of(metric)
        rules.check(board)
        ranked = self._quick_moves(board) or self._slow_moves(board)
        built = [other for other in Metric if all(other in move.codes for move in ranked)]
        built.sort(key=lambda other: other != wanted)
        return sorted(ranked, key=lambda move: _rank(move, built))

    def _quick_moves(self, board: AnyBoard) -> list[RankedMove[Any]] | None:
        """All legal moves of a legal board of chess, if it is plain and its tables are built."""
        rules = rules_of(board)
        placed = rules.placement(board) if rules.is_plain(board) else None
        if placed is None or not isinstance(board, chess.Board):
            return None
        tables = {}
        for metric in rules.game.metrics:
            with suppress(*NOT_IN_TABLES):
                tables[metric] = self._tables.table(placed.material, metric)
        search = {metric: partial(self._searched, metric) for metric in tables}
        return quick_moves(board, placed, tables, search) if tables else None

    def _slow_moves(self, board: AnyBoard) -> list[RankedMove[Any]]:
        """All legal moves of any legal board; MissingTable if one leads to no table."""
        rules = rules_of(board)
        moves = rules.moves(board)
        steps = [rules.after(board, move) for move in moves]
        found = self.probe_each(step.board for step in steps)
        return [
            self._ranked(board, move, step, codes)
            for move, step, codes in zip(moves, steps, found, strict=True)
        ]

    @overload
    def line(self, board: chess.Board, metric: Metric | str = ...) -> list[chess.Move]: ...

    @overload
    def line(
        self, board: xiangqi_board.Board, metric: Metric | str = ...
    ) -> list[xiangqi_board.Move]: ...

    def line(self, board: AnyBoard, metric: Metric | str = Metric.DTM) -> list[Any]:
        """Best play of both sides to the end; empty for a draw without the 50-move rule.

        By DTC or DTZ the line goes on after each conversion or zeroing, by the distance of the
        position reached.
        """
        line: list[Any] = []
        wanted = Metric.of(metric)
        if self._code(board, wanted) == DRAW:
            return line
        while (best := self._best_move(board, wanted)) is not None:
            line.append(best)
            board = rules_of(board).after(board, best).board
        return line

    def _best_move(self, board: AnyBoard, wanted: Metric) -> Any:
        """The move that `moves` has first; None without a legal one.

        The code of the board is that of its best move. So every other move is searched no further
        than to find that it is worse.
        """
        rules = rules_of(board)
        rules.check(board)
        moves = sorted(rules.moves(board), key=lambda move: rules.san(board, move))
        steps = [rules.after(board, move) for move in moves]
        built = [metric for metric in rules.game.metrics if self._has_all(steps, metric)]
        if wanted in built:
            best = self._code(board, wanted)
            equal = (i for i, step in enumerate(steps) if self._leads_to(step, wanted, best))
            others = [metric for metric in built if metric != wanted]
            key = partial(self._distances, steps, others)
            found = min(equal, key=key, default=None) if others else next(equal, None)
            if found is not None:
                return moves[found]
        ranked = self.moves(board, wanted)
        return ranked[0].move if ranked else None

    def _has_all(self, steps: Sequence[Step], metric: Metric) -> bool:
        """Whether the tables that moves lead into are built."""
        try:
            for step in steps:
                self._place(step.board, metric)
        except MissingTable:
            return False
        return True

    def _distances(
        self, steps: Sequence[Step], metrics: Sequence[Metric], number: int
    ) -> tuple[list[int], int]:
        """A sort key, smallest for the best of some moves: distances by these metrics, number."""
        codes = (self._code_of_step(steps[number], metric) for metric in metrics)
        return [-preference(code) for code in codes], number

    def _leads_to(self, step: Step, metric: Metric, best: Code) -> bool:
        """Whether the code of a move is `best`, the best there is."""
        table, side, place, cell = self._place(step.board, metric)
        rules = rules_of(step.board)
        if not rules.is_plain(step.board) or table.knows(side, place, cell):
            return self._code_of_step(step, metric) == best
        replies = [rules.after(step.board, move) for move in rules.moves(step.board)]
        if not replies:
            return self._code_of_step(step, metric) == best
        code: Code | None = None
        for reply in self._cheapest_first(replies, metric):
            found = self._code_of_step(reply, metric)
            code = found if code is None else max(code, found, key=preference)
            seen = code_before(code, metric, zeroes=step.zeroes, converts=step.converts)
            if preference(seen) < preference(best):
                return False
        return seen == best

    def _cheapest_first(self, steps: Sequence[Step], metric: Metric) -> Iterator[Step]:
        """Moves by their planes: those that are decoded, then those that many moves lead to."""
        by_plane: dict[tuple[Material, int], list[Step]] = {}
        decoded: list[Step] = []
        for step in steps:
            table, side, place, cell = self._place(step.board, metric)
            if table.knows(side, place, cell):
                decoded.append(step)
            else:
                by_plane.setdefault((table.file.material, place), []).append(step)
        yield from decoded
        for some in sorted(by_plane.values(), key=len, reverse=True):
            yield from some

    def _place(self, board: AnyBoard, metric: Metric) -> tuple[OpenTable, Side, int, int]:
        """The table of a legal board, and side to move, place and cell in it."""
        placement = rules_of(board).placement(board)
        if placement is None:
            raise AssertionError("a legal board without a king on each side")
        table = self._tables.table(placement.material, metric)
        return table, placement.side, *table.find(placement.squares)

    def _table(self, written: Material, metric: Metric) -> OpenTable:
        """The table of a material, whichever of its sides is named first."""
        return self._tables.table(written.canonical(), metric)

    def _ranked(
        self, board: AnyBoard, move: AnyMove, step: Step, after: dict[Metric, Code]
    ) -> RankedMove[Any]:
        """A move, given the codes of the board that it leads to; MissingTable if there are none."""
        rules = rules_of(board)
        codes = {
            metric: code_before(code, metric, zeroes=step.zeroes, converts=step.converts)
            for metric, code in (after or self.probe(step.board).codes).items()
        }
        return RankedMove(move, rules.san(board, move), codes, rules.clock(board))

    def _codes(
        self, metrics: Iterable[Metric], code: Callable[[Metric], Code]
    ) -> dict[Metric, Code]:
        """The codes by the metrics that are built; MissingTable if none is."""
        codes: dict[Metric, Code] = {}
        missing: list[MissingTable] = []
        for metric in metrics:
            try:
                codes[metric] = code(metric)
            except MissingTable as error:
                missing.append(error)
        if not codes:
            raise missing[0]
        return codes

    def _code_of_step(self, step: Step, metric: Metric) -> Code:
        """The code of a legal move, seen by the side that made it."""
        code = self._code(step.board, metric)
        return code_before(code, metric, zeroes=step.zeroes, converts=step.converts)

    def _code(self, board: AnyBoard, metric: Metric) -> Code:
        """The code of the board, its en-passant right included; never a made-up one."""
        rules = rules_of(board)
        if rules.is_plain(board):
            return self._stored(board, metric)
        rules.check(board)
        en_passant = rules.en_passant_moves(board)
        codes = [self._code_of_step(rules.after(board, move), metric) for move in en_passant]
        if not en_passant or len(en_passant) < len(rules.moves(board)):
            codes.append(self._stored(board, metric))
        return max(codes, key=preference)

    def _stored(self, board: AnyBoard, metric: Metric) -> Code:
        """The code that a table has for the board, as if nothing could be taken en passant.

        A board without a value is illegal, and is checked to say why.
        """
        rules = rules_of(board)
        placement = rules.placement(board)
        if placement is None:
            rules.check(board)
            raise AssertionError("a board that passed without a king on each side")
        table = self._tables.table(placement.material, metric)
        return self._looked_up(board, table, placement, *table.find(placement.squares))

    def _looked_up(
        self, board: AnyBoard, table: OpenTable, placement: Placement, place: int, cell: int
    ) -> Code:
        """The code that a table has in a cell, which is that of the board."""
        code, side = BROKEN, placement.side
        if place != NOT_FOUND:
            code = table.code(side, place, cell, lambda: self._found(board, table, placement))
        if code == BROKEN:
            rules_of(board).check(board)
            raise table.no_value(board)
        return code

    def _found(self, board: AnyBoard, table: OpenTable, placement: Placement) -> Code:
        """The code of a board by its moves. What is marked in the file is legal."""
        if placement.side not in table.file.sides:
            rules_of(board).check(board)
        squares = np.array([placement.squares], np.uint8)
        search = partial(self._searched, table.metric)
        return table.one_ply.codes(placement.side, squares, search)[0]

    def _searched(self, metric: Metric, board: AnyBoard, converts: bool) -> Code:
        """The code of the best move, or of the best conversion, board by board."""
        rules = rules_of(board)
        board = rules.without_en_passant(board)
        steps = [rules.after(board, move) for move in rules.moves(board)]
        codes = [
            self._code_of_step(step, metric) for step in steps if step.converts or not converts
        ]
        return max(codes, key=preference) if codes else rules.code_without_moves(board)


def _all_of(values: Values, errors: dict[int, UnmoveError]) -> Values:
    """The values if there are no errors; otherwise the first error is raised."""
    if errors:
        raise errors[min(errors)]
    return values


def _or_default(
    probe: Callable[[AnyBoard], _Value], board: AnyBoard, default: _Default | Unknown
) -> _Value | _Default | Unknown:
    try:
        return probe(board)
    except NOT_IN_TABLES:
        return default


def whole_number(parameter: str, number: int) -> int:
    """The number, if it is whole and not negative; BadOption otherwise."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise BadOption(parameter, repr(number), "it must be a whole number of 0 or more")
    return number


def _rank(ranked: RankedMove[Any], metrics: Sequence[Metric]) -> tuple[int, list[int], str]:
    """A sort key, smallest for the best move: outcome, distances by these metrics, name."""
    distances = [-preference(ranked.codes[metric]) for metric in metrics]
    return -ranked.outcome, distances, ranked.san
