"""What a position is, whether it is legal, and where its moves lead.

A position is `(white_to_move, men)`. A man is `(letter, square)`: the letter as in FEN (upper
case White, lower case Black), the square as in python-chess:

    8 | 56 57 58 59 60 61 62 63
    7 | 48 49 50 51 52 53 54 55
    6 | 40 41 42 43 44 45 46 47
    5 | 32 33 34 35 36 37 38 39        square = 8 * rank + file, both from 0
    4 | 24 25 26 27 28 29 30 31
    3 | 16 17 18 19 20 21 22 23
    2 |  8  9 10 11 12 13 14 15
    1 |  0  1  2  3  4  5  6  7
         a  b  c  d  e  f  g  h

The men are sorted, so that equal positions are equal tuples.

Castling and en passant are not represented: no position has a castling right, and a double step
never allows an en passant capture.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

Man = tuple[str, int]
Men = tuple[Man, ...]
Position = tuple[bool, Men]

ORTHOGONALS = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
KNIGHT_JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))

# Letter -> (directions as (file, rank) steps, how many steps the man may go in one of them).
# A pawn has its two capturing steps here; its pushes attack nothing and stand in `pushes`.
ATTACKS = {
    "K": (ORTHOGONALS + DIAGONALS, 1),
    "Q": (ORTHOGONALS + DIAGONALS, 7),
    "R": (ORTHOGONALS, 7),
    "B": (DIAGONALS, 7),
    "N": (KNIGHT_JUMPS, 1),
    "P": (((-1, 1), (1, 1)), 1),
    "p": (((-1, -1), (1, -1)), 1),
}


def walk(square: int, file_step: int, rank_step: int, limit: int) -> tuple[int, ...]:
    """The squares met on a walk in one direction, nearest first, up to the edge of the board."""
    squares: list[int] = []
    file, rank = square % 8 + file_step, square // 8 + rank_step
    while 0 <= file < 8 and 0 <= rank < 8 and len(squares) < limit:
        squares.append(8 * rank + file)
        file, rank = file + file_step, rank + rank_step
    return tuple(squares)


@cache
def rays(letter: str, square: int) -> tuple[tuple[int, ...], ...]:
    """The squares a man attacks on an empty board, one tuple for each direction."""
    directions, limit = ATTACKS[letter if letter == "p" else letter.upper()]
    return tuple(walk(square, file_step, rank_step, limit) for file_step, rank_step in directions)


@cache
def between(letter: str, square: int, target: int) -> frozenset[int] | None:
    """The squares that must be empty for the man to attack the target; None: it never does."""
    for ray in rays(letter, square):
        if target in ray:
            return frozenset(ray[: ray.index(target)])
    return None


def attackers(men: Men, target: int, by_white: bool) -> list[Man]:
    """The men of one side that attack the target square."""
    found = []
    for letter, square in men:
        if letter.isupper() == by_white:
            gap = between(letter, square, target)
            if gap is not None and gap.isdisjoint(other_square for _, other_square in men):
                found.append((letter, square))
    return found


def king_square(men: Men, white: bool) -> int:
    """The square of one side's king."""
    return dict(men)["K" if white else "k"]  # other letters may be there twice, a king's may not


def king_attacked(men: Men, white: bool) -> bool:
    """Whether the king of the given side is attacked."""
    return bool(attackers(men, king_square(men, white), not white))


def in_check(position: Position) -> bool:
    """Whether the king of the side to move is attacked."""
    white_to_move, men = position
    return king_attacked(men, white_to_move)


