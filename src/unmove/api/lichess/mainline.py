"""Best play of both sides.

By DTZ the line is that of lichess's server: the best outcome at a clock of 0, then mate, then a
zeroing move if it wins, then DTZ. It ends at mate, or when the half-move clock reaches 100. By
another metric the line goes to mate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import chess

from unmove.api.lichess.categories import dtc_told, dtm_told, dtz_told, precise_dtz_told
from unmove.api.lichess.children import Child, children_of, worths
from unmove.api.lichess.knowledge import Knowledge, Sources, know
from unmove.games.boards import AnyBoard, rules_of
from unmove.probe.answer import RankedMove
from unmove.research.judging import BEST, FORCED, ONLY, judge
from unmove.values import (
    FIFTY,
    Code,
    Metric,
    Outcome,
    code_before,
    opponent_of,
    outcome50_of,
    outcome_of,
)

_MARKS = {FORCED: "forced", ONLY: "only", BEST: "best"}


class StepFields(TypedDict):
    """A move, and distances of the position after it, seen by the opponent."""

    uci: str
    san: str
    dtz: int | None
    precise_dtz: int | None
    dtm: int | None
    dtc: int | None
    fen: str
    mark: str | None
    source: str | None


class MainlineAnswer(TypedDict):
    mainline: list[StepFields]
    winner: str | None
    dtz: int | None
    precise_dtz: int | None
    metric: str
    complete: bool
    ended: str


def mainline(
    sources: Sources, board: AnyBoard, metric: Metric, check: Callable[[], None] = lambda: None
) -> MainlineAnswer:
    """Best play by a metric; MissingTable or another error if a position of it is not known.

    `check` is called before each move, and may raise.
    """
    known = _required(sources, board, metric)
    dtz, precise_dtz = dtz_told(known), precise_dtz_told(known)
    steps: list[StepFields] = []
    ended = ""
    drawn = outcome_of(known.compared[metric]) == Outcome.DRAW
    while not (ended := _end(known, metric, drawn)):
        check()
        children = children_of(sources, known)
        for child in children:
            if metric not in child.known.compared:
                _required(sources, child.known.board, metric)
        best = min(children, key=lambda child: _order(child, metric))
        steps.append(_step(known.board, children, best, metric))
        known = best.known
    return {
        "mainline": steps,
        "winner": _winner(known) if ended == "checkmate" else None,
        "dtz": dtz,
        "precise_dtz": precise_dtz,
        "metric": metric.value,
        "complete": ended in ("checkmate", "draw"),
        "ended": ended,
    }


def _required(sources: Sources, board: AnyBoard, metric: Metric) -> Knowledge:
    """What is known of a position, this metric included; an error otherwise."""
    rules = rules_of(board)
    rules.game.require(metric)
    (known,) = know(sources, [board])
    if metric not in known.compared:
        rules.check(board)
        if sources.syzygy and metric == Metric.DTZ and isinstance(board, chess.Board):
            sources.syzygy.probe_dtz(board)
        if placement := rules.placement(board):
            sources.tables.folder.require(placement.material, metric)
        sources.tables.probe_boards([board], metric)
    return known


def _end(known: Knowledge, metric: Metric, drawn: bool) -> str:
    """Why a line ends here; empty if it goes on."""
    if not known.has_moves:
        return "checkmate" if outcome_of(known.compared[metric]) == Outcome.LOSS else "draw"
    if drawn:
        return "draw"
    late = metric == Metric.DTZ and rules_of(known.board).clock(known.board) >= FIFTY
    return "50-move rule" if late else ""


def _winner(mated: Knowledge) -> str:
    return "wb"[opponent_of(rules_of(mated.board).side(mated.board))]


def _order(child: Child, metric: Metric) -> tuple[Any, ...]:
    """A sort key, smallest for the best move."""
    known = child.known
    if metric != Metric.DTZ:
        return worths(child, metric), child.san
    code = known.compared[Metric.DTZ]
    outcome, wins = outcome50_of(code), outcome_of(code) == Outcome.LOSS
    dtz = dtz_told(known) or 0
    return outcome, not known.checkmate, child.step.zeroes != wins, -dtz, worths(child, metric)


def _step(board: AnyBoard, children: Sequence[Child], best: Child, metric: Metric) -> StepFields:
    known = best.known
    ranked = [_ranked(board, child, metric) for child in children]
    made = ranked[list(children).index(best)]
    mark = judge([made, *ranked], made, metric).mark
    if mark is BEST and metric == Metric.DTZ and any(child.known.syzygy for child in children):
        mark = None  # another move may be as good: distances may be a ply short
    return {
        "uci": str(best.move),
        "san": best.san,
        "dtz": dtz_told(known),
        "precise_dtz": precise_dtz_told(known),
        "dtm": dtm_told(known),
        "dtc": dtc_told(known),
        "source": known.source,
        "fen": best.step.board.fen(),
        "mark": None if mark is None else _MARKS[mark],
    }


def _ranked(board: AnyBoard, child: Child, metric: Metric) -> RankedMove[Any]:
    """A move with its own value, as `judge` reads it."""
    step, codes = child.step, child.known.compared
    own: dict[Metric, Code] = {
        metric: code_before(codes[metric], metric, zeroes=step.zeroes, converts=step.converts)
    }
    return RankedMove(child.move, "", own, rules_of(board).clock(board))
