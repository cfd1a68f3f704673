"""The score of a move: the rank of its code in the mover's order of preference.

    0 no move    quick loss .. slow loss    draw    stalemate    slow win .. quick win

Stalemate is a draw. It has a score of its own because the side that is stalemated may still have
to take en passant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from unmove.kernels.arrays import Score, Scores
from unmove.store.source import cell_type
from unmove.values import BROKEN, DRAW, Code, Level, level_of


class ScoreTable:
    """From codes to scores, and back."""

    def __init__(self, codes: Iterable[Code]) -> None:
        settled = {code for code in codes if code > DRAW}
        losses = sorted(code for code in settled if code % 2 == 0)
        wins = sorted((code for code in settled if code % 2 == 1), reverse=True)
        self.codes: list[Code] = [BROKEN, *losses, DRAW, DRAW, *wins]
        """[score]: its code; the second draw is stalemate."""
        self.stalemate = Score(len(losses) + 2)
        self.score: dict[Code, Score] = {
            code: Score(i) for i, code in enumerate(self.codes) if i != self.stalemate
        }
        """By code: its score."""
        self.kind = cell_type(len(self.codes))
        """The type of a score in an array."""

    @property
    def last(self) -> Level:
        """The largest level among the codes."""
        return max(level_of(code) for code in self.score if code != BROKEN)

    def of(self, codes: Iterable[Code]) -> list[Score]:
        """The scores of some codes."""
        return [self.score[code] for code in codes]

    def zeros(self, shape: Sequence[int]) -> Scores:
        """Planes in which no cell has a move."""
        return Scores(np.zeros(shape, self.kind))
