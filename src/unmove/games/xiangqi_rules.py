"""Boards of xiangqi (`xiangqi_board.py`): where their men stand, what moves do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unmove.errors import BadFen, IllegalPosition
from unmove.games.rules import Placement, Step, placed
from unmove.games.xiangqi import FILES, FLIP, SQUARES
from unmove.games.xiangqi_board import NO_MAN, Board, Move
from unmove.games.xiangqi_notation import format_wxf, parse_move
from unmove.material import Complexity
from unmove.values import CHECKMATED, Code, Side, opponent_of
from unmove.variants import XIANGQI

_MEN = XIANGQI.letters + XIANGQI.letters.lower()
_FLIP = FLIP.tolist()


class XiangqiRules:
    """See `Rules`."""

    game = XIANGQI

    def parse(self, fen: str) -> Board:
        """See `Rules`."""
        return Board.parse(fen)

    def check(self, board: Board) -> None:
        """See `Rules`."""
        if flaw := board.flaw():
            raise IllegalPosition(board.fen(), flaw)

    def picture(self, board: Board) -> str:
        """See `Rules`."""
        ranks = [board.men[i : i + FILES] for i in range(0, SQUARES, FILES)]
        return "\n".join(" ".join(rank) for rank in reversed(ranks))

    def side(self, board: Board) -> Side:
        """See `Rules`."""
        return board.side

    def clock(self, board: Board) -> int:
        """See `Rules`."""
        return 0

    def is_plain(self, board: Board) -> bool:
        """See `Rules`."""
        return True

    def placement(self, board: Board) -> Placement | None:
        """See `Rules`."""
        found: dict[str, list[int]] = {letter: [] for letter in _MEN}
        for square, letter in enumerate(board.men):
            if letter in found:
                found[letter].append(square)
        return placed(XIANGQI, list(found.values()), board.side, _FLIP.__getitem__)

    def placement_of_fen(self, fen: str) -> Placement | None:
        """See `Rules`."""
        try:
            return self.placement(Board.parse(fen))
        except (BadFen, IllegalPosition):
            return None

    def set_up(self, men: Iterable[tuple[str, int]], side: Side) -> Board:
        """See `Rules`."""
        letters = [NO_MAN] * SQUARES
        for letter, square in men:
            letters[square] = letter
        return Board("".join(letters), side)

    def swapped(self, board: Board) -> Board:
        """See `Rules`."""
        return Board(
            "".join(board.men[square] for square in _FLIP).swapcase(), opponent_of(board.side)
        )

    def moves(self, board: Board) -> Sequence[Move]:
        """See `Rules`."""
        return board.legal_moves()

    def en_passant_moves(self, board: Board) -> Sequence[Move]:
        """See `Rules`."""
        return ()

    def without_en_passant(self, board: Board) -> Board:
        """See `Rules`."""
        return board

    def after(self, board: Board, move: Move) -> Step:
        """See `Rules`."""
        captures = board.is_capture(move)
        return Step(board.push(move), zeroes=captures, converts=captures)

    def san(self, board: Board, move: Move) -> str:
        """See `Rules`."""
        return format_wxf(board, move)

    def parse_move(self, board: Board, text: str) -> Move:
        """See `Rules`."""
        return parse_move(board, text)

    def line(self, board: Board, moves: Sequence[Move]) -> str:
        """See `Rules`."""
        words = ["1..."] if board.side and moves else []
        for ply, move in enumerate(moves, start=board.side):
            words += [f"{ply // 2 + 1}."] if ply % 2 == 0 else []
            words.append(format_wxf(board, move))
            board = board.push(move)
        return " ".join(words)

    def is_check(self, board: Board) -> bool:
        """See `Rules`."""
        return board.is_check()

    def code_without_moves(self, board: Board) -> Code:
        """See `Rules`."""
        return CHECKMATED

    def drawn(self, board: Board) -> str | None:
        """See `Rules`."""
        placement = self.placement(board)
        trivial = placement and placement.material.complexity == Complexity.TRIVIAL
        return "neither side has the men to win" if trivial else None


XIANGQI_RULES = XiangqiRules()
