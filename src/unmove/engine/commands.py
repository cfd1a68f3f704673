"""The commands of the protocols, and what the engine remembers between them.

What must not wait (`stop`, `ponderhit`, `isready` while thinking) is answered by the thread that
reads commands. Tables are opened (`tables.py`) and asked by another one (`worker.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from unmove.engine.dialects import CYCLONE, OF_VARIANT, UCCI, UCI, Dialect
from unmove.engine.limits import read_limits
from unmove.engine.options import OF_TABLES, Settings
from unmove.engine.tables import ChosenTables
from unmove.engine.talk import Talk, plain, told
from unmove.engine.worker import Once, Worker
from unmove.errors import UnmoveError, quoted
from unmove.kernels.watch import watch
from unmove.values import Metric
from unmove.version import __version__

if TYPE_CHECKING:
    from unmove.engine.candidates import Candidate
    from unmove.engine.positions import Position
    from unmove.engine.search import MoveSearch, Wishes
    from unmove.games.boards import AnyMove

AUTHOR: Final = "The unmove developers"
READY_AFTER: Final = 5.0
"""Seconds after which `isready` is answered although tables are still being opened, or kernels
compiled: a GUI may take a program that is silent for longer for a dead one."""
SECONDS_TO_QUIT: Final = 0.1


class Engine:
    """The state between commands: dialect, options, position, and the search that is going on."""

    def __init__(self, talk: Talk, tables_path: str = "") -> None:
        self._talk = talk
        self._settings = Settings(tables_path)
        self._dialect: Dialect = UCI
        self._position: Position | None = None
        self._banned: list[str] = []
        self._searches: list[MoveSearch] = []  # without an answer yet; a GUI has one at a time
        self._tables = ChosenTables(self._settings, self.say)
        self._worker = Worker(failed=lambda error: self.say(told(error)))
        self._commands: dict[str, Callable[[str], object]] = {
            "uci": lambda _: self._greet(UCI),
            "ucci": lambda _: self._greet(UCCI),
            "isready": lambda _: self._get_ready(),
            "setoption": self._set_option,
            "position": self._set_position,
            "fen": lambda text: self._set_bare_position(f"fen {text}"),
            "startpos": lambda text: self._set_bare_position(f"startpos {text}"),
            "banmoves": self._ban_moves,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "ponderhit": lambda _: self._ponder_hit(),
            "quit": lambda _: self._quit(),
            **dict.fromkeys(("ucinewgame", "debug", "register"), lambda _: None),
        }
        self._said_compiling = False
        self.running = True
        """Whether more commands are expected."""
        watch(self._compiling)

    def do(self, command: str) -> None:
        """A command is carried out, or begun. Words before the first known one are skipped."""
        for place, word in enumerate(command.split(), start=1):
            if action := self._commands.get(word):
                try:
                    action("".join(command.split(maxsplit=place)[place:]).strip())
                except Exception as error:  # the next command is read whatever happens
                    self.say(told(error))
                return
        if command.strip():
            self.say(f"{quoted(command.strip())} is no command.")

    def say(self, text: str) -> None:
        """A sentence for people."""
        self._talk.line(f"{self._dialect.sentence} {plain(text)}")

    def end(self) -> bool:
        """What was begun is done, unless it would wait for ever; returns whether all is at rest.

        After `quit` nothing is waited for: a kernel that is being compiled cannot be interrupted.
        """
        if self.running:
            self._end_waiting()
        self._worker.end(None if self.running else SECONDS_TO_QUIT)
        if self._worker.alive:
            return False
        self._tables.close()
        watch(None)
        return True

    def _greet(self, dialect: Dialect) -> None:
        self._dialect, self._position = dialect, None
        for line in (f"id name unmove {__version__}", f"id author {AUTHOR}"):
            self._talk.line(line)
        for line in self._settings.declared(dialect.protocol, dialect.option):
            self._talk.line(line)
        self._talk.line(dialect.hello)
        self._worker.do(self._tables.load)

    def _get_ready(self) -> None:
        ready = Once(lambda: self._talk.line("readyok"))
        if self._thinking():
            ready()
        else:
            game = self._dialect.game
            self._worker.do(lambda: self._tables.try_out(game))
            self._worker.do(ready)
            ready.after(READY_AFTER)

    def _set_option(self, text: str) -> None:
        option = self._settings.set(self._dialect.protocol, text)
        if option.key in OF_TABLES:
            self._worker.do(self._tables.open)
        elif option.key == "UCI_Variant":
            self._dialect, self._position = OF_VARIANT[self._settings["UCI_Variant"]], None

    def _set_bare_position(self, text: str) -> None:
        if self._dialect.protocol == CYCLONE.protocol:
            self._dialect = CYCLONE
        self._set_position(text)

    def _set_position(self, text: str) -> None:
        from unmove.engine.positions import REFUSED, dialect_of, read_position

        words = text.split()
        self._dialect = dialect_of(self._dialect, words)
        self._position, self._banned = REFUSED, []
        chess960 = self._settings.on("UCI_Chess960")
        self._position = read_position(words, self._dialect, chess960=chess960)

    def _ban_moves(self, text: str) -> None:
        self._banned = text.split()

    def _go(self, text: str) -> None:
        from unmove.engine.positions import REFUSED
        from unmove.engine.search import MoveSearch

        self._end_waiting()
        if self._position is None:
            self._set_position("startpos")
        position = self._position
        if position is None or position == REFUSED:
            self.say("There is no position to think about: the last one was refused.")
            no_move = self._dialect.no_move
            self._worker.do(lambda: self._talk.line(no_move))  # after the answers due before
            return
        wishes = self._wishes(position, text)
        candidates = self._candidates(position, wishes.limits.moves)
        search = MoveSearch(position, candidates, wishes, self._dialect, self._talk)
        self._searches = [*self._thinking(), search]
        self._worker.do(lambda: search.think(self._tables.open))

    def _wishes(self, position: Position, text: str) -> Wishes:
        from unmove.engine.candidates import Ranking
        from unmove.engine.search import Wishes
        from unmove.games.boards import rules_of

        settings = self._settings
        seconds = self._dialect.protocol == UCCI.protocol and not settings.on("usemillisec")
        limits = read_limits(
            text.split(),
            self._dialect,
            rules_of(position.board).side(position.board),
            overhead=settings.number("Move Overhead") / 1000,
            unit=1 if seconds else 1 / 1000,
        )
        return Wishes(
            Ranking(Metric.of(settings["Metric"]), settings.on("Syzygy50MoveRule")),
            limits,
            settings.number("MultiPV"),
            settings.on("UCI_ShowWDL"),
            limits.waits or settings.on("UCI_AnalyseMode"),
        )

    def _candidates(self, position: Position, chosen: Sequence[str]) -> list[Candidate]:
        """The legal moves that are asked for and not banned."""
        from unmove.engine.candidates import unknown_moves

        wanted, banned = (self._moves(position, texts) for texts in (chosen, self._banned))
        return [
            candidate
            for candidate in unknown_moves(position)
            if (not wanted or candidate.move in wanted) and candidate.move not in banned
        ]

    def _moves(self, position: Position, texts: Iterable[str]) -> list[AnyMove]:
        """The moves of texts; the first that is no move is told of."""
        from unmove.engine.positions import read_move

        found: list[AnyMove] = []
        failures: list[UnmoveError] = []
        for text in texts:
            try:
                found.append(read_move(position.board, text, self._dialect))
            except UnmoveError as error:
                failures.append(error)
        for failure in failures[:1]:
            self.say(told(failure))
        return found

    def _stop(self) -> None:
        thinking = self._thinking()
        for search in thinking:
            search.finish()
        if not thinking and self._dialect.idle_stop is not None:
            self._talk.line(self._dialect.idle_stop)

    def _ponder_hit(self) -> None:
        for search in self._thinking():
            search.stop_waiting()

    def _quit(self) -> None:
        self.running = False
        if self._dialect.farewell is not None:
            self._talk.line(self._dialect.farewell)

    def _thinking(self) -> list[MoveSearch]:
        """The searches without an answer."""
        return [search for search in self._searches if not search.over]

    def _end_waiting(self) -> None:
        """A search that waits for a word is ended; any other one goes on to its end."""
        for search in self._thinking():
            search.end_waiting()

    def _compiling(self, kernel: str | None) -> None:
        """Told when kernels are compiled: people learn once why there is no answer yet."""
        if kernel is not None and not self._said_compiling:
            self._said_compiling = True
            self.say("Kernels are compiled, once; `unmove warm` compiles all there are.")
