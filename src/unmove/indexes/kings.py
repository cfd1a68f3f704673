"""Where two kings stand: that of the side to move first, then the other one."""

from __future__ import annotations

from functools import cache

from unmove.games.chess import KING, SQUARES

Kings = tuple[int, int]

ALL_SQUARES = tuple(range(SQUARES))


def on_triangle(square: int) -> bool:
    """Whether a square is one of the ten of a1-d1-d4."""
    return square // 8 <= square % 8 < 4


@cache
def pairs_apart() -> tuple[Kings, ...]:
    """The 3,612 placements of two kings that do not touch."""
    return tuple(
        (a, b) for a in ALL_SQUARES for b in ALL_SQUARES if a != b and not int(KING[a]) >> b & 1
    )


@cache
def pairs_462() -> tuple[Kings, ...]:
    """Without pawns: the first king on a1-d1-d4; if on a1-d4, the other in a1-h1-h8."""
    return tuple(
        (a, b) for a, b in pairs_apart() if on_triangle(a) and (a % 8 != a // 8 or b // 8 <= b % 8)
    )


@cache
def pairs_1806() -> tuple[Kings, ...]:
    """With pawns: the first king on the files a to d."""
    return tuple((a, b) for a, b in pairs_apart() if a % 8 < 4)
