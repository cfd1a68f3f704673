"""The set operators of the solver, cell by cell: the slow twin of the kernels.

A set of positions of a layout (one side to move) is a Python set of cells, plane * 4096 + cell.
"""

from __future__ import annotations

from tests.reference.board import Men, Position, is_legal, moves
from unmove.games.chess import LETTERS
from unmove.planes.layout import CELLS, Layout


def position_at(layout: Layout, side: int, cell: int) -> Position:
    """The position of a cell, with `side` to move."""
    plane, kings = divmod(cell, CELLS)
    white, black = divmod(kings, 64)
    men: list[tuple[str, int]] = [("K", white), ("k", black)]
    for (man, _), squares in zip(layout.groups, layout.placement(plane), strict=True):
        letter = LETTERS[man.kind] if man.side == 0 else LETTERS[man.kind].lower()
        men += [(letter, square) for square in squares]
    return side == 0, tuple(sorted(men))


def cell_of(layout: Layout, position: Position) -> int:
    """The cell of a position of the layout's material, sides as they are."""
    men = position[1]
    squares = [
        [
            square
            for letter, square in men
            if letter == (LETTERS[man.kind] if man.side == 0 else LETTERS[man.kind].lower())
        ]
        for man, _ in layout.groups
    ]
    kings = dict(men)["K"], dict(men)["k"]
    return layout.cell(squares, kings)


def legal_cells(layout: Layout, side: int, cells: range) -> set[int]:
    """The cells of the range that are legal positions with `side` to move."""
    return {cell for cell in cells if is_legal(position_at(layout, side, cell))}


def is_quiet(before: Men, after: Men) -> bool:
    """Whether a move was neither a capture nor a pawn's."""
    pawns = [[man for man in men if man[0] in "Pp"] for men in (before, after)]
    return len(before) == len(after) and pawns[0] == pawns[1]


def has_move_into(layout: Layout, side: int, cell: int, targets: set[int]) -> bool:
    """Whether `side` has a quiet move from the cell into the targets: EX, by definition."""
    position = position_at(layout, side, cell)
    return any(
        cell_of(layout, after) in targets
        for after in moves(position)
        if is_quiet(position[1], after[1])
    )
