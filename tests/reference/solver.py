"""The value of every legal position of a material, by retrograde analysis in plain Python.

A value is a distance in plies, signed from the side to move:

    +n    the side to move wins in n plies        0    the side to move is checkmated
    -n    the side to move loses in n plies    None    draw

DTM counts the plies to mate. DTC counts the plies to the first conversion (capture or promotion,
by either side) or to mate: a winning capture is +1, and a lost side whose longest defence is to
capture has -1. Hence a DTC win may be even and a loss odd. Win, draw and loss are the same in both.

The method is Dijkstra's: values are settled in order of their distance, taken from a heap. A win
is settled by the loss it reaches soonest. A loss is settled when its last successor has become a
win, at the distance of the longest of them. Values from other materials wait in the heap from the
start, each at its own distance, so it does no harm that some arrive late, after plies in which
nothing was settled. What is never settled is a draw; stalemate is one such case.
"""

from collections.abc import Iterator
from functools import cache
from heapq import heappop, heappush
from itertools import product
from typing import NamedTuple

from tests.reference.board import (
    Men,
    Position,
    canonical,
    in_check,
    is_legal,
    moves,
)

Value = int | None

ORDER = "KQRBNP"


def material_of(men: Men) -> str:
    """The material's name, such as KQvK or KBvKN: White's men, v, Black's men."""
    white = [letter for letter, _ in men if letter.isupper()]
    black = [letter.upper() for letter, _ in men if not letter.isupper()]
    return "v".join("".join(sorted(letters, key=ORDER.index)) for letters in (white, black))


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
    """The moves of one material. A position is named by its number, its place in `positions`."""

    positions: list[Position]
    inside: list[list[int]]
    """By number: the successors of the same material, each once."""
    outside: list[list[Position]]
    """By number: the canonical successors after a conversion, each once."""
    mated: list[bool]
    """By number: whether the side to move is checkmated."""


@cache
def graph_of(material: str) -> Graph:
    """Every legal canonical position of the material and where its moves lead."""
    positions = legal_positions(material)
    number_of = {position: number for number, position in enumerate(positions)}
    graph = Graph(positions, [], [], [])
    for position in positions:
        inside: set[int] = set()  # sets, since two moves may lead to images of one position
        outside: set[Position] = set()
        for successor in map(canonical, moves(position)):
            number = number_of.get(successor)
            if number is not None:
                inside.add(number)
            else:
                outside.add(successor)
        graph.inside.append(list(inside))
        graph.outside.append(list(outside))
        graph.mated.append(not inside and not outside and in_check(position))
    return graph


class Rumours:
    """What is known so far of the successors of each position, and the heap of what follows."""

    def __init__(self, successor_counts: list[int]) -> None:
        """Nothing is known of any successor."""
        self.waiting = successor_counts
        """By number: how many successors are not known to be wins (for the other side)."""
        self.longest = [0] * len(successor_counts)
        """By number: the longest distance by way of a successor known to be a win."""
        self.heap: list[tuple[int, int, bool]] = []
        """Values to settle: (plies, number, whether the side to move wins)."""

    def hear(self, number: int, successor_wins: bool, plies: int) -> None:
        """A successor's outcome is noted, and the position's value put in the heap if it follows.

        `plies` is the distance from the position itself, by way of that successor.
        """
        if not successor_wins:
            heappush(self.heap, (plies, number, True))
            return
        self.waiting[number] -= 1
        self.longest[number] = max(self.longest[number], plies)
        if self.waiting[number] == 0:
            heappush(self.heap, (self.longest[number], number, False))


def settle(
    inside: list[list[int]], converted: list[list[Value]], mated: list[bool], metric: str
) -> list[Value]:
    """The value of every position, by number.

    `converted` has the values of the successors after a conversion, from their side to move and
    in the same metric; in DTC only their outcome counts, since the conversion ends the counting.
    """
    rumours = Rumours([len(a) + len(b) for a, b in zip(inside, converted, strict=True)])
    for number, values_after in enumerate(converted):
        for value in values_after:
            if value is not None:
                rumours.hear(number, value > 0, 1 + abs(value) if metric == "dtm" else 1)
    for number in range(len(inside)):
        if mated[number]:
            heappush(rumours.heap, (0, number, False))
    predecessors = inverse(inside)
    values: list[Value] = [None] * len(inside)
    while rumours.heap:
        plies, number, wins = heappop(rumours.heap)
        if values[number] is not None:
            continue  # a win already settled by a sooner loss
        values[number] = plies if wins else -plies
        for predecessor in predecessors[number]:
            if values[predecessor] is None:  # the others have won sooner: nothing to add
                rumours.hear(predecessor, wins, plies + 1)
    return values


def inverse(successors: list[list[int]]) -> list[list[int]]:
    """The predecessors of each position, by number."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for number, reached in enumerate(successors):
        for successor in reached:
            predecessors[successor].append(number)
    return predecessors


@cache
def solve(material: str, metric: str) -> dict[Position, Value]:
    """The value of every legal canonical position of the material, both sides to move.

    `material` is such as KQvK or KvKR, `metric` is "dtm" or "dtc". The materials reached by
    conversions are solved too. The dict is kept and given to the next caller: do not change it.
    """
    if metric not in ("dtm", "dtc"):
        raise ValueError(f"metric must be dtm or dtc, not {metric!r}")
    graph = graph_of(material)
    converted = [
        [solve(material_of(successor[1]), metric)[successor] for successor in successors]
        for successors in graph.outside
    ]
    values = settle(graph.inside, converted, graph.mated, metric)
    return dict(zip(graph.positions, values, strict=True))
