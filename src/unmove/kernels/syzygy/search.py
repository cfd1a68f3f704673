"""What a Syzygy probe finds: outcomes through captures, distances through a search of one ply.

Files hold no en-passant rights, and anything where a capture is as good as the true outcome. So an
outcome is the best of the captures and of what is looked up; a distance is stored for one side to
move. Values are those of python-chess: -2 loss, -1 blessed loss, 0, 1 cursed win, 2 win; a distance
has the sign of its outcome.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.intrinsics import lowest
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.syzygy.boards import (
    ALPHA,
    BETA,
    BOARD_MEN,
    CODES,
    EN_PASSANT,
    ITSELF,
    MAN_SQUARES,
    NONE_TAKEN,
    ONE_BIT,
    PAWN_CODE,
    SIDE,
    WHITES,
    begin_captures,
    en_passant_taker,
    en_passant_victim,
    first_of,
    has_ordinary_move,
    in_check,
    key_of,
    make_move,
    next_capture,
    occupied_of,
    promoted_to,
    quiet_targets,
    reaches,
    ways,
)
from unmove.kernels.syzygy.decode import DAMAGED, value_at
from unmove.kernels.syzygy.numbering import number_of
from unmove.kernels.syzygy.raw import short_at
from unmove.kernels.syzygy.tables import (
    DISTANCE_FLAGS,
    DISTANCES,
    FIRST_LEADER,
    LEADERS,
    LOSSES_IN_PLIES,
    MAP_FIRST,
    MAPS,
    NOT_OPEN,
    OUTCOMES,
    SECOND_SIDE,
    SYMMETRIC,
    WINS_IN_PLIES,
    SyzygyTables,
    entry_of,
    typed,
)
from unmove.kernels.syzygy.tables import LISTED_MEN as MAN

LOSS_VALUE: Final = typed(-2)
CURSED_WIN_VALUE: Final = typed(1)
WIN_VALUE: Final = typed(2)
ROOT: Final = typed(0)
"""The depth of the position asked for."""
OF_OUTCOMES: Final = typed(OUTCOMES)
OF_DISTANCES: Final = typed(DISTANCES)

FAILED: Final = 1 << 20
"""In place of a value; the report says why."""
NOT_STORED: Final = FAILED + 1
"""The file has distances of the other side to move."""
NO_CAPTURE: Final = -3
"""Below every outcome: there is no such move."""

STATUS: Final = 0  # columns of a report
WHICH: Final = 1  # a key or a row
BY_CAPTURE: Final = 2  # whether the outcome that was found last is that of a capture
OUTCOME: Final = 3  # of the position whose distance was asked for last
REPORT: Final = 4

NO_OUTCOMES: Final = 1  # statuses: the file of outcomes with this key is not open
NO_DISTANCES: Final = 2  # the file of distances with this key is not open
BAD_FILE: Final = 3  # the file of this row is damaged


class Stack(NamedTuple):
    """What a search works with."""

    boards: NDArray[np.int64]  # [depth]: a position
    squares: NDArray[np.int64]  # those of a position in the order of a list
    report: NDArray[np.int64]  # [column]: why it failed, and what it found on the way


@inlined
def put_in_list(
    row: NDArray[np.int64], board: NDArray[np.int64], flipped: int, squares: NDArray[np.int64]
) -> None:
    """squares = those of the men in the order of a sub-table's list."""
    blacks = board[BOARD_MEN] - board[WHITES]
    for place in range(board[BOARD_MEN]):
        man = row[MAN + place]
        if flipped:
            man = board[WHITES] + man if man < blacks else man - blacks
        squares[place] = board[MAN_SQUARES + man] ^ (56 * flipped)


@inlined
def lead_file(file: NDArray[np.int64], board: NDArray[np.int64], flipped: int) -> int:
    """The file, 0 to 3, of the leading pawn that is nearest to an edge; 0 without pawns."""
    nearest = 3 if file[LEADERS] else 0
    blacks = board[BOARD_MEN] - board[WHITES]
    for leader in range(file[FIRST_LEADER], file[FIRST_LEADER] + file[LEADERS]):
        man = leader
        if flipped:
            man = board[WHITES] + man if man < blacks else man - blacks
        column = board[MAN_SQUARES + man] & 7
        nearest = min(nearest, min(column, 7 - column))
    return nearest


