"""The value of every legal position of a material, by retrograde analysis in plain Python.

A value is a distance in plies, signed from the side to move:

    +n    the side to move wins in n plies        0    the side to move is checkmated
    -n    the side to move loses in n plies    None    draw

DTM counts the plies to mate. DTC counts the plies to the first conversion (capture or promotion,
by either side) or to mate: a winning capture is +1, and a lost side whose longest defence is to
capture has -1. Hence a DTC win may be even and a loss odd. Win, draw and loss are the same in both.

DTZ counts the plies to the first capture or pawn move, or to mate, under the 50-move rule. A win
that takes more than 100 plies, or leads by a capture or pawn move into one that does, is cursed:
the rule makes it a draw. Its value has 100 added, so that of two wins the smaller value is better.

The method is Dijkstra's: values are settled in order of their distance. A win is settled by the
loss it reaches soonest. A loss is settled when its last successor has become a win, at the distance
of the longest of them. What is never settled is a draw; stalemate is one such case. Distances grow
by quiet moves, as the method demands, but not always by others. So positions are solved in parts,
those whose pawns have the fewest steps to go first: a capture or a pawn move leads out of the part,
to values known already. These are due from the start, each at its own distance, so it does no harm
that some arrive late, after plies in which nothing was settled.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from tests.reference.board import (
    PLAIN,
    Men,
    Position,
    can_be_taken,
    canonical,
    in_check,
    is_legal,
    leaves_no_check,
    moves,
    tries,
)

Value = int | None
Values = dict[Position, Value]

METRICS = ("dtm", "dtc", "dtz")
ORDER = "KQRBNP"
FIFTY = 100  # plies without a capture or a pawn move
FURTHEST = 10**9  # more than any distance


def material_of(men: Men) -> str:
    """The material's name, such as KQvK or KBvKN: White's men, v, Black's men."""
    return named("".join([letter for letter, _ in men]))


@cache
def named(letters: str) -> str:
    """The name of the material of these letters."""
    plain = [PLAIN.get(letter, letter) for letter in letters]
    white = [letter for letter in plain if letter.isupper()]
    black = [letter.upper() for letter in plain if not letter.isupper()]
    return "v".join("".join(sorted(side, key=ORDER.index)) for side in (white, black))


