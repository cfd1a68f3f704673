"""Positions written down: FEN, and EPD with a comment."""

from __future__ import annotations

from dataclasses import dataclass

from unmove.games.boards import AnyBoard


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