@kernel
def look_up(
    board: NDArray[np.int64],
    kind: int,
    tables: SyzygyTables,
    stack: Stack,
) -> tuple[int, int]:
    """The value a file has for a position, and the row it is from; FAILED or NOT_STORED.

    `kind` is OUTCOMES or DISTANCES.
    """
    key = key_of(board)
    entry = entry_of(key, tables)
    if entry == NOT_OPEN or tables.files[entry >> 1, kind] < 0:
        stack.report[STATUS] = NO_DISTANCES if kind == DISTANCES else NO_OUTCOMES
        stack.report[WHICH] = key
        return FAILED, 0
    file = tables.files[entry >> 1]
    symmetric = file[SYMMETRIC]
    flipped = board[SIDE] if symmetric else entry & 1
    side = board[SIDE] ^ flipped
    nearest = lead_file(file, board, flipped)
    if kind == DISTANCES:
        which = file[DISTANCES] + nearest
        if not symmetric and tables.rows[which, DISTANCE_FLAGS] & SECOND_SIDE != side:
            return NOT_STORED, which
    else:
        which = file[OUTCOMES] + (nearest if symmetric else 2 * nearest + side)
    row = tables.rows[which]
    put_in_list(row, board, flipped, stack.squares)
    tables.uses[which] += 1
    value = value_at(number_of(row, stack.squares), row)
    if value == DAMAGED:
        stack.report[STATUS], stack.report[WHICH] = BAD_FILE, which
        return FAILED, which
    return value, which


