"""The values of positions: metrics, outcomes, and the code that stands for both.

The convention, written here once:

* A *value* is seen by the side to move. `+n`: it wins in n plies. `-n`: it loses in n plies.
  `0`: it is checkmated on the board. `None`: the game is drawn. Plies count single moves of
  either side; a person reads moves, `(n + 1) // 2` for a win and `n // 2` for a loss.
* *DTM*, distance to mate: plies until checkmate. Wins have odd plies, losses even ones.
* *DTC*, distance to conversion: plies until the first conversion that keeps the win (a capture
  or a promotion, made by either side), or until mate if that comes first. A winning capture is
  `+1`. A loser whose last resort is a capture into a lost endgame has `-1`, so both outcomes
  come with odd and even plies.
* *DTZ*, distance to zeroing: plies until the first capture or pawn move (made by either side) that
  keeps the outcome, or until mate if that comes first, under the 50-move rule and with a half-move
  clock of 0. The rule makes five outcomes of three (`Outcome50`). A win is *cursed*, and the loss
  it is for the other side *blessed*, if it cannot be forced without 100 plies in a row that zero
  nothing, now or after a later zeroing. The distance of a cursed win counts the plies to the next
  zeroing that keeps it: nothing is added to it, and only the outcome tells that it is cursed. A
  player first looks to the outcome, then the winner to the shortest way and the loser to the
  longest.

  python-chess (`chess.syzygy`) and the files it reads differ in three ways: a draw is 0; 100 is
  added to some distances of cursed wins and blessed losses; a distance may be one ply short,
  because files may hold full moves. They have the same five outcomes, -2 to 2, and the same signs.
  A checkmated side has -1 there, as one that is mated is lost "in one", and 0 here.
* A *code* is the same as a small natural number, what planes and files hold:

      0  broken (no legal position)     2n + 1  wins at level n  (n >= 1)
      1  draw                           2n + 2  loses at level n (n >= 0)

  The level is the number of plies; for DTZ, where it is larger than FIFTY, the position is cursed
  or blessed and the level is FIFTY more than the plies. So the order of levels is the order in
  which the loop settles positions and in which players prefer them, whatever the metric.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, IntEnum, StrEnum
from typing import Final, NewType

from unmove.errors import BadOption

Side = NewType("Side", int)
"""White or Black. An integer and no enumeration, because kernels are compiled for integers."""
Plies = NewType("Plies", int)
"""A distance."""
Value = NewType("Value", int)
"""Signed plies: plus if the side to move wins, minus if it loses, 0 if it is checkmated."""
Code = NewType("Code", int)
"""A value as a small natural number."""
Level = NewType("Level", int)
"""The order in which the loop settles positions; the plies of a code, but for DTZ."""

WHITE, BLACK = SIDES = Side(0), Side(1)
BROKEN = Code(0)
DRAW = Code(1)
CHECKMATED = Code(2)
"""The code of a loss at level 0."""
_FURTHEST = 1 << 16  # above every code
FIFTY = Level(100)
"""Plies without a capture or pawn move, after which a player may claim a draw. So it is the last
level of DTZ that is not cursed."""


class Metric(StrEnum):
    """What a distance counts to."""

    DTM = "dtm"
    DTC = "dtc"
    DTZ = "dtz"

    @classmethod
    def of(cls, metric: Metric | str) -> Metric:
        """The metric itself, or that of a name (`dtz`, `DTZ`); BadOption for anything else."""
        try:
            return cls(metric.lower())
        except (AttributeError, ValueError):
            raise BadOption("metric", repr(metric), f"it must be one of {', '.join(cls)}") from None

    @property
    def limit(self) -> Level | None:
        """The last level of wins that are not cursed; None if the metric has no cursed wins."""
        return FIFTY if self == Metric.DTZ else None

    @property
    def goal(self) -> str:
        """What it counts to, in a word."""
        return {"dtm": "mate", "dtc": "conversion", "dtz": "zeroing"}[self.value]


class Outcome(IntEnum):
    """The game-theoretic result for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @property
    def word(self) -> str:
        """`win`, `draw` or `loss`, the words of every output."""
        return self.name.lower()


