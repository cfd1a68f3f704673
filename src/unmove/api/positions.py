"""Answers for positions: their values, their moves, best play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from unmove.errors import NOT_IN_TABLES, UnmoveError, shortened
from unmove.games.boards import AnyBoard, AnyMove, parse_fen, rules_of
from unmove.probe.answer import Answer, RankedMove
from unmove.probe.bulk import several
from unmove.probe.tablebase import Tablebase
from unmove.values import FIFTY, Code, Metric, Outcome, Outcome50, Value

FENS_AT_ONCE = 10_000


@dataclass(frozen=True)
class ProbedPosition:
    """The values of a position, seen by the side to move."""

    fen: str
    """The FEN as it was given."""
    outcome: Outcome
    """Without the 50-move rule."""
    outcome50: Outcome50 | None
    """Under the 50-move rule, with the half-move clock of the FEN; None without a DTZ table."""
    dtm: Value | None
    """Signed plies to mate; None for a draw, or without a table. So are the next two."""
    dtc: Value | None
    """Signed plies to the next conversion that keeps the outcome, or to mate."""
    dtz: Value | None
    """Signed plies to the next zeroing that keeps the outcome under the rule, or to mate."""


@dataclass(frozen=True)
class ProbedMove:
    """A legal move and its values, this move included, seen by the side that makes it."""

    uci: str
    """In coordinates."""
    san: str
    """As people write it: SAN, or WXF in xiangqi."""
    outcome: Outcome
    """Without the 50-move rule."""
    outcome50: Outcome50 | None
    """Under the 50-move rule, with the half-move clock of the FEN; None without a DTZ table."""
    dtm: Value | None
    """Signed plies to mate; None for a draw, or without a table. So are the next two."""
    dtc: Value | None
    """Signed plies to the next conversion that keeps the outcome, or to mate."""
    dtz: Value | None
    """Signed plies to the next zeroing that keeps the outcome under the rule, or to mate."""


@dataclass(frozen=True)
class RankedPosition(ProbedPosition):
    """The values of a position and of its moves."""

    moves: tuple[ProbedMove, ...]
    """All legal moves, best first."""


@dataclass(frozen=True)
class FailedProbe:
    """A FEN that cannot be answered, and why."""

    fen: str
    """The FEN as it was given, with its middle left out if it is long."""
    error: UnmoveError
    kind: str
    """The name of the error's class."""

    @classmethod
    def of(cls, fen: str, error: UnmoveError) -> FailedProbe:
        return cls(shortened(str(fen).strip()), error, type(error).__name__)


@dataclass(frozen=True)
class BestLine:
    """Best play of both sides."""

    fen: str
    """The FEN as it was given."""
    metric: Metric
    """The distance by which the moves are best."""
    outcome: Outcome
    """For the side to move, without the 50-move rule."""
    outcome50: Outcome50 | None
    """Under the 50-move rule, with the half-move clock of the FEN; None without a DTZ table."""
    plies: int | None
    """The length of the line; None for a draw."""
    draw_claim: int | None
    """The plies after which the 50-move rule lets a player claim a draw; None if never."""
    line: str
    """The moves as people write them, numbered."""
    moves: tuple[str, ...]
    """The moves in coordinates."""


def probe(tables: Tablebase, fen: str) -> RankedPosition:
    """The values of a FEN and of its moves."""
    board = parse_fen(fen)
    values = _values(tables.probe(board))
    return RankedPosition(fen.strip(), *values, moves(tables, board))


def probe_or_fail(tables: Tablebase, fen: str) -> RankedPosition | FailedProbe:
    """`probe`, or why it fails."""
    try:
        return probe(tables, fen)
    except UnmoveError as error:
        return FailedProbe.of(fen, error)


def moves(
    tables: Tablebase, board: AnyBoard, metric: Metric | str = Metric.DTM
) -> tuple[ProbedMove, ...]:
    """All legal moves of a board, best first by the metric."""
    ranked: list[RankedMove[Any]] = tables.moves(board, metric)
    return tuple(ProbedMove(str(move.move), move.san, *_values(move)) for move in ranked)


def probe_many(tables: Tablebase, fens: Iterable[str]) -> Iterator[ProbedPosition | FailedProbe]:
    """The values of many FENs without their moves, in order, some thousands at a time."""
    rest = several("fens", fens)
    chunks = iter(lambda: list(islice(rest, FENS_AT_ONCE)), [])
    return (answer for chunk in chunks for answer in _probe_chunk(tables, chunk))


def _probe_chunk(tables: Tablebase, fens: Sequence[str]) -> Iterator[ProbedPosition | FailedProbe]:
    by_metric = {metric: tables.answer_fens(fens, metric) for metric in Metric}
    clocks = by_metric[Metric.DTZ][0].clocks
    for number, fen in enumerate(fens):
        errors = [errors[number] for _, errors in by_metric.values() if number in errors]
        grave = [error for error in errors if not isinstance(error, NOT_IN_TABLES)]
        if grave or len(errors) == len(Metric):
            yield FailedProbe.of(fen, (grave or errors)[0])
            continue
        codes = {
            metric: Code(int(values.codes[number]))
            for metric, (values, failed) in by_metric.items()
            if number not in failed
        }
        answer = Answer(codes, 0 if clocks is None else int(clocks[number]))
        yield ProbedPosition(fen.strip(), *_values(answer))


def line(tables: Tablebase, fen: str, metric: Metric | str = Metric.DTM) -> BestLine:
    """Best play from a FEN, to mate."""
    board = parse_fen(fen)
    answer = tables.probe(board)
    played: list[Any] = tables.line(board, metric)
    return BestLine(
        fen=fen.strip(),
        metric=Metric.of(metric),
        outcome=answer.outcome,
        outcome50=answer.outcome50,
        plies=None if answer.outcome == Outcome.DRAW else len(played),
        draw_claim=_draw_claim(board, played),
        line=rules_of(board).line(board, played),
        moves=tuple(map(str, played)),
    )


def _draw_claim(board: AnyBoard, played: Sequence[AnyMove]) -> int | None:
    """See `BestLine`. A player who is mated by the last move has nothing to claim."""
    for ply, move in enumerate(played):
        if rules_of(board).clock(board) >= FIFTY:
            return ply
        board = rules_of(board).after(board, move).board
    return None


def _values(
    answer: Answer | RankedMove[Any],
) -> tuple[Outcome, Outcome50 | None, Value | None, Value | None, Value | None]:
    """The outcomes and distances in the order of the fields."""
    return answer.outcome, answer.outcome50, answer.dtm, answer.dtc, answer.dtz
