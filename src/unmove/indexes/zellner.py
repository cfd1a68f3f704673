"""Zellner's KBBK: an index without broken entries [Zellner 1987].

White to move; one bishop on light squares, one on dark ones. Black's king is in the triangle
h1-h4-e4, and where it is on the diagonal h1-e4, White's king is on or above that diagonal. Zellner
runs through the legal positions and counts them. They can be numbered: only the bishop on the
colour of Black's king can check it, and the other one never stands between, so for fixed kings the
legal positions are a box,

    320,680 = sum over 462 pairs of kings of (squares of one bishop) * (squares of the other)

with no square of a king's and none from which the bishop gives a check that White's king does not
block. One bit a position is 40,085 bytes (41 KB of 1,000 bytes in print), four bits 160,340.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from unmove.indexes.index import Axis, OneZone, SetAxis, groups_of
from unmove.indexes.kings import ALL_SQUARES, Kings, pairs_apart
from unmove.indexes.view import OWN, BoardView, checks
from unmove.material import Material
from unmove.planes.layout import Man
from unmove.values import WHITE

TRIANGLE = tuple(8 * rank + file for rank in range(4) for file in range(7 - rank, 8))
"""h1; g2 h2; f3 g3 h3; e4 f4 g4 h4."""


class Zellner(OneZone):
    """The index of KBBK, White to move, bishops of both colours."""

    name = "Zellner"
    alike = False

    def __init__(self) -> None:
        super().__init__(Material.parse("KBBK"), WHITE)

    def pairs(self) -> tuple[Kings, ...]:
        return tuple(
            (white, black)
            for white, black in pairs_apart()
            if black in TRIANGLE and (_height(black) > 0 or _height(white) >= 0)
        )

    def axes(self) -> list[Axis]:
        ((bishop, _),) = groups_of("BB", OWN)
        return [_Bishop(bishop, light=light) for light in (True, False)]


@dataclass(frozen=True)
class _Bishop(SetAxis):
    """The bishop on squares of one colour."""

    light: bool = True

    def width(self, kings: Kings) -> int:
        return len(_quiet_squares(self.man, self.light, kings))

    def squares(self, view: BoardView) -> tuple[int, ...]:
        return _quiet_squares(self.man, self.light, view.kings)

    def standing(self, view: BoardView) -> tuple[int, ...]:
        return tuple(s for s in view.men[self.man] if _is_light(s) == self.light)

    def rank(self, view: BoardView) -> int | None:
        return super().rank(view) if len(self.standing(view)) == 1 else None


@cache
def _quiet_squares(bishop: Man, light: bool, kings: Kings) -> tuple[int, ...]:
    """Where a bishop gives no check past White's king, on squares of one colour."""
    taken = sum(1 << king for king in kings)
    return tuple(
        square
        for square in ALL_SQUARES
        if _is_light(square) == light
        and square not in kings
        and not checks(bishop, square, kings[1], taken)
    )


def _is_light(square: int) -> bool:
    return (square // 8 + square % 8) % 2 == 1


def _height(square: int) -> int:
    """Above (+), on (0) or below (-) the diagonal a8-h1."""
    return square // 8 + square % 8 - 7
