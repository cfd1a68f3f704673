"""How many legal positions there are, counted without enumerating them.

For fixed kings, let x_g stand for a man of group g. A square that a group may use is a factor
1 + x_g + x_h + ..., and the coefficient of x_g^m_g x_h^m_h ... in the product over all squares is
the number of ways to place the men, no two on a square. Check makes squares depend on one another
only along the eight lines from the other king: going outwards, the first man met on a line must not
be one that attacks along it, and what stands behind the first man does not matter. So a line is
taken square by square with two polynomials, one for the lines still *open*, one for those *shut* by
some man:

    shut <- shut + shut * (all men that may stand here) + open * (those that give no check here)

All pairs of kings are counted at once, an array with an axis for the pairs and one for the power of
each x. That is some 120 steps for an endgame, whatever its number of positions.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import LETTERS, PAWN, SQUARES
from unmove.indexes.index import PAWN_SQUARES, Group, groups_of
from unmove.indexes.kings import pairs_462, pairs_1806
from unmove.indexes.nalimov import FIFTH_RANK, Nalimov, available
from unmove.indexes.view import OTHER, OWN, neighbours, step_of
from unmove.material import Material
from unmove.planes.layout import Man
from unmove.values import Side, opponent_of

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]

_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_ATTACKERS = ("RQ",) * 4 + ("BQ",) * 4
"""Who attacks along a line."""
_NOWHERE = SQUARES


class Rows(NamedTuple):
    """Pairs of kings, and perhaps other men, that stand still while the groups are placed."""

    king: NDArray[np.int64]  # [row]: the other side's king
    fixed: Words  # [row]: squares of men that stand still; they shut a line and give no check
    open: Words  # [group, row]: where a man of the group may stand, were it not for lines


def legal_entries(material: Material, side: Side) -> int:
    """The entries of Nalimov's index that are positions, both zones together."""
    own, other = material.sides[side], material.sides[opponent_of(side)]
    main = int(_main(own, _blockers(other)).sum())
    return main + (_passing(own, other) if "P" in own and "P" in other else 0)


def broken_entries(material: Material, side: Side) -> int:
    """The entries of Nalimov's index that are no positions (Table 14)."""
    return Nalimov(material, side).size - legal_entries(material, side)


def legal_placements(material: Material, side: Side) -> int:
    """The legal positions with all men placed freely, no symmetry taken out; no rights to take."""
    own, other = material.sides[side], material.sides[opponent_of(side)]
    return int((_main(own, _blockers(other)) * _images(material)).sum())


