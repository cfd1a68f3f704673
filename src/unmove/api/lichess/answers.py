"""A position and its moves, each with all that is known of it.

The values of a move are those of the position that it leads to, seen by the opponent: a move that
wins leads to a `loss`. Fields stand in the order of lichess's server; ours follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from unmove.api.lichess.categories import (
    category,
    dtc_told,
    dtm_told,
    dtz_told,
    precise_dtz_told,
    settled,
)
from unmove.api.lichess.children import Child, children_of, order
from unmove.api.lichess.knowledge import Knowledge, Sources, know, men_of
from unmove.games.boards import AnyBoard, rules_of
from unmove.values import Code, Metric, value_of

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
    source: str | None
    exact: Exact


class MissingFields(TypedDict):
    """A table that is not there."""

    material: str
    metric: str


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
    source: str | None
    """Where `dtz` and `category` are from: our tables, or Syzygy files."""
    exact: Exact
    position: PositionFields
    missing: list[MissingFields]


def answer(
    sources: Sources, board: AnyBoard, *, metric: Metric | None = None, with_dtc: bool = False
) -> StandardAnswer:
    """All that is known of a position and of its moves.

    Moves stand best first, by the metric if one is named. `with_dtc`: DTC is told in moves.
    """
    rules = rules_of(board)
    (known,), clock = know(sources, [board]), rules.clock(board)
    children = children_of(sources, known)
    children.sort(key=lambda child: order(child, metric, with_dtc))
    own = category(known, clock, max(clock - 1, 0))
    if children:
        own = settled(own, children[0].category)
    told: StandardAnswer = {
        **_fields(known, own, with_dtc),
        "moves": [_move_fields(child, with_dtc) for child in children],
        "source": known.source,
        "exact": _exact(known, clock),
        "position": _position(known),
        "missing": _missing([known, *(child.known for child in children)]),
    }
    return told


def _move_fields(child: Child, with_dtc: bool) -> MoveFields:
    told: MoveFields = {
        "uci": str(child.move),
        "san": child.san,
        "zeroing": child.step.zeroes,
        "conversion": child.step.converts,
        **_fields(child.known, child.category, with_dtc),
        "source": child.known.source,
        "exact": _exact(child.known, child.clock),
    }
    return told


def _fields(known: Knowledge, word: str, with_dtc: bool) -> Fields:
    has_dtz = Metric.DTZ in known.game.metrics
    return {
        "checkmate": known.checkmate,
        "stalemate": known.stalemate,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": known.insufficient,
        "dtz": dtz_told(known) if has_dtz else None,
        "precise_dtz": precise_dtz_told(known) if has_dtz else None,
        "dtm": dtm_told(known),
        "dtw": None,
        "dtc": dtc_told(known) if with_dtc else None,
        "category": word,
    }


def _exact(known: Knowledge, clock: int) -> Exact:
    codes, outcome50 = known.codes, known.outcome50(clock)
    return {
        "outcome": None if known.outcome is None else known.outcome.word,
        "outcome50": None if outcome50 is None else outcome50.word,
        "dtm": _value(codes, Metric.DTM),
        "dtc": _value(codes, Metric.DTC),
        "dtz": _value(codes, Metric.DTZ),
        "clock": clock,
    }


def _value(codes: dict[Metric, Code], metric: Metric) -> int | None:
    """The distance by a metric; None for a draw, and if it is not known."""
    code = codes.get(metric)
    return None if code is None else value_of(code, metric)


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
        "metrics": [metric.value for metric in known.compared] if known.has_moves else [],
    }


def _missing(some: Sequence[Knowledge]) -> list[MissingFields]:
    """The tables that anything is not known for want of, each once."""
    tables = dict.fromkeys(table for known in some for table in known.missing)
    return [{"material": str(material), "metric": metric.value} for material, metric in tables]
