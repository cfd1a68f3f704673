"""One `go`: the moves are looked up, the lines shown, and one best move is the answer.

Two threads take part. One thinks: it fills in what the tables say, and shows it. The one that reads
commands may end the search at any moment, and so may a timer: then the best move that is known is
the answer, be it just a legal one. There is always one answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

from unmove.engine.candidates import Candidate, Ranking, is_decided, looked_up, unknown_moves
from unmove.engine.dialects import Dialect
from unmove.engine.limits import Limits
from unmove.engine.positions import Position, write_move
from unmove.engine.scores import MoveScore, wdl
from unmove.engine.talk import Talk, plain, told
from unmove.engine.worker import Once
from unmove.errors import UnmoveError
from unmove.games.boards import AnyMove, rules_of
from unmove.values import DRAW

if TYPE_CHECKING:
    from unmove.api.lichess.knowledge import Sources

SECONDS_FOR_LINES: Final = 0.02
"""How long the answer waits for the lines of best play, in a game: they are for people to read. In
an analysis these short lines are shown first, and the whole ones when they are known."""


@dataclass(frozen=True)
class Wishes:
    """What the options and `go` ask of a search."""

    ranking: Ranking
    limits: Limits
    lines: int = 1
    """How many of the best moves are shown."""
    show_wdl: bool = False
    whole_lines: bool = False
    """Whether lines are shown to their end, however long that takes."""


class _Over(Exception):
    """The answer has been given, and thinking on is of no use."""


class MoveSearch:
    """The moves of a position, and what is known of them so far."""

    def __init__(
        self,
        position: Position,
        candidates: list[Candidate],
        wishes: Wishes,
        dialect: Dialect,
        talk: Talk,
    ) -> None:
        self._position = position
        self._candidates = candidates
        self._wishes = wishes
        self._dialect = dialect
        self._talk = talk
        self._waits = wishes.limits.waits
        self._thought = False  # whether the tables have said all
        self._lines: dict[AnyMove, list[str]] = {}
        self._nodes = 0
        self._started = perf_counter()
        self.finish = Once(self._answer)
        """Gives the answer, now, with what is known."""
        if not self._waits:
            self._start_clock()

    @property
    def over(self) -> bool:
        """Whether the answer has been given."""
        return self.finish.done

    def stop_waiting(self) -> None:
        """The opponent has made the move that was expected: from now on the time counts."""
        if self._wishes.limits.infinite or not self._waits:
            return
        self._waits = False
        self._start_clock()
        if self._thought:
            self.finish()

    def end_waiting(self) -> None:
        """A search that waits for a word is ended; any other one goes on to its end."""
        if self._waits:
            self.finish()

    def think(self, open_tables: Callable[[], Sources]) -> None:
        """All is looked up and shown; the answer is given, unless it has to wait."""
        try:
            self._think(open_tables)
        except _Over:
            return
        except Exception as error:  # an answer is due whatever happens
            self.say(told(error))
        finally:
            self._thought = True
            if not self._waits:
                self.finish()

    def say(self, text: str) -> None:
        """A sentence for people, before the answer."""
        self._line(f"{self._dialect.sentence} {plain(text)}")

    def _start_clock(self) -> None:
        if self._wishes.limits.seconds is not None:
            self.finish.after(self._wishes.limits.seconds)

    def _line(self, text: str) -> None:
        self.finish.unless_done(lambda: self._talk.line(text))

    def _think(self, open_tables: Callable[[], Sources]) -> None:
        board = self._position.board
        if not rules_of(board).moves(board):
            self._line(self._info(1, self._last_score(), []))
            return
        sources = open_tables()
        self._look_up(sources)
        best = self._best()[: self._wishes.lines]
        if note := self._wishes.ranking.note(board, best[0]) if best else None:
            self.say(note)
        for number, candidate in enumerate(best, start=1):
            self._show_line(number, candidate, [])
        for seconds in (SECONDS_FOR_LINES, inf)[: 1 + self._wishes.whole_lines]:
            until = perf_counter() + seconds
            for number, candidate in enumerate(best, start=1):
                replies = self._replies(sources, candidate, until)
                if len(replies) >= len(self._lines[candidate.move]):  # which has the move, too
                    self._show_line(number, candidate, replies)

    def _look_up(self, sources: Sources) -> None:
        """Each candidate has what the tables say of it. What they lack is said."""
        failure: UnmoveError | None = None
        for number, candidate in enumerate(self._candidates):
            try:
                self._candidates[number] = self._looked_up(sources, self._position, candidate)
            except UnmoveError as error:
                failure = failure or error
        if failure is None:
            return
        try:  # the position's own table is the one to build
            sources.tables.probe(self._position.board)
        except UnmoveError as error:
            failure = error
        self.say(told(failure))

    def _looked_up(self, sources: Sources, position: Position, candidate: Candidate) -> Candidate:
        if self.over:
            raise _Over
        found = looked_up(sources, position, candidate.move)
        self._nodes += 1
        return found

    def _replies(self, sources: Sources, candidate: Candidate, until: float) -> list[AnyMove]:
        """The best play that follows a move: to the end, if there is time, or one ply of a draw."""
        position, found = self._position, list[AnyMove]()
        while candidate.known and len(found) + 1 < self._wishes.limits.depth:
            if found and perf_counter() > until:
                break
            after = rules_of(position.board).after(position.board, candidate.move).board
            position = Position(after, self._position.twice)
            try:
                replies = [
                    self._looked_up(sources, position, reply) for reply in unknown_moves(position)
                ]
            except UnmoveError:  # which is said of the position itself
                break
            if not replies:
                break
            candidate = self._wishes.ranking.ordered(after, replies)[0]
            found.append(candidate.move)
            if not is_decided(candidate):
                break
        return found

    def _show_line(self, number: int, candidate: Candidate, replies: list[AnyMove]) -> None:
        board, texts = self._position.board, list[str]()
        for move in (candidate.move, *replies):
            texts.append(write_move(board, move, self._dialect))
            board = rules_of(board).after(board, move).board
        self._lines[candidate.move] = texts
        bound = any(not other.known for other in self._candidates)
        if number == 1 or "multipv" in self._dialect.fields:
            score = self._wishes.ranking.score(candidate, bound=bound)
            self._line(self._info(number, score, texts))

    def _info(self, number: int, score: MoveScore | None, line: list[str]) -> str:
        """A line about thinking, as far as the dialect has its fields."""
        seconds = perf_counter() - self._started
        values = {
            "depth": str(len(line)),
            "multipv": str(number),
            "score": self._dialect.score(score) if score else "",
            "wdl": wdl(score) if score and self._wishes.show_wdl else "",
            "nodes": str(self._nodes),
            "nps": str(int(self._nodes / max(seconds, 1e-3))),
            "tbhits": str(self._nodes),
            "time": str(int(1000 * seconds)),
            "pv": " ".join(line),
        }
        fields = [f"{name} {values[name]}" for name in self._dialect.fields if values[name]]
        return " ".join(["info", *fields])

    def _last_score(self) -> MoveScore:
        """The score of a position without a legal move."""
        board = self._position.board
        lost = rules_of(board).code_without_moves(board) != DRAW
        return MoveScore(-1, mate=0) if lost else MoveScore(0)

    def _best(self) -> list[Candidate]:
        return self._wishes.ranking.ordered(self._position.board, self._candidates)

    def _answer(self) -> None:
        """One best move is written; called once."""
        candidates, board = self._best(), self._position.board
        if not candidates:
            if not self._thought and not rules_of(board).moves(board):
                self._talk.line(self._info(1, self._last_score(), []))
            self._talk.line(self._dialect.no_move)
            return
        best = candidates[0]
        if not self._thought and not best.known:
            sentence = "The tables had no time to answer: this is just a legal move."
            self._talk.line(f"{self._dialect.sentence} {sentence}")
        words = ["bestmove", write_move(board, best.move, self._dialect)]
        words += [f"ponder {reply}" for reply in self._lines.get(best.move, [])[1:2]]
        score = self._wishes.ranking.score(best)
        if self._wishes.limits.draw_offered and score is not None and score.outcome <= 0:
            words.append("draw")
        self._talk.line(" ".join(words))
