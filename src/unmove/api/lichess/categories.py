"""The words for an outcome under the half-move clock, and the order of moves.

A distance as the server tells it: plies with the sign of the side to move, 0 for a draw. Its DTZ of
a position that is cursed or blessed is over 100. Who is checkmated has DTZ -1 and no DTM.
"""

from __future__ import annotations

from typing import Final

from unmove.api.lichess.knowledge import Knowledge
from unmove.values import (
    CHECKMATED,
    DRAW,
    FIFTY,
    Code,
    Metric,
    Outcome,
    Value,
    level_of,
    moves_of,
    outcome_of,
    plies_of,
    value_of,
)

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

_CERTAIN: Final = {Outcome.WIN: "win", Outcome.DRAW: "draw", Outcome.LOSS: "loss"}
_LATE: Final = {Outcome.WIN: "cursed-win", Outcome.LOSS: "blessed-loss"}
_UNSURE: Final = {Outcome.WIN: "maybe-win", Outcome.LOSS: "maybe-loss"}


def category(known: Knowledge, clock: int, before: int) -> str:
    """The outcome for the side to move; `before`: the clock before the move that led here.

    Without a DTZ table a distance to mate tells of a win in time, if it is small enough.
    """
    if not known.codes:
        return "unknown"
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
    in_time = Metric.DTM in known.codes and level_of(known.codes[Metric.DTM]) + clock <= FIFTY
    return (_CERTAIN if in_time else _UNSURE)[outcome]


def dtz_told(codes: dict[Metric, Code]) -> int | None:
    """DTZ as the server tells it; None if it is not known."""
    code = codes.get(Metric.DTZ)
    if code is None or code == DRAW:
        return None if code is None else 0
    if code == CHECKMATED:
        return -1
    plies = plies_of(code, Metric.DTZ)
    told = max(plies, level_of(code)) if plies <= FIFTY else plies
    return told * outcome_of(code)


def dtm_told(codes: dict[Metric, Code]) -> int | None:
    """DTM as the server tells it; None if it is not known, or if the side to move is checkmated."""
    code = codes.get(Metric.DTM)
    return None if code is None or code == CHECKMATED else value_of(code, Metric.DTM) or 0


def dtc_told(codes: dict[Metric, Code]) -> int | None:
    """DTC in moves; None if it is not known."""
    code = codes.get(Metric.DTC)
    if code is None:
        return None
    plies = value_of(code, Metric.DTC) or Value(0)
    return moves_of(plies) if plies >= 0 else -moves_of(Value(-plies))
