"""What a position's moves give, position by position: the proof's own way through an endgame.

Nothing here is shared with the solver's kernels. They pull whole planes of bits backwards through
masks; here one position at a time is set up on a mailbox board, its moves are walked square by
square, and each successor's value is looked up where the layout's index rule says it stands. An
error in one of the two is not repeated in the other.

Men are numbered White's king 0, Black's king 1, then the others, group by group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel
from unmove.values import BROKEN, DRAW

KNIGHT, BISHOP, ROOK, QUEEN, KING = range(5)  # the order of games.chess.PIECES, then the king
EMPTY = -1
NO_VALUE = -1  # in place of a code: a cell outside the palette, or a move into a broken cell
CHECKMATED = 2  # the code of a loss in 0 plies
FURTHEST = 1 << 14  # above every code
NO_WORTH = (1 << 15) - 1  # above every worth

# Directions 0-3 are straight, 4-7 diagonal, 8-15 a knight's; kind k uses FIRST[k] to STOP[k].
FILES = np.array([1, -1, 0, 0, 1, 1, -1, -1, 1, 2, -1, -2, 1, 2, -1, -2])
RANKS = np.array([0, 0, 1, -1, 1, -1, 1, -1, 2, 1, 2, 1, -2, -1, -2, -1])
FIRST = np.array([8, 4, 0, 0, 0])
STOP = np.array([16, 8, 4, 8, 8])
FAR = np.array([1, 7, 7, 7, 1])  # how many steps a man of the kind goes at most


class Men(NamedTuple):
    """Who stands on the board."""

    kinds: NDArray[np.int64]  # [man]
    sides: NDArray[np.int64]  # [man]: 0 = White
    group: NDArray[np.int64]  # [man]; -1 for the kings


class Position(NamedTuple):
    """One position of one thread, and its moves; board[squares[man]] == man."""

    squares: NDArray[np.int64]  # [man]
    board: NDArray[np.int64]  # [square]: the man there, or EMPTY
    mover: NDArray[np.int64]  # [move]: a man
    target: NDArray[np.int64]  # [move]: the square it goes to


class Rule(NamedTuple):
    """Where positions stand: the index rule of this endgame (0) and of those a capture away.

    Endgame 1 + g is the one in which group g has lost a man: its first one, see `look_behind`.
    """

    seat: NDArray[np.int64]  # [endgame, i]: our man in the part of its i-th; the kings are 0 and 1
    start: NDArray[np.int64]  # [endgame, group]: its first seat; one more entry closes the last
    groups: NDArray[np.int64]  # [endgame]: how many
    stride: NDArray[np.int64]  # [endgame, group]: planes from one set to the next
    lead: NDArray[np.int64]  # [endgame]: where the sets of its lead's size begin in the next two
    orbit: NDArray[np.int32]  # [lead + rank]: the lead's coordinate
    symmetry: NDArray[np.int32]  # [lead + rank]: what brings the lead onto its representative
    first: NDArray[np.int64]  # [orbit]: rank of the representative; of this endgame only
    image: NDArray[np.int64]  # [symmetry, square]
    choose: NDArray[np.int64]  # [k, n]: the sets of k among n


class Values(NamedTuple):
    """What stands in the cells, and what a move there is worth to the side that makes it.

    Worth is a number, so made that the best move has the largest and no case has to be told from
    another in the inner loop, where the processor could not foresee it (30 % of the time):

        FURTHEST - code   a win: quick before slow; the code is the mover's, this move counted
        0                 a draw
        code - FURTHEST   a loss: slow before quick
        NO_WORTH          the successor has no value; above all, so that it is not overlooked
    """

    here: NDArray[np.uint8] | NDArray[np.uint16]  # [plane, cell]: with the mover to move
    there: NDArray[np.uint8] | NDArray[np.uint16]  # [plane, cell]: with the opponent to move
    codes: NDArray[np.int64]  # [number in a cell]: its code, NO_VALUE outside the palette
    worth: NDArray[np.int16]  # [number in a cell]: of a move to such a cell
    base: NDArray[np.int64]  # [endgame]: its first plane in `captures`; 0 for this endgame
    captures: NDArray[np.int16]  # [plane, cell]: the worth of a capture that leads there


class Behind(NamedTuple):
    """Where the moves of a plane's men lead, wherever the kings are."""

    plane: NDArray[np.int64]  # [man, square it goes to]: of this endgame, or of `captures`
    symmetry: NDArray[np.int64]  # [man, square it goes to]: brings the successor there


def behind(men: int) -> Behind:
    """Room for the moves of so many men."""
    return Behind(np.zeros((men, 64), np.int64), np.zeros((men, 64), np.int64))


