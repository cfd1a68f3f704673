"""The language of `unmove find --where`: from words to a test of many positions at once.

    query   = all { "or" all }                all = one { ["and"] one }
    one     = "not" one | "(" query ")" | distance compare bound | phrase
    distance = "dtm" | "dtc" | "dtz" | "moves"        compare = == != < <= > >=
    bound   = number | "max" [ "-" number ]           phrase = one of PHRASES

`dtm`, `dtc` and `dtz` are plies without a sign, of wins and losses alike; `moves` are the winner's
moves, as people count, by the metric of the query. Draws have no distance, and no comparison with
one is true. `max` is the largest distance that the table has for the same side to move and the
same outcome: `wtm win and dtm == max` are White's longest wins, whatever Black's losses are.

A test gives two answers for each position, whether it is certain and whether it is possible. So it
is asked first of all values of a table, then of the positions that are left, and at last, of still
fewer, what takes long to find out.
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

from unmove.errors import BadQuery
from unmove.research.choices import Choices
from unmove.research.zugzwang import is_zugzwang
from unmove.values import BROKEN, DRAW, FIFTY, Metric, Outcome, loss_code, outcome_of, plies_of

Mask = NDArray[np.bool_]


class Needs(IntEnum):
    """What a test must know to be certain, in order of cost."""

    OWN = 0
    OTHER = 1
    CHOICES = 2


@dataclass(frozen=True)
class View:
    """Positions with one side to move, as far as they are known."""

    side: int
    metric: Metric
    codes: NDArray[np.uint16]
    stuck: Mask
    """Stalemate."""
    longest: dict[Outcome, int]
    """The plies of the longest win and loss that this side to move has."""
    other: NDArray[np.uint16] | None = None
    """The codes with the other side to move, BROKEN where that is illegal."""
    choices: Choices | None = None

    def outcome(self, outcome: Outcome) -> Mask:
        """Whether they have this outcome."""
        return self.per_code(lambda code: outcome_of(code) == outcome)

    def per_code(self, true: Callable[[int], bool]) -> Mask:
        """Whether it is true of each code; of none that is BROKEN."""
        most = int(self.codes.max(initial=DRAW))
        return np.array([False, *map(true, range(DRAW, most + 1))])[self.codes]


Test = Callable[[View], tuple[Mask, Mask]]
"""Whether positions are certain to pass, and whether it is possible."""


@dataclass
class Query:
    """A test, what it needs, and the metrics it speaks of."""

    test: Test = field(init=False)
    needs: Needs = Needs.OWN
    metrics: set[Metric] = field(default_factory=set)


def _exactly(function: Callable[[View], Mask]) -> Test:
    def test(view: View) -> tuple[Mask, Mask]:
        known = function(view)
        return known, known

    return test


def _with(outcome: Outcome) -> Callable[[View], Mask]:
    return lambda view: view.outcome(outcome)


def _winner(side: int) -> Callable[[View], Mask]:
    return lambda view: view.outcome(Outcome.WIN if view.side == side else Outcome.LOSS)


def _to_move(side: int) -> Callable[[View], Mask]:
    return lambda view: np.full(len(view.codes), view.side == side)


def _zugzwang(*stakes: int) -> Test:
    def test(view: View) -> tuple[Mask, Mask]:
        if view.other is None:
            possible = ~view.outcome(Outcome.WIN) & (view.codes != BROKEN)
            return np.zeros_like(possible), possible
        known = is_zugzwang(view.codes, view.other, stakes)
        return known, known

    return test


def _check(view: View) -> tuple[Mask, Mask]:
    """Just the positions in check would be illegal if the other side were to move."""
    if view.other is None:
        legal = view.codes != BROKEN
        return np.zeros_like(legal), legal
    known = (view.codes != BROKEN) & (view.other == BROKEN)
    return known, known


def _choice(true: Callable[[Choices], Mask]) -> Test:
    def test(view: View) -> tuple[Mask, Mask]:
        if view.choices is None:
            possible = ~view.outcome(Outcome.LOSS) & (view.codes != BROKEN) & ~view.stuck
            return np.zeros_like(possible), possible
        known = ~view.outcome(Outcome.LOSS) & true(view.choices)
        return known, known

    return test


def _cursed(view: View) -> Mask:
    return view.per_code(lambda code: code > loss_code(FIFTY))


PHRASES: Final[dict[str, tuple[Test, Needs]]] = {
    "wtm": (_exactly(_to_move(0)), Needs.OWN),
    "btm": (_exactly(_to_move(1)), Needs.OWN),
    **{outcome.word: (_exactly(_with(outcome)), Needs.OWN) for outcome in Outcome},
    "white wins": (_exactly(_winner(0)), Needs.OWN),
    "black wins": (_exactly(_winner(1)), Needs.OWN),
    "mate": (_exactly(lambda view: view.codes == loss_code(0)), Needs.OWN),
    "stalemate": (_exactly(lambda view: view.stuck), Needs.OWN),
    "cursed": (_exactly(_cursed), Needs.OWN),
    "check": (_check, Needs.OTHER),
    "zugzwang": (_zugzwang(1, 2), Needs.OTHER),
    "full zugzwang": (_zugzwang(2), Needs.OTHER),
    "half zugzwang": (_zugzwang(1), Needs.OTHER),
    "only move": (_choice(lambda found: found.only), Needs.CHOICES),
    "underpromotion": (_choice(lambda found: found.underpromotion), Needs.CHOICES),
}
"""What can be said of a position, besides comparing distances."""

_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_DISTANCES: Final = (*(metric.value for metric in Metric), "moves")
_TOKEN: Final = re.compile(r"\s*(?:([a-z]+)|(\d+)|(==|!=|<=|>=|[<>()-]))", re.IGNORECASE)


def parse(text: str) -> Query:
    """The query of a text; BadQuery with the place of the mistake otherwise."""
    return _Parser(text).query


class _Parser:
    """By recursive descent, one method a rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._split())
        self._next = 0
        self.query = Query()
        self.query.test = self._any()
        if self._peek():
            raise self._wrong("one word too many")

    def _split(self) -> list[tuple[str, int]]:
        """Each token with where it begins; an empty one closes them."""
        tokens, at, end = [], 0, len(self._text.rstrip())
        while at < end:
            match = _TOKEN.match(self._text, at)
            if match is None:
                at += len(self._text[at:]) - len(self._text[at:].lstrip())
                raise BadQuery(self._text, at, f"{self._text[at]!r} means nothing here")
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
        while self._take("or"):
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else _joined(operator.or_, tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self._take("and") or self._peek() not in ("", "or", ")"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else _joined(operator.and_, tests)

    def _one(self) -> Test:
        if self._take("not"):
            return _negated(self._one())
        if self._take("("):
            test = self._any()
            if not self._take(")"):
                raise self._wrong("a ) is missing")
            return test
        if name := self._take(*_DISTANCES):
            return self._comparison(name)
        return self._phrase()

    def _phrase(self) -> Test:
        for words in (2, 1):
            phrase = " ".join(self._peek(i) for i in range(words))
            if phrase in PHRASES:
                self._next += words
                test, needs = PHRASES[phrase]
                self.query.needs = max(self.query.needs, needs)
                if phrase == "cursed":
                    self.query.metrics.add(Metric.DTZ)
                return test
        known = ", ".join([*_DISTANCES, *PHRASES])
        raise self._wrong(f"one of these is expected: not, (, {known}")

    def _comparison(self, name: str) -> Test:
        compare = self._take(*_COMPARE)
        if not compare:
            raise self._wrong(f"{name} is compared by one of {' '.join(_COMPARE)}")
        from_max, number = bool(self._take("max")), 0
        if not from_max or self._take("-"):
            if not self._peek().isdecimal():
                raise self._wrong("a number or max is expected; win and loss tell the sign")
            number = int(self._take(self._peek()))
        if name != "moves":
            self.query.metrics.add(Metric(name))
        return _compared(_COMPARE[compare], number, from_max=from_max, in_moves=name == "moves")


def _joined(join: Callable[[Mask, Mask], Mask], tests: list[Test]) -> Test:
    def test(view: View) -> tuple[Mask, Mask]:
        least, most = tests[0](view)
        for each in tests[1:]:
            certain, possible = each(view)
            least, most = join(least, certain), join(most, possible)
        return least, most

    return test


def _negated(inner: Test) -> Test:
    def test(view: View) -> tuple[Mask, Mask]:
        least, most = inner(view)
        return ~most, ~least

    return test


def _compared(
    compare: Callable[[Any, Any], Any], number: int, *, from_max: bool, in_moves: bool
) -> Test:
    def distance(plies: int, outcome: Outcome) -> int:
        return (plies + (outcome == Outcome.WIN)) // 2 if in_moves else plies

    def known(view: View) -> Mask:
        def true(code: int) -> bool:
            outcome = outcome_of(code)
            if outcome == Outcome.DRAW:
                return False
            top = distance(view.longest.get(outcome, 0), outcome)
            here = distance(plies_of(code, view.metric), outcome)
            return bool(compare(here, top - number if from_max else number))

        return view.per_code(true)

    return _exactly(known)
