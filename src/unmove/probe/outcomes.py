"""Outcomes from files that have nothing else, and so are faster: a source beside the tables."""

from __future__ import annotations

from typing import Protocol

import chess

from unmove.values import Outcome, Outcome50


class OutcomeSource(Protocol):
    """Files of outcomes, such as those of Syzygy. It can be pickled and shared between threads."""

    def probe_wdl(self, board: chess.Board) -> int:
        """2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss, with a half-move clock of 0.

        One of NOT_IN_TABLES for a board that no file has; any other error for a board that is
        illegal or none, and for a damaged file.
        """

    def close(self) -> None:
        """All files are closed; a later probe opens those it needs again."""


def outcome_of_wdl(wdl: int) -> Outcome:
    """The outcome without the 50-move rule: a cursed win is a win."""
    return Outcome((wdl > 0) - (wdl < 0))


def outcome50_of_wdl(wdl: int, clock: int) -> Outcome50 | None:
    """The outcome under the 50-move rule with a half-move clock; None if a distance decides.

    What the rule draws with a clock of 0 it draws with any other.
    """
    return None if clock and abs(wdl) == Outcome50.WIN else Outcome50(wdl)
