"""What the tables know of a position: a code for each metric, and which tables are missing.

Mates, stalemates and positions in which nobody can mate are known without a table. Where our DTZ
table is missing, Syzygy files may have the outcome and a distance, which may be one ply short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import chess

from unmove.errors import TooManyMen
from unmove.games.boards import AnyBoard, rules_of
from unmove.games.xiangqi_board import NO_MAN
from unmove.material import Complexity, Material
from unmove.planes.layouts import check_supported
from unmove.probe.tablebase import Tablebase
from unmove.values import (
    CHECKMATED,
    DRAW,
    Code,
    Metric,
    Outcome,
    Outcome50,
    outcome50_of,
    outcome_of,
)
from unmove.variants import Game

if TYPE_CHECKING:
    from unmove.interop.syzygy.answers import SyzygyAnswer
    from unmove.interop.syzygy.tablebase import SyzygyTablebase

OURS: Final = "unmove"
SYZYGY: Final = "syzygy"


@dataclass(frozen=True)
class Sources:
    """Who is asked: our tables, and Syzygy files where our DTZ table is missing."""

    tables: Tablebase
    syzygy: SyzygyTablebase | None = None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A position and what is known of it, seen by its side to move."""

    board: Any
    codes: dict[Metric, Code]
    """By metric, as far as our tables are there."""
    written: Material | None
    """The endgame as it stands; None with castling rights, or with too many men to be solved."""
    has_moves: bool
    is_check: bool
    insufficient: bool
    """Whether neither side can ever mate."""
    syzygy: SyzygyAnswer | None = None
    """What Syzygy files tell of it; None if our DTZ table tells more, or if they have it not."""

    @property
    def source(self) -> str | None:
        """Where the outcome under the 50-move rule and DTZ are from; None if nothing is known."""
        if self.syzygy is not None:
            return SYZYGY
        return OURS if self.codes else None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome without the 50-move rule; None if it is not known."""
        if self.codes:
            return outcome_of(next(iter(self.codes.values())))
        return None if self.syzygy is None else self.syzygy.outcome

    def outcome50(self, clock: int) -> Outcome50 | None:
        """The outcome under the rule; None if it is not known, or if rounding leaves it open."""
        if self.syzygy is not None:
            return self.syzygy.outcome50(clock)
        code = self.codes.get(Metric.DTZ)
        return None if code is None else outcome50_of(code, clock)

    @property
    def compared(self) -> dict[Metric, Code]:
        """What moves are compared by: `codes`, and the distance of Syzygy files if they have it."""
        code = self.syzygy.code if self.syzygy else None
        return self.codes if code is None else self.codes | {Metric.DTZ: code}

    @property
    def checkmate(self) -> bool:
        return self.is_check and not self.has_moves

    @property
    def stalemate(self) -> bool:
        return not (self.is_check or self.has_moves)

    @property
    def game(self) -> Game:
        return rules_of(self.board).game

    @property
    def missing(self) -> list[tuple[Material, Metric]]:
        """The tables that would tell what is not known."""
        missing = [metric for metric in self.game.metrics if metric not in self.codes]
        if self.written is None or not missing:
            return []
        material = self.written.canonical()
        return [(material, metric) for metric in missing]


def know(
    sources: Sources, boards: Sequence[AnyBoard], alike: Sequence[Knowledge | None] = ()
) -> list[Knowledge]:
    """What is known of some legal positions. A FileError is raised, and nothing else.

    `alike`, if given: for each board a position with the same men, as before a move that converts
    nothing, or None.
    """
    drafts = [_draft(*each) for each in zip_longest(boards, alike)]
    asked = [draft for draft in drafts if draft.written is not None and not draft.insufficient]
    found = sources.tables.probe_each([draft.board for draft in asked])
    for draft, codes in zip(asked, found, strict=True):
        draft.codes.update(codes)
    return [_judged(_with_files(sources.syzygy, draft)) for draft in drafts]


def _with_files(files: SyzygyTablebase | None, draft: Knowledge) -> Knowledge:
    """The same with what Syzygy files tell, if our DTZ table does not."""
    if files is None or Metric.DTZ in draft.codes or not isinstance(draft.board, chess.Board):
        return draft
    return replace(draft, syzygy=files.answer(draft.board))


def _draft(board: AnyBoard, alike: Knowledge | None) -> Knowledge:
    """What is known of a legal position without its table and its moves."""
    rules = rules_of(board)
    written = alike.written if alike else None
    insufficient = alike is not None and alike.insufficient
    if written is None:
        written = _written(board)
        insufficient = _is_insufficient(board, written)
    codes: dict[Metric, Code] = dict.fromkeys(rules.game.metrics, DRAW) if insufficient else {}
    return Knowledge(board, codes, written, True, rules.is_check(board), insufficient)


def _judged(draft: Knowledge) -> Knowledge:
    """The same, mates and stalemates told apart from positions with a move.

    Who wins or loses in some plies has a move, which need not be looked for.
    """
    code = next(iter(draft.codes.values()), DRAW)
    plays_on = draft.syzygy is not None and draft.syzygy.dtz not in (None, 0, -1)
    if code not in (DRAW, CHECKMATED) or plays_on or _can_move(draft.board):
        return draft
    rules = rules_of(draft.board)
    codes = dict.fromkeys(rules.game.metrics, rules.code_without_moves(draft.board))
    return replace(draft, codes=codes, has_moves=False, syzygy=None)


def men_of(board: AnyBoard) -> int:
    """The number of men, kings included."""
    if isinstance(board, chess.Board):
        return board.occupied.bit_count()
    return len(board.men) - board.men.count(NO_MAN)


def _can_move(board: AnyBoard) -> bool:
    if isinstance(board, chess.Board):
        return any(board.generate_legal_moves())
    return bool(board.legal_moves())


def _is_insufficient(board: AnyBoard, written: Material | None) -> bool:
    """Whether neither side can ever mate, whatever the other one does."""
    if isinstance(board, chess.Board):
        return board.is_insufficient_material()
    return written is not None and written.complexity == Complexity.TRIVIAL


def _written(board: AnyBoard) -> Material | None:
    """See `Knowledge`."""
    if isinstance(board, chess.Board) and board.castling_rights:
        return None
    rules = rules_of(board)
    placement = rules.placement(board)
    if placement is None:
        return None
    material = placement.material
    try:
        check_supported(material)
    except TooManyMen:
        return None
    return material if placement.side == rules.side(board) else material.swapped()
