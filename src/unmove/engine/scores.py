"""How good a move is, as GUIs show it: mates, outcomes, large numbers for wins without a mate.

Seen by the side that makes the move, this move included. Under the 50-move rule a win that comes
too late is a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from unmove.values import Value, moves_of

TABLE_WIN: Final = 20_000
"""Centipawns of a win whose mate is not counted, less the plies to its goal; as in Stockfish."""
BARE_MATE: Final = 10_000
"""UCCI has one number for all: that of a mate, less the plies to it; as in ElephantEye."""
BARE_WIN: Final = 9_000
"""Below every mate: no endgame takes a thousand plies."""


@dataclass(frozen=True)
class MoveScore:
    """What the tables say of a move."""

    outcome: int
    """1 win, 0 draw, -1 loss, for the side that makes the move."""
    mate: int | None = None
    """Plies to mate; None for a draw, or without a DTM table."""
    goal: int = 0
    """Plies to conversion or zeroing, if there is no DTM table."""
    bound: bool = False
    """Whether a move that no table knows may be better."""


def uci_score(score: MoveScore) -> str:
    """`mate 33`, `mate -32`, `cp 0`, `cp 19945`; a mate counts moves of the winner."""
    if not score.outcome:
        text = "cp 0"
    elif score.mate is None:
        text = f"cp {score.outcome * (TABLE_WIN - score.goal)}"
    else:
        moves = moves_of(Value(score.outcome * score.mate))
        text = f"mate {score.outcome * moves}"
    return f"{text} lowerbound" if score.bound else text


def bare_score(score: MoveScore) -> str:
    """A number: 9935 mates with the 65th ply."""
    if score.mate is None:
        return str(score.outcome * (BARE_WIN - score.goal))
    return str(score.outcome * (BARE_MATE - score.mate))


def wdl(score: MoveScore) -> str:
    """Win, draw and loss in thousandths."""
    return " ".join(str(1000 * (score.outcome == each)) for each in (1, 0, -1))
