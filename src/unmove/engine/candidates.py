"""The moves of a position as the engine compares them: what tables say of each, best first.

A table of ours, or a Syzygy file, answers for the position after a move. If the position itself is
in no table (its table is not built, it has too many men or castling rights), some of its moves may
still be known: captures into a smaller endgame, moves that give up the last castling right, moves
that mate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from unmove.engine.positions import Position
from unmove.engine.scores import MoveScore
from unmove.errors import NOT_IN_TABLES
from unmove.games.boards import AnyBoard, AnyMove, rules_of
from unmove.games.rules import Step
from unmove.probe.answer import Evaluated
from unmove.values import (
    BLACK,
    DRAW,
    Code,
    Metric,
    Outcome,
    Outcome50,
    code_before,
    moves_of,
    preference,
)

if TYPE_CHECKING:  # which takes a second to import, and a legal move may be asked for before
    from unmove.api.lichess.knowledge import Sources


@dataclass(frozen=True)
class Candidate(Evaluated):
    """A legal move, and its value to the side that makes it, this move included."""

    move: AnyMove
    codes: dict[Metric, Code]
    """By the metrics that are built; empty if no table knows the move."""
    clock: int = 0
    third: bool = False
    """Whether it brings a position onto the board for the third time."""

    @property
    def known(self) -> bool:
        return bool(self.codes)

    def outcome_by(self, rule: bool) -> Outcome50:
        """The outcome, by the 50-move rule or without it; of a known move."""
        if rule and self.outcome50 is not None:
            return self.outcome50
        return Outcome50(2 * self.outcome)


def unknown_moves(position: Position) -> list[Candidate]:
    """All legal moves, as if there were no tables."""
    board = position.board
    rules = rules_of(board)
    return [Candidate(move, {}, rules.clock(board)) for move in rules.moves(board)]


def looked_up(sources: Sources, position: Position, move: AnyMove) -> Candidate:
    """A legal move with what the tables say of it; what `Tablebase.probe` raises otherwise."""
    board = position.board
    rules = rules_of(board)
    step = rules.after(board, move)
    codes = {
        metric: code_before(code, metric, zeroes=step.zeroes, converts=step.converts)
        for metric, code in _codes(sources, step).items()
    }
    return Candidate(move, codes, rules.clock(board), position.repeats(step.board))


def _codes(sources: Sources, step: Step) -> dict[Metric, Code]:
    """The codes of the position that a move leads to; without a legal move it needs no table.

    Where our DTZ table is missing, Syzygy files may know the distance.
    """
    rules = rules_of(step.board)
    if not rules.moves(step.board):
        return dict.fromkeys(rules.game.metrics, rules.code_without_moves(step.board))
    files, board = sources.syzygy, step.board
    if files is None or not isinstance(board, chess.Board):
        return sources.tables.probe(board).codes
    try:
        codes = sources.tables.probe(board).codes
    except NOT_IN_TABLES:
        codes = {}
    if Metric.DTZ not in codes and (told := files.answer(board)) is not None:
        codes = codes | {Metric.DTZ: told.latest_code}
    return codes or sources.tables.probe(board).codes


@dataclass(frozen=True)
class Ranking:
    """By what moves are compared."""

    metric: Metric
    rule: bool
    """Whether the 50-move rule counts."""

    def ordered(self, board: AnyBoard, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The moves, best first.

        Known wins come first, then moves that no table knows and draws, then known losses. A draw
        goes before an unknown move for the weaker side, which has less to hope for, and after it
        for the other one. Among wins and losses the distance decides. A win that repeats a position
        for the third time would be a draw, and comes after the other wins.
        """
        known = [candidate for candidate in candidates if candidate.known]
        rule = self.rule and all(candidate.outcome50 is not None for candidate in known)
        metrics = [m for m in Metric if all(m in candidate.codes for candidate in known)]
        metrics.sort(key=lambda metric: metric != self.metric)
        unknown = -0.5 if _is_weaker(board) else 0.5

        def worst_last(candidate: Candidate) -> tuple[float, bool, list[int], str]:
            if not candidate.known:
                return -unknown, False, [], str(candidate.move)
            outcome = candidate.outcome_by(rule)
            codes = [candidate.codes[metric] for metric in metrics] or candidate.codes.values()
            distances = [-preference(code) for code in codes]
            return -outcome, candidate.third and outcome > 0, distances, str(candidate.move)

        return sorted(candidates, key=worst_last)

    def score(self, candidate: Candidate, *, bound: bool = False) -> MoveScore | None:
        """What a GUI shows of a move; None if no table knows it."""
        if not candidate.known:
            return None
        outcome = candidate.outcome_by(self.rule)
        if abs(outcome) < Outcome50.WIN:
            return MoveScore(Outcome.DRAW, bound=bound)
        goal = candidate.dtz if candidate.dtc is None else candidate.dtc
        mate = candidate.dtm
        return MoveScore(
            1 if outcome > 0 else -1,
            None if mate is None else abs(mate),
            abs(goal or 0),
            bound,
        )

    def note(self, board: AnyBoard, candidate: Candidate) -> str | None:
        """What a person should know of the 50-move rule and the best move; None if nothing."""
        if not self.rule or not candidate.known or not candidate.outcome:
            return None
        word = candidate.outcome.word
        if candidate.outcome50 is None:
            if not candidate.clock or Metric.DTZ not in rules_of(board).game.metrics:
                return None
            reason = "is not taken into account, because the dtz table is not built"
            return f"The half-move clock ({candidate.clock}) {reason}."
        if abs(candidate.outcome50) == Outcome50.WIN:
            return None
        mate = candidate.dtm
        far = "" if mate is None else f" (mate in {moves_of(mate)})"
        return f"This is a {word}{far} which the 50-move rule makes a draw."


def is_decided(candidate: Candidate) -> bool:
    """Whether a known move leads to a win of one side, without the 50-move rule."""
    return candidate.known and DRAW not in candidate.codes.values()


def _is_weaker(board: AnyBoard) -> bool:
    """Whether the side to move is the one that the name of the endgame has second."""
    placement = rules_of(board).placement(board)
    if placement is None:
        return False
    first, second = placement.material.sides
    return first != second and placement.side == BLACK
