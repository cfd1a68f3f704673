"""A position as the side to move sees it: its own men are White's, and its pawns go up.

Index schemes know no colours, just the side to move and the other one. With Black to move the
board is turned: colours exchanged, ranks upside down.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import chess

from unmove.errors import IllegalPosition
from unmove.games.chess import BETWEEN, KING, LETTERS, PAWN, REACH
from unmove.material import Material
from unmove.planes.layout import Man, reach_row
from unmove.planes.symmetry import IMAGE
from unmove.values import SIDES, Side

OWN, OTHER = SIDES
"""The side to move, and the other one: a view has the board turned, as if White were to move."""

_TYPES = tuple(chess.Piece.from_symbol(letter).piece_type for letter in LETTERS)
_UPSIDE_DOWN = 56
_REACH: list[list[int]] = REACH.tolist()
_BETWEEN: list[list[int]] = BETWEEN.tolist()
_KING: list[int] = KING.tolist()
_IMAGE: list[list[int]] = IMAGE.tolist()


@dataclass
class BoardView:
    """The kings and, as far as they are placed, the other men, ascending among like ones."""

    kings: tuple[int, int]  # of the side to move, of the other one
    men: dict[Man, tuple[int, ...]] = field(default_factory=dict)
    stepped: int | None = None
    """The other side's pawn that has just made a double step and may be taken in passing."""

    @classmethod
    def of(cls, board: chess.Board) -> BoardView:
        """The view of the side to move. A right to take in passing counts if a pawn is near."""
        turn = _UPSIDE_DOWN if board.turn == chess.BLACK else 0
        men: dict[Man, tuple[int, ...]] = {}
        for side, color in ((OWN, board.turn), (OTHER, not board.turn)):
            for kind, piece in enumerate(_TYPES):
                squares = tuple(sorted(square ^ turn for square in board.pieces(piece, color)))
                if squares:
                    men[Man(kind, side)] = squares
        own, other = (board.king(color) for color in (board.turn, not board.turn))
        if own is None or other is None:
            raise IllegalPosition(board.fen(), "a king is missing")
        view = cls((own ^ turn, other ^ turn), men)
        if board.ep_square is not None:
            view.stepped = (board.ep_square ^ turn) - 8
            view.stepped = view.stepped if view.taker is not None else None
        return view

    def board(self, color: chess.Color) -> chess.Board:
        """The board with `color` to move."""
        turn = _UPSIDE_DOWN if color == chess.BLACK else 0
        colors = color, not color
        board = chess.Board(None)
        for king, owner in zip(self.kings, colors, strict=True):
            board.set_piece_at(king ^ turn, chess.Piece(chess.KING, owner))
        for man, squares in self.men.items():
            for square in squares:
                board.set_piece_at(square ^ turn, chess.Piece(_TYPES[man.kind], colors[man.side]))
        board.turn = color
        board.ep_square = None if self.stepped is None else (self.stepped + 8) ^ turn
        return board

    def through(self, symmetry: int) -> BoardView:
        """The same position seen through a symmetry of the board."""
        to = _IMAGE[symmetry]
        return BoardView(
            (to[self.kings[0]], to[self.kings[1]]),
            {man: tuple(sorted(to[s] for s in squares)) for man, squares in self.men.items()},
            None if self.stepped is None else to[self.stepped],
        )

    def letters(self, side: Side) -> str:
        """The men of a side, as a Material names them."""
        men = [(man.kind, len(squares)) for man, squares in self.men.items() if man.side == side]
        return Material.of("".join(LETTERS[kind] * size for kind, size in men), "").white

    @property
    def taker(self) -> int | None:
        """The own pawn beside the one that has stepped; of two, that on the lower file."""
        if self.stepped is None:
            return None
        near = [s for s in neighbours(self.stepped) if s in self.men.get(Man(PAWN, OWN), ())]
        return min(near, default=None)

    @property
    def is_legal(self) -> bool:
        """Whether this is a position: men apart, the other king not attacked, pawns in place."""
        own, other = self.kings
        squares = [own, other, *(s for group in self.men.values() for s in group)]
        taken = sum({1 << square for square in squares})
        return (
            taken.bit_count() == len(squares)
            and not _KING[own] >> other & 1
            and all(8 <= s < 56 for m, group in self.men.items() if m.kind == PAWN for s in group)
            and not any(
                checks(man, square, other, taken)
                for man, group in self.men.items()
                if man.side == OWN
                for square in group
            )
            and (self.stepped is None or self._has_stepped(self.stepped, taken))
        )

    def _has_stepped(self, stepped: int, taken: int) -> bool:
        """Whether a pawn stands where it should after its double step, and nobody on its way."""
        pawns = self.men.get(Man(PAWN, OTHER), ())
        return stepped in pawns and not taken & step_of(stepped)


def checks(man: Man, square: int, king: int, taken: int) -> bool:
    """Whether an own man attacks the other king past the men on `taken`."""
    reached = _REACH[reach_row(man)][square] >> king & 1
    return bool(reached) and not _BETWEEN[square][king] & taken


def neighbours(square: int) -> list[int]:
    """The squares beside a square, on its rank."""
    return [s for s in (square - 1, square + 1) if s // 8 == square // 8]


def step_of(stepped: int) -> int:
    """The two squares that the other side's pawn left and passed: they are empty."""
    return 1 << stepped + 8 | 1 << stepped + 16
