"""A game against perfect play, at the terminal or from lines of text."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from unmove.cli.output import show_table
from unmove.cli.views.positions import move_table, verdict
from unmove.errors import BadMove
from unmove.games.boards import AnyBoard, rules_of
from unmove.research.judging import sentence, with_distance
from unmove.research.playing import PlayedGame
from unmove.values import Side, opponent_of

_HELP = "Type a move, or one of: hint, moves, line, fen, undo, quit."


class Session:
    """A game between a person, who plays `side` and is asked by `ask`, and perfect play."""

    def __init__(self, game: PlayedGame, side: Side, ask: Callable[[str], str]) -> None:
        self.game = game
        self.side = side
        self._ask = ask
        self._console = Console(soft_wrap=True)
        self._commands: dict[str, Callable[[], None]] = {
            "hint": self._hint,
            "moves": self._moves,
            "line": self._line,
            "fen": lambda: self._say(game.board.fen()),
            "undo": self._undo,
            "help": lambda: self._say(_HELP),
        }

    def run(self) -> None:
        """The game is played to its end, or until the person leaves."""
        board, answer = self.game.board, self.game.tables.probe(self.game.board)
        self._say(f"You play {self.game.names[self.side]}. {_HELP}")
        self._say(f"\n{picture(board)}\n\n{verdict(board, answer)}")
        while (end := self.game.end()) is None:
            if self.game.side != self.side:
                self._answer()
            elif not self._turn():
                self._say("Goodbye.")
                return
        self._say(end)

    def _turn(self) -> bool:
        """The person has typed something; False to leave."""
        try:
            text = self._ask(f"{self.game.names[self.side]} to move> ").strip()
        except EOFError:
            self._say("")
            return False
        if text.lower() in ("quit", "exit"):
            return False
        if text:
            self._commands.get(text.lower(), lambda: self._move(text))()
        return True

    def _move(self, text: str) -> None:
        board = self.game.board
        try:
            judgement = self.game.play(rules_of(board).parse_move(board, text))
        except BadMove as error:
            self._say(str(error))
            return
        if self.game.end() is None or not judgement.keeps:
            self._say(sentence(judgement))

    def _answer(self) -> None:
        reply = self.game.reply()
        name = self.game.names[opponent_of(self.side)]
        self._say(f"{name} plays {reply.made.san}.\n\n{picture(self.game.board)}\n")

    def _hint(self) -> None:
        best = self.game.ranked()[0]
        self._say(f"Try {with_distance(best, self.game.metric)}.")

    def _moves(self) -> None:
        show_table(move_table(self.game.ranked()), self._console)

    def _line(self) -> None:
        board = self.game.board
        moves = self.game.tables.line(board, self.game.metric)
        self._say(rules_of(board).line(board, moves) or "No side can force anything.")

    def _undo(self) -> None:
        if self.game.undo(self.side):
            self._say(f"Taken back.\n\n{picture(self.game.board)}\n")
        else:
            self._say("There is no move of yours to take back.")

    def _say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False)


def picture(board: AnyBoard) -> str:
    """The board in letters, with the names of its ranks and files."""
    ranks = rules_of(board).picture(board).splitlines()
    files = "abcdefghi"[: len(ranks[0].split())]
    rows = [f"{len(ranks) - row:>2}  {rank}" for row, rank in enumerate(ranks)]
    return "\n".join([*rows, f"    {' '.join(files)}"])