def steps_to_go(men: Men) -> int:
    """How many steps the pawns are from promotion, all together."""
    white = sum(7 - square // 8 for letter, square in men if letter in "PE")
    return white + sum(square // 8 for letter, square in men if letter in "pe")


def placements(material: str) -> Iterator[Men]:
    """The ways to put the men on the board, legal or not, with at least every canonical one.

    The White king of a canonical position stands on the lowest of the images of its square: on
    files a to d, and without pawns in the triangle a1-d1-d4.
    """
    white, black = material.split("v")
    letters = white + black.lower()
    ranks = {file: 8 if "P" in material else file + 1 for file in range(4)}
    king_squares = [8 * rank + file for file in range(4) for rank in range(ranks[file])]
    for squares in product(king_squares, *[range(64)] * (len(letters) - 1)):
        yield tuple(sorted(zip(letters, squares, strict=True)))


def legal_positions(material: str) -> list[Position]:
    """Every legal canonical position of the material, once, both sides to move."""
    positions = ((white, men) for men in placements(material) for white in (True, False))
    # A dict serves as a set that keeps its order, so that every run numbers positions alike.
    return list(dict.fromkeys(canonical(position) for position in positions if is_legal(position)))


class Graph(NamedTuple):
    """The moves of a part. A position is named by its number, its place in `positions`."""

    positions: list[Position]
    quiet: list[list[int]]
    """By number: the successors in the same part, each once."""
    zeroing: list[list[Position]]
    """By number: the successors after a capture or a pawn move, each once."""
    mated: list[bool]
    """By number: whether the side to move is checkmated."""


Image = Callable[[Position], Position]


def graph_of(positions: list[Position], image: Image) -> Graph:
    """Where the moves of a part lead; `image` gives the position that stands for a successor."""
    number_of = {position: number for number, position in enumerate(positions)}
    graph = Graph(positions, [], [], [])
    for position in positions:
        quiet: set[int] = set()  # sets, since two moves may lead to images of one position
        zeroing: set[Position] = set()
        for successor in map(image, tries(position)):
            number = number_of.get(successor)
            if number is not None:  # then it is legal
                quiet.add(number)
            elif leaves_no_check(successor):
                zeroing.add(successor)
        graph.quiet.append(list(quiet))
        graph.zeroing.append(list(zeroing))
        graph.mated.append(not quiet and not zeroing and in_check(position))
    return graph


def parts_of(positions: Iterable[Position], image: Image) -> list[Graph]:
    """The positions of a material in parts, in the order in which they can be solved."""
    parts: dict[int, list[Position]] = {}
    for position in positions:
        parts.setdefault(steps_to_go(position[1]), []).append(position)
    return [graph_of(parts[steps], image) for steps in sorted(parts)]


def plies_before(plies: int, metric: str, fifty: int = FIFTY) -> int:
    """The distance before a quiet move, from the one after it."""
    if metric == "dtz" and plies == fifty:
        return plies + 1 + fifty  # one ply too many: cursed
    return plies + 1


def value_before(
    value: Value, metric: str, quiet: bool, converts: bool, fifty: int = FIFTY
) -> Value:
    """What a move is worth to its mover, from the value after it, of the other side."""
    if value is None:
        return None
    if metric == "dtz" and not quiet:
        plies = 1 if abs(value) <= fifty else fifty + 1
    elif metric == "dtc" and converts:
        plies = 1
    else:
        plies = plies_before(abs(value), metric, fifty)
    return -plies if value > 0 else plies


def best(values: list[Value]) -> Value:
    """The mover's choice: the soonest win, else a draw, else the latest loss."""
    decided = [value for value in values if value is not None]
    wins = [value for value in decided if value > 0]
    if wins:
        return min(wins)
    return min(decided) if len(decided) == len(values) else None


class Rumours:
    """What is known so far of the successors of each position, and what follows."""

    def __init__(self, successor_counts: list[int]) -> None:
        """Nothing is known of any successor."""
        self.waiting = successor_counts
        """By number: how many successors are not known to be wins (for the other side)."""
        self.longest = [0] * len(successor_counts)
        """By number: the longest distance by way of a successor known to be a win."""
        self.soonest = [FURTHEST] * len(successor_counts)
        """By number: the shortest distance by way of a successor known to be a loss."""
        self.due: defaultdict[int, list[tuple[int, bool]]] = defaultdict(list)
        """By distance: values to settle, (number, whether the side to move wins)."""

    def hear(self, number: int, successor_wins: bool, plies: int) -> None:
        """A successor's outcome is noted, and the position's value is due if it follows.

        `plies` is the distance from the position itself, by way of that successor.
        """
        if not successor_wins:
            if plies < self.soonest[number]:
                self.soonest[number] = plies
                self.due[plies].append((number, True))
            return
        self.waiting[number] -= 1
        if plies > self.longest[number]:
            self.longest[number] = plies
        if self.waiting[number] == 0:
            self.due[self.longest[number]].append((number, False))


def settle(
    quiet: list[list[int]],
    arriving: list[list[Value]],
    mated: list[bool],
    metric: str,
    fifty: int = FIFTY,
) -> list[Value]:
    """The value of every position of a part, by number.

    `arriving` has, for each position, what its captures and pawn moves are worth to the mover.
    """
    rumours = Rumours([len(a) + len(b) for a, b in zip(quiet, arriving, strict=True)])
    for number, values in enumerate(arriving):
        for value in values:
            if value is not None:
                rumours.hear(number, value < 0, abs(value))
    rumours.due[0] = [(number, False) for number, is_mate in enumerate(mated) if is_mate]
    predecessors = inverse(quiet)
    settled: list[Value] = [None] * len(quiet)
    while rumours.due:
        plies = min(rumours.due)
        # More than `plies`, so that nothing is due too late.
        before = plies_before(plies, metric, fifty)
        for number, wins in rumours.due.pop(plies):
            if settled[number] is not None:
                continue  # a win already settled by a sooner loss
            settled[number] = plies if wins else -plies
            for predecessor in predecessors[number]:
                if settled[predecessor] is None:  # the others have won sooner: nothing to add
                    rumours.hear(predecessor, wins, before)
    return settled


def inverse(successors: list[list[int]]) -> list[list[int]]:
    """The predecessors of each position, by number."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for number, reached in enumerate(successors):
        for successor in reached:
            predecessors[successor].append(number)
    return predecessors


class Solution:
    """The values of a material's positions, part after part."""

    def __init__(
        self,
        metric: str,
        image: Image,
        elsewhere: Callable[[Position], Value],
        fifty: int = FIFTY,
    ) -> None:
        """Nothing is solved; `elsewhere` gives the values of positions of other materials."""
        if metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, not {metric!r}")
        self.metric = metric
        self.image = image
        self.elsewhere = elsewhere
        self.fifty = fifty
        self.values: Values = {}
        """By position, those that allow en passant left out."""

    def add(self, graph: Graph) -> None:
        """The values of a part are known, too."""
        arriving = [
            [self.score(position, successor) for successor in successors]
            for position, successors in zip(graph.positions, graph.zeroing, strict=True)
        ]
        settled = settle(graph.quiet, arriving, graph.mated, self.metric, self.fifty)
        self.values.update(zip(graph.positions, settled, strict=True))

    def score(self, before: Position, after: Position) -> Value:
        """What a move into a solved position is worth to its mover."""
        converts = material_of(before[1]) != material_of(after[1])
        quiet = not converts and steps_to_go(before[1]) == steps_to_go(after[1])
        value = self.elsewhere(after) if converts else self.value(after)
        return value_before(value, self.metric, quiet, converts, self.fifty)

    def value(self, position: Position) -> Value:
        """The value of a position of a solved part.

        One that allows en passant is worth its best move: all of them lead to solved positions.
        """
        if can_be_taken(position[1]) is None:
            return self.values[position]
        successors = moves(position)
        if not successors:
            return 0 if in_check(position) else None
        return best([self.score(position, self.image(successor)) for successor in successors])


@cache
def graphs_of(material: str) -> list[Graph]:
    """The parts of a whole material."""
    return parts_of(legal_positions(material), canonical)


@cache
def solve(material: str, metric: str) -> Values:
    """The value of every legal canonical position of the material, both sides to move.

    `material` is such as KQvK or KvKR, `metric` is "dtm", "dtc" or "dtz". The materials reached by
    conversions are solved too. The dict is kept and given to the next caller: do not change it.
    """
    solution = Solution(
        metric, canonical, lambda position: solve(material_of(position[1]), metric)[position]
    )
    for graph in graphs_of(material):
        solution.add(graph)
    return solution.values
