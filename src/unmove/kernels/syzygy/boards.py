"""Positions on a board, as the search of a probe needs them: attacks, moves, what is legal.

A position is a row of integers, so that a stack of positions is one array. Its men are in the order
of the endgame's name: White's king and White's other men, then Black's. `codes` of men are those of
Syzygy files: P N B R Q K are 1 to 6, and 8 more for Black.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.games.chess import BETWEEN, KING, PAWN, REACH
from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.syzygy.tables import KIND_BITS, SIDE_BITS, typed

BOARD_MEN: Final = 0
WHITES: Final = 1  # how many of them are White's
SIDE: Final = 2  # to move
EN_PASSANT: Final = 3  # the square that a pawn has just stepped over, or -1
MAN_SQUARES: Final = 4
MOST_BOARD_MEN: Final = 8  # one more than files have: a capture may lead into them
CODES: Final = MAN_SQUARES + MOST_BOARD_MEN
ALPHA: Final = CODES + MOST_BOARD_MEN  # outcomes below it, and from BETA on, do not matter
BETA: Final = ALPHA + 1
MOVER: Final = BETA + 1  # the next capture to try: man, victim, way of promotion
VICTIM: Final = MOVER + 1
WAY: Final = VICTIM + 1
POSITION: Final = WAY + 1
DEPTH: Final = 16  # positions on the way from the one asked for to one that is looked up

PAWN_CODE: Final = 1
KING_CODE: Final = 6
NONE_TAKEN: Final = typed(-1)
ITSELF: Final = typed(0)
"""What a man becomes that is not promoted."""


def _attacks() -> NDArray[np.uint64]:
    """[code, square]: what a man attacks on an empty board."""
    attacks = np.zeros((16, 64), np.uint64)
    for side in (0, 1):
        attacks[8 * side + PAWN_CODE] = REACH[PAWN + side]
        attacks[8 * side + 2 : 8 * side + KING_CODE] = REACH[:4]
        attacks[8 * side + KING_CODE] = KING
    return attacks


ATTACKS: Final = _attacks()
ONE_BIT: Final = np.uint64(1)


@inlined
def bit_of(square: int) -> np.uint64:
    """The set of one square."""
    return ONE_BIT << np.uint64(square)


@inlined
def occupied_of(board: NDArray[np.int64]) -> np.uint64:
    """The squares with men on them."""
    occupied = np.uint64(0)
    for man in range(board[BOARD_MEN]):
        occupied |= bit_of(board[MAN_SQUARES + man])
    return occupied


@inlined
def first_of(board: NDArray[np.int64], side: int) -> int:
    """The number of the first man of a side, its king; of side 2, the number of all men."""
    return 0 if side == 0 else (board[WHITES] if side == 1 else board[BOARD_MEN])


@inlined
def reaches(code: int, square: int, target: int, occupied: np.uint64) -> bool:
    """Whether a man attacks a square."""
    if ATTACKS[code, square] & bit_of(target) == np.uint64(0):
        return False
    return bool(BETWEEN[square, target] & occupied == np.uint64(0))


@inlined
def in_check(board: NDArray[np.int64], side: int) -> bool:
    """Whether the king of a side is attacked."""
    occupied = occupied_of(board)
    king = board[MAN_SQUARES + first_of(board, side)]
    for man in range(first_of(board, 1 - side), first_of(board, 2 - side)):
        if reaches(board[CODES + man], board[MAN_SQUARES + man], king, occupied):
            return True
    return False


@inlined
def is_legal(board: NDArray[np.int64]) -> bool:
    """Whether the men can stand like this: the side that has moved is not in check."""
    for man in range(board[BOARD_MEN]):
        rank = board[MAN_SQUARES + man] >> 3
        if board[CODES + man] & 7 == PAWN_CODE and (rank == 0 or rank == 7):
            return False
    return not in_check(board, 1 - board[SIDE])


@inlined
def key_of(board: NDArray[np.int64]) -> int:
    """The key of the material: how many men of each kind; 0 for bare kings."""
    key = 0
    for man in range(board[BOARD_MEN]):
        code = board[CODES + man]
        if code & 7 != KING_CODE:
            shift = KIND_BITS * ((code & 7) - 1) + (SIDE_BITS if code > 8 else 0)
            key += 1 << shift
    return key


@kernel
def make_move(
    boards: NDArray[np.int64], depth: int, man: int, target: int, captured: int, promoted: int
) -> bool:
    """boards[depth + 1] = the position after a move; whether the move is legal.

    `captured` is the number of the man that is taken, or NONE_TAKEN; `promoted` the code of the man
    that a pawn becomes, or ITSELF. The man that is promoted takes its place in the order of men.
    """
    board, after = boards[depth], boards[depth + 1]
    count, whites = 0, 0
    code = promoted if promoted else board[CODES + man]
    placed = not promoted
    for other in range(board[BOARD_MEN]):
        old = board[CODES + other]
        same_side = (old > 8) == (code > 8)
        if not placed and ((same_side and old < code) or (not same_side and old > code)):
            after[MAN_SQUARES + count], after[CODES + count] = target, code
            count += 1
            whites += int(code < 8)
            placed = True
        if other == captured or (promoted and other == man):
            continue
        after[MAN_SQUARES + count] = target if other == man else board[MAN_SQUARES + other]
        after[CODES + count] = old
        count += 1
        whites += int(old < 8)
    if not placed:
        after[MAN_SQUARES + count], after[CODES + count] = target, code
        count += 1
        whites += int(code < 8)
    after[BOARD_MEN], after[WHITES] = count, whites
    after[SIDE], after[EN_PASSANT] = 1 - board[SIDE], -1
    return not in_check(after, board[SIDE])


@inlined
def last_rank(square: int) -> bool:
    """Whether a pawn is promoted there."""
    return square >> 3 == 0 or square >> 3 == 7


@inlined
def ways(code: int, target: int) -> int:
    """How many moves lead a man to a square: four promotions, or one move."""
    return 4 if code & 7 == PAWN_CODE and last_rank(target) else 1


@inlined
def promoted_to(code: int, target: int, way: int) -> int:
    """What a man becomes in one of the ways: ITSELF, or the code of a queen, rook, ..."""
    if code & 7 == PAWN_CODE and last_rank(target):
        return (code & 8) + 5 - way
    return 0


@inlined
def begin_captures(board: NDArray[np.int64], alpha: int, beta: int) -> None:
    """No capture has been tried."""
    board[ALPHA], board[BETA], board[WAY] = alpha, beta, 0
    board[MOVER] = first_of(board, board[SIDE])
    board[VICTIM] = first_of(board, 1 - board[SIDE]) + 1


@kernel
def next_capture(boards: NDArray[np.int64], depth: int) -> bool:
    """boards[depth + 1] = the position after the next legal capture; False if all were tried.

    Captures en passant are left out.
    """
    board = boards[depth]
    side, occupied = board[SIDE], occupied_of(board)
    first, stop = first_of(board, 1 - side) + 1, first_of(board, 2 - side)
    while board[MOVER] < first_of(board, side + 1):
        man = board[MOVER]
        code, square = board[CODES + man], board[MAN_SQUARES + man]
        while board[VICTIM] < stop:
            victim = board[VICTIM]
            target = board[MAN_SQUARES + victim]
            if reaches(code, square, target, occupied):
                while board[WAY] < ways(code, target):
                    promoted = promoted_to(code, target, board[WAY])
                    board[WAY] += 1
                    if make_move(boards, depth, man, target, victim, promoted):
                        return True
                board[WAY] = 0
            board[VICTIM] += 1
        board[VICTIM] = first
        board[MOVER] += 1
    return False


@inlined
def quiet_targets(board: NDArray[np.int64], man: int) -> np.uint64:
    """The squares that a man can move to without a capture, checks of its king apart."""
    occupied, code = occupied_of(board), board[CODES + man]
    square = board[MAN_SQUARES + man]
    if code & 7 == PAWN_CODE:
        step = 8 if code < 8 else -8
        targets = bit_of(square + step) & ~occupied
        if targets and square >> 3 == (1 if code < 8 else 6):
            targets |= bit_of(square + 2 * step) & ~occupied
        return targets
    targets, rest = np.uint64(0), ATTACKS[code, square] & ~occupied
    while rest:
        target = lowest(rest)
        rest &= rest - ONE_BIT
        if BETWEEN[square, target] & occupied == np.uint64(0):
            targets |= bit_of(target)
    return targets


@inlined
def en_passant_victim(board: NDArray[np.int64]) -> int:
    """The number of the pawn that may be taken en passant, or NONE_TAKEN."""
    if board[EN_PASSANT] < 0:
        return NONE_TAKEN
    square = board[EN_PASSANT] + (-8 if board[SIDE] == 0 else 8)
    enemy = 1 - board[SIDE]
    for man in range(first_of(board, enemy), first_of(board, enemy + 1)):
        if board[MAN_SQUARES + man] == square and board[CODES + man] & 7 == PAWN_CODE:
            return man
    return NONE_TAKEN


@inlined
def en_passant_taker(board: NDArray[np.int64], man: int) -> bool:
    """Whether a man of the side to move is a pawn that attacks the en-passant square."""
    if board[CODES + man] & 7 != PAWN_CODE:
        return False
    return bool(
        ATTACKS[board[CODES + man], board[MAN_SQUARES + man]] & bit_of(board[EN_PASSANT]) != 0
    )


@kernel
def has_ordinary_move(boards: NDArray[np.int64], depth: int) -> bool:
    """Whether the side to move has a legal move beside en passant; spoils the next position."""
    board = boards[depth]
    side = board[SIDE]
    occupied = occupied_of(board)
    for man in range(first_of(board, side), first_of(board, side + 1)):
        for other in range(first_of(board, 1 - side), first_of(board, 2 - side)):
            target = board[MAN_SQUARES + other]
            if reaches(
                board[CODES + man], board[MAN_SQUARES + man], target, occupied
            ) and make_move(boards, depth, man, target, other, ITSELF):
                return True
        rest = quiet_targets(board, man)
        while rest:
            target = lowest(rest)
            rest &= rest - ONE_BIT
            if make_move(boards, depth, man, target, NONE_TAKEN, ITSELF):
                return True
    return False


@kernel
def set_up_masks(masks: NDArray[np.uint64], board: NDArray[np.int64]) -> bool:
    """board = the position of some sets of squares; False if it is none of at most eight men.

    masks: pawns, knights, bishops, rooks, queens, kings, White, Black; side to move; the
    en-passant square, 64 without one.
    """
    count = 0
    for side in range(2):
        board[WHITES] = count  # in the second round, that of White
        kings = 0
        for kind in range(5, -1, -1):
            rest = masks[kind] & masks[6 + side]
            while rest:
                if count == MOST_BOARD_MEN:
                    return False
                board[MAN_SQUARES + count] = lowest(rest)
                board[CODES + count] = kind + 1 + 8 * side
                kings += int(kind == 5)
                count += 1
                rest &= rest - ONE_BIT
        if kings != 1:
            return False
    board[BOARD_MEN], board[SIDE] = count, np.int64(masks[8])
    board[EN_PASSANT] = -1 if masks[9] > np.uint64(63) else np.int64(masks[9])
    return True


@kernel
def set_up_squares(
    codes: NDArray[np.int64], squares: NDArray[Any], side: int, board: NDArray[np.int64]
) -> bool:
    """board = men of these codes, in the order of a name, on squares; False if two share one."""
    occupied = np.uint64(0)
    board[BOARD_MEN], board[SIDE], board[EN_PASSANT] = codes.shape[0], side, -1
    board[WHITES] = 0
    for man in range(codes.shape[0]):
        if squares[man] > 63 or occupied & bit_of(squares[man]):
            return False
        occupied |= bit_of(squares[man])
        board[MAN_SQUARES + man], board[CODES + man] = squares[man], codes[man]
        board[WHITES] += int(codes[man] < 8)
    return True
