"""Boards of python-chess: which are legal, where their men stand, what moves do.

A position must be one that can occur, without castling rights. An en-passant square must be one
that a pawn has just stepped over. Whether an enemy pawn can take there is another matter: without
one the square changes nothing, and is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import chess

from unmove.errors import BadFen, BadMove, CastlingRights, IllegalPosition
from unmove.games.rules import Placement, Step, placed
from unmove.values import BLACK, CHECKMATED, DRAW, FIFTY, WHITE, Code, Side
from unmove.variants import CHESS

LONGEST_CLOCK = 150  # half-moves, after which a game is over by the 75-move rule
DIGITS = "12345678"

_EXAMPLE = "b6b7, or in SAN, such as Qb7+"
_COUNTER = re.compile(r"[0-9]{1,4}")  # python-chess judges what is longer
_UCI = re.compile(r"([a-h][1-8]){2}[qrbn]?")

_REASONS = (
    (chess.STATUS_NO_WHITE_KING, "White has no king"),
    (chess.STATUS_NO_BLACK_KING, "Black has no king"),
    (chess.STATUS_TOO_MANY_KINGS, "a side has more than one king"),
    (chess.STATUS_PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
    (chess.STATUS_OPPOSITE_CHECK, "the side that is not to move is in check"),
    (chess.STATUS_BAD_CASTLING_RIGHTS, "a castling right has no king and rook in their places"),
    (chess.STATUS_INVALID_EP_SQUARE, "no pawn has just stepped over the en-passant square"),
)


class ChessRules:
    """See `Rules`."""

    game = CHESS

    def parse(self, fen: str) -> chess.Board:
        """See `Rules`."""
        text = fen.strip()
        try:
            board = chess.Board(text)
        except ValueError as error:
            reason = str(error).split(": '")[0]  # what follows is the FEN again
            raise BadFen(text, reason) from error
        if board.halfmove_clock > LONGEST_CLOCK:
            raise BadFen(text, f"the half-move clock is {LONGEST_CLOCK} at most")
        _check(board, text)
        return board

    def check(self, board: chess.Board) -> None:
        """See `Rules`.

        Only what a table cannot hold is refused. Positions that no game reaches for subtler reasons
        (three checks at once, say) have a value and get it.
        """
        _check(board)

    def picture(self, board: chess.Board) -> str:
        """See `Rules`."""
        return str(board)

    def side(self, board: chess.Board) -> Side:
        """See `Rules`."""
        return WHITE if board.turn else BLACK

    def clock(self, board: chess.Board) -> int:
        """See `Rules`."""
        return board.halfmove_clock

    def is_plain(self, board: chess.Board) -> bool:
        """See `Rules`."""
        return not board.castling_rights and board.ep_square is None

    def placement(self, board: chess.Board) -> Placement | None:
        """See `Rules`."""
        kinds = board.kings, board.queens, board.rooks, board.bishops, board.knights, board.pawns
        men: list[list[int]] = []
        for color in chess.COLORS:
            own = board.occupied_co[color]
            for kind in kinds:
                mask = kind & own
                squares: list[int] = []
                while mask:
                    low = mask & -mask
                    squares.append(low.bit_length() - 1)
                    mask ^= low
                men.append(squares)
        side = WHITE if board.turn else BLACK
        return placed(CHESS, men, side, chess.square_mirror, board.halfmove_clock)

    def placement_of_fen(self, fen: str) -> Placement | None:
        """See `Rules`."""
        fields = fen.split()
        if len(fields) not in (4, 6) or fields[1] not in ("w", "b") or fields[2:4] != ["-", "-"]:
            return None
        clock, moves = fields[4:] or ("0", "1")
        if not (_COUNTER.fullmatch(clock) and _COUNTER.fullmatch(moves)):
            return None
        if int(clock) > LONGEST_CLOCK:
            return None
        found = _men(fields[0].split("/"))
        if found is None:
            return None
        side = WHITE if fields[1] == "w" else BLACK
        return placed(CHESS, list(found.values()), side, chess.square_mirror, int(clock))

    def set_up(self, men: Iterable[tuple[str, int]], side: Side) -> chess.Board:
        """See `Rules`."""
        board = chess.Board(None)
        for letter, square in men:
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chess.COLORS[side]
        return board

    def swapped(self, board: chess.Board) -> chess.Board:
        """See `Rules`."""
        return board.mirror()

    def moves(self, board: chess.Board) -> Sequence[chess.Move]:
        """See `Rules`."""
        return list(board.legal_moves)

    def en_passant_moves(self, board: chess.Board) -> Sequence[chess.Move]:
        """See `Rules`."""
        return () if board.ep_square is None else list(board.generate_legal_ep())

    def without_en_passant(self, board: chess.Board) -> chess.Board:
        """See `Rules`."""
        copy = board.copy(stack=False)
        copy.ep_square = None
        return copy

    def after(self, board: chess.Board, move: chess.Move) -> Step:
        """See `Rules`."""
        child = board.copy(stack=False)
        child.push(move)
        converts = board.is_capture(move) or move.promotion is not None
        return Step(child, board.is_zeroing(move), converts)

    def san(self, board: chess.Board, move: chess.Move) -> str:
        """See `Rules`."""
        return board.san(move)

    def parse_move(self, board: chess.Board, text: str) -> chess.Move:
        """See `Rules`."""
        plain = text.strip()
        try:
            move = _parse_move(board, plain)
        except chess.AmbiguousMoveError as error:
            raise BadMove(plain, "several men could be meant", _EXAMPLE) from error
        except chess.InvalidMoveError as error:
            raise BadMove(plain, "it is not written like one", _EXAMPLE) from error
        except chess.IllegalMoveError as error:
            raise BadMove(plain, "it breaks the rules", _EXAMPLE) from error
        if not move:
            raise BadMove(plain, "nobody may pass", _EXAMPLE)
        return move

    def line(self, board: chess.Board, moves: Sequence[chess.Move]) -> str:
        """See `Rules`."""
        return chess.Board(board.fen()).variation_san(moves)

    def is_check(self, board: chess.Board) -> bool:
        """See `Rules`."""
        return board.is_check()

    def code_without_moves(self, board: chess.Board) -> Code:
        """See `Rules`."""
        return CHECKMATED if board.is_check() else DRAW

    def drawn(self, board: chess.Board) -> str | None:
        """See `Rules`. A draw that a player may claim is claimed."""
        if board.is_insufficient_material():
            return "neither side has the men to mate"
        if board.halfmove_clock >= FIFTY:
            return "50 moves without a capture or a pawn move"
        return None


CHESS_RULES = ChessRules()


def _parse_move(board: chess.Board, text: str) -> chess.Move:
    """The move of a text in coordinates, else in SAN."""
    if _UCI.fullmatch(text.lower()):
        return board.parse_uci(text.lower())
    return board.parse_san(text)


def _check(board: chess.Board, text: str | None = None) -> None:
    """The board can be asked; `text` is its FEN, which takes a while to write."""
    status = board.status()
    if not status and not board.castling_rights:
        return
    fen = text or board.fen()
    for flag, reason in _REASONS:
        if status & flag:
            if flag == chess.STATUS_OPPOSITE_CHECK and _kings_touch(board):
                reason = "the kings touch"
            raise IllegalPosition(fen, reason)
    if board.castling_rights:
        raise CastlingRights(fen)


def _kings_touch(board: chess.Board) -> bool:
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    return white is not None and black is not None and chess.square_distance(white, black) == 1


def _men(ranks: list[str]) -> dict[str, list[int]] | None:
    """The squares of each man, by letter; None if these are not the ranks of a FEN."""
    found: dict[str, list[int]] = {letter: [] for letter in CHESS.letters + CHESS.letters.lower()}
    for row, text in enumerate(ranks):
        square = 56 - 8 * row
        if any(one in DIGITS and other in DIGITS for one, other in pairwise(text)):
            return None
        for letter in text:
            if letter in found:
                found[letter].append(square)
                square += 1
            elif letter in DIGITS:
                square += int(letter)
            else:
                return None
        if square != 64 - 8 * row:
            return None
    return found if len(ranks) == 8 else None
