"""The score of a move: the rank of its code in the mover's order of preference.

    0 no move    quick loss .. slow loss    draw    stalemate    slow win .. quick win

Stalemate is a draw. It has a score of its own because the side that is stalemated may still have
to take en passant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NewType

import numpy as np

from unmove.store.source import cell_type
from unmove.values import BROKEN, DRAW, Code, level_of

ScoreArray = NewType("ScoreArray", np.ndarray[Any, np.dtype[Any]])
"""[plane, cell]: scores; uint8, or uint16 for a table of more than 256 scores."""


class ScoreTable:
    """From codes to scores, and back."""

    def __init__(self, codes: Iterable[int]) -> None:
        settled = {code for code in codes if code > DRAW}
        losses = sorted(code for code in settled if code % 2 == 0)
        wins = sorted((code for code in settled if code % 2 == 1), reverse=True)
        self.codes: list[Code] = [Code(code) for code in (BROKEN, *losses, DRAW, DRAW, *wins)]
        """[score]: its code; the second draw is stalemate."""
        self.stalemate = len(losses) + 2
        self.score: dict[int, int] = {
            code: i for i, code in enumerate(self.codes) if i != self.stalemate
        }
        """By code: its score."""
        self.kind = cell_type(len(self.codes))
        """The type of a score in an array."""

    @property
    def last(self) -> int:
        """The largest level among the codes."""
        return max(level_of(code) for code in self.score if code != BROKEN)

    def of(self, codes: Iterable[int]) -> list[int]:
        """The scores of some codes."""
        return [self.score[code] for code in codes]

    def zeros(self, shape: Sequence[int]) -> ScoreArray:
        """An array in which no cell has a move."""
        return ScoreArray(np.zeros(shape, self.kind))
