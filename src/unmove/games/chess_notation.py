"""Moves in SAN, all legal moves of a position together, without a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_FILES = "abcdefgh"


class PlainMove(NamedTuple):
    """A legal move that is neither castling nor en passant."""

    letter: str
    """Of the man, upper case."""
    origin: int
    target: int
    piece: str
    """What a pawn becomes, upper case; empty if it stays what it is."""
    takes: bool
    mark: str
    """`+` for check, `#` for mate, or nothing."""


def sans(moves: Sequence[PlainMove]) -> list[str]:
    """The moves in SAN, which are all legal moves of a position."""
    rivals: dict[tuple[str, int], list[int]] = {}
    for move in moves:
        rivals.setdefault((move.letter, move.target), []).append(move.origin)
    return [_san(move, rivals[move.letter, move.target]) for move in moves]


def _san(move: PlainMove, origins: Sequence[int]) -> str:
    """The SAN of a move; like men go to its square from all of these squares."""
    to = _FILES[move.target & 7] + str(1 + (move.target >> 3))
    takes = "x" if move.takes else ""
    if move.letter == "P":
        start = _FILES[move.origin & 7] if move.takes else ""
        piece = "=" + move.piece if move.piece else ""
        return start + takes + to + piece + move.mark
    start = _told_apart(move.origin, origins) if len(origins) > 1 else ""
    return move.letter + start + takes + to + move.mark


def _told_apart(origin: int, origins: Sequence[int]) -> str:
    """The file, rank or both that tell a man from the others."""
    others = [other for other in origins if other != origin]
    same_rank = any(other >> 3 == origin >> 3 for other in others)
    same_file = any(other & 7 == origin & 7 for other in others)
    file = _FILES[origin & 7] if same_rank or not same_file else ""
    return file + (str(1 + (origin >> 3)) if same_file else "")
