"""A game against perfect play: the judgement on each move, and the reply.

The opponent wins as fast and loses as slowly as possible. In a drawn position it keeps the draw and
sets the most problems: it leaves the fewest replies that keep the draw, and avoids positions that
have occurred before. With DTZ tables outcomes are those under the 50-move rule, with the half-move
clock of the game: a win that comes too late for the rule is less than one in time.
"""

from __future__ import annotations

from typing import Any

from unmove.games.boards import AnyBoard, AnyMove, rules_of
from unmove.probe.answer import RankedMove
from unmove.probe.tablebase import Tablebase
from unmove.research.judging import Judgement, by_rule, judge
from unmove.values import DRAW, Metric, Outcome, Side, opponent_of

REPETITIONS = 3  # of a position end a game


class PlayedGame:
    """The positions of a game, the last one on the board. MissingTable if it cannot be judged."""

    def __init__(
        self, tables: Tablebase, board: AnyBoard, metric: Metric | str = Metric.DTM
    ) -> None:
        self.metric = Metric.of(metric)
        tables.probe_boards([board], self.metric)
        self.tables = tables
        self.boards = [board]

    @property
    def board(self) -> AnyBoard:
        return self.boards[-1]

    @property
    def side(self) -> Side:
        """The side to move."""
        return rules_of(self.board).side(self.board)

    @property
    def names(self) -> tuple[str, str]:
        """What people call the sides."""
        return rules_of(self.board).game.side_names

    def ranked(self) -> list[RankedMove[Any]]:
        """All moves of the position, best first: by outcome, then by the metric."""
        ranked: list[RankedMove[Any]] = self.tables.moves(self.board, self.metric)
        return sorted(ranked, key=by_rule(ranked), reverse=True)

    def play(self, move: AnyMove) -> Judgement:
        """A legal move is made; returns the judgement on it."""
        ranked = self.ranked()
        made = next(one for one in ranked if one.move == move)
        self.boards.append(rules_of(self.board).after(self.board, move).board)
        return judge(ranked, made, self.metric, by_rule(ranked))

    def reply(self) -> Judgement:
        """The perfect move is made; returns the judgement on it."""
        return self.play(self._choice().move)

    def undo(self, side: Side) -> bool:
        """A side's last move and all later ones are taken back; False if it has made none."""
        movers = [rules_of(board).side(board) for board in self.boards[:-1]]
        if side not in movers:
            return False
        last = len(movers) - 1 - movers[::-1].index(side)
        del self.boards[last + 1 :]
        return True

    def end(self) -> str | None:
        """How the game has ended, as a sentence; None if it goes on."""
        rules = rules_of(self.board)
        loser, winner = self.names[self.side], self.names[opponent_of(self.side)]
        if not rules.moves(self.board):
            if rules.code_without_moves(self.board) == DRAW:
                return f"Stalemate: {loser} has no move, a draw."
            how = "Checkmate" if rules.is_check(self.board) else f"{loser} has no move"
            return f"{how}: {winner} wins."
        reason = rules.drawn(self.board)
        if reason is None and self._times(self.board) >= REPETITIONS:
            reason = "the position has been on the board three times"
        return f"A draw: {reason}." if reason else None

    def _choice(self) -> RankedMove[Any]:
        """The best move; of several that draw, the one that sets the most problems."""
        ranked = self.ranked()
        if ranked[0].outcome != Outcome.DRAW:
            return ranked[0]
        return min((move for move in ranked if move.outcome == Outcome.DRAW), key=self._ease)

    def _ease(self, move: RankedMove[Any]) -> tuple[int, bool, int, str]:
        """A sort key: smallest for the move that leaves the fewest holding replies, but one."""
        after = rules_of(self.board).after(self.board, move.move).board
        replies = self.tables.moves(after, self.metric)
        holding = sum(reply.outcome == Outcome.DRAW for reply in replies)
        return self._times(after), holding == 0, holding, move.san

    def _times(self, board: AnyBoard) -> int:
        """How often a position has occurred."""
        return sum(_same(board, other) for other in self.boards)


def _same(board: AnyBoard, other: AnyBoard) -> bool:
    """Whether two positions are the same but for their counters."""
    return board.fen().rsplit(" ", 2)[0] == other.fen().rsplit(" ", 2)[0]
