"""A position of xiangqi: read from a FEN, with its legal moves and what each leads to.

The rules are those of the 1996 tables (Wu and Beal): kings that face each other on an open file
attack each other; a side without a legal move has lost, in check or not; nothing is said about
repetitions. Letters are ours (`KRCHAEP`); a FEN has those of engines, which write N for the horse
and B for the elephant, and both are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from unmove.errors import BadFen, BadMove, IllegalPosition
from unmove.games.xiangqi import (
    FILES,
    LETTERS,
    NOWHERE,
    RANKS,
    RAYS,
    SQUARES,
    STANDS,
    STEPS,
    UNSTEPS,
)
from unmove.values import BLACK, SIDES, WHITE, Side, opponent_of
from unmove.variants import XIANGQI

START_FEN: Final = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
NO_MAN: Final = "."
NAMES: Final = ("king", "chariot", "cannon", "horse", "advisor", "elephant", "soldier")

ENGINES: Final = str.maketrans("EHeh", "BNbn")
"""From our letters to those of engines."""

_OURS = str.maketrans("BNbn", "EHeh")
_EXAMPLE = "3k5/4P4/9/9/9/9/9/9/9/4K4 w - - 0 1"
MOVE_EXAMPLE: Final = "h3e3, or by its man and files, such as C2.5"
_FEN = re.compile(r"(\S+) ([wrb])( - -)?( \d+ \d+)?")
_UCI = re.compile(r"([a-i])([1-9]|10)([a-i])([1-9]|10)")
_LEAPERS = ("hp", "HP")  # what attacks the king of White, of Black, by a step


@cache
def _rays() -> list[list[list[int]]]:
    """RAYS without what fills them up; as lists, since Python reads them faster than arrays."""
    return [[[s for s in ray if s != NOWHERE] for ray in rays] for rays in RAYS.tolist()]


@cache
def _steps() -> dict[str, list[list[list[int]]]]:
    """STEPS by letter and square, without what fills them up."""
    return _by_letter(STEPS.tolist())


@cache
def _unsteps() -> dict[str, list[list[list[int]]]]:
    """UNSTEPS by letter and square, without what fills them up."""
    return _by_letter(UNSTEPS.tolist())


def _by_letter(table: list[list[list[list[list[int]]]]]) -> dict[str, list[list[list[int]]]]:
    return {
        letter if side == WHITE else letter.lower(): [
            [step for step in steps if step[0] != NOWHERE] for steps in table[side][kind]
        ]
        for side in SIDES
        for kind, letter in enumerate(LETTERS)
    }


class Move(NamedTuple):
    """A man's way from one square to another."""

    origin: int
    target: int

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move in coordinates, `h3e3`: files a to i, ranks 1 to 10, a1 in White's corner.

        Fairy-Stockfish and other UCI engines write moves like this. Ranks 0 to 9, as in UCCI, are
        not read: `h2e2` would be a move in both.
        """
        match = _UCI.fullmatch(text.strip().lower())
        if match is None:
            raise BadMove(text, "it is not two squares from a1 to i10", MOVE_EXAMPLE)
        files = ["abcdefghi".index(letter) for letter in match.group(1, 3)]
        ranks = [int(digits) - 1 for digits in match.group(2, 4)]
        return cls(*(FILES * rank + file for file, rank in zip(files, ranks, strict=True)))

    def __str__(self) -> str:
        return square_name(self.origin) + square_name(self.target)


@dataclass(frozen=True)
class Board:
    """Men on squares, and whose move it is. Immutable: a move gives a new board.

    The constructor checks nothing, `parse` does. `flaw` tells of men that cannot stand where they
    do, and of kings that can be captured.
    """

    men: str
    """By square: a letter, upper case for White, or NO_MAN."""
    side: Side
    """To move: 0 is White (Red)."""

    @classmethod
    def parse(cls, fen: str) -> Board:
        """The legal position of a FEN; BadFen or IllegalPosition otherwise.

        After the men comes the side (w or r, b). `- -` and two counters may follow and are ignored.
        """
        match = _FEN.fullmatch(" ".join(fen.split()))
        if match is None:
            raise BadFen(fen, "it is not the men, the side (w or b), and counters", _EXAMPLE)
        board = cls(_men_of(fen, match[1]), BLACK if match[2] == "b" else WHITE)
        if flaw := board.flaw():
            raise IllegalPosition(fen, flaw)
        return board

    def fen(self) -> str:
        """The position as a FEN that engines read, counters at their beginning."""
        ranks = [self.men[i : i + FILES] for i in range(0, SQUARES, FILES)]
        text = "/".join(reversed(ranks)).translate(ENGINES)
        text = re.sub(r"\.+", lambda gap: str(len(gap[0])), text)
        return f"{text} {'wb'[self.side]} - - 0 1"

    def letters(self, side: Side) -> str:
        """A side's men without the king, in the order of the squares, upper case."""
        return "".join(m.upper() for m in self.men if _belongs(m, side) and m not in "Kk")

    def flaw(self) -> str | None:
        """Why the position is illegal; None if it is legal.

        Men stand where their kind can, a side has no more of a kind than the game begins with, and
        the side to move cannot capture the king.
        """
        for side, name in zip(SIDES, XIANGQI.side_names, strict=True):
            if self.men.count("Kk"[side]) != 1:
                return f"{name} must have one king"
            if flaw := XIANGQI.flaw(self.letters(side)):
                return flaw
        for square, letter in enumerate(self.men):
            if letter != NO_MAN:
                kind, owner = LETTERS.index(letter.upper()), int(letter.islower())
                if not STANDS[owner, kind, square]:
                    name = XIANGQI.side_names[owner]
                    return f"{name}'s {NAMES[kind]} cannot stand on {square_name(square)}"
        if _facing([*self.men]):
            return "the kings face each other"
        if self._in_check(opponent_of(self.side)):
            return "the side that is not to move is in check"
        return None

    def is_legal(self) -> bool:
        return self.flaw() is None

    def is_check(self) -> bool:
        """Whether the king of the side to move is attacked."""
        return self._in_check(self.side)

    def is_lost(self) -> bool:
        """Whether the side to move has no legal move: mate or stalemate, lost either way."""
        return not self.legal_moves()

    def legal_moves(self) -> list[Move]:
        """The moves after which the mover's king cannot be captured, by origin."""
        cells = [*self.men, NO_MAN]  # the last is NOWHERE
        king = self._king(self.side)
        found = []
        for move in _moves(cells, self.side):
            origin, target = move
            man, taken = cells[origin], cells[target]
            cells[origin], cells[target] = NO_MAN, man
            if not _attacked(cells, target if origin == king else king, self.side):
                found.append(move)
            cells[origin], cells[target] = man, taken
        return found

    def push(self, move: Move) -> Board:
        """The position after a move, which is not checked."""
        cells = list(self.men)
        cells[move.target], cells[move.origin] = cells[move.origin], NO_MAN
        return Board("".join(cells), opponent_of(self.side))

    def is_capture(self, move: Move) -> bool:
        return self.men[move.target] != NO_MAN

    def _king(self, side: Side) -> int:
        return self.men.index("Kk"[side])

    def _in_check(self, side: Side) -> bool:
        return _attacked([*self.men, NO_MAN], self._king(side), side)


