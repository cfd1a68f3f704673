"""Our own storage as an index: the planes a file keeps, and the cells it codes.

A file keeps one of the planes that are images of one another (`planes/fold.py`), 4096 cells each,
and codes their legal cells, those of one side to move. Both numbers follow by Burnside's lemma. Let
an endgame have g symmetries (8, with pawns 2). A plane that s of them map onto itself has g / s
images, so that, with sums over all placements of the men beside the kings,

    planes kept = (1/g) * sum over symmetries of the placements that the symmetry maps onto itself
    cells coded = (1/g) * the same sum, each placement with its number of legal cells

and of the symmetries all but the first map few placements onto themselves.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import BETWEEN, KING, PAWN, REACH, SQUARES
from unmove.indexes.index import PAWN_SQUARES, Group, groups_of, is_pawn, symmetries
from unmove.indexes.legal import legal_placements
from unmove.material import Material
from unmove.planes.layout import CELLS, reach_row
from unmove.planes.lead import subsets
from unmove.planes.symmetry import IMAGE
from unmove.values import BLACK, WHITE, Side

_BITS = np.uint64(1) << np.arange(SQUARES, dtype=np.uint64)


def planes_kept(material: Material) -> int:
    """The number of planes that a file keeps."""
    groups = _groups(material)
    own = sum(len(_own_images(groups, t)) for t in symmetries(material) if t)
    return (_placements(groups) + own) // len(symmetries(material))


def cells(material: Material) -> int:
    """The cells of these planes: positions and broken ones."""
    return planes_kept(material) * CELLS


def cells_coded(material: Material, side: Side) -> int:
    """The cells that a file codes if `side` to move is the one it stores."""
    groups = _groups(material)
    own = sum(_legal_cells(groups, side, _own_images(groups, t)) for t in symmetries(material) if t)
    return (legal_placements(material, side) + own) // len(symmetries(material))


def _groups(material: Material) -> list[Group]:
    """Like men of both sides, pawns first."""
    white, black = material.sides
    groups = [*groups_of(white, WHITE), *groups_of(black, BLACK)]
    return sorted(groups, key=is_pawn, reverse=True)


def _placements(groups: list[Group]) -> int:
    """The ways to place the men, no two on a square; pawns come first."""
    found, taken = 1, 0
    for man, count in groups:
        squares = len(PAWN_SQUARES) if man.kind == PAWN else SQUARES
        found *= comb(squares - taken, count)
        taken += count
    return found


def _own_images(groups: list[Group], symmetry: int) -> NDArray[np.int64]:
    """[placement, man]: the placements that a symmetry maps onto themselves."""
    placements = np.zeros((1, 0), np.int64)
    for man, count in groups:
        sets = subsets(count).astype(np.int64)
        kept = (np.sort(IMAGE[symmetry][sets], axis=1) == sets).all(axis=1)
        if man.kind == PAWN:
            kept &= np.isin(sets, PAWN_SQUARES).all(axis=1)
        sets = sets[kept]
        left, right = np.repeat(placements, len(sets), axis=0), np.tile(sets, (len(placements), 1))
        placements = np.concatenate([left, right], axis=1)
    taken = np.sort(placements, axis=1)
    apart: NDArray[np.bool_] = (taken[:, 1:] != taken[:, :-1]).all(axis=1)
    return placements[apart]


def _legal_cells(groups: list[Group], side: Side, placements: NDArray[np.int64]) -> int:
    """The legal cells of these planes with `side` to move."""
    taken = np.bitwise_or.reduce(_BITS[placements], axis=1)
    free = (taken[:, None] & _BITS) == 0
    touching = (KING[:, None] & _BITS) != 0
    legal = free[:, :, None] & free[:, None, :] & ~(touching | np.eye(SQUARES, dtype=np.bool_))
    men = [man for man, count in groups for _ in range(count)]
    for man, squares in zip(men, placements.T, strict=True):
        if man.side != side:
            continue
        line = BETWEEN[squares]  # [placement, other king]
        attacked = (REACH[reach_row(man), squares][:, None] & _BITS) != 0
        attacked &= (line & taken[:, None]) == 0
        past_king = (line[:, None, :] & _BITS[:, None]) == 0  # [placement, own king, other king]
        legal &= ~(attacked[:, None, :] & past_king)
    return int(legal.sum())