class Outcome50(IntEnum):
    """The result for the side to move under the 50-move rule."""

    LOSS = -2
    BLESSED_LOSS = -1
    DRAW = 0
    CURSED_WIN = 1
    WIN = 2

    @property
    def word(self) -> str:
        """`win`, `cursed win`, `draw`, `blessed loss` or `loss`."""
        return self.name.lower().replace("_", " ")


class Unknown(Enum):
    """What `get_x` returns for a position that is not in the tables; it is false, like a draw."""

    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN


def opponent_of(side: Side) -> Side:
    """The other side."""
    return Side(1 - side)


def swapped_if(colours_swapped: bool, side: Side) -> Side:
    """What a side is called in a table that may have the colours swapped."""
    return opponent_of(side) if colours_swapped else side


def win_code(level: Level) -> Code:
    """The code of a win at `level`."""
    return Code(2 * level + 1)


def loss_code(level: Level) -> Code:
    """The code of a loss at `level`."""
    return Code(2 * level + 2)


def codes_up_to(most: int) -> Iterator[Code]:
    """The codes of all legal positions, from DRAW to `most`."""
    return map(Code, range(DRAW, most + 1))


def level_of(code: Code) -> Level:
    """The level of a settled code (2 or more)."""
    return Level((code - 1) // 2)


def plies_of(code: Code, metric: Metric) -> Plies:
    """The distance of a settled code, in plies."""
    level = level_of(code)
    return Plies(level - FIFTY if metric == Metric.DTZ and level > FIFTY else level)


def outcome_of(code: Code) -> Outcome:
    """The outcome a legal position's code stands for."""
    if code == DRAW:
        return Outcome.DRAW
    return Outcome.WIN if code % 2 else Outcome.LOSS


def outcome50_of(code: Code, clock: int = 0) -> Outcome50:
    """The outcome under the 50-move rule that a legal position's DTZ code stands for.

    With `clock` plies since the last zeroing a win counts if the next zeroing, or mate, is the
    100th of them or comes before it: the clock is 0 again, or the game over, when a draw could be
    claimed. Who is checkmated has lost whatever the clock.
    """
    level = 0 if code == DRAW else level_of(code)
    certain = level == 0 or level + clock <= FIFTY
    return Outcome50(outcome_of(code) * (2 if certain else 1))


def result_of(code: Code, metric: Metric) -> Outcome | Outcome50:
    """The outcome a legal position's code stands for: by DTZ, that under the 50-move rule."""
    return outcome50_of(code) if metric == Metric.DTZ else outcome_of(code)


def value_of(code: Code, metric: Metric) -> Value | None:
    """The signed plies a legal position's code stands for."""
    if code == DRAW:
        return None
    plies = plies_of(code, metric)
    return Value(plies if code % 2 else -plies)


def preference(code: Code) -> int:
    """A number that is larger where the side to move is better off; 0 for a draw."""
    if code == DRAW:
        return 0
    return _FURTHEST - code if code % 2 else code - _FURTHEST


def code_before(code: Code, metric: Metric, *, zeroes: bool, converts: bool) -> Code:
    """The code of a move for its mover, after which the opponent to move has `code`.

    `zeroes`: the move was a capture or a pawn move; `converts`: a capture or a promotion. What
    leads to the metric's goal is one ply from it, however long the game takes after it; all other
    moves are one ply further from it than the position they lead to. A win that comes too late for
    the 50-move rule is cursed.
    """
    if code in (BROKEN, DRAW):
        return code
    level: int = level_of(code)
    if metric == Metric.DTZ:
        cursed = level > FIFTY
        plies = 1 if zeroes else 1 + plies_of(code, metric)
        level = plies + FIFTY if cursed or plies > FIFTY else plies
    elif metric == Metric.DTC and converts:
        level = 1
    else:
        level += 1
    return loss_code(Level(level)) if code % 2 else win_code(Level(level))


def moves_of(value: Value) -> int:
    """The distance in moves of the winner, as a person counts it."""
    return (value + 1) // 2 if value > 0 else -value // 2


def moves_of_code(code: Code, metric: Metric) -> int:
    """The distance of a settled code, in moves of the winner; ValueError for a draw."""
    value = value_of(code, metric)
    if value is None:
        raise ValueError("a draw has no distance")
    return moves_of(value)
