"""How each further constraint makes an index smaller: Table 6 of Nalimov et al., KQRK."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from unmove.indexes.classic import Edwards, Heinz, Naive, Thompson
from unmove.indexes.index import Zone, groups_of
from unmove.indexes.kings import Kings, pairs_462
from unmove.indexes.nalimov import Nalimov, OwnSet
from unmove.indexes.view import OWN, BoardView
from unmove.material import Material
from unmove.planes.layout import Man
from unmove.values import WHITE

KQRK = Material.parse("KQRK")


class Table6Row(NamedTuple):
    """One row of Table 6."""

    constraints: str
    size: int


def table_6() -> list[Table6Row]:
    """The rows of Table 6, KQRK with White to move.

    Two rows are the authors' round figures, as if three squares were denied to every queen and two
    to every rook. The last row differs from print, where 600 entries are taken off 1,475,007;
    perhaps ten squares of the queen, four at the beginning and six at the end, times 60 of the
    rook. There are 236 and 360 broken entries at the two ends, and tables lose only those at the
    end. Nor is the "- 610" printed in the row before what leads to its size: 366 entries are cut
    off 1,500,642.
    """
    return [
        Table6Row("none", Naive(KQRK, WHITE).size),
        Table6Row("no square shared", 64 * 63 * 62 * 61),
        Table6Row("king in the octant (Edwards)", Edwards(KQRK, WHITE).size),
        Table6Row("king in the octant, no square shared", 10 * 63 * 62 * 61),
        Table6Row("462 king pairs (Thompson)", Thompson(KQRK, WHITE).size),
        Table6Row("462 king pairs, no square shared (Heinz)", Heinz(KQRK, WHITE).size),
        Table6Row("three squares denied to the queen", 462 * 59 * 61),
        Table6Row("and two to the rook", 462 * 59 * 59),
        Table6Row("no unblockable checks, the end cut off (Nalimov)", Nalimov(KQRK, WHITE).size),
        Table6Row("and no square shared", WithoutSharing().size),
    ]


class WithoutSharing(Nalimov):
    """Nalimov's index of KQRK with the rook kept off the queen's square."""

    def __init__(self) -> None:
        super().__init__(KQRK, WHITE)

    @cached_property
    def main(self) -> Zone:
        (queen, _), (rook, _) = groups_of("QR", OWN)
        return Zone(pairs_462(), [OwnSet(queen), _Apart(rook, before=(queen,))])


@dataclass(frozen=True)
class _Apart(OwnSet):
    """The rook beside the queen, whose squares are all squares of the rook's too."""

    before: tuple[Man, ...] = ()

    def width(self, kings: Kings) -> int:
        return super().width(kings) - len(self.before)

    def squares(self, view: BoardView) -> tuple[int, ...]:
        taken = {square for man in self.before for square in view.men[man]}
        return tuple(square for square in super().squares(view) if square not in taken)
