"""What the tables know of a position: a code for each metric, and which tables are missing.

Mates, stalemates and positions in which nobody can mate are known without a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import chess

from unmove.errors import TooManyMen
from unmove.games.boards import AnyBoard, rules_of
from unmove.games.xiangqi_board import NO_MAN
from unmove.material import Complexity, Material
from unmove.planes.layouts import check_supported
from unmove.probe.tablebase import Tablebase
from unmove.values import CHECKMATED, DRAW, Code, Metric
from unmove.variants import Game


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A position and what is known of it, seen by its side to move."""

    board: Any
    codes: dict[Metric, Code]
    """By metric, as far as tables are there."""
    written: Material | None
    """The endgame as it stands; None with castling rights, or with too many men to be solved."""
    has_moves: bool
    is_check: bool
    insufficient: bool
    """Whether neither side can ever mate."""

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
    tables: Tablebase, boards: Sequence[AnyBoard], alike: Sequence[Knowledge | None] = ()
) -> list[Knowledge]:
    """What is known of some legal positions. A FileError is raised, and nothing else.

    `alike`, if given: for each board a position with the same men, as before a move that converts
    nothing, or None.
    """
    drafts = [_draft(*each) for each in zip_longest(boards, alike)]
    asked = [draft for draft in drafts if draft.written is not None and not draft.insufficient]
    found = tables.probe_each([draft.board for draft in asked])
    for draft, codes in zip(asked, found, strict=True):
        draft.codes.update(codes)
    return [_judged(draft) for draft in drafts]


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
    if code not in (DRAW, CHECKMATED) or _can_move(draft.board):
        return draft
    rules = rules_of(draft.board)
    codes = dict.fromkeys(rules.game.metrics, rules.code_without_moves(draft.board))
    return replace(draft, codes=codes, has_moves=False)


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
