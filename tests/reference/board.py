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

A pawn that has just stepped twice, and stands beside an enemy pawn, has the letter `E` or `e` for
one ply: it can be taken en passant. Whether a pin forbids that is seen when the move is made. No
position has a castling right.
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

PLAIN = {"E": "P", "e": "p"}  # what a pawn is called again when its right to be taken has passed

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
def sight(letter: str, square: int) -> int:
    """The squares a man attacks on an empty board, as a set: bit s is square s."""
    return sum(1 << target for ray in rays(letter, square) for target in ray)


@cache
def seen(letter: str, square: int, occupied: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The squares a man attacks: the empty ones, and the occupied ones at which its sight ends.

    `occupied` is the set of occupied squares, those out of sight left out.
    """
    empty, taken = [], []
    for ray in rays(letter, square):
        for target in ray:
            if occupied >> target & 1:
                taken.append(target)
                break
            empty.append(target)
    return tuple(empty), tuple(taken)


@cache
def threats(king: int, white: bool) -> dict[Man, frozenset[int]]:
    """The men that attack a king of the given colour, each with the squares that must be empty."""
    letters = "kqrbnp" if white else "KQRBNP"
    return {
        (name, square): frozenset(ray[: ray.index(king)])
        for letter in letters
        for name in (letter, *(right for right, plain in PLAIN.items() if plain == letter))
        for square in range(64)
        for ray in rays(letter, square)
        if king in ray
    }


def king_square(men: Men, white: bool) -> int:
    """The square of one side's king."""
    return dict(men)["K" if white else "k"]  # other letters may be there twice, a king's may not


def king_attacked(men: Men, white: bool) -> bool:
    """Whether the king of the given side is attacked."""
    attackers = threats(king_square(men, white), white)
    for man in men:
        if man in attackers and attackers[man].isdisjoint([square for _, square in men]):
            return True
    return False


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
    if any(letter in "PEpe" and square // 8 in (0, 7) for letter, square in men):
        return False
    return not king_attacked(men, not white_to_move)


def without_right(men: Men) -> Men:
    """The men when nobody can be taken en passant any more."""
    return tuple(sorted([(PLAIN.get(letter, letter), square) for letter, square in men]))


def can_be_taken(men: Men) -> int | None:
    """The square of the pawn that can be taken en passant; None if there is none."""
    return next((square for letter, square in men if letter in PLAIN), None)


@cache
def beside(square: int) -> tuple[int, ...]:
    """The one or two squares beside a square."""
    return walk(square, -1, 0, 1) + walk(square, 1, 0, 1)


def pushes(man: Man, occupied: int) -> Iterator[int]:
    """The squares a pawn can advance to without capturing, nearest first."""
    letter, square = man
    forward, home_rank = (1, 1) if letter == "P" else (-1, 6)
    for target in walk(square, 0, forward, 2 if square // 8 == home_rank else 1):
        if occupied >> target & 1:
            return
        yield target


def set_of(men: Men) -> int:
    """The set of the men's squares."""
    return sum([1 << square for _, square in men])


def quiet_targets(man: Man, occupied: int) -> tuple[int, ...]:
    """The empty squares a piece can go to."""
    return seen(*man, occupied & sight(*man))[0]


def zeroing_targets(man: Man, men: Men, occupied: int) -> list[int]:
    """Where a man can capture, and a pawn go; its king may be left in check.

    En passant is left out, since that pawn does not stand where it is taken.
    """
    enemies = [square for letter, square in men if letter.isupper() != man[0].isupper()]
    attacked = seen(*man, occupied & sight(*man))[1]
    captures = [target for target in attacked if target in enemies]
    return [*captures, *pushes(man, occupied)] if man[0] in "Pp" else captures


def letters_after(man: Man, target: int, men: Men) -> str:
    """The letters a man can have after moving to the target: four for a promotion, else one."""
    letter, square = man
    if letter not in "Pp":
        return letter
    if target // 8 in (0, 7):
        return "QRBN" if letter == "P" else "qrbn"
    if abs(target - square) == 16:
        enemies = {(letter.swapcase(), neighbour) for neighbour in beside(target)}
        if not enemies.isdisjoint(men):
            return "E" if letter == "P" else "e"
    return letter


def tries(position: Position, zeroing_only: bool = False) -> Iterator[Position]:
    """The positions after each move, with the other side to move; the king may be left in check.

    Precondition: the position is legal, so no move captures a king.
    """
    white_to_move, men = position
    stepped = can_be_taken(men)
    if stepped is not None:
        men = without_right(men)
    occupied = set_of(men)
    for man in men:
        if man[0].isupper() != white_to_move:
            continue
        # Where the man goes, and the square that a man of the other side disappears from, if any.
        ways = [(target, target) for target in zeroing_targets(man, men, occupied)]
        if man[0] not in "Pp":
            if not zeroing_only:
                ways += [(target, target) for target in quiet_targets(man, occupied)]
        elif stepped is not None and stepped in beside(man[1]):
            ways.append((stepped + (8 if white_to_move else -8), stepped))
        for target, taken in ways:
            others = [other for other in men if other is not man and other[1] != taken]
            for letter in letters_after(man, target, men):
                yield not white_to_move, tuple(sorted([*others, (letter, target)]))


def leaves_no_check(position: Position) -> bool:
    """Whether the side that has just moved is not in check: the move was legal."""
    white_to_move, men = position
    return not king_attacked(men, not white_to_move)


def moves(position: Position) -> list[Position]:
    """The positions after each legal move, with the other side to move."""
    return [successor for successor in tries(position) if leaves_no_check(successor)]


def has_pawns(men: Men) -> bool:
    """Whether any man is a pawn."""
    return not dict(men).keys().isdisjoint("PEpe")


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
        for letter in "KQRBNPEkqrbnpe"
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
