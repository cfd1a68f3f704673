"""Positions written down: FEN, and EPD with a comment."""

from __future__ import annotations

from dataclasses import dataclass

from unmove.games.boards import AnyBoard, rules_of
from unmove.values import Code, Metric, moves_of, value_of


@dataclass(frozen=True)
class Note:
    """A position and a comment; `mate` is the number of moves in which the side to move mates."""

    board: AnyBoard
    comment: str
    mate: int | None = None

    @property
    def fen(self) -> str:
        return self.board.fen()

    @property
    def epd(self) -> str:
        """The position's first four fields, then operations: `c0` the comment, `dm` the mate."""
        mate = "" if self.mate is None else f" dm {self.mate};"
        return f'{" ".join(self.fen.split()[:4])} c0 "{self.comment}";{mate}'


def valued(board: AnyBoard, metric: Metric, code: Code) -> Note:
    """A position with its value as the comment."""
    rules = rules_of(board)
    mover = rules.game.side_names[rules.side(board)]
    value = value_of(code, metric)
    if value is None:
        return Note(board, f"{mover} to move: draw")
    word = "wins" if value > 0 else "loses"
    comment = f"{mover} to move {word}: {metric.goal} in {abs(value)} plies"
    mates = value > 0 and metric == Metric.DTM
    return Note(board, comment, moves_of(value) if mates else None)
