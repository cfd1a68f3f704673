"""What the tables know of a position: a code for each metric, and which tables are missing.

Mates, stalemates and positions in which nobody can mate are known without a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import chess

from unmove.errors import TooManyMen
from unmove.games.boards import AnyBoard, rules_of
from unmove.games.xiangqi_board import NO_MAN
from unmove.material import Complexity, Material
from unmove.planes.layouts import check_supported
from unmove.probe.tablebase import Tablebase
from unmove.values import DRAW, Code, Metric
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


def know(tables: Tablebase, boards: Sequence[AnyBoard]) -> list[Knowledge]:
    """What is known of some legal positions. A FileError is raised, and nothing else."""
    seen = [_seen(board) for board in boards]
    asked = [known for known in seen if not known.codes and known.written is not None]
    found = tables.probe_each([known.board for known in asked])
    for known, codes in zip(asked, found, strict=True):
        known.codes.update(codes)
    return seen


def _seen(board: AnyBoard) -> Knowledge:
    """What is known of a legal position without a table."""
    rules = rules_of(board)
    has_moves, is_check = _can_move(board), rules.is_check(board)
    written = _written(board)
    insufficient = _is_insufficient(board, written)
    codes: dict[Metric, Code] = {}
    if not has_moves:
        codes = dict.fromkeys(rules.game.metrics, rules.code_without_moves(board))
    elif insufficient:
        codes = dict.fromkeys(rules.game.metrics, DRAW)
    return Knowledge(board, codes, written, has_moves, is_check, insufficient)


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
