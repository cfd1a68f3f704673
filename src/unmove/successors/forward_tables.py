"""The tables that moves of a side lead to, as kernels that go position by position are told.

These are the counterparts of `moves.py` and `subtables.py`, which go plane by plane. They are
written apart from them on purpose, so that an error in one is not repeated in the other: the proof
uses this file, the solver those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import LETTERS, PAWN, SQUARES
from unmove.kernels.proof.fixpoint import ABOVE_CODES, NO_SCORE
from unmove.kernels.proof.forward import CHOICES, KING_KIND, ProofMen
from unmove.kernels.proof.successors import FLIPPED, NO_SUCCESSOR, QUIET, STEP, Rule
from unmove.material import Material
from unmove.planes.layout import Layout, Man
from unmove.planes.layouts import of_kings
from unmove.planes.symmetry import IMAGE
from unmove.store.source import Source, TableLookup
from unmove.values import (
    BLACK,
    BROKEN,
    DRAW,
    WHITE,
    Code,
    Metric,
    Side,
    code_before,
    opponent_of,
    swapped_if,
)

# What a kind of move does: (zeroes, converts).
_QUIET = (False, False)
_STEP = (True, False)
_CONVERSION = (True, True)


@dataclass(frozen=True)
class SuccessorTable:
    """The table that one kind of move leads to."""

    source: Source
    colours_swapped: bool
    """Whether the table has the sides the other way round."""
    side: Side
    """To move in the table."""
    man_map: tuple[int, ...]
    """For each of its men, kings first, the number of our man that plays its role."""
    score: tuple[int, ...]
    """[number in a cell]: the score of a move there; see `kernels.proof.fixpoint.ProofValues`."""


@dataclass(frozen=True)
class SuccessorTables:
    """The tables of all kinds of moves of one side, the own table first; see `Rule.move_kind`."""

    by_kind: list[SuccessorTable]
    move_kind: NDArray[np.int64]


def successor_tables(source: Source, side: Side, tables: TableLookup) -> SuccessorTables:
    """The tables that the moves of `side` lead to, from the endgame of a source."""
    layout, metric = of_kings(source.layout), source.metric
    men = dict(enumerate(layout.men, start=2))
    opponent = opponent_of(side)
    by_kind = [_table(source, men, opponent, [move], metric) for move in (_QUIET, _STEP)]
    groups = [man for man, _ in layout.groups]
    move_kind = np.full((CHOICES, 1 + len(groups)), NO_SUCCESSOR, np.int64)
    move_kind[0, 0] = QUIET
    pawn = Man(PAWN, side)
    for choice, victim in product(range(CHOICES), [None, *range(len(groups))]):
        taken = None if victim is None else groups[victim]
        if not _leaves(groups, side, choice, taken):
            continue
        left = dict(men)
        if victim is not None:
            del left[2 + layout.starts[victim]]
        if choice:
            left[2 + layout.starts[groups.index(pawn)]] = Man(choice - 1, side)
        passing = taken == pawn  # en passant answers our double step: then it is our turn again
        to_move, moves = (side, [_CONVERSION, _STEP]) if passing else (opponent, [_CONVERSION])
        smaller = tables(_material(left.values()).canonical())
        move_kind[choice, 0 if victim is None else 1 + victim] = len(by_kind)
        by_kind.append(_table(smaller, left, to_move, moves, metric))
    return SuccessorTables(by_kind, move_kind)


def men_of(layout: Layout) -> ProofMen:
    """The men of a layout as the kernels see them."""
    men = [Man(KING_KIND, WHITE), Man(KING_KIND, BLACK), *layout.men]
    groups = [-1, -1, *(g for g, (_, size) in enumerate(layout.groups) for _ in range(size))]
    return ProofMen(
        kinds=np.array([man.kind for man in men], np.int64),
        sides=np.array([man.side for man in men], np.int64),
        group=np.array(groups, np.int64),
    )


def rule_of(tables: SuccessorTables) -> Rule:
    """The index rules of all successor tables; each plane's slot is its own number."""
    layouts = [of_kings(table.source.layout) for table in tables.by_kind]
    leads = [layout.lead for layout in layouts]
    own = layouts[QUIET]
    choose = [[comb(n, k) for n in range(SQUARES)] for k in range(2 + len(own.men))]
    planes = list(accumulate(layout.count for layout in layouts[STEP:]))
    return Rule(
        move_kind=tables.move_kind,
        man_map=_padded([table.man_map for table in tables.by_kind]),
        start=_padded([[2 + start for start in layout.starts] for layout in layouts]),
        groups=np.array([len(layout.groups) for layout in layouts], np.int64),
        leaders=np.array([min(each.leaders, len(each.groups)) for each in layouts], np.int64),
        sets=_padded([[comb(SQUARES, size) for _, size in each.groups] for each in layouts]),
        stride=_padded([layout.group_strides or (1,) for layout in layouts]),
        flip=np.array([FLIPPED * table.colours_swapped for table in tables.by_kind], np.int64),
        lead=np.cumsum([0, *(len(lead.orbit) for lead in leads)], dtype=np.int64),
        orbit=np.concatenate([lead.orbit for lead in leads]).astype(np.int32),
        symmetry=np.concatenate([lead.symmetry for lead in leads]).astype(np.int32),
        squares=own.lead.squares,
        image=np.concatenate([IMAGE, IMAGE[:, np.arange(SQUARES) ^ 56]]),
        choose=np.array(choose, np.int64),
        base=np.array([0, 0, *planes[:-1]], np.int64),  # QUIET and STEP share this table's
        slot=np.arange(planes[-1], dtype=np.int64),
    )