def position(men: int) -> Position:
    """An empty board with room for the moves of so many men."""
    squares = np.zeros(men, np.int64)
    moves = np.zeros((2, 27 * men), np.int64)  # a queen's 27 moves are the most a man has
    return Position(squares, np.full(64, EMPTY, np.int64), moves[0], moves[1])


@inlined
def attacks(kind: int, origin: int, target: int, board: NDArray[np.int64]) -> bool:
    """Whether a man of `kind` on `origin` attacks `target`, another square."""
    files, ranks = (target & 7) - (origin & 7), (target >> 3) - (origin >> 3)
    if kind == KNIGHT:
        return abs(files * ranks) == 2
    if kind == KING:
        return abs(files) <= 1 and abs(ranks) <= 1
    straight = files == 0 or ranks == 0
    if not straight and (kind == ROOK or abs(files) != abs(ranks)):
        return False
    if straight and kind == BISHOP:
        return False
    step = 8 * ((ranks > 0) - (ranks < 0)) + (files > 0) - (files < 0)
    square = origin + step
    while square != target:
        if board[square] != EMPTY:
            return False
        square += step
    return True


@inlined
def in_check(side: int, gone: int, men: Men, p: Position) -> bool:
    """Whether a man of the other side, but not the captured man `gone`, attacks the king."""
    king = p.squares[side]
    for man in range(men.kinds.shape[0]):
        if men.sides[man] == side or man == gone:
            continue
        if attacks(men.kinds[man], p.squares[man], king, p.board):
            return True
    return False


@inlined
def is_safe(man: int, target: int, men: Men, p: Position) -> bool:
    """Whether a man can go to `target` without leaving its own king attacked. Undone behind."""
    origin, victim = p.squares[man], p.board[target]
    p.squares[man], p.board[origin], p.board[target] = target, EMPTY, man
    safe = not in_check(men.sides[man], victim, men, p)
    p.squares[man], p.board[origin], p.board[target] = origin, man, victim
    return safe


@inlined
def on_line(a: int, b: int) -> bool:
    """Whether two squares share a file, a rank or a diagonal: only there a man can be pinned."""
    files, ranks = (a & 7) - (b & 7), (a >> 3) - (b >> 3)
    return files == 0 or ranks == 0 or abs(files) == abs(ranks)


@inlined
def list_moves(side: int, men: Men, p: Position) -> int:
    """p.mover and p.target hold the legal moves of `side`; returns how many.

    The position is legal: no move takes a king.
    """
    moves = 0
    king, checked = p.squares[side], in_check(side, EMPTY, men, p)
    for man in range(men.kinds.shape[0]):
        if men.sides[man] != side:
            continue
        kind, origin = men.kinds[man], p.squares[man]
        exposes = checked or man == side or on_line(origin, king)
        for way in range(FIRST[kind], STOP[kind]):
            file, rank = origin & 7, origin >> 3
            for _ in range(FAR[kind]):
                file, rank = file + FILES[way], rank + RANKS[way]
                if file < 0 or file > 7 or rank < 0 or rank > 7:
                    break
                target = 8 * rank + file
                victim = p.board[target]
                if victim != EMPTY and men.sides[victim] == side:
                    break
                if not exposes or is_safe(man, target, men, p):
                    p.mover[moves], p.target[moves] = man, target
                    moves += 1
                if victim != EMPTY:
                    break
    return moves


@inlined
def rank_of(endgame: int, group: int, symmetry: int, rule: Rule, p: Position) -> int:
    """The colexicographic rank of a group's squares, seen through a symmetry.

    The i-th smallest square s of the set, i from 1, adds C(s, i).
    """
    rank = 0
    first, stop = rule.start[endgame, group], rule.start[endgame, group + 1]
    for i in range(first, stop):
        square = rule.image[symmetry, p.squares[rule.seat[endgame, i]]]
        place = 1
        for j in range(first, stop):
            place += rule.image[symmetry, p.squares[rule.seat[endgame, j]]] < square
        rank += rule.choose[place, square]
    return rank


@inlined
def plane_of(endgame: int, rule: Rule, p: Position) -> tuple[int, int]:
    """The plane of an endgame the men stand on, and the symmetry that brings them there."""
    plane, symmetry = 0, 0
    for group in range(rule.groups[endgame]):
        rank = rank_of(endgame, group, symmetry, rule, p)
        if group == 0:
            at = rule.lead[endgame] + rank
            rank, symmetry = rule.orbit[at], rule.symmetry[at]
        plane += rank * rule.stride[endgame, group]
    return plane, symmetry


