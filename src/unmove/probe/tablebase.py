"""The tablebase: a folder of tables that answers for boards.

`probe_x` raises what is wrong (see `errors`); `get_x` returns a default when the answer is not
here, and still raises when the question is wrong. Values are seen by the side to move; their
signs are explained in `values`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import chess

from unmove.errors import DamagedFile, MissingTable, UnanswerableError
from unmove.material import Material
from unmove.planes.layout import check_supported
from unmove.planes.position import locate, material_of
from unmove.probe.board import check
from unmove.probe.cache import BlockCache
from unmove.store.folder import Folder, default_folder
from unmove.store.reader import TableFile
from unmove.values import BROKEN, Metric, Outcome, outcome_of, value_of

CACHE_BYTES = 64 << 20

_Default = TypeVar("_Default")


@dataclass(frozen=True)
class RankedMove:
    """A move and what it is worth to the side that makes it.

    `dtm` and `dtc` are the mover's: +n if it wins in n plies, this move included. None for a draw,
    or when the table is not built.
    """

    move: chess.Move
    san: str
    outcome: Outcome
    dtm: int | None
    dtc: int | None


class Tablebase:
    """Open tables of one folder. Safe to share between threads."""

    def __init__(self, folder: Path | str | None = None, cache_bytes: int = CACHE_BYTES) -> None:
        self.folder = Folder(Path(folder) if folder is not None else default_folder())
        self._cache = BlockCache(cache_bytes)
        self._files: dict[tuple[Material, Metric], TableFile] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """All files are closed; the tablebase opens them again when asked again."""
        with self._lock:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self._cache = BlockCache(self._cache.limit)

    def probe_dtm(self, board: chess.Board) -> int | None:
        """Plies to mate: +n wins, -n loses, 0 is checkmate, None a draw."""
        return value_of(self._code(board, Metric.DTM))

    def probe_dtc(self, board: chess.Board) -> int | None:
        """Plies to conversion or mate: +n wins, -n loses, 0 is checkmate, None a draw."""
        return value_of(self._code(board, Metric.DTC))

    def probe_wdl(self, board: chess.Board) -> Outcome:
        """Win, draw or loss for the side to move, without the 50-move rule."""
        try:
            return outcome_of(self._code(board, Metric.DTM))
        except MissingTable:
            try:
                return outcome_of(self._code(board, Metric.DTC))
            except MissingTable:
                pass
            raise

    def get_dtm(self, board: chess.Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_dtm`, or the default when the table is not here."""
        try:
            return self.probe_dtm(board)
        except UnanswerableError:
            return default

    def get_dtc(self, board: chess.Board, default: _Default | None = None) -> int | _Default | None:
        """`probe_dtc`, or the default when the table is not here."""
        try:
            return self.probe_dtc(board)
        except UnanswerableError:
            return default

    def get_wdl(
        self, board: chess.Board, default: _Default | None = None
    ) -> Outcome | _Default | None:
        """`probe_wdl`, or the default when the table is not here."""
        try:
            return self.probe_wdl(board)
        except UnanswerableError:
            return default

    def moves(self, board: chess.Board) -> list[RankedMove]:
        """All legal moves, best first: quick wins, slow wins, draws, slow losses, quick losses."""
        check(board)
        ranked = [self._ranked(board, move) for move in board.legal_moves]
        return sorted(ranked, key=_rank)

    def line(self, board: chess.Board, metric: Metric = Metric.DTM) -> list[chess.Move]:
        """Best play of both sides to mate; empty for a draw.

        Counted by DTC, the line goes on after each conversion, by the DTC of the endgame reached.
        """
        probe = {Metric.DTM: self.probe_dtm, Metric.DTC: self.probe_dtc}[metric]
        line: list[chess.Move] = []
        board = board.copy(stack=False)
        if probe(board) is None:
            return line
        while not board.is_checkmate():
            ranked = self.moves(board)
            best = min(ranked, key=lambda m: _rank(m, metric))
            line.append(best.move)
            board.push(best.move)
        return line

    def _ranked(self, board: chess.Board, move: chess.Move) -> RankedMove:
        san = board.san(move)
        converts = board.is_capture(move) or move.promotion is not None
        child = board.copy(stack=False)
        child.push(move)
        dtm = _one_ply_earlier(self.get_dtm(child), False)
        dtc = _one_ply_earlier(self.get_dtc(child), converts)
        return RankedMove(move, san, Outcome(-self.probe_wdl(child)), dtm, dtc)

    def _code(self, board: chess.Board, metric: Metric) -> int:
        """The code of the board; never a made-up one."""
        check(board)
        file = self._file(material_of(board).canonical(), metric)
        address = locate(board, file.layout)
        number, index = file.place(address.side, address.cell)
        code = int(file.palette[self._cache.block(file, number)[index]])
        if code == BROKEN:
            raise DamagedFile(file.path, f"has no value for {board.fen()}")
        return code

    def _file(self, material: Material, metric: Metric) -> TableFile:
        key = material, metric
        with self._lock:
            if key not in self._files:
                check_supported(material)
                self._files[key] = self.folder.open(material, metric)
            return self._files[key]


def _one_ply_earlier(value: int | None, converts: bool) -> int | None:
    """The mover's value of a move after which the opponent has `value`.

    A converting move is the goal of DTC, however long the endgame behind it takes.
    """
    if value is None:
        return None
    plies = 0 if converts else abs(value)
    return plies + 1 if value <= 0 else -plies - 1


def _rank(ranked: RankedMove, metric: Metric = Metric.DTM) -> tuple[int, int, int, str]:
    """A sort key, smallest for the best move: outcome, distance, other distance, name."""
    first, second = ranked.dtm, ranked.dtc
    if metric is Metric.DTC or first is None:
        first, second = second, first
    return -ranked.outcome, first or 0, second or 0, ranked.san
