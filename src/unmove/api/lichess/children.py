"""The legal moves of a position, what is known after each, and which is best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import chess

from unmove.api.lichess.categories import BEST_FIRST, category, dtc_told, dtm_told, dtz_told
from unmove.api.lichess.knowledge import Knowledge, Sources, know
from unmove.games.boards import AnyBoard, rules_of
from unmove.games.rules import Step
from unmove.values import Metric, code_before, preference


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


def children_of(sources: Sources, root: Knowledge) -> list[Child]:
    """All legal moves of a position."""
    board = root.board
    rules = rules_of(board)
    moves = rules.moves(board)
    steps = [rules.after(board, move) for move in moves]
    alike = [None if step.converts else root for step in steps]
    known = know(sources, [step.board for step in steps], alike)
    if isinstance(board, chess.Board):
        sans = [san(board, *each, moves) for each in zip(moves, known, strict=True)]
    else:
        sans = [rules.san(board, move) for move in moves]
    return [_child(board, *each) for each in zip(moves, sans, steps, known, strict=True)]


def _child(board: AnyBoard, move: Any, san: str, step: Step, known: Knowledge) -> Child:
    rules = rules_of(board)
    before, clock = rules.clock(board), rules.clock(step.board)
    captured, promoted = 0, 0
    if isinstance(board, chess.Board):
        captured = board.piece_type_at(move.to_square) or int(board.is_en_passant(move))
        promoted = move.promotion or 0
    word = category(known, clock, before)
    return Child(move, san, step, known, captured, promoted, clock, word)


def order(child: Child, metric: Metric | None, with_dtc: bool = False) -> tuple[Any, ...]:
    """A sort key, smallest for the best move.

    Without a metric it is that of lichess's server: category, DTM, then DTZ. With one it is the
    category, then the distance of the move itself.
    """
    known, zeroes, converts = child.known, child.step.zeroes, child.step.converts
    worth = BEST_FIRST.index(child.category)
    ends = not known.checkmate, not known.stalemate, not known.insufficient
    if metric is not None:
        return worth, worths(child, metric), child.san
    dtm, dtz = dtm_told(known), dtz_told(known)
    dtc = dtc_told(known) if with_dtc else None
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
    step, codes = child.step, child.known.compared
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


def san(board: chess.Board, move: chess.Move, after: Knowledge, moves: Sequence[chess.Move]) -> str:
    """A move of chess as people write it, by the position after it and all legal moves.

    python-chess would make the move, and look for all of the moves, once more.
    """
    if board.castling_rights and board.is_castling(move):
        text = "O-O" if move.to_square > move.from_square else "O-O-O"
    else:
        text = _plain_san(board, move, moves)
    return text + ("" if not after.is_check else "+" if after.has_moves else "#")


def _plain_san(board: chess.Board, move: chess.Move, moves: Sequence[chess.Move]) -> str:
    """A move that is no castling, without what it does to the king."""
    kind = board.piece_type_at(move.from_square)
    target, origin = chess.SQUARE_NAMES[move.to_square], chess.SQUARE_NAMES[move.from_square]
    taking = "x" if board.is_capture(move) else ""
    if kind == chess.PAWN:
        promoted = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
        return f"{origin[0] if taking else ''}{taking}{target}{promoted}"
    if kind == chess.KING:
        return f"K{taking}{target}"
    others = [
        chess.SQUARE_NAMES[other.from_square]
        for other in moves
        if other.to_square == move.to_square
        and other.from_square != move.from_square
        and board.piece_type_at(other.from_square) == kind
    ]
    from_file = "" if not others else origin[0]
    if any(other[0] == origin[0] for other in others):
        same_rank = any(other[1] == origin[1] for other in others)
        from_file = origin if same_rank else origin[1]
    letter = chess.piece_symbol(kind or chess.KING).upper()
    return f"{letter}{from_file}{taking}{target}"