def is_legal(position: Position) -> bool:
    """Whether the men can stand so, with this side to move.

    No two men share a square, no pawn stands on the first or last rank, and the side not to move
    is not in check. The last rule also keeps the kings apart, since a king attacks the squares
    around it. Whether a game could lead to the position is not asked. Each side has one king.
    """
    white_to_move, men = position
    if len({square for _, square in men}) < len(men):
        return False
    if any(letter in "Pp" and square // 8 in (0, 7) for letter, square in men):
        return False
    return not king_attacked(men, not white_to_move)


def pushes(letter: str, square: int, occupied: set[int]) -> tuple[int, ...]:
    """The squares a pawn can advance to without capturing, nearest first."""
    forward, home_rank = (1, 1) if letter == "P" else (-1, 6)
    ahead = walk(square, 0, forward, 2 if square // 8 == home_rank else 1)
    if ahead[0] in occupied:
        return ()
    return tuple(target for target in ahead if target not in occupied)


def targets(man: Man, men: Men) -> Iterator[int]:
    """The squares the man can move to, by the way it moves; its king may be left in check."""
    letter, square = man
    colour_on = {other_square: other.isupper() for other, other_square in men}
    if letter in "Pp":
        yield from pushes(letter, square, set(colour_on))
    for ray in rays(letter, square):
        for target in ray:
            if target not in colour_on:
                if letter not in "Pp":  # a pawn goes sideways only to capture
                    yield target
                continue
            if colour_on[target] != letter.isupper():
                yield target
            break


def letters_after(letter: str, target: int) -> str:
    """The letters a man can have after moving to the target: four for a promotion, else one."""
    if letter == "P" and target // 8 == 7:
        return "QRBN"
    if letter == "p" and target // 8 == 0:
        return "qrbn"
    return letter


def moves(position: Position) -> list[Position]:
    """The positions after each legal move, with the other side to move.

    Precondition: the position is legal, so no move captures a king.
    """
    white_to_move, men = position
    successors = []
    for man in men:
        if man[0].isupper() != white_to_move:
            continue
        for target in targets(man, men):
            # A man on the target square is captured: it leaves the board with the mover's square.
            others = [other for other in men if other != man and other[1] != target]
            for letter in letters_after(man[0], target):
                men_after = tuple(sorted([*others, (letter, target)]))
                if not king_attacked(men_after, white_to_move):
                    successors.append((not white_to_move, men_after))
    return successors


def has_pawns(men: Men) -> bool:
    """Whether any man is a pawn."""
    letters = dict(men)
    return "P" in letters or "p" in letters


def image(square: int, flip_files: bool, flip_ranks: bool, exchange: bool) -> int:
    """The square after mirroring the files, then the ranks, then exchanging file and rank."""
    file, rank = square % 8, square // 8
    if flip_files:
        file = 7 - file
    if flip_ranks:
        rank = 7 - rank
    return 8 * file + rank if exchange else 8 * rank + file


# A symmetry says where each man goes.
Symmetry = dict[Man, Man]


def make_symmetry(flip_files: bool, flip_ranks: bool, exchange: bool) -> Symmetry:
    """The symmetry that mirrors the files, then the ranks, then exchanges file and rank."""
    return {
        (letter, square): (letter, image(square, flip_files, flip_ranks, exchange))
        for letter in "KQRBNPkqrbnp"
        for square in range(64)
    }


ALL_SYMMETRIES = tuple(make_symmetry(*flips) for flips in product((False, True), repeat=3))
IDENTITY = ALL_SYMMETRIES[0]
# A pawn knows forward from back, so with pawns only the files can be mirrored.
FILE_SYMMETRIES = (IDENTITY, make_symmetry(flip_files=True, flip_ranks=False, exchange=False))


@cache
def lowering(white_king: int, pawns: bool) -> tuple[Symmetry, ...]:
    """The symmetries that send the White king to the lowest of the images of its square."""
    symmetries = FILE_SYMMETRIES if pawns else ALL_SYMMETRIES
    king = ("K", white_king)
    lowest = min(symmetry[king] for symmetry in symmetries)
    return tuple(symmetry for symmetry in symmetries if symmetry[king] == lowest)


def canonical(position: Position) -> Position:
    """The smallest symmetric image: the lowest square for the White king, then the smallest men.

    There are 8 images without pawns and 2 with pawns. Looking at the White king first leaves one
    image to build for most positions; comparing all 8 would take most of the solver's time.
    """
    white_to_move, men = position
    symmetries = lowering(king_square(men, True), has_pawns(men))
    if len(symmetries) == 1 and symmetries[0] is IDENTITY:
        return position  # a shortcut for speed: most moves leave the White king where it is
    return white_to_move, min([transformed(men, symmetry) for symmetry in symmetries])


def transformed(men: Men, symmetry: Symmetry) -> Men:
    """The men after the symmetry, sorted."""
    return tuple(sorted([symmetry[man] for man in men]))