def _leaves(groups: Sequence[Man], side: Side, choice: int, taken: Man | None) -> bool:
    """Whether there is a move of `side`, or en passant against it, that leads to another table."""
    pawn = Man(PAWN, side)
    if choice and pawn not in groups:
        return False
    if taken is None:
        return choice > 0
    if taken == pawn:
        return choice == 0 and Man(PAWN, opponent_of(side)) in groups
    return taken.side != side and not (choice and taken.kind == PAWN)  # none stands on a last rank


def _material(men: Iterable[Man]) -> Material:
    """The men's material, sides as they are."""
    white, black = "", ""
    for man in men:
        if man.side == WHITE:
            white += LETTERS[man.kind]
        else:
            black += LETTERS[man.kind]
    return Material.of(white, black)


def _table(
    source: Source,
    men: dict[int, Man],
    to_move: Side,
    moves: Sequence[tuple[bool, bool]],
    metric: Metric,
) -> SuccessorTable:
    """The table of the source, entered with these men, by number, and `to_move` to move.

    `moves` lead there, the last one first: what each zeroes and converts.
    """
    colours_swapped = _material(men.values()) != source.layout.material
    ours = list(men.items())
    man_map = [1, 0] if colours_swapped else [0, 1]
    for man in source.layout.men:
        own = next(item for item in ours if item[1] == man.swapped_if(colours_swapped))
        ours.remove(own)
        man_map.append(own[0])
    score = tuple(_score(code, moves, metric) for code in source.palette.tolist())
    side = swapped_if(colours_swapped, to_move)
    return SuccessorTable(source, colours_swapped, side, tuple(man_map), score)


def _score(code: Code, moves: Sequence[tuple[bool, bool]], metric: Metric) -> int:
    """The score of a move after which, `moves` made, the side to move has `code`."""
    for zeroes, converts in moves:
        code = code_before(code, metric, zeroes=zeroes, converts=converts)
    if not BROKEN < code < ABOVE_CODES:
        return NO_SCORE
    if code == DRAW:
        return 0
    return ABOVE_CODES - code if code % 2 else code - ABOVE_CODES


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The rows as one array, filled up with zeros."""
    padded = np.zeros((len(rows), max(1, *map(len, rows))), np.int64)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded
