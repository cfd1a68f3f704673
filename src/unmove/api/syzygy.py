"""Answers for positions by Syzygy files: outcomes under the 50-move rule, distances to zeroing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import chess

from unmove.api.positions import FailedProbe
from unmove.errors import UnmoveError, VariantBoard
from unmove.games.boards import parse_fen
from unmove.values import FIFTY, Outcome50

if TYPE_CHECKING:
    from unmove.interop.syzygy.tablebase import SyzygyTablebase

SOURCE: Final = "syzygy"


@dataclass(frozen=True)
class SyzygyMove:
    """A legal move and its values, this move included, seen by the side that makes it."""

    uci: str
    """In coordinates."""
    san: str
    """As people write it."""
    outcome50: Outcome50
    """Under the 50-move rule, as if the half-move clock were 0."""
    dtz: int
    """Signed plies to the next zeroing that keeps the outcome; 0 for a draw. More than 100 where
    the 50-move rule makes it a draw. It may be one less than the distance: files are rounded."""


@dataclass(frozen=True)
class SyzygyPosition:
    """The values of a position and of its moves by Syzygy files, seen by the side to move."""

    fen: str
    """The FEN as it was given."""
    source: str
    """Where the values are from: "syzygy"."""
    outcome50: Outcome50
    """Under the 50-move rule, as if the half-move clock were 0."""
    dtz: int
    """Signed plies to the next zeroing; see `SyzygyMove`. A mated side has -1."""
    moves: tuple[SyzygyMove, ...]
    """All legal moves, best first."""


def probe(tables: SyzygyTablebase, fen: str) -> SyzygyPosition:
    """The values of a FEN and of its moves."""
    board = _board_of(fen)
    dtz = tables.probe_dtz(board)
    return SyzygyPosition(fen.strip(), SOURCE, _outcome_of(dtz), dtz, _moves(tables, board))


def probe_or_fail(tables: SyzygyTablebase, fen: str) -> SyzygyPosition | FailedProbe:
    """`probe`, or why it fails."""
    try:
        return probe(tables, fen)
    except UnmoveError as error:
        return FailedProbe.of(fen, error)


def _board_of(fen: str) -> chess.Board:
    board = parse_fen(fen)
    if not isinstance(board, chess.Board):
        raise VariantBoard("xiangqi")
    return board


def _outcome_of(dtz: int) -> Outcome50:
    """The outcome that a distance tells."""
    sign = (dtz > 0) - (dtz < 0)
    return Outcome50(sign if abs(dtz) > FIFTY else 2 * sign)


def _moves(tables: SyzygyTablebase, board: chess.Board) -> tuple[SyzygyMove, ...]:
    """All legal moves, best first."""
    moves, children = list(board.legal_moves), []
    for move in moves:
        child = board.copy(stack=False)
        child.push(move)
        children.append(child)
    found = tables.probe_boards(children, "dtz").numbers.tolist()
    ranked = [_move(board, *each) for each in zip(moves, children, found, strict=True)]
    return tuple(sorted(ranked, key=_rank))


def _move(board: chess.Board, move: chess.Move, child: chess.Board, theirs: int) -> SyzygyMove:
    """The values of a move after which the opponent has a distance."""
    outcome = Outcome50(-_outcome_of(theirs))
    if board.is_zeroing(move) or child.is_checkmate():
        dtz = {2: 1, 1: 101, 0: 0, -1: -101, -2: -1}[outcome]
    else:
        dtz = -theirs + (theirs < 0) - (theirs > 0)
        outcome = _outcome_of(dtz)
    return SyzygyMove(str(move), board.san(move), outcome, dtz)


def _rank(move: SyzygyMove) -> tuple[int, int, str]:
    """A sort key, smallest for the best move: outcome, distance, name."""
    return -move.outcome50, move.dtz, move.san