@inlined
def look_behind(men: Men, rule: Rule, base: NDArray[np.int64], p: Position, b: Behind) -> None:
    """b says where each man's move to each square leads; no kings are on the board.

    Worked out once a plane, because it does not depend on the kings. A captured man leaves the
    seat of its group's first man empty, who takes the victim's.
    """
    for man in range(men.kinds.shape[0]):
        origin = p.squares[man]
        for target in range(64):
            victim, endgame = p.board[target], 0
            p.squares[man] = target
            if victim != EMPTY:
                endgame = 1 + men.group[victim]
                p.squares[victim] = p.squares[rule.start[0, men.group[victim]]]
            plane, symmetry = plane_of(endgame, rule, p)
            b.plane[man, target], b.symmetry[man, target] = base[endgame] + plane, symmetry
            if victim != EMPTY:
                p.squares[victim] = target
        p.squares[man] = origin


@inlined
def cell_behind(man: int, target: int, endgame: int, rule: Rule, p: Position, b: Behind) -> int:
    """The cell of its plane that a move leads to, in the table of `endgame`."""
    origin, symmetry = p.squares[man], b.symmetry[man, target]
    p.squares[man] = target
    white = rule.image[symmetry, p.squares[rule.seat[endgame, 0]]]
    black = rule.image[symmetry, p.squares[rule.seat[endgame, 1]]]
    p.squares[man] = origin
    return int(64 * white + black)


@inlined
def worth_of(man: int, target: int, men: Men, rule: Rule, v: Values, p: Position, b: Behind) -> int:
    """The worth of a legal move."""
    plane, victim = b.plane[man, target], p.board[target]
    if victim == EMPTY:
        return int(v.worth[v.there[plane, cell_behind(man, target, 0, rule, p, b)]])
    endgame = 1 + men.group[victim]
    return int(v.captures[plane, cell_behind(man, target, endgame, rule, p, b)])


@inlined
def judge(side: int, men: Men, rule: Rule, v: Values, p: Position, b: Behind) -> int:
    """The code that the moves of a legal position give it, or NO_VALUE.

    Every legal move counts; `Values` says why the largest worth is the position's own.
    """
    moves = list_moves(side, men, p)
    if moves == 0:
        return CHECKMATED if in_check(side, EMPTY, men, p) else DRAW
    best = -NO_WORTH
    for move in range(moves):
        best = max(best, worth_of(p.mover[move], p.target[move], men, rule, v, p, b))
    if best == NO_WORTH:
        return NO_VALUE
    if best == 0:
        return DRAW
    return FURTHEST - best if best > 0 else FURTHEST + best


@inlined
def place_men(plane: int, rule: Rule, p: Position) -> bool:
    """p holds the men of a plane, no kings; False if two of them share a square.

    Unranks by the rule read backwards: the largest square s of a set of k has C(s, k) <= rank.
    """
    p.board[:] = EMPTY
    alone = True
    for group in range(rule.groups[0]):
        rank = plane // rule.stride[0, group]
        plane -= rank * rule.stride[0, group]
        if group == 0:
            rank = rule.first[rank]
        start = rule.start[0, group]
        for i in range(rule.start[0, group + 1] - start, 0, -1):
            square = 63
            while rule.choose[i, square] > rank:
                square -= 1
            rank -= rule.choose[i, square]
            man = start + i - 1
            alone &= p.board[square] == EMPTY
            p.squares[man], p.board[square] = square, man
    return alone


@inlined
def is_legal(side: int, men: Men, p: Position) -> bool:
    """Whether the other side's king is not attacked, by a man or by the king of `side`."""
    return not in_check(1 - side, EMPTY, men, p)


@kernel
def check(
    first: int,
    stop: int,
    side: int,
    men: Men,
    rule: Rule,
    v: Values,
    p: Position,
    b: Behind,
    tally: NDArray[np.int64],
) -> None:
    """Every cell of the planes first .. stop-1, `side` to move, was compared with its moves.

    tally[0] += legal positions, tally[1] += mismatches; at the first mismatch of all tally[2] =
    plane * 4096 + cell and tally[3] = the right code. Owns p, b and tally, writes nothing else.
    """
    for plane in range(first, stop):
        alone = place_men(plane, rule, p)
        if alone:
            look_behind(men, rule, v.base, p, b)
        for cell in range(4096):
            white, black = cell >> 6, cell & 63
            right = BROKEN
            if alone and white != black and p.board[white] == EMPTY and p.board[black] == EMPTY:
                p.squares[0], p.board[white] = white, 0
                p.squares[1], p.board[black] = black, 1
                if is_legal(side, men, p):
                    tally[0] += 1
                    right = judge(side, men, rule, v, p, b)
                p.board[white] = p.board[black] = EMPTY
            if right == NO_VALUE or v.codes[v.here[plane, cell]] != right:
                if tally[1] == 0:
                    tally[2], tally[3] = plane * 4096 + cell, right
                tally[1] += 1
