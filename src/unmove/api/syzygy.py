"""Answers for positions by our tables and, where our DTZ table is missing, by Syzygy files.

Each value says where it is from. A distance of a Syzygy file may be one ply short, so its
`precise_dtz` is None. More than 100 plies there are those of a position that the 50-move rule
draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import chess

from unmove.api.lichess.categories import NEGATED, OUTCOMES, category, settled
from unmove.api.lichess.children import Child, children_of, order
from unmove.api.lichess.knowledge import OURS, Knowledge, Sources, know
from unmove.api.positions import FailedProbe, ProbedMove, ProbedPosition
from unmove.errors import UnmoveError
from unmove.games.boards import AnyBoard, parse_fen, rules_of
from unmove.probe.bulk import several
from unmove.values import Code, Metric, Outcome, Outcome50, Value, code_before, value_of

if TYPE_CHECKING:
    from unmove.interop.syzygy.answers import SyzygyAnswer

FENS_AT_ONCE: Final = 1000

_Distance = Value | None
_Values = tuple[Outcome, Outcome50 | None, _Distance, _Distance, _Distance, _Distance, str]
"""Outcome, the same under the 50-move rule, DTM, DTC, DTZ, precise DTZ, source."""


@dataclass(frozen=True)
class SourcedMove(ProbedMove):
    """A legal move and its values, this move included, seen by the side that makes it."""

    precise_dtz: Value | None
    """The same as `dtz` if it is from our table; None if it may be rounded."""
    source: str
    """Where the outcome under the 50-move rule and `dtz` are from: "unmove" or "syzygy"."""


@dataclass(frozen=True)
class SourcedPosition(ProbedPosition):
    """The values of a position, seen by the side to move."""

    precise_dtz: Value | None
    """The same as `dtz` if it is from our table; None if it may be rounded."""
    source: str
    """Where the outcome under the 50-move rule and `dtz` are from: "unmove" or "syzygy"."""


@dataclass(frozen=True)
class SourcedRanking(SourcedPosition):
    """The values of a position and of its moves."""

    moves: tuple[SourcedMove, ...]
    """All legal moves, best first."""


def probe(sources: Sources, fen: str) -> SourcedRanking:
    """The values of a FEN and of its moves."""
    board = parse_fen(fen)
    (known,) = know(sources, [board])
    _require(sources, known)
    children = children_of(sources, known)
    for child in children:
        _require(sources, child.known)
    children.sort(key=lambda child: order(child, Metric.DTM))
    own = _category(known)
    if children:
        own = settled(own, children[0].category)
    moves = tuple(_move(board, child) for child in children)
    return SourcedRanking(fen.strip(), *_position(known, own), moves)


def probe_or_fail(sources: Sources, fen: str) -> SourcedRanking | FailedProbe:
    """`probe`, or why it fails."""
    try:
        return probe(sources, fen)
    except UnmoveError as error:
        return FailedProbe.of(fen, error)


def probe_many(sources: Sources, fens: Iterable[str]) -> Iterator[SourcedPosition | FailedProbe]:
    """The values of many FENs without their moves, in order, some at a time."""
    rest = several("fens", fens)
    chunks = iter(lambda: list(islice(rest, FENS_AT_ONCE)), [])
    return (answer for chunk in chunks for answer in _probe_chunk(sources, chunk))


def _probe_chunk(sources: Sources, fens: list[str]) -> list[SourcedPosition | FailedProbe]:
    """The answers to some FENs: all at once, or one by one if one of them fails."""
    boards: dict[int, AnyBoard] = {}
    answers: dict[int, SourcedPosition | FailedProbe] = {}
    for number, fen in enumerate(fens):
        try:
            boards[number] = parse_fen(fen)
        except UnmoveError as error:
            answers[number] = FailedProbe.of(fen, error)
    for number, known in zip(boards, _known(sources, list(boards.values())), strict=True):
        answers[number] = _answer(sources, fens[number], known)
    return [answers[number] for number in range(len(fens))]


def _known(sources: Sources, boards: list[AnyBoard]) -> list[Knowledge | UnmoveError]:
    """What is known of legal boards, or the error of the file that has them."""
    try:
        return list(know(sources, boards))
    except UnmoveError as error:
        if len(boards) == 1:
            return [error]
    return [each for board in boards for each in _known(sources, [board])]


def _answer(
    sources: Sources, fen: str, known: Knowledge | UnmoveError
) -> SourcedPosition | FailedProbe:
    try:
        if isinstance(known, UnmoveError):
            raise known
        _require(sources, known)
    except UnmoveError as error:
        return FailedProbe.of(fen, error)
    return SourcedPosition(fen.strip(), *_position(known, _category(known)))


def _require(sources: Sources, known: Knowledge) -> None:
    """Something is known; the error that says why not, otherwise."""
    if known.source is not None:
        return
    if sources.syzygy is not None and isinstance(known.board, chess.Board):
        sources.syzygy.probe_wdl(known.board)
    sources.tables.probe(known.board)


def _category(known: Knowledge) -> str:
    clock = rules_of(known.board).clock(known.board)
    return category(known, clock, max(clock - 1, 0))


def _position(known: Knowledge, own: str) -> _Values:
    """The values of a position in the order of the fields."""
    dtz = known.syzygy.dtz if known.syzygy else None
    return _values(known, known.outcome or Outcome.DRAW, own, known.codes, dtz)


def _move(board: AnyBoard, child: Child) -> SourcedMove:
    """The values of a move, seen by the side that makes it."""
    step, known = child.step, child.known
    codes = {
        metric: code_before(code, metric, zeroes=step.zeroes, converts=step.converts)
        for metric, code in known.codes.items()
    }
    outcome = Outcome(-(known.outcome or Outcome.DRAW))
    dtz = _before(known.syzygy, zeroes=step.zeroes) if known.syzygy else None
    values = _values(known, outcome, NEGATED[child.category], codes, dtz)
    return SourcedMove(str(child.move), child.san, *values)


def _before(told: SyzygyAnswer, *, zeroes: bool) -> int | None:
    """The distance of a move after which the opponent has this answer."""
    if zeroes:
        return {2: -1, 1: -101, 0: 0, -1: 101, -2: 1}[told.wdl]
    if not told.dtz:
        return told.dtz
    return -told.dtz + (1 if told.dtz < 0 else -1)


def _values(
    known: Knowledge, outcome: Outcome, word: str, codes: dict[Metric, Code], dtz: int | None
) -> _Values:
    """The values in the order of the fields: by our codes, or with a distance of Syzygy files."""
    found = [value_of(codes[metric], metric) if metric in codes else None for metric in Metric]
    dtm, dtc, precise = found
    by_files = known.syzygy is not None
    outcome50 = OUTCOMES.get(word) if by_files or Metric.DTZ in codes else None
    told = (Value(dtz) if dtz else None) if by_files else precise
    source = known.source or OURS
    return outcome, outcome50, dtm, dtc, told, None if by_files else precise, source
