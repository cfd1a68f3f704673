"""Moves of xiangqi as people write them: the notation of the World Xiangqi Federation (WXF).

Four characters: the man, its file, the direction (`+` forward, `-` back, `.` across) and the file
it goes to, or for a man that goes straight the number of ranks. Files count from the mover's right:

    C2.5    the cannon of file 2 goes to file 5         H8+7    the horse goes forward to file 7
    R+-2    the front chariot of two on a file goes 2 ranks back

Where like men stand on one file, `+` for the front man and `-` for the rear one replace the file.
Advisors and elephants keep theirs: of two on a file only one can go forward, the other one back.
Soldiers, up to five, have rules of their own (WXF, *Official xiangqi piece names and notation*,
"Special cases for tandem pawns"):

    two on a file     P+  P-            four    ++  P+  P-  --
    three             P+  P3  P-        five    ++  P+  P3  P-  --          (3 is the file)
    on two files      the file in place of P:  3+  33  3-  and  7+  7-

Written is `.`; `=` is read as well, and so are N and B for horse and elephant.
"""

from __future__ import annotations

from typing import Final

from unmove.errors import BadMove
from unmove.games.xiangqi import FILES
from unmove.games.xiangqi_board import MOVE_EXAMPLE, Board, Move
from unmove.values import WHITE
from unmove.variants import XIANGQI

_SOLDIERS: Final = {  # by how many are on the file, the front one first; # is the file
    1: ("P#",),
    2: ("P+", "P-"),
    3: ("P+", "P#", "P-"),
    4: ("++", "P+", "P-", "--"),
    5: ("++", "P+", "P#", "P-", "--"),
}
_OBLIQUE: Final = "HAE"  # always on another file after a move, so that it names them


def format_wxf(board: Board, move: Move) -> str:
    """The move in WXF notation, such as `C2.5`; the move is one of the board's."""
    return _who(board, move.origin) + _way(board, move)


def parse_move(board: Board, text: str) -> Move:
    """The legal move that is meant by `h3e3` or `C2.5`; BadMove if there is none, or more than one.

    A file is also read where `+` or `-` would be right, and the other way round, if that leaves no
    doubt: `C3.5` where just one of two cannons can go there.
    """
    legal = board.legal_moves()
    plain = text.strip().upper()
    if len(plain) != 4 or plain[2] not in "+-.=":
        meant = Move.parse(text)
        found = [move for move in legal if move == meant]
    else:
        wxf = XIANGQI.read(plain[0]) + plain[1] + plain[2:].replace("=", ".")
        found = [move for move in legal if format_wxf(board, move) == wxf]
        found = found or [move for move in legal if wxf in _loosely(board, move)]
    if len(found) != 1:
        reason = "several men could be meant" if found else "it breaks the rules"
        raise BadMove(text, reason, MOVE_EXAMPLE)
    return found[0]


def _loosely(board: Board, move: Move) -> list[str]:
    """What else might be written for a move."""
    letter, way = board.men[move.origin].upper(), _way(board, move)
    marks = str(_file(board, move.origin)), *_mark(board, move.origin)
    return [letter + mark + way for mark in marks]


def _who(board: Board, square: int) -> str:
    """The man and its file, or what tells it from others on that file."""
    letter, file = board.men[square].upper(), str(_file(board, square))
    column = _column(board, square)
    if letter == XIANGQI.pawn:
        name = _SOLDIERS[len(column)][column.index(square)].replace("#", file)
        return file + name[1] if len(column) > 1 and _other_columns(board, square) else name
    if letter in "AE":
        return letter + file
    return letter + (_mark(board, square) or file)


def _way(board: Board, move: Move) -> str:
    """The direction and how far, or where to."""
    forward = (move.target // FILES - move.origin // FILES) * (1 if board.side == WHITE else -1)
    sign = "." if forward == 0 else "+" if forward > 0 else "-"
    if forward == 0 or board.men[move.origin].upper() in _OBLIQUE:
        return f"{sign}{_file(board, move.target)}"
    return f"{sign}{abs(forward)}"


def _file(board: Board, square: int) -> int:
    """The file as the side to move counts: 1 on its right."""
    return FILES - square % FILES if board.side == WHITE else 1 + square % FILES


def _column(board: Board, square: int) -> list[int]:
    """The squares on this file that have a man like the one on this square, the front one first."""
    squares = range(square % FILES, len(board.men), FILES)
    found = [other for other in squares if board.men[other] == board.men[square]]
    return found[::-1] if board.side == WHITE else found


def _mark(board: Board, square: int) -> str:
    """`+` or `-` for one of two on a file, else nothing."""
    column = _column(board, square)
    return "+-"[column.index(square)] if len(column) == 2 else ""


def _other_columns(board: Board, square: int) -> bool:
    """Whether there are two or more such men on another file, too."""
    letter, file = board.men[square], square % FILES
    counts = [board.men[other::FILES].count(letter) for other in range(FILES) if other != file]
    return max(counts) > 1
