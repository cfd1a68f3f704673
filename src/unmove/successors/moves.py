"""The kinds of moves of a side, for planes of king by king."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unmove.games.chess import PAWN, PIECES
from unmove.kernels.successors import KING_GROUP, NO_VICTIM
from unmove.material import Material
from unmove.planes.layout import Layout, Man, material_of
from unmove.values import Side


@dataclass(frozen=True)
class MoveKind:
    """A kind of move: the group (or king) that moves, the group that loses a man, a promotion."""

    mover: int
    victim: int = NO_VICTIM
    promoted: Man | None = None
    zeroes: bool = True
    """Whether it is a capture or a pawn move."""

    def men_after(self, layout: Layout) -> list[tuple[int, Man]]:
        """The numbers and men after such a move; see `kernels.successors.make_move`."""
        men = list(enumerate(layout.men))
        gone = {layout.starts[self.victim]} if self.victim != NO_VICTIM else set()
        if self.promoted is not None:
            gone.add(layout.starts[self.mover])
            men.append((len(men), self.promoted))
        return [(number, man) for number, man in men if number not in gone]

    def leads_to(self, layout: Layout) -> Material:
        """The material after such a move, sides as they are."""
        return material_of([man for _, man in self.men_after(layout)])


def zeroing_moves(layout: Layout, mover: Side) -> Iterator[MoveKind]:
    """All captures and pawn moves of a side."""
    groups = [man for man, _ in layout.groups]
    own = [group for group, man in enumerate(groups) if man.side == mover]
    prey = [group for group, man in enumerate(groups) if man.side != mover]
    pawns = [group for group in own if groups[group].kind == PAWN]
    promoted = [Man(kind, mover) for kind in range(len(PIECES))]
    for victim in prey:
        yield MoveKind(KING_GROUP, victim)
        yield from (MoveKind(group, victim) for group in own)
    for group in pawns:
        yield MoveKind(group)
        yield from (MoveKind(group, NO_VICTIM, man) for man in promoted)
        for victim in prey:
            if groups[victim].kind != PAWN:  # no pawn stands where a pawn promotes
                yield from (MoveKind(group, victim, man) for man in promoted)


def converting_moves(layout: Layout, mover: Side) -> Iterator[MoveKind]:
    """All captures and promotions of a side."""
    for move in zeroing_moves(layout, mover):
        if move.victim != NO_VICTIM or move.promoted is not None:
            yield move


def marked_moves(layout: Layout, mover: Side, *, second: bool) -> Iterator[MoveKind]:
    """The moves that give the values that are only marked; `second`: of the second side."""
    yield from converting_moves(layout, mover)
    if second:
        yield MoveKind(KING_GROUP, zeroes=False)


def all_moves(layout: Layout, mover: Side) -> Iterator[MoveKind]:
    """All moves of a side."""
    yield from zeroing_moves(layout, mover)
    yield MoveKind(KING_GROUP, zeroes=False)
    for group, (man, _) in enumerate(layout.groups):
        if man.side == mover and man.kind != PAWN:
            yield MoveKind(group, zeroes=False)