@kernel
def search(
    depth: int,
    alpha: int,
    beta: int,
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """The outcome of a position without en passant, if it is between alpha and beta; or FAILED.

    report[BY_CAPTURE] is 1 if a capture reaches it and wins, 0 otherwise. Captures of captures are
    searched too, one position a depth.
    """
    first = depth
    begin_captures(stack.boards[depth], alpha, beta)
    while True:
        board = stack.boards[depth]
        if next_capture(stack.boards, depth):
            begin_captures(stack.boards[depth + 1], -board[BETA], -board[ALPHA])
            depth += 1
            continue
        value = 0
        if board[BOARD_MEN] > 2:
            value, _ = look_up(board, OF_OUTCOMES, tables, stack)
            if value == FAILED:
                return FAILED
            value -= 2
        best = max(board[ALPHA], value)
        stack.report[BY_CAPTURE] = 1 if board[ALPHA] >= value and board[ALPHA] > 0 else 0
        while depth > first:
            depth, best = depth - 1, -best
            if best < stack.boards[depth, BETA]:
                stack.boards[depth, ALPHA] = max(stack.boards[depth, ALPHA], best)
                break
            stack.report[BY_CAPTURE] = 1
        else:
            return int(best)


@kernel
def best_en_passant(
    depth: int,
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """The best outcome that a capture en passant leads to; NO_CAPTURE without one, or FAILED."""
    board = stack.boards[depth]
    best, victim = NO_CAPTURE, en_passant_victim(board)
    if victim == NONE_TAKEN:
        return NO_CAPTURE
    for man in range(first_of(board, board[SIDE]), first_of(board, board[SIDE] + 1)):
        if en_passant_taker(board, man) and make_move(
            stack.boards, depth, man, board[EN_PASSANT], victim, ITSELF
        ):
            value = search(depth + 1, LOSS_VALUE, WIN_VALUE, tables, stack)
            if value == FAILED:
                return FAILED
            best = max(best, -value)
    return best


@kernel
def outcome(
    depth: int,
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """The outcome of a position, en passant included; or FAILED."""
    value = search(depth, LOSS_VALUE, WIN_VALUE, tables, stack)
    if value == FAILED or stack.boards[depth, EN_PASSANT] < 0:
        return value
    best = best_en_passant(depth, tables, stack)
    if best == FAILED:
        return FAILED
    if best >= value or (
        best > NO_CAPTURE and value == 0 and not has_ordinary_move(stack.boards, depth)
    ):
        return best
    return value


@inlined
def before_zeroing(value: int) -> int:
    """The distance of an outcome that the next move makes sure of."""
    return value * 101 if value & 1 else value // 2


@kernel
def pawn_move_keeps(
    depth: int,
    value: int,
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """Whether a move of a pawn, no capture, has the outcome `value`: 1 or 0, or FAILED."""
    board = stack.boards[depth]
    side = board[SIDE]
    for man in range(first_of(board, side), first_of(board, side + 1)):
        code, square = board[CODES + man], board[MAN_SQUARES + man]
        if code & 7 != PAWN_CODE:
            continue
        rest = quiet_targets(board, man)
        while rest:
            target = lowest(rest)
            rest &= rest - ONE_BIT
            for way in range(ways(code, target)):
                if not make_move(
                    stack.boards, depth, man, target, NONE_TAKEN, promoted_to(code, target, way)
                ):
                    continue
                if abs(target - square) == 16:
                    stack.boards[depth + 1, EN_PASSANT] = (target + square) >> 1
                theirs = outcome(depth + 1, tables, stack)
                if theirs == FAILED:
                    return FAILED
                if -theirs == value:
                    return 1
    return 0


@inlined
def plies_of(stored: int, value: int, row: NDArray[np.int64]) -> int:
    """The distance that a stored number stands for; DAMAGED if no map has it."""
    flags = row[DISTANCE_FLAGS]
    if row[MAPS] != 0:
        which = (1 if value < 0 else 0) + (2 if value & 1 else 0)
        entry = row[MAP_FIRST + which] + stored
        if entry >= row[MAP_FIRST + which + 1]:
            return DAMAGED
        stored = short_at(row[MAPS] + 2 * entry)
    in_plies = flags & (WINS_IN_PLIES if value > 0 else LOSSES_IN_PLIES)
    return stored if in_plies and value & 1 == 0 else 2 * stored


@kernel
def stored_distance(depth: int, tables: SyzygyTables, stack: Stack) -> int:
    """The distance of a position without en passant; FAILED, or NOT_STORED.

    report[OUTCOME] is its outcome.
    """
    value = search(depth, LOSS_VALUE, WIN_VALUE, tables, stack)
    if value == FAILED:
        return FAILED
    return distance_of(value, depth, tables, stack)


@kernel
def distance_of(value: int, depth: int, tables: SyzygyTables, stack: Stack) -> int:
    """The distance of a position whose outcome was found last; see `stored_distance`."""
    zeroing = stack.report[BY_CAPTURE] or value == 0
    if value > 0 and not zeroing:
        zeroing = pawn_move_keeps(depth, value, tables, stack)
    stack.report[OUTCOME] = value
    if zeroing:
        return FAILED if zeroing == FAILED else before_zeroing(value)
    stored, which = look_up(stack.boards[depth], OF_DISTANCES, tables, stack)
    if stored >= FAILED:
        return stored
    plies = plies_of(stored, value, tables.rows[which])
    if plies == DAMAGED:
        stack.report[STATUS], stack.report[WHICH] = BAD_FILE, which
        return FAILED
    return before_zeroing(value) + (plies if value > 0 else -plies)


@kernel
def after_quiet_moves(
    depth: int,
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """The distance of a win by moves that zero nothing; of a loss, the longest of them.

    FAILED if a file has no distance where it should; 0 for a win that no such move keeps.
    """
    board, value = stack.boards[depth], stack.report[OUTCOME]
    side, best = board[SIDE], 0
    for man in range(first_of(board, side), first_of(board, side + 1)):
        if board[CODES + man] & 7 == PAWN_CODE:
            continue
        rest = quiet_targets(board, man)
        while rest:
            target = lowest(rest)
            rest &= rest - ONE_BIT
            if not make_move(stack.boards, depth, man, target, NONE_TAKEN, ITSELF):
                continue
            theirs = search(depth + 1, LOSS_VALUE, WIN_VALUE, tables, stack)
            if theirs != FAILED and (value < 0 or theirs < 0):
                theirs = distance_of(theirs, depth + 1, tables, stack)
            if theirs >= FAILED:
                return FAILED
            if value < 0:
                best = min(best, -theirs - 1)
            elif theirs == -1 and is_mate(depth + 1, stack):
                best = 1
            elif theirs < 0 and (best == 0 or 1 - theirs < best):
                best = 1 - theirs
    return best


@inlined
def is_mate(depth: int, stack: Stack) -> bool:
    """Whether the side to move is checkmated, in a position without en passant."""
    board = stack.boards[depth]
    return in_check(board, board[SIDE]) and not has_ordinary_move(stack.boards, depth)


@kernel
def zeroing_move_blesses(
    depth: int,
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """Whether a capture or a move of a pawn makes a loss a blessed one: 1 or 0, or FAILED."""
    board = stack.boards[depth]
    side, occupied = board[SIDE], occupied_of(board)
    for man in range(first_of(board, side), first_of(board, side + 1)):
        code, square = board[CODES + man], board[MAN_SQUARES + man]
        rest = quiet_targets(board, man) if code & 7 == PAWN_CODE else np.uint64(0)
        for other in range(first_of(board, 1 - side) + 1, first_of(board, 2 - side)):
            if reaches(code, square, board[MAN_SQUARES + other], occupied):
                rest |= ONE_BIT << np.uint64(board[MAN_SQUARES + other])
        while rest:
            target = lowest(rest)
            rest &= rest - ONE_BIT
            victim = NONE_TAKEN
            for other in range(board[BOARD_MEN]):
                victim = other if board[MAN_SQUARES + other] == target else victim
            for way in range(ways(code, target)):
                if not make_move(
                    stack.boards, depth, man, target, victim, promoted_to(code, target, way)
                ):
                    continue
                theirs = search(depth + 1, CURSED_WIN_VALUE, WIN_VALUE, tables, stack)
                if theirs == FAILED:
                    return FAILED
                if theirs != 2:
                    return 1
    return 0


@kernel
def distance(
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """The distance of the first position, en passant included; or FAILED."""
    plies = stored_distance(ROOT, tables, stack)
    if plies == NOT_STORED:
        plies = searched_distance(tables, stack)
    if plies == FAILED or stack.boards[ROOT, EN_PASSANT] < 0:
        return plies
    best = best_en_passant(ROOT, tables, stack)
    if best == FAILED:
        return FAILED
    if best == NO_CAPTURE:
        return plies
    taken = before_zeroing(best)
    if plies < -100:
        return taken if taken >= 0 else plies
    if plies < 0:
        return taken if taken >= 0 or taken < -100 else plies
    if plies > 100:
        return taken if taken > 0 else plies
    if plies > 0:
        return taken if taken == 1 else plies
    return taken if taken >= 0 or not has_ordinary_move(stack.boards, ROOT) else plies


@kernel
def searched_distance(
    tables: SyzygyTables,
    stack: Stack,
) -> int:
    """The distance of the first position, whose side to move is not stored; or FAILED."""
    value = stack.report[OUTCOME]
    best = after_quiet_moves(ROOT, tables, stack)
    if best == FAILED:
        return FAILED
    if value > 0:
        if best == 0:  # the outcomes say that there is a way to win
            _, which = look_up(stack.boards[ROOT], OF_DISTANCES, tables, stack)
            stack.report[STATUS], stack.report[WHICH] = BAD_FILE, which
            return FAILED
        return best
    best = min(best, -1)
    if value == -1 and best > -101:
        blessed = zeroing_move_blesses(ROOT, tables, stack)
        if blessed == FAILED:
            return FAILED
        best = -101 if blessed else best
    return best