def _images(material: Material) -> Counts:
    """How many pairs of kings each of the 462 or 1806 stands for.

    With pawns two. Without, eight; or four if both kings stand on the diagonal a1-h8.
    """
    if material.has_pawns:
        return np.full(len(pairs_1806()), 2)
    diagonal = [all(king % 8 == king // 8 for king in kings) for kings in pairs_462()]
    return np.where(diagonal, 4, 8)


def _blockers(letters: str) -> str:
    """Men of the other side that block lines as these do: its pieces all block alike."""
    pieces = sorted((n for x in LETTERS[:PAWN] if (n := letters.count(x))), reverse=True)
    return "".join(x * n for x, n in zip(LETTERS, pieces, strict=False)) + "P" * letters.count("P")


@cache
def _main(own: str, other: str) -> Counts:
    """[pair of kings]: the legal positions without a right to take in passing."""
    pairs = pairs_1806() if "P" in own + other else pairs_462()
    groups = [*groups_of(own, OWN), *groups_of(other, OTHER)]
    open_ = [[_may_stand(man, kings) for kings in pairs] for man, _ in groups]
    fixed = [1 << a | 1 << b for a, b in pairs]
    return count_legal(groups, _rows([b for _, b in pairs], fixed, open_))


def _passing(own: str, other: str) -> int:
    """The legal positions with a right to take in passing."""
    groups = [
        *groups_of(own.replace("P", "", 1), OWN),
        *groups_of(other.replace("P", "", 1), OTHER),
    ]
    kings, fixed = [], []
    open_: list[list[int]] = [[] for _ in groups]
    for pair in pairs_1806():
        men = 1 << pair[0] | 1 << pair[1]
        for stepped in FIFTH_RANK:
            for taker in neighbours(stepped):
                pawns = 1 << stepped | 1 << taker
                empty = step_of(stepped)
                if men & (pawns | empty) or taker not in available(Man(PAWN, OWN), pair):
                    continue
                kings.append(pair[1])
                fixed.append(men | pawns)
                for words, (man, _) in zip(open_, groups, strict=True):
                    closed = pawns | empty
                    if man == Man(PAWN, OWN):  # a second taker on the lower file has the entry
                        closed |= sum(1 << s for s in neighbours(stepped) if s < taker)
                    words.append(_may_stand(man, pair) & ~closed)
    return int(count_legal(groups, _rows(kings, fixed, open_)).sum())


def _rows(kings: list[int], fixed: list[int], open_: list[list[int]]) -> Rows:
    shape = len(open_), len(kings)
    return Rows(
        np.array(kings, np.int64),
        np.array(fixed, np.uint64),
        np.array(open_, np.uint64).reshape(shape),
    )


@cache
def _may_stand(man: Man, kings: tuple[int, int]) -> int:
    """Where a man may stand, as a word: an own one not where its check cannot be blocked."""
    if man.side == OWN:
        return sum(1 << square for square in available(man, kings))
    squares = PAWN_SQUARES if man.kind == PAWN else range(SQUARES)
    return sum(1 << square for square in squares if square not in kings)


def count_legal(groups: list[Group], rows: Rows) -> Counts:
    """[row]: the ways to place the groups so that the other side's king is not in check."""
    powers = [count + 1 for _, count in groups]
    ways = np.zeros((len(rows.king), prod(powers)), np.int64)
    ways[:, 0] = 1
    ways = ways.reshape(-1, *powers)
    for line, attackers in enumerate(_ATTACKERS):
        ways = _along(line, ways, rows, [_is_quiet(man, attackers) for man, _ in groups])
    for square in range(SQUARES):
        may = _bits(rows.open, np.full(len(rows.king), square))
        ways = ways + _with_one_more(ways, may & ~_on_lines()[rows.king, square])
    return ways.reshape(len(rows.king), -1)[:, -1]


def _along(line: int, ways: Counts, rows: Rows, quiet: list[bool]) -> Counts:
    """The ways once the squares of a line have been taken too; `quiet` groups give no check."""
    open_, shut = ways, np.zeros_like(ways)
    for squares in _lines()[rows.king, line].T:
        may = _bits(rows.open, squares)
        met = _bits(rows.fixed, squares).reshape(-1, *(1 for _ in quiet))
        first = _with_one_more(open_, may & np.array(quiet, np.bool_).reshape(-1, 1))
        shut = shut + _with_one_more(shut, may) + first + np.where(met, open_, 0)
        open_ = np.where(met, 0, open_)
    return open_ + shut


def _is_quiet(man: Man, attackers: str) -> bool:
    return man.side == OTHER or LETTERS[man.kind] not in attackers


def _with_one_more(ways: Counts, may: NDArray[np.bool_]) -> Counts:
    """The ways times the sum of x_g over the groups that may stand on a square."""
    more = np.zeros_like(ways)
    for group, here in enumerate(may):
        here = here.reshape(-1, *(1 for _ in may))
        power = (slice(None),) * (group + 1)
        more[(*power, slice(1, None))] += ways[(*power, slice(None, -1))] * here
    return more


def _bits(words: Words, squares: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each word has its row's square; no word has _NOWHERE."""
    shift = np.minimum(squares, SQUARES - 1).astype(np.uint64)
    found: NDArray[np.bool_] = (words >> shift & np.uint64(1) != 0) & (squares != _NOWHERE)
    return found


@cache
def _lines() -> NDArray[np.int64]:
    """[king, line, distance - 1]: the squares of the eight lines from a king."""
    lines = np.full((SQUARES, len(_STEPS), 7), _NOWHERE, np.int64)
    for king in range(SQUARES):
        for line, (dx, dy) in enumerate(_STEPS):
            for distance in range(1, 8):
                file, rank = king % 8 + dx * distance, king // 8 + dy * distance
                if 0 <= file < 8 and 0 <= rank < 8:
                    lines[king, line, distance - 1] = 8 * rank + file
    return lines


@cache
def _on_lines() -> NDArray[np.bool_]:
    """[king, square]: whether the square is on one of the king's lines."""
    squares = np.arange(SQUARES)
    found: NDArray[np.bool_] = (_lines()[:, :, :, None] == squares).any(axis=(1, 2))
    return found