def square_name(square: int) -> str:
    """The square as in a move: `a1` to `i10`."""
    return "abcdefghi"[square % FILES] + str(square // FILES + 1)


def _belongs(letter: str, side: Side) -> bool:
    return letter.isupper() if side == WHITE else letter.islower()


def _men_of(fen: str, placement: str) -> str:
    """The men by square, from the first field of a FEN."""
    ranks = placement.translate(_OURS).split("/")
    if len(ranks) != RANKS:
        raise BadFen(fen, f"it has {len(ranks)} ranks and not {RANKS}", _EXAMPLE)
    found = []
    for number, text in enumerate(ranks):
        rank = re.sub(r"[1-9]", lambda gap: NO_MAN * int(gap[0]), text)
        if len(rank) != FILES or NO_MAN in text:
            raise BadFen(fen, f"rank {RANKS - number} does not have {FILES} squares", _EXAMPLE)
        if unknown := set(rank.upper()) - set(LETTERS + NO_MAN):
            raise BadFen(fen, f"{min(unknown)!r} is no man of xiangqi", _EXAMPLE)
        found.append(rank)
    return "".join(reversed(found))


def _moves(cells: list[str], side: Side) -> Iterator[Move]:
    """The moves of a side, its king left in check or not."""
    for origin, letter in enumerate(cells):
        if not _belongs(letter, side):
            continue
        if letter in "RrCc":
            targets = _slides(cells, origin, jumps=letter in "Cc")
        else:
            targets = (t for t, gate in _steps()[letter][origin] if cells[gate] == NO_MAN)
        for target in targets:
            if not _belongs(cells[target], side):
                yield Move(origin, target)


def _slides(cells: list[str], origin: int, jumps: bool) -> Iterator[int]:
    """Where a chariot (or a cannon, which jumps to capture) goes; the last may be of its side."""
    for ray in _rays()[origin]:
        ahead = iter(ray)
        for square in ahead:
            if cells[square] == NO_MAN:
                yield square
                continue
            if jumps:  # over this man, and onto the next
                square = next((s for s in ahead if cells[s] != NO_MAN), NOWHERE)
            if square != NOWHERE:
                yield square
            break


def _attacked(cells: list[str], king: int, side: Side) -> bool:
    """Whether a king of this side on this square can be captured."""
    chariot, cannon, other = ("r", "c", "k") if side == WHITE else ("R", "C", "K")
    for ray in _rays()[king]:
        met = 0
        for square in ray:
            letter = cells[square]
            if letter == NO_MAN:
                continue
            if met:
                if letter == cannon:
                    return True
                break
            if letter in (chariot, other):  # no rank has both kings
                return True
            met = 1
    for letter in _LEAPERS[side]:
        for origin, gate in _unsteps()[letter][king]:
            if cells[origin] == letter and cells[gate] == NO_MAN:
                return True
    return False


def _facing(cells: list[str]) -> bool:
    """Whether the kings stand on one file with nobody between them."""
    up = _rays()[cells.index("K")][0]
    return next((cells[s] for s in up if cells[s] != NO_MAN), NO_MAN) == "k"
