"""The language of queries: from words to a test of many positions at once.

    query    = all { or all }          or = "or" | "||"       and = "and" | "&&"
    all      = one { [and] one }       not = "not" | "!"
    one      = not one | "(" query ")" | distances | mate | phrase
    distances = distance compare bound | bound compare distance [ compare bound ]
    distance = "dtm" | "dtc" | "dtz" | "moves"
    compare  = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">="
    bound    = number | "max" [ "-" number ]
    mate     = ( "mate" | "mates" | "mated" ) "in" bound
    phrase   = one of PHRASES

`dtm`, `dtc` and `dtz` are plies without a sign, of wins and losses alike; `moves` are the winner's
moves, as people count, by the metric of the query. Draws have no distance, and no comparison with
one is true. `max` is the largest distance that the table has for the same side to move and the
same outcome: `wtm win and dtm == max` are White's longest wins, whatever Black's losses are.
`mate in 3` is true where the side to move wins and mates with its third move, by DTM; `mated in 3`
where it loses so. Parentheses and `not` may be NESTING deep.

A test gives two answers for each position: whether it passes for certain, and whether it may pass.
So the cheap part runs first, on all values of a table, then a dearer one on the positions that are
left, and the dearest on the few that are left after that.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadOption, BadQuery, quoted
from unmove.kernels.arrays import Codes
from unmove.research.choices import MoveCounts
from unmove.research.zugzwang import is_zugzwang
from unmove.values import (
    BLACK,
    BROKEN,
    CHECKMATED,
    DRAW,
    FIFTY,
    WHITE,
    Code,
    Metric,
    Outcome,
    Plies,
    Side,
    codes_up_to,
    loss_code,
    outcome_of,
    plies_of,
)
from unmove.variants import Game

Mask = NDArray[np.bool_]


class Needs(IntEnum):
    """What a test must know to be certain, in order of cost."""

    OWN = 0
    OTHER = 1
    CHOICES = 2


@dataclass(frozen=True)
class QueryView:
    """What is known of some positions with one side to move."""

    side: Side
    metric: Metric
    codes: Codes
    stuck: Mask
    """Stalemate."""
    longest: dict[Outcome, Plies]
    """The plies of the longest win and loss that this side to move has."""
    other: Codes | None = None
    """The codes with the other side to move, BROKEN where that is illegal."""
    choices: MoveCounts | None = None

    def outcome(self, outcome: Outcome) -> Mask:
        """Whether they have this outcome."""
        return self.per_code(lambda code: outcome_of(code) == outcome)

    def per_code(self, true: Callable[[Code], bool]) -> Mask:
        """Whether it is true of each code; false for BROKEN."""
        most = int(self.codes.max(initial=DRAW))
        return np.array([False, *map(true, codes_up_to(most))])[self.codes]


Test = Callable[[QueryView], tuple[Mask, Mask]]
"""Whether positions are certain to pass, and whether it is possible."""


@dataclass
class Query:
    """A test, what it needs, the metrics it speaks of, and whether it compares distances."""

    test: Test = field(init=False)
    needs: Needs = Needs.OWN
    metrics: set[Metric] = field(default_factory=set)
    compares: bool = False


def _exactly(function: Callable[[QueryView], Mask]) -> Test:
    def test(view: QueryView) -> tuple[Mask, Mask]:
        certain = function(view)
        return certain, certain

    return test


def _with(outcome: Outcome) -> Callable[[QueryView], Mask]:
    return lambda view: view.outcome(outcome)


def _winner(side: Side) -> Callable[[QueryView], Mask]:
    return lambda view: view.outcome(Outcome.WIN if view.side == side else Outcome.LOSS)


def _to_move(side: Side) -> Callable[[QueryView], Mask]:
    return lambda view: np.full(len(view.codes), view.side == side)


def _zugzwang(*stakes: int) -> Test:
    def test(view: QueryView) -> tuple[Mask, Mask]:
        if view.other is None:
            possible = ~view.outcome(Outcome.WIN) & (view.codes != BROKEN)
            return np.zeros_like(possible), possible
        certain = is_zugzwang(view.codes, view.other, stakes)
        return certain, certain

    return test


def _check(view: QueryView) -> tuple[Mask, Mask]:
    """A position is in check if and only if it is illegal with the other side to move."""
    if view.other is None:
        legal = view.codes != BROKEN
        return np.zeros_like(legal), legal
    certain = (view.codes != BROKEN) & (view.other == BROKEN)
    return certain, certain


def _choice(true: Callable[[MoveCounts], Mask]) -> Test:
    def test(view: QueryView) -> tuple[Mask, Mask]:
        if view.choices is None:
            possible = ~view.outcome(Outcome.LOSS) & (view.codes != BROKEN) & ~view.stuck
            return np.zeros_like(possible), possible
        certain = ~view.outcome(Outcome.LOSS) & true(view.choices)
        return certain, certain

    return test


def _beyond_fifty(*outcomes: int) -> Callable[[QueryView], Mask]:
    """Decided without the 50-move rule, with one of these outcomes, and drawn by it."""
    return lambda view: view.per_code(
        lambda code: code > loss_code(FIFTY) and outcome_of(code) in outcomes
    )


@dataclass(frozen=True)
class Bound:
    """What a distance is compared with: a number, or a number less than the largest."""

    number: int
    from_max: bool


@dataclass(frozen=True)
class Phrase:
    """A property of a position in words, its test, and what the test needs."""

    names: tuple[str, ...]
    """All mean the same; the first is ours."""
    test: Test
    needs: Needs = Needs.OWN
    metric: Metric | None = None
    """The metric without which it has no meaning."""


_PHRASES: Final = (
    Phrase(("wtm", "rtm", "white to move", "red to move"), _exactly(_to_move(WHITE))),
    Phrase(("btm", "black to move"), _exactly(_to_move(BLACK))),
    *(Phrase((outcome.word,), _exactly(_with(outcome))) for outcome in sorted(Outcome)[::-1]),
    Phrase(("white wins", "red wins"), _exactly(_winner(WHITE))),
    Phrase(("black wins",), _exactly(_winner(BLACK))),
    Phrase(("mate", "checkmate"), _exactly(lambda view: view.codes == CHECKMATED)),
    Phrase(("stalemate",), _exactly(lambda view: view.stuck)),
    Phrase(("check", "in check"), _check, Needs.OTHER),
    Phrase(("zugzwang", "mutual zugzwang"), _zugzwang(1, 2), Needs.OTHER),
    Phrase(("full zugzwang",), _zugzwang(2), Needs.OTHER),
    Phrase(("half zugzwang",), _zugzwang(1), Needs.OTHER),
    Phrase(("cursed",), _exactly(_beyond_fifty(-1, 1)), metric=Metric.DTZ),
    Phrase(("cursed win",), _exactly(_beyond_fifty(1)), metric=Metric.DTZ),
    Phrase(("blessed loss",), _exactly(_beyond_fifty(-1)), metric=Metric.DTZ),
    Phrase(("only move",), _choice(lambda found: found.only), Needs.CHOICES),
    Phrase(("underpromotion",), _choice(lambda found: found.underpromotion), Needs.CHOICES),
)
PHRASES: Final = {name: phrase for phrase in _PHRASES for name in phrase.names}
"""All properties that a query can ask for, besides comparisons of distances."""

_LONGEST_PHRASE: Final = max(len(name.split()) for name in PHRASES)
_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_REVERSED: Final = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_MATES: Final = {"mate": Outcome.WIN, "mates": Outcome.WIN, "mated": Outcome.LOSS}
_OR, _AND, _NOT = ("or", "||"), ("and", "&&"), ("not", "!")
_DISTANCES: Final = (*(metric.value for metric in Metric), "moves")
_TOKEN: Final = re.compile(
    r"\s*(?:([a-z]+)|([0-9]+)|(==|!=|<>|<=|>=|&&|\|\||[=<>()!-]))", re.IGNORECASE
)

NESTING: Final = 100
"""How deep parentheses and `not` may be nested; each level takes a few calls."""

LARGEST_DISTANCE: Final = 15_000
"""More than any distance that a table can hold; a larger number is taken for this one."""


def parse(text: str) -> Query:
    """The query of a text; BadQuery with the place of the mistake otherwise."""
    return _Parser(text).query


def metric_of(query: Query, asked: Metric | None, game: Game) -> Metric:
    """The metric of a query, or the one asked for; BadOption if they differ.

    NoSuchMetric if the game does not have it.
    """
    named = query.metrics | ({asked} if asked else set())
    if len(named) > 1:
        names = " and ".join(sorted(metric.value for metric in named))
        raise BadOption("where", "with this query", f"it names {names}, and a query has one metric")
    metric = next(iter(named), Metric.DTM)
    game.require(metric)
    return metric


class _Parser:
    """A recursive descent parser, with a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._split())
        self._next = 0
        self._depth = 0
        self.query = Query()
        if not self._peek():
            raise self._wrong("write, for example, wtm win and dtm == max")
        self.query.test = self._any()
        if self._peek():
            raise self._wrong("there is no ( for this )")

    def _split(self) -> list[tuple[str, int]]:
        """Each token with its place in the text; an empty token is the last."""
        tokens, at, end = [], 0, len(self._text.rstrip())
        while at < end:
            match = _TOKEN.match(self._text, at)
            if match is None:
                at += len(self._text[at:]) - len(self._text[at:].lstrip())
                raise BadQuery(self._text, at, f"{self._text[at]!r} is no part of any query")
            tokens.append((match.group().strip().lower(), match.end() - len(match.group().strip())))
            at = match.end()
        return [*tokens, ("", end)]

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)][0]

    def _take(self, *wanted: str) -> str:
        """The next token if it is one of these, else nothing."""
        token = self._peek()
        if not token or token not in wanted:
            return ""
        self._next += 1
        return token

    def _wrong(self, reason: str) -> BadQuery:
        return BadQuery(self._text, self._tokens[self._next][1], reason)

    def _any(self) -> Test:
        tests = [self._all()]
        while self._take(*_OR):
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else _joined(operator.or_, tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self._take(*_AND) or self._peek() not in ("", ")", *_OR):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else _joined(operator.and_, tests)

    def _one(self) -> Test:
        if self._peek() not in ("(", *_NOT):
            return self._plain()
        self._depth += 1
        if self._depth > NESTING:
            raise self._wrong(f"parentheses and not may be at most {NESTING} deep")
        test = self._nested()
        self._depth -= 1
        return test

    def _nested(self) -> Test:
        if self._take(*_NOT):
            return _negated(self._one())
        self._take("(")
        test = self._any()
        if not self._take(")"):
            raise self._wrong("a ) is missing")
        return test

    def _plain(self) -> Test:
        if self._peek(1) == "in" and (mate := self._take(*_MATES)):
            self._take("in")
            return self._mate(_MATES[mate])
        if self._peek() in (*_DISTANCES, "max") or self._peek().isdecimal():
            return self._distances()
        return self._phrase()

    def _phrase(self) -> Test:
        for words in range(_LONGEST_PHRASE, 0, -1):
            phrase = PHRASES.get(" ".join(self._peek(i) for i in range(words)))
            if phrase is not None:
                self._next += words
                self.query.needs = max(self.query.needs, phrase.needs)
                if phrase.metric is not None:
                    self.query.metrics.add(phrase.metric)
                return phrase.test
        word = self._peek()
        said = (
            f"{quoted(word)} is no word of queries" if word.isalpha() else "a word is expected here"
        )
        known = ", ".join([*_DISTANCES, "mate in", *(phrase.names[0] for phrase in _PHRASES)])
        raise self._wrong(f"{said}; there are {known}, and, or, not and parentheses")

    def _mate(self, outcome: Outcome) -> Test:
        """Mate in exactly a number of moves, for a side to move with this outcome."""
        bound = self._bound("moves")
        self.query.metrics.add(Metric.DTM)
        self.query.compares = True
        return _joined(
            operator.and_,
            [_exactly(_with(outcome)), _compared(operator.eq, bound, in_moves=True)],
        )

    def _distances(self) -> Test:
        """A distance with a bound after it, before it, or on both sides."""
        before = None
        if self._peek() not in _DISTANCES:
            bound = self._bound("plies")
            compare = self._compare("a number")
            before = _COMPARE[_REVERSED.get(compare, compare)], bound
        name = self._take(*_DISTANCES)
        if not name:
            raise self._wrong(f"a distance is expected: {', '.join(_DISTANCES[:-1])} or moves")
        bounds = [before] if before else []
        if not before or self._peek() in _COMPARE:
            compare = self._compare(name)
            bounds.append((_COMPARE[compare], self._bound("moves" if name == "moves" else "plies")))
        if name != "moves":
            self.query.metrics.add(Metric(name))
        self.query.compares = True
        in_moves = name == "moves"
        tests = [_compared(compare, bound, in_moves=in_moves) for compare, bound in bounds]
        return tests[0] if len(tests) == 1 else _joined(operator.and_, tests)

    def _compare(self, name: str) -> str:
        compare = self._take(*_COMPARE)
        if not compare:
            raise self._wrong(f"{name} must be compared, as in 3 <= dtm <= 7 or dtm == max")
        return compare

    def _bound(self, unit: str) -> Bound:
        if not self._take("max"):
            return Bound(self._number(f"a number of {unit} or max is expected"), from_max=False)
        number = self._number(f"a number of {unit} is expected") if self._take("-") else 0
        return Bound(number, from_max=True)

    def _number(self, reason: str) -> int:
        if not self._peek().isdecimal():
            raise self._wrong(f"{reason}; distances have no sign, win and loss tell whose they are")
        digits = self._take(self._peek()).lstrip("0") or "0"
        return min(int(digits[: len(str(LARGEST_DISTANCE)) + 1]), LARGEST_DISTANCE)


def _joined(join: Callable[[Mask, Mask], Mask], tests: list[Test]) -> Test:
    def test(view: QueryView) -> tuple[Mask, Mask]:
        least, most = tests[0](view)
        for each in tests[1:]:
            certain, possible = each(view)
            least, most = join(least, certain), join(most, possible)
        return least, most

    return test


def _negated(inner: Test) -> Test:
    def test(view: QueryView) -> tuple[Mask, Mask]:
        least, most = inner(view)
        return ~most, ~least

    return test


def _compared(compare: Callable[[Any, Any], Any], bound: Bound, *, in_moves: bool) -> Test:
    def distance(plies: int, outcome: Outcome) -> int:
        return (plies + (outcome == Outcome.WIN)) // 2 if in_moves else plies

    def within(view: QueryView) -> Mask:
        def true(code: Code) -> bool:
            outcome = outcome_of(code)
            if outcome == Outcome.DRAW:
                return False
            top = distance(view.longest.get(outcome, 0), outcome)
            here = distance(plies_of(code, view.metric), outcome)
            return bool(compare(here, top - bound.number if bound.from_max else bound.number))

        return view.per_code(true)

    return _exactly(within)
