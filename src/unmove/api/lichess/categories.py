"""The words for an outcome under the half-move clock, and the order of moves.

A distance as the server tells it: plies with the sign of the side to move, 0 for a draw. Its DTZ of
a position that is cursed or blessed is over 100. Who is checkmated has DTZ -1 and no DTM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from unmove.api.lichess.knowledge import Knowledge
from unmove.values import (
    CHECKMATED,
    DRAW,
    FIFTY,
    Code,
    Metric,
    Outcome,
    Outcome50,
    Value,
    level_of,
    moves_of,
    outcome_of,
    plies_of,
    value_of,
)

if TYPE_CHECKING:
    from unmove.interop.syzygy.answers import SyzygyAnswer

BEST_FIRST: Final = (
    "loss",
    "unknown",
    "syzygy-loss",
    "maybe-loss",
    "blessed-loss",
    "draw",
    "cursed-win",
    "maybe-win",
    "syzygy-win",
    "win",
)
"""The category of the position after a move, from the best move to the worst."""

NEGATED: Final = {
    word: word.replace("win", "*").replace("loss", "win").replace("*", "loss")
    for word in BEST_FIRST
} | {"cursed-win": "blessed-loss", "blessed-loss": "cursed-win"}
"""What a category is for the other side."""

OUTCOMES: Final = {outcome.word.replace(" ", "-"): outcome for outcome in Outcome50}
"""The outcome under the 50-move rule that a category stands for, if it stands for one."""

_CERTAIN: Final = {Outcome.WIN: "win", Outcome.DRAW: "draw", Outcome.LOSS: "loss"}
_LATE: Final = {Outcome.WIN: "cursed-win", Outcome.LOSS: "blessed-loss"}
_UNSURE: Final = {Outcome.WIN: "maybe-win", Outcome.LOSS: "maybe-loss"}


def category(known: Knowledge, clock: int, before: int) -> str:
    """The outcome for the side to move; `before`: the clock before the move that led here.

    Without a DTZ value, or with one that may be a ply too short, a distance to mate tells of a win
    in time, if it is small enough.
    """
    if known.source is None:
        return "unknown"
    if known.syzygy is not None:
        return _by_files(known, known.syzygy, clock, before)
    code = next(iter(known.codes.values()))
    outcome = outcome_of(code)
    if Metric.DTZ not in known.game.metrics or outcome == Outcome.DRAW:
        return _CERTAIN[outcome]
    if code == CHECKMATED:
        return _CERTAIN[outcome] if before < FIFTY else _LATE[outcome]
    if before >= FIFTY:
        return _LATE[outcome]
    if Metric.DTZ in known.codes:
        in_time = level_of(known.codes[Metric.DTZ]) + clock <= FIFTY
        return (_CERTAIN if in_time else _LATE)[outcome]
    return (_CERTAIN if _mates_in_time(known, clock) else _UNSURE)[outcome]


def _by_files(known: Knowledge, told: SyzygyAnswer, clock: int, before: int) -> str:
    """The category of a position that Syzygy files have."""
    if told.outcome == Outcome.DRAW:
        return _CERTAIN[told.outcome]
    outcome50 = told.outcome50(clock)
    if before >= FIFTY or (outcome50 is not None and abs(outcome50) < Outcome50.WIN):
        return _LATE[told.outcome]
    certain = outcome50 is not None or _mates_in_time(known, clock)
    return (_CERTAIN if certain else _UNSURE)[told.outcome]


def _mates_in_time(known: Knowledge, clock: int) -> bool:
    """Whether the loser is mated before a draw can be claimed, whatever it does."""
    return Metric.DTM in known.codes and level_of(known.codes[Metric.DTM]) + clock <= FIFTY


def settled(own: str, best: str) -> str:
    """The category of a position, by its values and by the category after its best move.

    The best move decides, unless it leaves open what the values tell.
    """
    by_move = NEGATED[best]
    return own if by_move in _UNSURE.values() and own in OUTCOMES else by_move


def dtz_told(known: Knowledge) -> int | None:
    """DTZ as the server tells it; None if it is not known."""
    if known.syzygy is not None:
        return known.syzygy.dtz
    return dtz_of(known.codes.get(Metric.DTZ))


def dtz_of(code: Code | None) -> int | None:
    """A code of DTZ as the server tells it; None if there is none."""
    if code is None or code == DRAW:
        return None if code is None else 0
    if code == CHECKMATED:
        return -1
    plies = plies_of(code, Metric.DTZ)
    told = max(plies, level_of(code)) if plies <= FIFTY else plies
    return told * outcome_of(code)


def precise_dtz_told(known: Knowledge) -> int | None:
    """The same if no file can have rounded it; None otherwise."""
    return dtz_told(known) if known.syzygy is None else None


def dtm_told(known: Knowledge) -> int | None:
    """DTM as the server tells it; None if it is not known, or if the side to move is checkmated."""
    code = known.codes.get(Metric.DTM)
    return None if code is None or code == CHECKMATED else value_of(code, Metric.DTM) or 0


def dtc_told(known: Knowledge) -> int | None:
    """DTC in moves; None if it is not known."""
    code = known.codes.get(Metric.DTC)
    if code is None:
        return None
    plies = value_of(code, Metric.DTC) or Value(0)
    return moves_of(plies) if plies >= 0 else -moves_of(Value(-plies))
