"""A position and its moves, each with all that is known of it.

The values of a move are those of the position that it leads to, seen by the opponent: a move that
wins leads to a `loss`. Fields stand in the order of lichess's server; ours follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import chess

from unmove.api.lichess.categories import (
    BEST_FIRST,
    NEGATED,
    category,
    dtc_told,
    dtm_told,
    dtz_told,
)
from unmove.api.lichess.knowledge import Knowledge, know, men_of
from unmove.games.boards import AnyBoard, rules_of
from unmove.games.rules import Step
from unmove.probe.answer import Answer
from unmove.probe.tablebase import Tablebase
from unmove.values import Metric, code_before, preference

REPETITION = "A position may be repeated: nobody is forbidden to check or to chase for ever."
"""The rule of our tables of xiangqi."""


class Exact(TypedDict):
    """Values as the rest of the program tells them, seen by the side to move."""

    outcome: str | None
    outcome50: str | None
    dtm: int | None
    dtc: int | None
    dtz: int | None
    clock: int


class Fields(TypedDict):
    """What is told of every position."""

    checkmate: bool
    stalemate: bool
    variant_win: bool
    variant_loss: bool
    insufficient_material: bool
    dtz: int | None
    precise_dtz: int | None
    dtm: int | None
    dtw: None
    dtc: int | None
    category: str


class MoveFields(Fields):
    uci: str
    san: str
    zeroing: bool
    conversion: bool
    exact: Exact


class MissingFields(TypedDict):
    """A table that is not there, and the command that builds it."""

    material: str
    metric: str
    command: str


class PositionFields(TypedDict):
    fen: str
    game: str
    material: str | None
    men: int
    turn: str
    check: bool
    metrics: list[str]


class StandardAnswer(Fields):
    moves: list[MoveFields]
    exact: Exact
    position: PositionFields
    missing: list[MissingFields]


@dataclass(frozen=True, slots=True)
class Child:
    """A legal move and what is known of the position after it."""

    move: Any
    san: str
    step: Step
    known: Knowledge
    captured: int
    """The kind of the man that is taken, 0 for none."""
    promoted: int
    clock: int
    category: str


def children_of(tables: Tablebase, board: AnyBoard) -> list[Child]:
    """All legal moves."""
    rules = rules_of(board)
    return [_child(tables, board, move) for move in rules.moves(board)]


def answer(
    tables: Tablebase, board: AnyBoard, *, metric: Metric | None = None, with_dtc: bool = False
) -> StandardAnswer:
    """All that is known of a position and of its moves.

    Moves stand best first, by the metric if one is named. `with_dtc`: DTC is told in moves.
    """
    rules = rules_of(board)
    known, clock = know(tables, board), rules.clock(board)
    children = children_of(tables, board)
    children.sort(key=lambda child: order(child, metric, with_dtc))
    own = category(known, clock, max(clock - 1, 0))
    if children:
        own = NEGATED[children[0].category]
    told: StandardAnswer = {
        **_fields(known, own, with_dtc),
        "moves": [_move_fields(child, with_dtc) for child in children],
        "exact": _exact(known, clock),
        "position": _position(known),
        "missing": _missing([known, *(child.known for child in children)]),
    }
    return told


def order(child: Child, metric: Metric | None, with_dtc: bool = False) -> tuple[Any, ...]:
    """A sort key, smallest for the best move.

    Without a metric it is that of lichess's server: category, DTM, then DTZ. With one it is the
    category, then the distance of the move itself.
    """
    known, zeroes, converts = child.known, child.step.zeroes, child.step.converts
    worth = BEST_FIRST.index(child.category)
    ends = not known.checkmate, not known.stalemate, not known.insufficient
    if metric is not None:
        return worth, *worths(child, metric), child.san
    dtm, dtz = dtm_told(known.codes), dtz_told(known.codes)
    dtc = dtc_told(known.codes) if with_dtc else None
    winning = child.category.endswith("win")
    return (
        worth,
        *ends,
        _quick_first(dtm),
        converts == winning,
        _quick_first(dtc),
        zeroes == winning,
        (0, 0) if dtz is None else (1, -dtz),
        -child.captured,
        -child.promoted,
        str(child.move),
    )


def worths(child: Child, metric: Metric) -> list[int]:
    """What a move is worth to the side that makes it, smallest for the best: by the metric, and
    then by the others."""
    step, codes = child.step, child.known.codes
    metrics = sorted(codes, key=lambda other: other != metric)
    seen = [
        code_before(codes[each], each, zeroes=step.zeroes, converts=step.converts)
        for each in metrics
    ]
    return [-preference(code) for code in seen]


def _quick_first(distance: int | None) -> tuple[int, int]:
    """Quick losses of the opponent, slow ones, draws and the unknown, slow wins, quick wins."""
    if not distance:
        return 1, 0
    return (0, -distance) if distance < 0 else (2, -distance)


def _child(tables: Tablebase, board: AnyBoard, move: Any) -> Child:
    rules = rules_of(board)
    step = rules.after(board, move)
    known, before = know(tables, step.board), rules.clock(board)
    clock = rules.clock(step.board)
    captured, promoted = 0, 0
    if isinstance(board, chess.Board):
        captured = board.piece_type_at(move.to_square) or int(board.is_en_passant(move))
        promoted = move.promotion or 0
    word = category(known, clock, before)
    san = rules.san(board, move)
    return Child(move, san, step, known, captured, promoted, clock, word)


def _move_fields(child: Child, with_dtc: bool) -> MoveFields:
    told: MoveFields = {
        "uci": str(child.move),
        "san": child.san,
        "zeroing": child.step.zeroes,
        "conversion": child.step.converts,
        **_fields(child.known, child.category, with_dtc),
        "exact": _exact(child.known, child.clock),
    }
    return told


def _fields(known: Knowledge, word: str, with_dtc: bool) -> Fields:
    has_dtz = Metric.DTZ in known.game.metrics
    dtz = dtz_told(known.codes) if has_dtz else None
    return {
        "checkmate": known.checkmate,
        "stalemate": known.stalemate,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": known.insufficient,
        "dtz": dtz,
        "precise_dtz": dtz,
        "dtm": dtm_told(known.codes),
        "dtw": None,
        "dtc": dtc_told(known.codes) if with_dtc else None,
        "category": word,
    }


def _exact(known: Knowledge, clock: int) -> Exact:
    answer = Answer(known.codes, clock)
    outcome50 = answer.outcome50
    return {
        "outcome": answer.outcome.word if known.codes else None,
        "outcome50": None if outcome50 is None else outcome50.word,
        "dtm": answer.dtm,
        "dtc": answer.dtc,
        "dtz": answer.dtz,
        "clock": clock,
    }


def _position(known: Knowledge) -> PositionFields:
    board = known.board
    rules = rules_of(board)
    written = known.written
    return {
        "fen": board.fen(),
        "game": rules.game.name,
        "material": None if written is None else str(written),
        "men": men_of(board),
        "turn": "wb"[rules.side(board)],
        "check": known.is_check,
        "metrics": [metric.value for metric in known.codes] if known.has_moves else [],
    }


def _missing(some: Sequence[Knowledge]) -> list[MissingFields]:
    """The tables that anything is not known for want of, each once."""
    tables = dict.fromkeys(table for known in some for table in known.missing)
    return [
        {
            "material": str(material),
            "metric": metric.value,
            "command": f"unmove build {material} --metric {metric}",
        }
        for material, metric in tables
    ]
