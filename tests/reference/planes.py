"""The set operators of the solver, cell by cell: the slow twin of the kernels. Positions by cell.

A set of positions of a layout (one side to move) is a Python set of cells, plane * 4096 + cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.reference.board import Men, Position, is_legal, moves
from unmove.games.chess import LETTERS
from unmove.kernels.sets import Frontier
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout, Man
from unmove.planes.symmetry import IMAGE
from unmove.store.table import Table


def letter_of(man: Man) -> str:
    """A man's letter, as in FEN."""
    return LETTERS[man.kind] if man.side == 0 else LETTERS[man.kind].lower()


def position_at(layout: Layout, side: int, cell: int) -> Position:
    """The position of a cell, with `side` to move."""
    plane, kings = divmod(cell, CELLS)
    white, black = divmod(kings, 64)
    men: list[tuple[str, int]] = [("K", white), ("k", black)]
    for (man, _), squares in zip(layout.groups, layout.placement(plane), strict=True):
        men += [(letter_of(man), square) for square in squares]
    return side == 0, tuple(sorted(men))


def cell_of(layout: Layout, position: Position) -> int:
    """The cell of a position of the layout's material, sides as they are."""
    men = position[1]
    squares = [
        [square for letter, square in men if letter == letter_of(man)] for man, _ in layout.groups
    ]
    kings = dict(men)["K"], dict(men)["k"]
    return layout.cell(squares, kings)


class Cells(NamedTuple):
    """Where positions of one material stand in its table: `positions[i]` at the i-th place."""

    material: Material
    positions: list[Position]
    sides: NDArray[np.int64]
    planes: NDArray[np.int64]
    cells: NDArray[np.int64]


def cells_of(positions: Iterable[Position]) -> list[Cells]:
    """The same as `cell_of` for many positions of any materials without like men."""
    alike: dict[str, list[Position]] = {}
    for position in positions:
        alike.setdefault("".join([letter for letter, _ in position[1]]), []).append(position)
    return [_cells_of_letters(letters, found) for letters, found in alike.items()]


def _cells_of_letters(letters: str, positions: list[Position]) -> Cells:
    """The same for positions whose men have these letters, in this order.

    If the table has the sides the other way round, the positions are turned.
    """
    squares = np.array([[square for _, square in men] for _, men in positions])
    sides = np.array([0 if white_to_move else 1 for white_to_move, _ in positions])
    layout = Layout(material_of(letters).canonical())
    if material_of(letters) != layout.material:
        letters, squares, sides = letters.swapcase(), squares ^ 56, 1 - sides
    groups = [squares[:, letters.index(letter_of(man))] for man, _ in layout.groups]
    lead = np.zeros(len(positions), np.int64)
    for group in groups[: layout.leaders]:
        lead = lead * 64 + group
    to = IMAGE.astype(np.int64)[layout.lead.symmetry[lead]]
    rows = np.arange(len(positions))
    planes = layout.lead.orbit[lead] * layout.strides[0]
    for group, stride in zip(groups[layout.leaders :], layout.strides[1:], strict=True):
        planes = planes + to[rows, group] * stride
    white, black = (to[rows, squares[:, letters.index(king)]] for king in "Kk")
    return Cells(layout.material, positions, sides, planes, white * 64 + black)


def material_of(letters: str) -> Material:
    """The material of letters, kings among them, sides as they are."""
    white = "".join(letter for letter in letters if letter.isupper() and letter != "K")
    black = "".join(letter.upper() for letter in letters if letter.islower() and letter != "k")
    return Material.of(white, black)


def codes_at(table: Table, at: Cells) -> NDArray[np.int64]:
    """The codes a table has there."""
    white, black = (table.palette[cells[at.planes, at.cells]] for cells in table.cells)
    codes: NDArray[np.int64] = np.where(at.sides == 0, white, black)
    return codes


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


def entries(
    stretch: NDArray[np.uint64], plane_words: int
) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """Each header of a stretch, with all words of the plane; see `kernels/stretch.py`."""
    words = iter(stretch.tolist())
    for header in words:
        masks = [next(words) for _ in range(-(-plane_words // 64))]
        follow = [i for i in range(plane_words) if masks[i // 64] >> i % 64 & 1]
        found = np.zeros(plane_words, np.uint64)
        found[follow] = [next(words) for _ in follow]
        yield header, found


def packed(planes: NDArray[np.uint64], flags: NDArray[np.uint64]) -> Frontier:
    """A set as a frontier, with these flags."""
    words, at = [], np.zeros(len(planes), np.uint32)
    masked = np.pad(planes != 0, ((0, 0), (0, -planes.shape[1] % 64)))
    masks = np.packbits(masked, axis=1, bitorder="little").view("<u8")
    for plane in np.flatnonzero(planes.any(axis=1)).tolist():
        words.append(plane)
        at[plane] = len(words)
        words += masks[plane].tolist() + planes[plane][planes[plane] != 0].tolist()
    return Frontier(np.array(words, np.uint64), at, flags)
