"""All moves of a board with their values, made on squares and not on boards.

It is for boards of chess on which men and side to move are all there is. `tablebase.py` goes move
by move for all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import chess
import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import LETTERS
from unmove.games.chess_notation import PlainMove, sans
from unmove.games.rules import Placement
from unmove.kernels.children import ALL_KINDS, CONVERSIONS, MAY_BE_PASSED, Children
from unmove.probe.answer import RankedMove
from unmove.probe.one_ply import OnePly, SearchBoard
from unmove.probe.table_cache import OpenTable
from unmove.values import CHECKMATED, Code, Metric


def quick_moves(
    board: chess.Board,
    placed: Placement,
    tables: Mapping[Metric, OpenTable],
    search: Mapping[Metric, SearchBoard],
) -> list[RankedMove[chess.Move]] | None:
    """The legal moves of a legal board, by the metrics of its tables; None if it cannot tell."""
    squares = np.array([placed.squares], np.uint8)
    one_ply = next(iter(tables.values())).one_ply
    children = one_ply.listed(placed.side, squares, ALL_KINDS, checks=True)
    if children.status[0] == MAY_BE_PASSED:
        return None
    codes = {
        metric: table.one_ply.codes_of_moves(placed.side, children, search[metric])
        for metric, table in tables.items()
    }
    there = [code for _, code in next(iter(codes.values()))]
    flip = 0 if board.turn == chess.COLORS[placed.side] else 56
    moves = list(_plain_moves(one_ply, children, there, squares, flip))
    return [
        RankedMove(
            _move_of(move),
            san,
            {metric: each[i][0] for metric, each in codes.items()},
            placed.clock,
        )
        for i, (move, san) in enumerate(zip(moves, sans(moves), strict=True))
    ]


def _plain_moves(
    one_ply: OnePly, children: Children, there: list[Code], squares: NDArray[np.uint8], flip: int
) -> Iterator[PlainMove]:
    """The moves as people write them; `flip` turns squares into those of the board."""
    origins = squares[0, one_ply.columns].tolist()
    each = (children.kind, children.man, children.arrival, children.checks)
    for code, kind, man, arrival, check in zip(there, *(a.tolist() for a in each), strict=True):
        choice, target = divmod(arrival, 64)
        yield PlainMove(
            letter=one_ply.letters[man].upper(),
            origin=origins[man] ^ flip,
            target=target ^ flip,
            piece=LETTERS[choice - 1] if choice else "",
            takes=kind >= CONVERSIONS and (kind - CONVERSIONS) % (1 + len(origins)) > 0,
            mark="#" if code == CHECKMATED else "+" if check else "",
        )


def _move_of(move: PlainMove) -> chess.Move:
    """The move as python-chess has it."""
    piece = chess.PIECE_SYMBOLS.index(move.piece.lower()) if move.piece else None
    return chess.Move(move.origin, move.target, piece)
