"""What a position is worth: metrics, outcomes, and the one number code behind them.

The convention, written here once:

* A *value* is seen by the side to move. `+n`: it wins in n plies. `-n`: it loses in n plies.
  `0`: it is checkmated on the board. `None`: the game is drawn. Plies count single moves of
  either side; a person reads moves, `(n + 1) // 2` for a win and `n // 2` for a loss.
* *DTM*, distance to mate: plies until checkmate. Wins have odd plies, losses even ones.
* *DTC*, distance to conversion: plies until the first conversion that keeps the win (a capture
  or a promotion, made by either side), or until mate if that comes first. A winning capture is
  `+1`. A loser whose last resort is a capture into a lost endgame has `-1`, so both outcomes
  come with odd and even plies.
* A *code* is the same as a small natural number, what planes and files hold:

      0  broken (no legal position)     2n + 1  wins in n plies  (n >= 1)
      1  draw                           2n + 2  loses in n plies (n >= 0)

  Before a position is settled the solver's planes hold 0 for it.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

BROKEN = 0
DRAW = 1


class Metric(StrEnum):
    """What a distance counts to."""

    DTM = "dtm"
    DTC = "dtc"


class Outcome(IntEnum):
    """The game-theoretic result for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @property
    def word(self) -> str:
        """`win`, `draw` or `loss`, the words of every output."""
        return self.name.lower()


def win_code(plies: int) -> int:
    """The code of a win in `plies`."""
    return 2 * plies + 1


def loss_code(plies: int) -> int:
    """The code of a loss in `plies`."""
    return 2 * plies + 2


def plies_of(code: int) -> int:
    """The distance of a settled code (2 or more), in plies."""
    return (code - 1) // 2


def outcome_of(code: int) -> Outcome:
    """The outcome a legal position's code stands for."""
    if code == DRAW:
        return Outcome.DRAW
    return Outcome.WIN if code % 2 else Outcome.LOSS


def value_of(code: int) -> int | None:
    """The signed plies a legal position's code stands for."""
    if code == DRAW:
        return None
    return plies_of(code) if code % 2 else -plies_of(code)


def code_of(value: int | None) -> int:
    """The code of signed plies; the inverse of `value_of`."""
    if value is None:
        return DRAW
    return win_code(value) if value > 0 else loss_code(-value)


def moves_of(value: int) -> int:
    """The distance in moves of the winner, as a person counts it."""
    return (value + 1) // 2 if value > 0 else -value // 2
