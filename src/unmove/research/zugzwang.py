"""Mutual zugzwangs: positions in which neither side wants to be the one to move.

White gets less with White to move than with Black to move. Both must be legal, so nobody is in
check. There are three kinds, by what is at stake:

    kind     White to move   Black to move
    full     loses           loses             a full point
    white    draws           loses             half a point: White wins if he need not move
    black    loses           draws             half a point: Black wins if he need not move

Outcomes are those without the 50-move rule, so every metric gives the same. Positions are counted
as `Game.symmetry` says. Colours are not exchanged, so an endgame of equal sides has each zugzwang
and its *twin*, the one with the colours reversed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.games.boards import exchanged
from unmove.games.rules import columns_of
from unmove.kernels.arrays import Codes
from unmove.research.notes import Note
from unmove.research.scan import CellPlaces, Chunk, ReportFraction, Scan
from unmove.values import (
    BLACK,
    BROKEN,
    WHITE,
    Code,
    Outcome,
    codes_up_to,
    moves_of,
    outcome_of,
    value_of,
)

ZUGZWANG_KINDS: Final = {"full": (-1, 1), "white": (0, 1), "black": (-1, 0)}
"""What White gets with White and with Black to move."""

_WORDS: Final = {"full": "a full point", "white": "half a point", "black": "half a point"}
_ILLEGAL: Final = 3


@dataclass(frozen=True)
class Zugzwang:
    """A mutual zugzwang."""

    kind: str
    places: CellPlaces
    codes: tuple[Code, Code]
    """With White and with Black to move."""

    def note(self, scan: Scan) -> Note:
        """The position, White to move, with a comment."""
        (board,) = scan.boards(WHITE, self.places)
        ends = ", ".join(
            f"{name} to move {_end(code, scan)}"
            for name, code in zip(scan.material.game.side_names, self.codes, strict=True)
        )
        return Note(board, f"mutual zugzwang, {_WORDS[self.kind]}: {ends}")


def count(scan: Scan, report: ReportFraction = lambda _: None) -> dict[str, int]:
    """How many mutual zugzwangs of each kind a table has."""
    found = dict.fromkeys(ZUGZWANG_KINDS, 0)
    for kinds, chunk in _walk(scan, report, in_order=False):
        for number, kind in enumerate(ZUGZWANG_KINDS, start=1):
            found[kind] += int(np.count_nonzero(kinds == number, axis=1) @ chunk.images)
    return found


def full_without_twins(scan: Scan) -> int:
    """How many full-point zugzwangs an endgame of equal sides has if twins are counted once."""
    found = [each.places for each in zugzwangs(scan) if each.kind == "full"]
    alone = sum(_is_own_twin(scan, places) for places in found)
    return (len(found) + alone) // 2


def _is_own_twin(scan: Scan, places: CellPlaces) -> bool:
    """Whether the twin is an image that is counted as the same position."""
    squares = scan.squares(places)
    twin = _men(scan, exchanged(squares, scan.material)[0])
    return any(twin == _men(scan, image[squares[0]]) for image in scan.symmetries)


def _men(scan: Scan, squares: NDArray[np.integer]) -> list[tuple[int, str]]:
    """Squares and letters; like men are not told apart."""
    return sorted(zip(squares.tolist(), columns_of(scan.material), strict=True))


def zugzwangs(scan: Scan, report: ReportFraction = lambda _: None) -> Iterator[Zugzwang]:
    """All mutual zugzwangs of a table, in its order."""
    names, codes = list(ZUGZWANG_KINDS), scan.codes
    for kinds, chunk in _walk(scan, report):
        where = kinds > 0
        which, places = scan.places(chunk, where)
        white, black = (codes[chunk.cells[side][where]][which] for side in (WHITE, BLACK))
        for i, number in enumerate(kinds[where][which].tolist()):
            both = Code(int(white[i])), Code(int(black[i]))
            yield Zugzwang(names[number - 1], places.where(np.array([i])), both)


def is_zugzwang(own: Codes, other: Codes, stakes: tuple[int, ...] = (1, 2)) -> NDArray[np.bool_]:
    """Whether so many half points are at stake; codes with a side and with the other to move."""
    seen = _outcomes(int(max(own.max(initial=0), other.max(initial=0))) + 1)
    legal = (own != BROKEN) & (other != BROKEN)
    at_stake: NDArray[np.bool_] = legal & np.isin(-seen[other] - seen[own], stakes)
    return at_stake


def _outcomes(codes: int) -> NDArray[np.int8]:
    """[code]: its outcome for the side to move; _ILLEGAL for none."""
    return np.array([_ILLEGAL, *map(outcome_of, codes_up_to(codes - 1))], np.int8)


def _walk(
    scan: Scan, report: ReportFraction, *, in_order: bool = True
) -> Iterator[tuple[NDArray[np.uint8], Chunk]]:
    """For each chunk the kind of each position: 0 is none, 1 the first of ZUGZWANG_KINDS."""
    if not _possible(scan):
        return
    seen = _outcomes(int(scan.codes.max()) + 1)[scan.codes]
    legal = seen != _ILLEGAL
    # The outcome for White, 0 to 2, four times that with White to move plus that with Black.
    first = np.where(legal, 4 * (seen + 1), 12).astype(np.uint8)
    second = np.where(legal, 1 - seen, _ILLEGAL).astype(np.uint8)
    kind_of_pair = np.zeros(16, np.uint8)
    for number, (white, black) in enumerate(ZUGZWANG_KINDS.values(), start=1):
        kind_of_pair[4 * (white + 1) + black + 1] = number

    def kinds(chunk: Chunk) -> tuple[NDArray[np.uint8], Chunk]:
        pair = first[chunk.cells[WHITE]]
        pair += second[chunk.cells[BLACK]]
        found = kind_of_pair[pair]
        found *= chunk.chosen
        return found, chunk

    each = scan.each if in_order else scan.each_in_any_order
    yield from each((WHITE, BLACK), kinds, report)


def _possible(scan: Scan) -> bool:
    """Whether there can be any, by the table's statistics."""
    white, black = (
        {outcome for outcome in Outcome if scan.summary.counts(side)[outcome.word]}
        for side in (WHITE, BLACK)
    )
    return any(w in white and -b in black for w, b in ZUGZWANG_KINDS.values())


def _end(code: Code, scan: Scan) -> str:
    """The outcome for the side to move, in words."""
    value = value_of(code, scan.metric)
    if value is None:
        return "draws"
    moves = moves_of(value)
    return f"loses ({scan.metric.value} {moves} move{'' if moves == 1 else 's'})"
